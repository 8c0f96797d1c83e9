// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// The key under which API servers agree on what is compacted (storage/etcd3/compact.go in
// k8s.io/apiserver).  They watch it, and forget what they have cached of older revisions.
const compactKey = "compact_rev_key"

// Where the data is, and what "save" keeps of it.
const (
	etcdData  = "etcd"
	savedData = "etcd.saved"
)

func (c *cluster) startEtcd() error {
	var err error
	c.etcd, err = startProcess(c.dir, "etcd", []string{
		"--data-dir=" + etcdData,
		"--listen-client-urls=unix://" + etcdAddress,
		"--advertise-client-urls=unix://" + etcdAddress,
		"--listen-peer-urls=http://127.0.0.1:0",
		"--unsafe-no-fsync",
		"--quota-backend-bytes=8589934592",
		"--log-level=error",
	})
	return err
}

// saveEtcd keeps a copy of the data.  etcd is restarted for it, and the API server with it: a copy
// of files that are written to would be none.
func (c *cluster) saveEtcd(ctx context.Context) error {
	return c.replaceData(ctx, etcdData, savedData)
}

// restoreEtcd puts the copy back, as one does with a backup: the versions of all that happened
// since will be given a second time.
func (c *cluster) restoreEtcd(ctx context.Context) error {
	return c.replaceData(ctx, savedData, etcdData)
}

func (c *cluster) replaceData(ctx context.Context, from, to string) error {
	if _, err := os.Stat(c.path(from)); err != nil {
		return err
	}
	c.killAPIServer()
	c.etcd.kill()
	if err := os.RemoveAll(c.path(to)); err != nil {
		return err
	}
	if err := os.CopyFS(c.path(to), os.DirFS(c.path(from))); err != nil {
		return err
	}
	// etcd refuses a directory that others may read.
	if err := os.Chmod(c.path(to), 0o700); err != nil {
		return err
	}
	if err := c.startEtcd(); err != nil {
		return err
	}
	return c.startAPIServer(ctx, nil)
}

// compact throws away the history of all objects and tells the revision up to which it did.
func (c *cluster) compact(ctx context.Context) (string, error) {
	var now struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	key := []byte(compactKey)
	if err := c.callEtcd(ctx, "/v3/kv/range", map[string]any{"key": key}, &now); err != nil {
		return "", err
	}
	revision := now.Header.Revision
	put := map[string]any{"key": key, "value": []byte(revision)}
	if err := c.callEtcd(ctx, "/v3/kv/put", put, nil); err != nil {
		return "", err
	}
	compaction := map[string]any{"revision": revision, "physical": true}
	return revision, c.callEtcd(ctx, "/v3/kv/compaction", compaction, nil)
}

// callEtcd uses the JSON form of etcd's API, in which bytes are base64 and integers are strings.
func (c *cluster) callEtcd(ctx context.Context, path string, body, result any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd"+path,
		bytes.NewReader(text))
	if err != nil {
		return err
	}
	dial := func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", c.path(etcdAddress))
	}
	client := http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true},
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd: %s: %s", path, answer)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer, result)
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sync"
)

type user struct {
	name    string
	groups  []string
	token   string
	rules   []rule
	objects []string // paths of the roles and bindings, in the order of their making
}

// users are all that the cluster knows.  The API server asks it whose a token is, so that a user
// can be added, and a token be replaced, while the server runs.
type users struct {
	mutex  sync.Mutex
	byName map[string]*user
}

var validName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)

// add returns the user of that name, who is new or was there before.
func (u *users) add(name string, groups ...string) (*user, error) {
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("%q is not a name of small letters, digits and dashes", name)
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.byName == nil {
		u.byName = make(map[string]*user)
	}
	if u.byName[name] == nil {
		u.byName[name] = &user{name: name, groups: groups, token: newToken()}
	}
	return u.byName[name], nil
}

// renew gives the user another token.
func (u *users) renew(name string) (*user, error) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	who := u.byName[name]
	if who == nil || len(who.groups) > 0 {
		return nil, fmt.Errorf("no user %q was made by the command", name)
	}
	who.token = newToken()
	return who, nil
}

func (u *users) find(token string) *user {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	for _, who := range u.byName {
		if who.token == token {
			return who
		}
	}
	return nil
}

// listen answers the API server's TokenReviews from now on; `path` tells it where.
func (u *users) listen(path string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(listener, http.HandlerFunc(u.review))
	return writeSecret(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: review, cluster: {server: "http://%s/"}}]
users: [{name: review}]
contexts: [{name: review, context: {cluster: review, user: review}}]
current-context: review
`, listener.Addr()))
}

func (u *users) review(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Spec struct {
			Token string `json:"token"`
		} `json:"spec"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	status := map[string]any{"authenticated": false}
	if who := u.find(asked.Spec.Token); who != nil {
		account := map[string]any{"username": who.name, "uid": who.name, "groups": who.groups}
		status = map[string]any{"authenticated": true, "user": account}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "status": status,
	})
}

// setUser makes a user who may do what the rules say and nothing else, or gives these rules to one
// who is there, and returns when they hold.
func (c *cluster) setUser(ctx context.Context, name string, texts []string) (string, error) {
	rules, err := parseRules(texts)
	if err != nil {
		return "", err
	}
	who, err := c.users.add(name)
	if err != nil {
		return "", err
	}
	if len(who.groups) > 0 {
		return "", fmt.Errorf("the rules of %s cannot be changed", name)
	}
	if err := c.dropRules(ctx, who); err != nil {
		return "", err
	}
	if err := c.grantRules(ctx, who, rules); err != nil {
		return "", err
	}
	return c.userDir(who), c.writeUser(who)
}

func (c *cluster) renewToken(name string) (string, error) {
	who, err := c.users.renew(name)
	if err != nil {
		return "", err
	}
	return c.userDir(who), c.writeUser(who)
}

func (c *cluster) userDir(who *user) string { return c.path("users", who.name) }

// writeUser writes what the user needs to come in, with the token and with a certificate.
func (c *cluster) writeUser(who *user) error {
	certificate, err := c.authority.signClient(who.name, who.groups...)
	if err != nil {
		return err
	}
	dir := c.userDir(who)
	base64Of := base64.StdEncoding.EncodeToString
	byToken := "{token: " + who.token + "}"
	byCertificate := fmt.Sprintf("{client-certificate-data: %s, client-key-data: %s}",
		base64Of(certificate.cert), base64Of(certificate.key))
	return errors.Join(
		os.MkdirAll(dir, 0o700),
		replaceSecret(filepath.Join(dir, "token"), []byte(who.token)),
		replaceSecret(filepath.Join(dir, "client.crt"), certificate.cert),
		replaceSecret(filepath.Join(dir, "client.key"), certificate.key),
		replaceSecret(filepath.Join(dir, "kubeconfig"), c.kubeconfig(byToken)),
		replaceSecret(filepath.Join(dir, "kubeconfig-certificate"), c.kubeconfig(byCertificate)))
}

func (c *cluster) kubeconfig(credentials string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: e2e
  cluster: {server: "%s", certificate-authority: %s}
users:
- name: e2e
  user: %s
contexts:
- name: e2e
  context: {cluster: e2e, user: e2e}
current-context: e2e
`, c.url(), c.path("ca.crt"), credentials)
}

// replaceSecret never lets a reader see half a file.
func replaceSecret(path string, content []byte) error {
	if err := writeSecret(path+".new", content); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	startLimit     = 2 * time.Minute
	terminateLimit = 90 * time.Second // with open watches the server takes 60 s to end
	portAttempts   = 10
	// Sockets in the directory in which both servers run: no port, so no clash.  etcd wants an
	// address that looks like host:port and takes it for the name of the file.
	etcdAddress = "etcd:0"
)

var (
	errNotRunning = errors.New("the API server does not run")
	errPortTaken  = errors.New("the port is taken")
)

type cluster struct {
	dir       string
	flags     []string // of kube-apiserver, after our own
	port      int
	authority *authority
	admin     *http.Client
	etcd      *process
	apiserver *process
	users     users
}

func newCluster(dir string, flags []string) (*cluster, error) {
	c := &cluster{dir: dir, flags: flags}
	ca, err := newAuthority()
	if err != nil {
		return nil, err
	}
	c.authority = ca
	if err := c.writeServerSecrets(); err != nil {
		return nil, err
	}
	if err := c.makeAdmin(); err != nil {
		return nil, err
	}
	return c, c.users.listen(c.path("webhook"))
}

func (c *cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

func (c *cluster) url() string { return fmt.Sprintf("https://127.0.0.1:%d", c.port) }

func (c *cluster) writeServerSecrets() error {
	serving, err := c.authority.signServer()
	if err != nil {
		return err
	}
	key, err := newKey()
	if err != nil {
		return err
	}
	accounts, err := encodeKey(key)
	return errors.Join(err,
		os.WriteFile(c.path("ca.crt"), c.authority.pem, 0o644),
		writeSecret(c.path("serving.crt"), serving.cert),
		writeSecret(c.path("serving.key"), serving.key),
		writeSecret(c.path("accounts.key"), accounts))
}

// makeAdmin makes the client of our own requests.  Each goes over a new connection: an old one may
// be to a server that was killed.
func (c *cluster) makeAdmin() error {
	certificate, err := c.authority.signClient("kin-cluster", "system:masters")
	if err != nil {
		return err
	}
	keys, err := tls.X509KeyPair(certificate.cert, certificate.key)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(c.authority.cert)
	c.admin = &http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			DisableKeepAlives: true,
			TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{keys}},
		},
	}
	return nil
}

// start returns when the API server is ready and the admin's kubeconfig is written.
func (c *cluster) start(ctx context.Context) error {
	if err := c.startEtcd(); err != nil {
		return err
	}
	admin, err := c.users.add("admin", "system:masters")
	if err != nil {
		return err
	}
	if err := writeSecret(c.path("tokens.csv"),
		[]byte(admin.token+",admin,admin,system:masters\n")); err != nil {
		return err
	}
	for range portAttempts {
		c.port = freePort()
		err = c.startAPIServer(ctx, nil)
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.path("server"), []byte(c.url()+"\n"), 0o644); err != nil {
		return err
	}
	if err := c.writeUser(admin); err != nil {
		return err
	}
	return os.Symlink(filepath.Join("users", "admin", "kubeconfig"), c.path("kubeconfig"))
}

// stop needs no ready server, nor any at all.
func (c *cluster) stop() {
	c.apiserver.kill()
	c.etcd.kill()
}

// startAPIServer starts it on the port of the cluster with the flags of the cluster and `more`.
func (c *cluster) startAPIServer(ctx context.Context, more []string) error {
	if c.apiserver.isRunning() {
		return errors.New("the API server runs already")
	}
	flags := []string{
		"--etcd-servers=unix://" + etcdAddress,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.port),
		"--cert-dir=certs",
		"--tls-cert-file=serving.crt",
		"--tls-private-key-file=serving.key",
		"--client-ca-file=ca.crt",
		"--token-auth-file=tokens.csv",
		"--authentication-token-webhook-config-file=webhook",
		"--authentication-token-webhook-version=v1",
		"--authentication-token-webhook-cache-ttl=1s",
		"--authorization-mode=RBAC",
		fmt.Sprintf("--service-account-issuer=%s/", c.url()),
		"--service-account-key-file=accounts.key",
		"--service-account-signing-key-file=accounts.key",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none",
		// No controller makes the accounts that this plugin asks for.
		"--disable-admission-plugins=ServiceAccount",
		"--allow-privileged=true",
		// No limits, unless a test asks for them.
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight=0",
		"--max-mutating-requests-inflight=0",
	}
	flags = append(append(flags, c.flags...), more...)
	var err error
	if c.apiserver, err = startProcess(c.dir, "kube-apiserver", flags); err != nil {
		return err
	}
	if err = c.waitUntilReady(ctx); err != nil {
		c.apiserver.kill()
	}
	return err
}

func (c *cluster) killAPIServer() { c.apiserver.kill() }

func (c *cluster) terminateAPIServer(ctx context.Context) error {
	if err := c.apiserver.signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-c.apiserver.ended:
		return nil
	case <-time.After(terminateLimit):
		return errors.New("the API server does not end")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// holdOrRelease is for the API server, or for etcd if the arguments say so.
func (c *cluster) holdOrRelease(verb string, args []string) error {
	who := c.apiserver
	if len(args) == 1 && args[0] == "etcd" {
		who = c.etcd
	} else if len(args) > 0 {
		return fmt.Errorf("usage: %s [etcd]", verb)
	}
	if !who.isRunning() {
		return errNotRunning
	}
	if verb == "pause" {
		return who.pause()
	}
	return who.signal(syscall.SIGCONT)
}

// waitUntilReady returns when the server says that it is, and has made the namespaces that every
// cluster has; or as soon as that cannot happen any more.
func (c *cluster) waitUntilReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit,
		fmt.Errorf("the API server is not ready after %v", startLimit))
	defer cancel()
	go func(apiserver, etcd *process) {
		select {
		case <-apiserver.ended:
		case <-etcd.ended:
		case <-ctx.Done():
		}
		cancel()
	}(c.apiserver, c.etcd)
	for !c.answers(ctx, "/readyz") || !c.answers(ctx, "/api/v1/namespaces/default") {
		select {
		case <-ctx.Done():
			return c.whyNotReady(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

func (c *cluster) whyNotReady(ctx context.Context) error {
	if !c.etcd.isRunning() {
		return fmt.Errorf("etcd has ended: %s", c.etcd.lastWords())
	}
	if !c.apiserver.isRunning() {
		if c.apiserver.says("address already in use") {
			return errPortTaken
		}
		return fmt.Errorf("the API server has ended: %s", c.apiserver.lastWords())
	}
	return context.Cause(ctx)
}

func (c *cluster) answers(ctx context.Context, path string) bool {
	status, _, err := c.request(ctx, http.MethodGet, path, nil)
	return err == nil && status == http.StatusOK
}

// freePort is below the ports that the kernel gives to clients.  Among those, a client that tries
// again and again while the server is down would one day be given the server's port and connect to
// itself, and the server could not come back.
func freePort() int {
	for {
		port := 20000 + rand.IntN(12000)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			listener.Close()
			return port
		}
	}
}

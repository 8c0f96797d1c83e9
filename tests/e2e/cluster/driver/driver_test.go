// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The program under test, with the servers beside it.
var driver = os.Getenv("KIN_E2E_DRIVER")

// Most tests share one cluster and leave its server running.
var shared *running

// Set in a child of a test: it starts a cluster, and is then killed.
const victimVariable = "KIN_E2E_VICTIM"

// A running cluster, as whoever has started it sees it.
type running struct {
	cmd    *exec.Cmd
	input  io.Closer
	answer *bufio.Reader
	dir    string
}

func launch(flags ...string) (*running, error) {
	r := &running{cmd: exec.Command(driver, flags...)}
	r.cmd.Stderr = os.Stderr
	input, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	r.input, r.answer = input, bufio.NewReader(output)
	line, err := r.answer.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the driver is not ready: %w", err)
	}
	r.dir = strings.TrimSpace(strings.TrimPrefix(line, "ready "))
	return r, nil
}

func start(t *testing.T, flags ...string) *running {
	t.Helper()
	r, err := launch(flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.end)
	return r
}

func (r *running) end() {
	r.input.Close()
	r.cmd.Wait()
}

// ctl sends a command and returns the result; one that is refused fails the test.
func (r *running) ctl(t *testing.T, words ...string) string {
	t.Helper()
	output, err := exec.Command(driver, append([]string{"ctl", r.dir}, words...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", words, output)
	}
	return strings.TrimSpace(string(output))
}

func (r *running) pids(t *testing.T) []int {
	t.Helper()
	var apiserver, etcd int
	if _, err := fmt.Sscan(r.ctl(t, "pids"), &apiserver, &etcd); err != nil {
		t.Fatal(err)
	}
	return []int{apiserver, etcd}
}

func (r *running) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// A client of the API server, who trusts its authority and nobody else.
type client struct {
	url, token string
	http.Client
}

func (r *running) client(t *testing.T, certificates ...tls.Certificate) *client {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(r.read(t, "ca.crt")))
	return &client{url: r.read(t, "server"), Client: http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			DisableKeepAlives: true,
			TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: certificates},
		},
	}}
}

func (r *running) withToken(t *testing.T, user string) *client {
	t.Helper()
	c := r.client(t)
	c.token = r.read(t, "users/"+user+"/token")
	return c
}

func (r *running) withCertificate(t *testing.T, user string) *client {
	t.Helper()
	keys, err := tls.X509KeyPair([]byte(r.read(t, "users/"+user+"/client.crt")),
		[]byte(r.read(t, "users/"+user+"/client.key")))
	if err != nil {
		t.Fatal(err)
	}
	return r.client(t, keys)
}

// do returns the status and the start of the body.
func (c *client) do(method, path string, body any) (int, string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, "", err
	}
	request, err := http.NewRequest(method, c.url+path, bytes.NewReader(text))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, string(answer), err
}

func (c *client) want(t *testing.T, method, path string, body any, want int) string {
	t.Helper()
	status, answer, err := c.do(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	if status != want {
		t.Fatalf("%s %s: status %d, want %d: %s", method, path, status, want, answer)
	}
	return answer
}

func configMap(name string) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": name}}
}

// eventually asks again and again until the answer is yes.
func eventually(t *testing.T, limit time.Duration, what string, isSo func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !isSo(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not after %v: %s", limit, what)
		}
	}
}

func isAlive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func wantGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		eventually(t, 2*time.Second, fmt.Sprintf("process %d has gone", pid),
			func() bool { return !isAlive(pid) })
	}
}

const configMaps = "/api/v1/namespaces/default/configmaps"

func TestMain(m *testing.M) {
	if os.Getenv(victimVariable) != "" {
		beVictim()
	}
	var err error
	if shared, err = launch(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	shared.end()
	os.Exit(status)
}

// beVictim starts a cluster, tells its directory, and waits to be killed.
func beVictim() {
	r, err := launch()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(r.dir)
	time.Sleep(time.Hour)
}

func TestAdminComesInWithTokenAndWithCertificate(t *testing.T) {
	shared.withToken(t, "admin").want(t, "GET", "/api/v1/nodes", nil, 200)
	shared.withCertificate(t, "admin").want(t, "GET", "/api/v1/nodes", nil, 200)

	shared.client(t).want(t, "GET", "/api/v1/nodes", nil, 403)
	stranger := shared.client(t)
	stranger.token = "no-such-token"
	stranger.want(t, "GET", "/api/v1/nodes", nil, 401)
}

func TestServerHasACertificateForItsNamesOnly(t *testing.T) {
	c := shared.client(t)
	config := c.Transport.(*http.Transport).TLSClientConfig

	for name, isRight := range map[string]bool{
		"localhost": true, "kubernetes.default.svc": true, "elsewhere": false,
	} {
		config.ServerName = name
		_, _, err := c.do("GET", "/readyz", nil)
		if (err == nil) != isRight {
			t.Errorf("as %s: %v", name, err)
		}
	}
}

func TestRestartKeepsData(t *testing.T) {
	admin := shared.withToken(t, "admin")
	admin.want(t, "POST", configMaps, configMap("kept"), 201)
	before := shared.pids(t)

	shared.ctl(t, "restart")

	after := shared.pids(t)
	if after[0] == before[0] || after[1] != before[1] {
		t.Errorf("processes were %v and are %v", before, after)
	}
	admin.want(t, "GET", configMaps+"/kept", nil, 200)
}

func TestKilledServerStaysDownUntilStarted(t *testing.T) {
	admin := shared.withToken(t, "admin")
	shared.ctl(t, "kill")
	if _, _, err := admin.do("GET", "/readyz", nil); err == nil {
		t.Error("there is an answer")
	}
	if output, err := exec.Command(driver, "ctl", shared.dir, "pause").Output(); err == nil {
		t.Errorf("pause of nothing: %s", output)
	}

	shared.ctl(t, "start")

	admin.want(t, "GET", "/readyz", nil, 200)
}

func TestTerminatedServerEnds(t *testing.T) {
	pids := shared.pids(t)

	shared.ctl(t, "terminate")

	wantGone(t, pids[:1])
	shared.ctl(t, "start")
	shared.withToken(t, "admin").want(t, "GET", "/readyz", nil, 200)
}

func TestPausedServerDoesNotAnswer(t *testing.T) {
	admin := shared.withToken(t, "admin")
	shared.ctl(t, "pause")
	admin.Timeout = time.Second
	if _, _, err := admin.do("GET", "/readyz", nil); !os.IsTimeout(err) {
		t.Errorf("want a timeout, got %v", err)
	}

	shared.ctl(t, "resume")

	admin.Timeout = 10 * time.Second
	admin.want(t, "GET", "/readyz", nil, 200)
}

func TestPausedEtcdLeavesReadsFromMemory(t *testing.T) {
	admin := shared.withToken(t, "admin")
	shared.ctl(t, "pause", "etcd")
	admin.Timeout = time.Second
	admin.want(t, "GET", configMaps+"?resourceVersion=0", nil, 200)
	if _, _, err := admin.do("POST", configMaps, configMap("delayed")); !os.IsTimeout(err) {
		t.Errorf("want a timeout, got %v", err)
	}

	shared.ctl(t, "resume", "etcd")

	admin.Timeout = 10 * time.Second
	admin.want(t, "POST", configMaps, configMap("after"), 201)
}

func TestRestoredDataForgetsWhatCameAfter(t *testing.T) {
	r := start(t)
	admin := r.withToken(t, "admin")
	admin.want(t, "POST", configMaps, configMap("before"), 201)
	r.ctl(t, "save")
	admin.want(t, "POST", configMaps, configMap("after"), 201)

	r.ctl(t, "restore")

	admin.want(t, "GET", configMaps+"/before", nil, 200)
	admin.want(t, "GET", configMaps+"/after", nil, 404)
}

func TestCompactionTakesOldRevisionsAway(t *testing.T) {
	admin := shared.withToken(t, "admin")
	var made struct {
		Metadata struct{ ResourceVersion string }
	}
	answer := admin.want(t, "POST", configMaps, configMap("first"), 201)
	if err := json.Unmarshal([]byte(answer), &made); err != nil {
		t.Fatal(err)
	}
	old := configMaps + "?resourceVersionMatch=Exact&resourceVersion=" +
		made.Metadata.ResourceVersion
	admin.want(t, "POST", configMaps, configMap("second"), 201)
	admin.want(t, "GET", old, nil, 200)

	shared.ctl(t, "compact")

	// The server looks every 15 s at what its cache must forget.
	eventually(t, 30*time.Second, "status 410", func() bool {
		status, _, err := admin.do("GET", old, nil)
		return err == nil && status == 410
	})
	admin.want(t, "GET", configMaps, nil, 200)
}

func TestFlagsHoldUntilTheNextStart(t *testing.T) {
	admin := shared.withToken(t, "admin")
	watchList := configMaps + "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true" +
		"&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"
	admin.want(t, "GET", watchList, nil, 200)

	shared.ctl(t, "restart", "--feature-gates=WatchList=false", "--goaway-chance=0.01")
	admin.want(t, "GET", watchList, nil, 422)

	shared.ctl(t, "restart")
	admin.want(t, "GET", watchList, nil, 200)
}

func TestFlagsOfTheDriverHoldForGood(t *testing.T) {
	r := start(t, "--feature-gates=WatchList=false")
	watchList := configMaps + "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true" +
		"&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"

	r.withToken(t, "admin").want(t, "GET", watchList, nil, 422)
	r.ctl(t, "restart")
	r.withToken(t, "admin").want(t, "GET", watchList, nil, 422)
}

func TestWrongFlagIsToldAtOnce(t *testing.T) {
	r := &running{cmd: exec.Command(driver, "--no-such-flag")}
	var words bytes.Buffer
	r.cmd.Stderr = &words
	input, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()

	if err := r.cmd.Run(); err == nil || !strings.Contains(words.String(), "no-such-flag") {
		t.Errorf("%v: %s", err, words.String())
	}
}

func TestTakenPortIsNoticed(t *testing.T) {
	shared.ctl(t, "kill")
	address := strings.TrimPrefix(shared.read(t, "server"), "https://")
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command(driver, "ctl", shared.dir, "start").CombinedOutput()
	listener.Close()
	if err == nil || !bytes.Contains(output, []byte(errPortTaken.Error())) {
		t.Errorf("%v: %s", err, output)
	}

	shared.ctl(t, "start")
}

func TestUserMayDoWhatTheRulesSay(t *testing.T) {
	shared.ctl(t, "user", "alice", "get,list:configmaps@default", "list:deployments.apps")

	for _, alice := range []*client{
		shared.withToken(t, "alice"), shared.withCertificate(t, "alice"),
	} {
		alice.want(t, "GET", configMaps, nil, 200)
		alice.want(t, "GET", "/apis/apps/v1/deployments", nil, 200)
		alice.want(t, "GET", "/api/v1/configmaps", nil, 403)
		alice.want(t, "POST", configMaps, configMap("no"), 403)
		alice.want(t, "GET", "/api/v1/pods", nil, 403)
	}
}

func TestUserIsGivenOtherRules(t *testing.T) {
	shared.ctl(t, "user", "carol", "list:configmaps")
	carol := shared.withToken(t, "carol")
	carol.want(t, "GET", configMaps, nil, 200)

	shared.ctl(t, "user", "carol", "list:pods,services")

	carol.want(t, "GET", configMaps, nil, 403)
	carol.want(t, "GET", "/api/v1/pods", nil, 200)
	carol.want(t, "GET", "/api/v1/services", nil, 200)
}

func TestUserLosesATokenThatIsReplaced(t *testing.T) {
	shared.ctl(t, "user", "dave", "list:configmaps")
	before := shared.withToken(t, "dave")
	before.want(t, "GET", configMaps, nil, 200)

	shared.ctl(t, "token", "dave")

	shared.withToken(t, "dave").want(t, "GET", configMaps, nil, 200)
	// The server remembers a good token for 10 s.
	eventually(t, 20*time.Second, "status 401", func() bool {
		status, _, err := before.do("GET", configMaps, nil)
		return err == nil && status == 401
	})
}

func TestTwoClustersKnowNothingOfEachOther(t *testing.T) {
	other := start(t)
	other.withToken(t, "admin").want(t, "POST", configMaps, configMap("mine"), 201)

	shared.withToken(t, "admin").want(t, "GET", configMaps+"/mine", nil, 404)
	stranger := shared.withToken(t, "admin")
	stranger.token = other.read(t, "users/admin/token")
	stranger.want(t, "GET", configMaps, nil, 401)
}

func TestNothingIsLeftWhenTheInputEnds(t *testing.T) {
	r := start(t)
	pids := r.pids(t)

	r.end()

	wantGone(t, pids)
	if exists(r.dir) {
		t.Errorf("%s is still there", r.dir)
	}
}

func TestNothingIsLeftAfterASignalEvenWhilePaused(t *testing.T) {
	r := start(t)
	pids := r.pids(t)
	r.ctl(t, "pause")

	r.cmd.Process.Signal(syscall.SIGTERM)

	wantGone(t, pids)
	eventually(t, 2*time.Second, "the directory has gone", func() bool { return !exists(r.dir) })
}

func TestNothingIsLeftWhenTheTestIsKilled(t *testing.T) {
	victim := exec.Command(os.Args[0])
	victim.Env = append(os.Environ(), victimVariable+"=1")
	output, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	dir, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r := &running{dir: strings.TrimSpace(dir)}
	pids := r.pids(t)

	victim.Process.Kill()
	victim.Wait()

	wantGone(t, pids)
	eventually(t, 2*time.Second, "the directory has gone", func() bool { return !exists(r.dir) })
}

func TestNoProcessIsLeftWhenTheDriverIsKilled(t *testing.T) {
	r := start(t)
	pids := r.pids(t)

	r.cmd.Process.Kill()
	r.cmd.Wait()

	wantGone(t, pids)
	if !exists(r.dir) {
		t.Error("who has removed the directory?")
	}
	start(t)
	if exists(r.dir) {
		t.Errorf("the next driver has not removed %s", r.dir)
	}
}

# SPDX-License-Identifier: Apache-2.0
# servers.py - the two servers: how they are started, asked, and made to forget.
#
# Both are asked over HTTP/1.1.  A thread keeps one connection to each.
import http.client
import os
import re
import ssl
import subprocess
import threading
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.path.realpath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
HEADERS = ["Content-Type", "Warning", "Retry-After", "Allow", "Cache-Control", "Vary", "Location"]


class Answer:
    """What came back: a status, the headers that count, the bytes of the body."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body


class Server:
    """One of the two.  `names` has the versions that the comparison knows, and what they mean."""

    def __init__(self, name):
        self.name = name
        self.names = {}
        self.marks = {}
        self.local = threading.local()
        self.process = None

    def ask(self, method, target, headers=None, body=None, timeout=30):
        for attempt in (1, 2):
            try:
                return self._exchange(method, target, headers or {}, body, timeout)
            except http.client.RemoteDisconnected:
                self.local.connection = None
                if attempt == 2:
                    return Answer(0, [], b"closed without an answer")
            except (http.client.HTTPException, OSError) as e:
                self.local.connection = None
                if attempt == 2:
                    what = f"{method} {target} {headers} {body!r}"
                    raise SystemExit(f"{self.name}: {what}: {e}") from e

    def _exchange(self, method, target, headers, body, timeout):
        if getattr(self.local, "connection", None) is None:
            self.local.connection = self._connect(timeout)
        c = self.local.connection
        c.putrequest(method, target, skip_accept_encoding=True)
        for key, value in {**self._credentials(), **headers}.items():
            c.putheader(key, value)
        if body is not None:
            c.putheader("Content-Length", str(len(body)))
        c.endheaders(body)
        r = c.getresponse()
        kept = [(h, v) for h in HEADERS for v in r.headers.get_all(h, [])]
        return Answer(r.status, kept, r.read())

    def wait_until(self, target, holds, seconds=60):
        deadline = time.monotonic() + seconds
        while True:
            answer = self.ask("GET", target)
            if holds(answer):
                return answer
            if time.monotonic() > deadline:
                raise SystemExit(f"{self.name}: {target}: {answer.status} {answer.body!r}")
            time.sleep(0.1)


class RealServer(Server):
    """kube-apiserver, in a cluster of its own."""

    def start(self):
        self.driver = os.environ.get("KIN_E2E_DRIVER", os.path.join(BUILD, "e2e", "kin-cluster"))
        self.process = subprocess.Popen(
            [self.driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        words = self.process.stdout.readline().split()
        if words[:1] != ["ready"]:
            raise SystemExit("the cluster does not start")
        self.dir = words[1]
        self.url = urllib.parse.urlsplit(self._read("server"))
        self.token = self._read("users/admin/token")
        self.tls = ssl.create_default_context(cafile=os.path.join(self.dir, "ca.crt"))

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def compact(self):
        """After a restart nothing that came before it can be watched any more."""
        self._command("compact")
        self._command("restart")
        self.local.connection = None
        self.wait_until("/readyz", lambda a: a.status == 200)

    def _command(self, *words):
        subprocess.run([self.driver, "ctl", self.dir, *words], check=True,
            stdout=subprocess.DEVNULL)

    def _read(self, name):
        with open(os.path.join(self.dir, name), encoding="utf-8") as f:
            return f.read().strip()

    def _connect(self, timeout):
        return http.client.HTTPSConnection(
            self.url.hostname, self.url.port, timeout=timeout, context=self.tls
        )

    def _credentials(self):
        return {"Authorization": "Bearer " + self.token}


class EmbeddedServer(Server):
    """`kin server`."""

    def __init__(self, name, program=None):
        super().__init__(name)
        self.program = program or os.path.join(BUILD, "default", "src", "cli", "kin")

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "server", "--bare", "--insecure-http", "--token", "cmp-token"],
            stdout=subprocess.PIPE,
            text=True,
        )
        found = re.match(r"ready at (http://[^:]+:\d+): export KUBECONFIG=(.*)",
            self.process.stdout.readline())
        if not found:
            raise SystemExit("kin server does not start")
        self.url = urllib.parse.urlsplit(found.group(1))

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def compact(self):
        answer = self.ask("POST", "/kin/compact", {}, b"")
        if answer.status >= 300:
            raise SystemExit(f"kin server: compact: {answer.status}")

    def _connect(self, timeout):
        return http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=timeout)

    def _credentials(self):
        return {"Authorization": "Bearer cmp-token"}

# SPDX-License-Identifier: Apache-2.0
# api.py - the two API servers that controllers are run against, and how they are asked.
import http.client
import json
import os
import re
import ssl
import subprocess
import threading
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.path.realpath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
MERGE = "application/merge-patch+json"


class Failed(Exception):
    """An answer that was not expected; `status` is its HTTP status."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


class Api:
    """A server.  `kubeconfig` is for the controllers, the rest for us."""

    def __init__(self, name):
        self.name = name
        self.local = threading.local()

    def ask(self, method, path, body=None, content_type="application/json"):
        """The object of the answer; raises Failed for 400 and above."""
        for attempt in (1, 2):
            try:
                return self._ask(method, path, body, content_type)
            except (http.client.HTTPException, OSError):
                self.local.connection = None
                if attempt == 2:
                    raise

    def _ask(self, method, path, body, content_type):
        if getattr(self.local, "connection", None) is None:
            self.local.connection = self._connect(30)
        connection = self.local.connection
        headers = {**self._credentials(), "Content-Type": content_type}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        text = response.read().decode()
        if response.status >= 400:
            raise Failed(response.status, f"{method} {path}: {text[:300]}")
        return json.loads(text) if text else None

    def get(self, path):
        """None when it is not there."""
        try:
            return self.ask("GET", path)
        except Failed as e:
            if e.status == 404:
                return None
            raise

    def create(self, path, body):
        return self.ask("POST", path, body)

    def patch(self, path, body):
        return self.ask("PATCH", path, body, MERGE)

    def delete(self, path, grace=None):
        """Whether it was there."""
        try:
            self.ask("DELETE", path, {"gracePeriodSeconds": grace} if grace is not None else None)
            return True
        except Failed as e:
            if e.status in (404, 409):
                return False
            raise

    def watch(self, path, version):
        """The connection, and its events line by line until the server ends it."""
        connection = self._connect(600)
        connection.request("GET", f"{path}?watch=1&resourceVersion={version}", None,
            self._credentials())
        return connection, connection.getresponse()

    def _connect(self, timeout):
        if self.url.scheme == "http":
            return http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=timeout)
        return http.client.HTTPSConnection(
            self.url.hostname, self.url.port, timeout=timeout, context=self.tls)


class Real(Api):
    """kube-apiserver: the cluster that all tests share.  It is not ours to stop."""

    def start(self):
        directory = os.environ["KIN_E2E_CLUSTER"]
        self.kubeconfig = os.path.join(directory, "kubeconfig")
        with open(os.path.join(directory, "server"), encoding="utf-8") as f:
            self.url = urllib.parse.urlsplit(f.read().strip())
        with open(os.path.join(directory, "users/admin/token"), encoding="utf-8") as f:
            self.token = f.read().strip()
        self.tls = ssl.create_default_context(cafile=os.path.join(directory, "ca.crt"))

    def stop(self):
        pass

    def _credentials(self):
        return {"Authorization": "Bearer " + self.token}


class Embedded(Api):
    """`kin server`."""

    def start(self):
        program = os.path.join(BUILD, "default", "src", "cli", "kin")
        self.process = subprocess.Popen([program, "server", "--insecure-http"],
            stdout=subprocess.PIPE, text=True)
        found = re.match(r"ready at (http://[^:]+:\d+): export KUBECONFIG=(.*)",
            self.process.stdout.readline())
        if not found:
            raise SystemExit("kin server does not start")
        self.url = urllib.parse.urlsplit(found.group(1))
        self.kubeconfig = found.group(2)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def _credentials(self):
        return {}

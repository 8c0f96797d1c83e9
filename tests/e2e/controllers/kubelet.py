# SPDX-License-Identifier: Apache-2.0
# kubelet.py - plays the kubelet of every node: pods run and are ready, and go when they are to.
import queue
import threading
import time

import api as apis


class Kubelet:
    """Is told of pods' events by a Timeline; works on a thread of its own."""

    def __init__(self, api, pods):
        self.api = api
        self.pods = pods
        self.todo = queue.Queue()
        threading.Thread(target=self._work, daemon=True).start()

    def on_event(self, kind, pod):
        if pod.get("kind", "Pod") == "Pod" and kind != "DELETED":
            self.todo.put(pod)

    def _work(self):
        while True:
            pod = self.todo.get()
            try:
                self._serve(pod)
            except (OSError, apis.Failed):
                pass  # it has changed meanwhile: another event tells of it

    def _serve(self, pod):
        path = f"{self.pods}/{pod['metadata']['name']}"
        if "deletionTimestamp" in pod["metadata"]:
            self.api.delete(path, grace=0)
        elif pod.get("status", {}).get("phase", "Pending") == "Pending":
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            self.api.patch(f"{path}/status", {"metadata": {"uid": pod["metadata"]["uid"]},
                "status": {"phase": "Running", "conditions": [
                    {"type": "Ready", "status": "True", "lastTransitionTime": now}]}})

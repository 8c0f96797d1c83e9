# SPDX-License-Identifier: Apache-2.0
# timeline.py - all that happens to some resources, as their watches tell it.
import http.client
import json
import threading


class Timeline:
    """Follows paths from now on.  `events` has (version, type, object), each path's in order."""

    def __init__(self, api, paths, on_event=None):
        self.api = api
        self.events = []
        self.lock = threading.Lock()
        self.on_event = on_event
        self.is_ended = False
        self.connections = {}
        self.threads = []
        for path in paths:
            version = api.ask("GET", path)["metadata"]["resourceVersion"]
            thread = threading.Thread(target=self._follow, args=(path, version), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _follow(self, path, version):
        while not self.is_ended:
            try:
                connection, response = self.api.watch(path, version)
                self.connections[path] = connection
                for line in response:
                    version = self._take(json.loads(line)) or version
            except (http.client.HTTPException, OSError, ValueError, AttributeError):
                pass  # ended from within, or cut: it goes on from where it was

    def _take(self, event):
        item = event["object"]
        if event["type"] in ("BOOKMARK", "ERROR"):
            assert event["type"] != "ERROR", event
            return None
        version = item["metadata"]["resourceVersion"]
        with self.lock:
            self.events.append((int(version), event["type"], item))
        if self.on_event:
            self.on_event(event["type"], item)
        return version

    def stop(self):
        self.is_ended = True
        for connection in list(self.connections.values()):
            try:
                connection.sock.shutdown(2)
            except (OSError, AttributeError):
                pass

    def sorted(self):
        """In the order in which the server did it: versions are of one count for all resources."""
        with self.lock:
            return sorted(self.events, key=lambda e: e[0])

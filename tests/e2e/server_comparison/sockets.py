# SPDX-License-Identifier: Apache-2.0
# sockets.py - watches over WebSockets: the answer to the handshake, letter by letter, and then the
# messages.
import base64
import concurrent.futures
import json
import socket
import struct
import time

import mask
from objects import RESOURCES, encode
from state import JSON, MERGE

SECONDS = 6
AT_ONCE = 16
ATTEMPTS = 3
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
MASK = b"\x01\x02\x03\x04"
WATCHED = ("configmaps", "pods", "widgets", "events")
PROTOBUF = "application/vnd.kubernetes.protobuf"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
ASKED = [
    ("Upgrade", "websocket"),
    ("Connection", "Upgrade"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", KEY),
    ("Origin", "http://localhost"),
]
BEARER = "base64url.bearer.authorization.k8s.io."


def without(*names):
    return [(n, v) for n, v in ASKED if n not in names]


def frame(opcode, data=b"", is_masked=True, first=0x80):
    """One of a client."""
    length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack(">H", len(data))
    if not is_masked:
        return bytes([first | opcode]) + length + data
    head = bytes([first | opcode, length[0] | 0x80]) + length[1:] + MASK
    return head + bytes(b ^ MASK[i % 4] for i, b in enumerate(data))


CLOSE = frame(8, struct.pack(">H", 1001) + b"bye")
# What is said once the watch is open, and the connection's end is then waited for.
TALK = {
    "close": CLOSE,
    "empty close": frame(8),
    "ping": frame(9, b"are you there") + CLOSE,
    "empty ping": frame(9) + CLOSE,
    "long ping": frame(9, b"p" * 300) + CLOSE,
    "pings": frame(9, b"1") + frame(9, b"2") + frame(10, b"3") + CLOSE,
    "text": frame(1, b"hello") + frame(9, b"x") + CLOSE,
    "fragments": frame(1, b"hel", first=0) + frame(9, b"x") + frame(0, b"lo") + CLOSE,
    "large binary": frame(2, b"z" * 60000) + frame(9, b"x") + CLOSE,
    "reserved bits": frame(1, b"hello", first=0xf0) + frame(9, b"x") + CLOSE,
    "unknown opcode": frame(3, b"hello") + frame(11, b"y") + frame(9, b"x") + CLOSE,
    "unmasked": frame(1, b"hello", is_masked=False),
    "unmasked close": frame(8, is_masked=False),
    "too large": b"\x82\xff" + struct.pack(">Q", (32 << 20) + 1) + MASK,
    "highest bit": b"\x82\xff" + struct.pack(">Q", 1 << 63 | 2) + MASK + b"ab" + frame(9) + CLOSE,
}
HANDSHAKES = {
    "plain": ASKED,
    "other case": [("upgrade", "WebSocket"), ("connection", "keep-alive, UPGRADE")] +
    without("Upgrade", "Connection"),
    "no upgrade": without("Upgrade"),
    "no connection": without("Connection"),
    "connection other": without("Connection") + [("Connection", "keep-alive")],
    "connection second": without("Connection") + [("Connection", "keep-alive"),
        ("Connection", "upgrade")],
    "connection part": without("Connection") + [("Connection", "x-upgraded")],
    "upgrade other": without("Upgrade") + [("Upgrade", "SPDY/3.1")],
    "upgrade second": without("Upgrade") + [("Upgrade", "h2c"), ("Upgrade", "websocket")],
    "no key": without("Sec-WebSocket-Key"),
    "empty key": without("Sec-WebSocket-Key") + [("Sec-WebSocket-Key", "")],
    "short key": without("Sec-WebSocket-Key") + [("Sec-WebSocket-Key", "abc")],
    "no version": without("Sec-WebSocket-Version"),
    "version 8": without("Sec-WebSocket-Version") + [("Sec-WebSocket-Version", "8")],
    "no origin": without("Origin"),
    "origin null": without("Origin") + [("Origin", "null")],
    "origin path": without("Origin") + [("Origin", "/x")],
    "origin star": without("Origin") + [("Origin", "*")],
    "origin port": without("Origin") + [("Origin", "http://x:y")],
    "origin space": without("Origin") + [("Origin", "http://a b")],
    "origin mail": without("Origin") + [("Origin", "mailto:x")],
    "origin six": without("Origin") + [("Origin", "https://[::1]:443")],
    "extensions": ASKED + [("Sec-WebSocket-Extensions", "permessage-deflate")],
    "gzip": ASKED + [("Accept-Encoding", "gzip")],
    "protocol": ASKED + [("Sec-WebSocket-Protocol", "binary.k8s.io")],
    "protocol base64": ASKED + [("Sec-WebSocket-Protocol", "base64.binary.k8s.io")],
    "protocol other": ASKED + [("Sec-WebSocket-Protocol", " what ever ")],
    "protocol empty": ASKED + [("Sec-WebSocket-Protocol", "")],
    "protocols": ASKED + [("Sec-WebSocket-Protocol", "binary.k8s.io, base64.binary.k8s.io")],
    "protocols twice": ASKED + [("Sec-WebSocket-Protocol", "a"), ("Sec-WebSocket-Protocol", "b")],
    "protocol comma": ASKED + [("Sec-WebSocket-Protocol", "a,")],
}
TOKENS = {  # sub-protocols; TOKEN stands for the server's own
    "token": BEARER + "TOKEN, v1",
    "token last": "v1," + BEARER + "TOKEN",
    "token alone": BEARER + "TOKEN",
    "token wrong": BEARER + "d3Jvbmc, v1",
    "token padded": BEARER + "d3Jvbmc=, v1",
    "token no base64": BEARER + "?, v1",
    "token no text": BEARER + "_-8, v1",
    "token empty": BEARER + ", v1",
    "token twice": BEARER + "TOKEN, " + BEARER + "TOKEN, v1",
    "token and two": BEARER + "TOKEN, v1, v2",
    "token none": "v1",
}
VIEWS = {
    "from now": "&resourceVersion=CURRENT",
    "older": "&resourceVersion=OLDER",
    "all": "",
    "zero": "&resourceVersion=0",
    "label": "&labelSelector=app%3Dx",
    "initial": "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    "&allowWatchBookmarks=true",
    "initial at": "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    "&resourceVersion=CURRENT&allowWatchBookmarks=true",
    "compacted": "&resourceVersion=COMPACTED",
    "future": "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    "&resourceVersion=FUTURE&allowWatchBookmarks=true",
    "bad version": "&resourceVersion=x",
    "bad selector": "&labelSelector=,,",
    "bad field": "&fieldSelector=a%3Db",
    "bad timeout": "&timeoutSeconds=x",
    "no initial": "&sendInitialEvents=true",
}
OTHERS = {  # no watch of a collection: method, target
    "list": ("GET", "/api/v1/namespaces/cmp-a/configmaps"),
    "get": ("GET", "/api/v1/namespaces/cmp-a/configmaps/cmp-one"),
    "get missing": ("GET", "/api/v1/namespaces/cmp-a/configmaps/none"),
    "old watch": ("GET", "/api/v1/watch/namespaces/cmp-a/configmaps?timeoutSeconds=1"),
    "old watch of one": ("GET",
        "/api/v1/watch/namespaces/cmp-a/configmaps/cmp-one?timeoutSeconds=1"),
    "no resource": ("GET", "/api/v1/nothing?watch=1"),
    "no path": ("GET", "/nothing"),
    "ready": ("GET", "/readyz"),
    "post": ("POST", "/api/v1/namespaces/cmp-a/configmaps?watch=1"),
}


class Socket:
    """A connection that speaks bytes."""

    def __init__(self, server):
        c = socket.create_connection((server.url.hostname, server.url.port), timeout=30)
        is_bare = server.url.scheme == "http"
        self.c = c if is_bare else server.tls.wrap_socket(c, server_hostname=server.url.hostname)
        self.came = b""

    def ask(self, method, target, headers):
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
        lines += [f"{n}: {v}" for n, v in headers] + ["", ""]
        self.c.sendall("\r\n".join(lines).encode())

    def say(self, data):
        """The server may have closed."""
        try:
            self.c.sendall(data)
        except OSError:
            pass

    def more(self):
        try:
            data = self.c.recv(65536)
        except OSError:
            data = b""
        self.came += data
        return bool(data)

    def head(self):
        while b"\r\n\r\n" not in self.came and self.more():
            pass
        head, _, self.came = self.came.partition(b"\r\n\r\n")
        return head.decode("latin-1")

    def message(self):
        """The next frame as its opcode and bytes; None at the end."""
        while True:
            need = 2
            if len(self.came) >= 2:
                short = self.came[1] & 0x7f
                extra = {126: 2, 127: 8}.get(short, 0)
                need = 2 + extra
                if len(self.came) >= need:
                    length = int.from_bytes(self.came[2:need], "big") if extra else short
                    need += length
                    if len(self.came) >= need:
                        first, data = self.came[0], self.came[need - length:need]
                        self.came = self.came[need:]
                        return first, data
            if not self.more():
                return None

    def close(self):
        self.c.close()


def head_text(head):
    """An answer to the handshake whole; of others what counts of all answers."""
    lines = head.split("\r\n")
    status = lines[0].split(" ")[1] if lines[0] else "closed"
    if status == "101" or not any(line.startswith("Date:") for line in lines):
        return "\n".join(lines)
    return lines[0] + "\n" + "\n".join(sorted(line for line in lines[1:]
        if line.split(":")[0] in ("Content-Type", "Warning", "Allow", "Location")))


def body_of(head, came, more):
    """Of an answer that is none to the handshake."""
    fields = {n.lower(): v for n, _, v in (line.partition(": ") for line in head.split("\r\n"))}
    while fields.get("content-length") and len(came()) < int(fields["content-length"]) and more():
        pass
    if fields.get("transfer-encoding") == "chunked":
        while not came().endswith(b"0\r\n\r\n") and more():
            pass
        rest, out = came(), b""
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            out, rest = out + rest[:int(size, 16)], rest[int(size, 16) + 2:]
        return out
    if not fields.get("content-length"):
        while more():
            pass
    return came()


def messages_text(messages, left, names):
    """How many plain bookmarks come is chance."""
    shown = []
    for first, data in messages:
        if first & 0x0f == 1:
            if mask.is_plain_bookmark(json.loads(data)):
                continue
            shown.append(f"{first:02x} {data[-2:]!r} " + mask.json_text(data.decode(), names))
        elif first & 0x0f == 2:
            shown.append(f"{first:02x} " + json.dumps(mask.proto_object(data, names), indent=1))
        else:
            shown.append(f"{first:02x} {data!r}")
    return "\n".join(shown) + f"\nended, {left!r} left\n"


class Cell:
    def __init__(self, name, target, headers, method="GET", talk=None, accept=None,
            has_token=True, asked=None, is_uncached=False):
        self.name = "socket " + name
        self.method, self.target, self.headers = method, target, headers
        self.talk, self.accept, self.has_token = talk, accept, has_token
        self.asked = asked
        self.is_uncached = is_uncached

    def run(self, server):
        return self.text(server, self.exchange(server))

    def exchange(self, server):
        """The head of the answer, then its body or messages, and what is left behind those."""
        token = server._credentials()["Authorization"].partition(" ")[2]
        packed = base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
        headers = [(n, v.replace("TOKEN", packed)) for n, v in self.headers]
        headers += [("Authorization", "Bearer " + token)] if self.has_token else []
        headers += [("Accept", self.accept)] if self.accept else []
        target = self.target
        for mark in ("current", "older", "compacted", "future"):
            target = target.replace(mark.upper(), server.marks[mark])
        s = Socket(server)
        try:
            s.ask(self.method, target, headers)
            head = s.head()
            shown = head.replace(packed, "TOKEN")
            if " 101 " in head.split("\r\n")[0]:
                s.say(self.talk or b"")
                return shown, list(iter(s.message, None)), s.came
            return shown, body_of(head, lambda: s.came, s.more), None
        finally:
            s.close()

    def text(self, server, exchanged):
        head, body, left = exchanged
        names = mask.Names(server.names, server.marks.get(self.asked), is_uncached=self.is_uncached)
        if left is not None:
            return head_text(head) + "\n" + messages_text(body, left, names)
        return head_text(head) + "\n" + mask.json_text(body.decode("utf-8", "backslashreplace"),
            names)


def all_cells():
    at = RESOURCES["configmaps"].collection("cmp-a")
    now = at + "?watch=1&timeoutSeconds=1&resourceVersion=CURRENT"
    open_now = at + "?watch=1&timeoutSeconds=20&resourceVersion=CURRENT"
    out = [Cell("handshake " + n, now, h) for n, h in HANDSHAKES.items()]
    out += [Cell("talk " + n, open_now, ASKED, talk=t) for n, t in TALK.items()]
    out += [Cell("protocol " + n, now, ASKED + [("Sec-WebSocket-Protocol", p)], has_token=False)
        for n, p in TOKENS.items()]
    out += [Cell("protocol known " + n, now, ASKED + [("Sec-WebSocket-Protocol", p)])
        for n, p in TOKENS.items()]
    out += [Cell("other " + n, t, ASKED, method=m) for n, (m, t) in OTHERS.items()]
    for plural in WATCHED:
        r = RESOURCES[plural]
        for view, query in VIEWS.items():
            seconds = "" if "timeoutSeconds" in query else "&timeoutSeconds=1"
            forms = {"json": None, "table": TABLE, "partial": PARTIAL}
            if plural != "widgets":
                forms["protobuf"] = PROTOBUF
            for form, accept in forms.items():
                asked = next((m for m in ("current", "older", "compacted", "future")
                    if "=" + m.upper() in query), None)
                out.append(Cell(f"watch {plural} {view} {form}",
                    r.collection("cmp-a") + "?watch=1" + seconds + query, ASKED, accept=accept,
                    asked=asked, is_uncached=plural == "events"))
    return out


def compare(both, is_wanted):
    def run(cell):
        for _ in range(ATTEMPTS):
            real, embedded = [cell.run(server) for server in both]
            if real == embedded:
                break
        return cell.name, f"{cell.method} {cell.target}", real, embedded

    wanted = [c for c in all_cells() if is_wanted(c.name)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(run, wanted))
    if is_wanted("socket live"):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            real, embedded = pool.map(live, both)
        results += [("socket live " + form, "watch while things change", real[form],
            embedded[form]) for form in real]
    return results


def live(server):
    """Changes while watches are open."""
    r = RESOURCES["configmaps"]
    forms = {"json": None, "protobuf": PROTOBUF, "table": TABLE}
    target = (r.collection("cmp-a") + f"?watch=1&timeoutSeconds={SECONDS}&resourceVersion=CURRENT"
        "&labelSelector=socket")
    cells = {form: Cell("live", target, ASKED, accept=accept) for form, accept in forms.items()}
    known = Known(server)
    with concurrent.futures.ThreadPoolExecutor(len(forms)) as pool:
        futures = {form: pool.submit(cell.exchange, server) for form, cell in cells.items()}
        time.sleep(2)
        change(server, r, known.names)
        return {form: cells[form].text(known, f.result()) for form, f in futures.items()}


class Known:
    """What a server is to the text of a cell, with names of its own."""

    def __init__(self, server):
        self.marks, self.names = server.marks, {}


def change(server, r, known):
    def write(method, target, headers, body):
        answer = server.ask(method, target, headers, encode(body) if body is not None else b"")
        if answer.status >= 300:
            raise SystemExit(f"{server.name}: {method} {target}: {answer.status} {answer.body!r}")
        version = json.loads(answer.body)["metadata"].get("resourceVersion")
        if version:
            known.setdefault(version, f"S{len(known)}")

    at = r.collection("cmp-a")
    write("POST", at, JSON, r.object("cmp-a", "socket-1", {"socket": "yes"}))
    write("PATCH", at + "/socket-1", MERGE, {"data": {"large": "x" * 70000}})
    write("PATCH", at + "/socket-1", MERGE, r.changed)
    write("DELETE", at + "/socket-1", JSON, None)

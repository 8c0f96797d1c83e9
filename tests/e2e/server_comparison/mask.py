# SPDX-License-Identifier: Apache-2.0
# mask.py - answers as text in which everything that a server makes up itself is replaced by what
# it means, so that two servers' answers can be compared letter by letter.
#
# The order of members stays: it is part of what is compared.  Of resource versions those that the
# comparison knows get their names (Server.names), the one that the request had is REQ, all others
# N.
import base64
import json
import re
import struct

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
NOW = re.compile(r"\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
AGE = re.compile(r"^(\d+[smhdy])+$|^<invalid>$")
IN_META = re.compile(r"(ResourceVersion in object meta: )\d+")
VERSIONS = re.compile(r"(resource ?[vV]ersion[^0-9]*)(\d+)(?:(, current: | \()(\d+))?")
IN_RECORD = re.compile(r"(in record \()\d+")
MADE_NAME = re.compile(r"\b(Bad_|w-\w+-gen-)[bcdfghjklmnpqrstvwxz2456789]{5}\b")


class Names:
    """What the versions of one server are called, in one cell."""

    def __init__(self, known, asked=None, grows=False, tells_bookmarks=False, is_uncached=False):
        self.known = known
        self.asked = asked
        self.grows = grows
        self.tells_bookmarks = tells_bookmarks
        self.is_uncached = is_uncached

    def of_object(self, version, owner=None):
        if version in self.known:
            return self.known[version]
        if self.grows and owner and version.isdigit() and version != "0":
            before = sum(1 for name in self.known.values() if name.startswith(owner + "#"))
            self.known[version] = f"{owner}#{before + 1}"
            return self.known[version]
        return self.of_list(version)

    def of_list(self, version):
        if self.asked and version == self.asked:
            return "REQ"
        return "N" if version.isdigit() and version != "0" else version


def answer_text(answer, names, is_watch):
    """The whole answer: status, headers, body."""
    lines = [str(answer.status)]
    lines += [f"{h}: {text(v, names)}" for h, v in answer.headers]
    return "\n".join(lines) + "\n" + body_text(answer, names, is_watch)


def body_text(answer, names, is_watch):
    kind = dict(answer.headers).get("Content-Type", "")
    body = answer.body
    if "protobuf" in kind:
        frames = watch_frames(body) if is_watch and answer.status == 200 else [body]
        return "\n".join(json.dumps(proto_object(f, names), indent=1) for f in frames)
    if "json" not in kind and body[:1] != b"{":
        return text(body.decode("utf-8", "backslashreplace"), names)
    return json_text(body.decode("utf-8", "backslashreplace"), names)


def json_text(body, names):
    """One JSON value after the other; ends of lines between them and indentation are told too."""
    shown = []
    bookmarks = 0
    decoder = json.JSONDecoder()
    at = 0
    while at < len(body):
        try:
            value, end = decoder.raw_decode(body, at)
        except ValueError:
            return "\n".join(shown) + "NOT JSON: " + text(body[at:], names)
        if is_plain_bookmark(value):
            bookmarks += 1
        else:
            shown.append(json.dumps(plain(value, names, None), indent=1))
            if "\n" in body[at:end]:
                shown.append("(indented)")
        at = end
        while at < len(body) and body[at] == "\n":
            at += 1
            if not is_plain_bookmark(value):
                shown.append("(end of line)")
    if bookmarks and names.tells_bookmarks:
        shown.append("(bookmarks in time)")
    return "\n".join(shown)


def is_plain_bookmark(value):
    """One that a server sends when it finds it useful: how many come is chance."""
    if not isinstance(value, dict) or value.get("type") != "BOOKMARK":
        return False
    return "annotations" not in (value.get("object") or {}).get("metadata", {})


def plain(value, names, key):
    if isinstance(value, dict):
        return plain_object(value, names, key)
    if isinstance(value, list):
        return [plain(v, names, key) for v in value]
    if isinstance(value, str):
        return text(value, names, key)
    return value


def plain_object(value, names, key):
    out = {}
    if value.get("kind") == "APIResourceList" and value.get("groupVersion",
            "").endswith("kin.example/v1"):
        # In which order a real server tells custom resources is chance.
        value = {**value, "resources": sorted(value["resources"],
            key=lambda r: r["name"].split("/")[0])}
    is_list = "items" in value or "rows" in value
    for k, v in value.items():
        if k == "managedFields":
            continue
        if k == "metadata" and is_list and isinstance(v, dict):
            out[k] = list_metadata(v, names)
        elif k == "resourceVersion" and isinstance(v, str):
            out[k] = names.of_object(v, value.get("generateName") or value.get("name"))
        elif k == "continue" and isinstance(v, str):
            out[k] = token_text(v, names)
        elif k == "retryAfterSeconds" and names.is_uncached:
            out[k] = 1 <= v <= 3  # 1 to 3, by chance
        elif k == "name" and key == "metadata" and "generateName" in value:
            out[k] = v[:-5] + "?????"
        else:
            out[k] = plain(v, names, k)
    return out


def list_metadata(value, names):
    out = {}
    for k, v in value.items():
        if k == "resourceVersion":
            out[k] = names.of_list(v)
        elif k == "continue":
            out[k] = token_text(v, names)
        else:
            out[k] = v
    return out


def token_text(token, names):
    """A continue token, opened."""
    if not token:
        return token
    try:
        opened = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        value = json.loads(opened)
        if value.get("rv", 0) > 0:
            value["rv"] = names.of_list(str(value["rv"]))
        return MADE_NAME.sub(r"\1?????", "token:" + json.dumps(value))
    except ValueError:
        return "token?" + token


def without_managed_fields(value):
    """In the text of an object that a message quotes: as JSON, or as JSON in a Go string."""
    for mark in ('"managedFields":[', '\\"managedFields\\":['):
        at = value.find(mark)
        if at < 0:
            continue
        end = at + len(mark)
        depth = 1
        while depth and end < len(value):
            depth += {"[": 1, "]": -1}.get(value[end], 0)
            end += 1
        if value[end : end + 1] == ",":
            return value[:at] + value[end + 1 :]
        return value[:at].removesuffix(",") + value[end:]
    return value


def text(value, names, key=None):
    if key == "cells" and AGE.match(value):
        return "AGE"
    value = UUID.sub("UID", without_managed_fields(value))
    value = NOW.sub(lambda m: "TIME.us" if m.group(1) else "TIME", value)
    if names.asked and names.asked.isdigit() and len(names.asked) > 1:
        value = re.sub(rf"\b{names.asked}\b", "REQ", value)
    value = MADE_NAME.sub(r"\1?????", IN_RECORD.sub(r"\g<1>N", IN_META.sub(r"\g<1>N", value)))
    return VERSIONS.sub(version_words, value)


def version_words(found):
    tail = found.group(3) + "N" if found.group(3) else ""
    return found.group(1) + "N" + tail


# Protobuf


def watch_frames(body):
    frames = []
    at = 0
    while at + 4 <= len(body):
        (size,) = struct.unpack(">I", body[at : at + 4])
        frames.append(body[at + 4 : at + 4 + size])
        at += 4 + size
    if at != len(body):
        frames.append(b"CUT " + body[at:])
    return frames


def proto_object(data, names):
    if data.startswith(b"k8s\0"):
        return {"k8s": proto_object(data[4:], names)}
    fields = proto_fields(data)
    if fields is None:
        return "bytes " + data.hex()
    if is_object_meta(fields):
        fields = [f for f in fields if f[0] != 17]
    return [[n, proto_value(n, v, names)] for n, v in fields]


def is_object_meta(fields):
    return any(n == 5 and isinstance(v, bytes) and UUID.match(v.decode("latin-1")) for n,
        v in fields)


def proto_value(number, value, names):
    if isinstance(value, int):
        if number == 5 and names.is_uncached:  # retryAfterSeconds, by chance
            return 1 <= value <= 3
        return "TIME" if 1767225600 < value < 4000000000 else value
    if value.startswith(b"k8s\0"):
        return proto_object(value, names)
    try:
        as_text = value.decode("utf-8")
    except UnicodeDecodeError:
        as_text = None
    if as_text is not None and all(c >= " " for c in as_text):
        return proto_text(number, as_text, names)
    if proto_fields(value) is not None:
        return proto_object(value, names)
    return "bytes " + value.hex() if as_text is None else text(as_text, names)


def proto_text(number, value, names):
    """resourceVersion is 6 in ObjectMeta and 2 in ListMeta, continue 3 there."""
    if number == 6 and value.isdigit():
        return names.of_object(value)
    if number == 2 and value.isdigit():
        return names.of_list(value)
    if number == 3 and value.startswith("eyJ"):
        return token_text(value, names)
    return text(value, names)


def proto_fields(data):
    fields = []
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag is None or tag >> 3 == 0:
            return None
        if tag & 7 == 0:
            value, at = varint(data, at)
            if value is None:
                return None
        elif tag & 7 == 2:
            size, at = varint(data, at)
            if size is None or at + size > len(data):
                return None
            value = data[at : at + size]
            at += size
        elif tag & 7 in (1, 5):
            size = 8 if tag & 7 == 1 else 4
            if at + size > len(data):
                return None
            value = int.from_bytes(data[at : at + size], "little")
            at += size
        else:
            return None
        fields.append((tag >> 3, value))
    return fields


def varint(data, at):
    value = 0
    for i in range(10):
        if at >= len(data):
            return None, at
        value |= (data[at] & 0x7F) << (7 * i)
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    return None, at

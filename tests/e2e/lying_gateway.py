"""A gateway that answers as a test tells it: for what a hostile one could say to the command line or to a node."""

import base64
import hashlib
import json
import socket
import struct
import threading

ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Link:
    """One connection, the server's end."""

    def __init__(self, sock):
        self.sock, self.buffer, self.request_id = sock, b"", None
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        key = [line.split(b":", 1)[1].strip() for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")]
        accept = base64.b64encode(hashlib.sha1(key[0] + ACCEPT.encode()).digest()).decode()
        sock.sendall(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      f"Sec-WebSocket-Accept: {accept}\r\n\r\n").encode())

    def _more(self):
        got = self.sock.recv(65536)
        if not got:
            raise ConnectionError("gone")
        self.buffer += got

    def _exactly(self, n):
        while len(self.buffer) < n:
            self._more()
        got, self.buffer = self.buffer[:n], self.buffer[n:]
        return got

    def receive(self):
        """The next message as a dict; ConnectionError when the peer closes."""
        text = b""
        while True:
            first, second = self._exactly(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", self._exactly(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._exactly(8))[0]
            mask, body = self._exactly(4), self._exactly(length)
            whole = (mask * (length // 4 + 1))[:length]
            body = bytes(a ^ b for a, b in zip(body, whole)) if length < 4096 else \
                (int.from_bytes(body, "big") ^ int.from_bytes(whole, "big")).to_bytes(length, "big")
            if first & 15 == 8:
                raise ConnectionError("closed")
            if first & 15 in (9, 10):
                continue
            text += body
            if first & 0x80:
                return json.loads(text)

    def send(self, text):
        data = (text if isinstance(text, str) else json.dumps(text)).encode()
        size = len(data)
        head = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size) if size < 65536 \
            else b"\x7f" + struct.pack(">Q", size)
        self.sock.sendall(b"\x81" + head + data)

    def event(self, name, payload):
        self.send({"type": "event", "event": name, "payload": payload})


class LyingGateway:
    """answers: method → payload, text of a payload, or a function (link, params) → one of both."""

    def __init__(self, answers, hello=None, on_open=None):
        self.answers, self.hello, self.on_open = answers, hello or {}, on_open
        self.asked = []  # (method, params)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def requests(self, method):
        return [params for name, params in list(self.asked) if name == method]

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        try:
            link = Link(sock)
            link.event("connect.challenge", {"nonce": "n-1", "ts": 1700000000000})
            while True:
                self._answer(link, link.receive())
        except (OSError, ValueError, IndexError):
            pass
        sock.close()

    def _answer(self, link, frame):
        method, params = frame.get("method"), frame.get("params") or {}
        link.request_id = frame.get("id")
        self.asked.append((method, params))
        if method == "connect":
            payload = {"type": "hello-ok", "protocol": 4, "server": {"version": "2026.9.6", "connId": "c-1"},
                       "policy": {"maxPayload": 26214400, "tickIntervalMs": 30000}, **self.hello}
        else:
            payload = self.answers.get(method, {})
        if callable(payload):
            payload = payload(link, params)
        if payload is None:
            return  # no answer at all
        text = payload if isinstance(payload, str) else json.dumps(payload)
        link.send('{"type":"res","id":%s,"ok":true,"payload":%s}' % (json.dumps(frame["id"]), text))
        if method == "connect" and self.on_open:
            self.on_open(link)


def node(node_id="a" * 64, name="box", **more):
    """A row of node.list."""
    return {"nodeId": node_id, "displayName": name, "platform": "linux", "connected": True, "paired": True,
            "caps": ["system"], "commands": ["system.run", "system.run.prepare", "system.which", "system.runs.list",
                                             "system.runs.poll", "system.runs.write", "system.runs.kill"], **more}

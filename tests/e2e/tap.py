"""Listens between a node and its gateway."""

import json
import socket
import threading

from harness import HostProxy


class Tap(HostProxy):
    """Between node and gateway: what the node says, message by message."""

    def __init__(self, target):
        self.said = []
        super().__init__(target, "127.0.0.1")

    def requests(self, method):
        return [f["params"] for f in list(self.said) if f.get("method") == method]

    def _serve(self, client):
        server = socket.create_connection(("127.0.0.1", self.target))
        threading.Thread(target=self._pump, args=(server, client), daemon=True).start()
        data, in_head, text = b"", True, b""
        try:
            while True:
                got = client.recv(65536)
                if not got:
                    break
                server.sendall(got)
                data += got
                if in_head and b"\r\n\r\n" in data:
                    data, in_head = data.split(b"\r\n\r\n", 1)[1], False
                while not in_head:
                    frame = self._frame(data)
                    if not frame:
                        break
                    data, first, payload = data[frame[0]:], frame[1], frame[2]
                    text = (text if first & 15 == 0 else b"") + payload
                    if first & 0x80 and first & 15 in (0, 1):
                        self.said.append(json.loads(text))
        except OSError:
            pass
        server.close()

    @staticmethod
    def _frame(data):
        if len(data) < 6:
            return None
        length, at = data[1] & 127, 2
        if length == 126:
            length, at = int.from_bytes(data[2:4], "big"), 4
        elif length == 127:
            length, at = int.from_bytes(data[2:10], "big"), 10
        if len(data) < at + 4 + length:
            return None
        mask, body = data[at:at + 4], data[at + 4:at + 4 + length]
        key = (mask * (length // 4 + 1))[:length]
        plain = (int.from_bytes(body, "big") ^ int.from_bytes(key, "big")).to_bytes(length, "big") if length else b""
        return at + 4 + length, data[0], plain

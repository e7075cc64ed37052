"""Listens between a node and its gateway."""

import json
import socket
import threading

from harness import HostProxy


class Tap(HostProxy):
    """Between node and gateway: what they say, message by message."""

    def __init__(self, target):
        self.said, self.heard = [], []  # by the node; of the gateway
        super().__init__(target, "127.0.0.1")

    def requests(self, method):
        return [f["params"] for f in list(self.said) if f.get("method") == method]

    def _serve(self, client):
        server = socket.create_connection(("127.0.0.1", self.target))
        threading.Thread(target=self._listen, args=(server, client, self.heard), daemon=True).start()
        self._listen(client, server, self.said)

    def _listen(self, source, sink, messages):
        data, in_head, text = b"", True, b""
        try:
            while True:
                got = source.recv(65536)
                if not got:
                    break
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
                        messages.append(json.loads(text))
                sink.sendall(got)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    @staticmethod
    def _frame(data):
        if len(data) < 2:
            return None
        length, at = data[1] & 127, 2
        if length == 126:
            length, at = int.from_bytes(data[2:4], "big"), 4
        elif length == 127:
            length, at = int.from_bytes(data[2:10], "big"), 10
        is_masked = data[1] >= 128
        if len(data) < at + 4 * is_masked + length:
            return None
        if not is_masked:
            return at + length, data[0], data[at:at + length]
        mask, body = data[at:at + 4], data[at + 4:at + 4 + length]
        key = (mask * (length // 4 + 1))[:length]
        plain = (int.from_bytes(body, "big") ^ int.from_bytes(key, "big")).to_bytes(length, "big") if length else b""
        return at + 4 + length, data[0], plain

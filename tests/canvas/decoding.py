"""Pictures are decoded beside the requests of the node: those are answered meanwhile, and who wants a picture of it all waits."""

import array
import base64
import fcntl
import json
import os
import socket
import sys

from pngs import pattern
from wire import MAX_MESSAGE, SEALS, Canvas

HERE = os.path.dirname(os.path.abspath(__file__))
FONTS = os.path.join(HERE, "fonts.conf")
with open(os.path.join(HERE, "pictures", "uses.svg"), "rb") as file:
    SLOW = file.read()  # its decoder is ended after two seconds


def page(*urls):
    parts = [{"id": "root", "component": {"Column": {"children": {"explicitList": [f"i{i}" for i in range(len(urls))]}}}}]
    parts += [{"id": f"i{i}", "component": {"Image": {"url": {"literalString": url}}}} for i, url in enumerate(urls)]
    lines = [{"surfaceUpdate": {"surfaceId": "s", "components": parts}}, {"beginRendering": {"surfaceId": "s", "root": "root"}}]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def slow(i):
    return "data:image/svg+xml;base64," + base64.b64encode(SLOW + b"<!-- %d -->" % i).decode()


class Wire(Canvas):
    def send(self, name, what, params=None, data=None):
        fds = []
        if data is not None:
            fds = [os.memfd_create("canvas", os.MFD_ALLOW_SEALING)]
            os.write(fds[0], data)
            fcntl.fcntl(fds[0], fcntl.F_ADD_SEALS, SEALS)
        text = json.dumps({"id": name, "do": what, "params": params or {}}).encode()
        self.socket.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])
        for fd in fds:
            os.close(fd)

    def take(self):
        message, fds, _, _ = socket.recv_fds(self.socket, MAX_MESSAGE, 1)
        for fd in fds:
            os.close(fd)
        return json.loads(message)

    def answers(self, count):
        """Their ids, as they come."""
        came = []
        while len(came) < count:
            message = self.take()
            if "id" in message:
                assert message["ok"], message
                came.append(message["id"])
        return came

    def until(self, event):
        while True:
            message = self.take()
            if event in message.get("event", {}):
                return message["event"][event]


def honest(canvas):
    """The picture is in the first snapshot, and in all that follow."""
    canvas.ask("push", {}, page(pattern(200, 120), pattern(240, 120)))
    first, second = canvas.picture(400), canvas.picture(400)
    assert first == second
    canvas.ask("reset")
    canvas.ask("push", {}, page(pattern(240, 120), pattern(200, 120)))
    assert canvas.picture(400) != first


def in_addresses(canvas):
    canvas.ask("reset")
    canvas.send(1001, "push", {}, page(*(slow(i) for i in range(3)), pattern(200, 120)))
    canvas.send(1002, "snapshot", {"format": "png", "maxWidth": 400})
    canvas.send(1003, "eval", {"javaScript": "openclawA2UI.getSurfaces()"})
    assert canvas.answers(3) == [1001, 1003, 1002]


def brought(canvas):
    canvas.ask("reset")
    canvas.send(2001, "push", {}, page("https://pictures.example/a"))
    assert canvas.until("wanted") == "https://pictures.example/a"
    canvas.send(2002, "snapshot", {"format": "png", "maxWidth": 400})
    canvas.send(2003, "bring", {"url": "https://pictures.example/a"}, SLOW)
    canvas.send(2004, "eval", {"javaScript": "document.title"})
    assert canvas.answers(4)[1:] == [2003, 2004, 2002]


def told(canvas):
    """Who looked hears when the pictures are there."""
    canvas.ask("reset")
    canvas.ask("push", {}, page(slow(0), slow(1), pattern(200, 120)))
    before = canvas.look()
    canvas.until("changed")
    canvas.picture(400)
    assert canvas.look() != before


def main():
    with Wire(sys.argv[1], FONTS) as canvas:
        honest(canvas)
        in_addresses(canvas)
        brought(canvas)
        told(canvas)


if __name__ == "__main__":
    main()

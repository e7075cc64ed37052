"""The canvas program as the node starts it: requests over a socket, and a person's pointer and keys."""

import array
import fcntl
import json
import os
import socket
import subprocess

SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
MAX_MESSAGE = 1 << 17


class Canvas:
    def __init__(self, program, fonts, *args, stderr=None):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket, self.last, self.program, self.layout = ours, 0, program, {}
        self.env = {**os.environ, "FONTCONFIG_FILE": fonts, "TZ": "UTC", "LC_ALL": "C"}
        self.process = subprocess.Popen([program, "--socket", *args], stdin=theirs, stderr=stderr, env=self.env)
        theirs.close()
        ours.settimeout(100)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.wait(100)

    def ask(self, what, params=None, data=None):
        """The result, and the bytes that came with it."""
        self.last += 1
        text = json.dumps({"id": self.last, "do": what, "params": params or {}}).encode()
        handed = []
        if data is not None:
            handed = [os.memfd_create("canvas", os.MFD_ALLOW_SEALING)]
            os.write(handed[0], data)
            fcntl.fcntl(handed[0], fcntl.F_ADD_SEALS, SEALS)
        self.socket.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", handed))] if handed else [])
        for fd in handed:
            os.close(fd)
        while True:
            answer, fds, _, _ = socket.recv_fds(self.socket, MAX_MESSAGE, 1)
            came = b""
            for fd in fds:
                with os.fdopen(fd, "rb") as file:
                    file.seek(0)
                    came = file.read()
            answer = json.loads(answer)
            if answer.get("id") == self.last:
                if not answer["ok"]:
                    raise RuntimeError(f"{what}: {answer}")
                return answer.get("result"), came

    def show(self, path, width, height):
        with open(path, "rb") as file:
            text = file.read()
        self.ask("present", {"placement": {"width": width, "height": height}})
        self.ask("push", {"bytes": len(text)}, text)
        layout = subprocess.run(
            [self.program, "render", path, "--theme", "openclaw", "--width", str(width), "--height", str(height), "--dump", "layout"],
            capture_output=True, text=True, check=True, env=self.env).stdout
        for surface in json.loads(layout)["surfaces"]:
            self.layout.update({item["id"]: item for item in surface["items"]})

    def pointer(self, what, component, dx=12, up=12):
        """dx pixels from its left side, up from its lower one."""
        item = self.layout[component]
        self.ask("input", {"pointer": what, "x": item["x"] + dx, "y": item["y"] + item["h"] - up})

    def do(self, step):
        """"hover x", "press x", "click x", "key Tab", "type words", "scroll x 100"."""
        verb, _, rest = step.partition(" ")
        if verb == "key":
            self.ask("input", {"key": rest})
        elif verb == "type":
            self.ask("input", {"text": rest})
        elif verb == "scroll":
            component, by = rest.rsplit(" ", 1)
            item = self.layout[component]
            self.ask("input", {"scroll": True, "x": item["x"] + 12, "y": item["y"] + 12, "dx": int(by), "dy": int(by)})
        else:
            self.pointer("move", rest)
            for what in {"hover": [], "press": ["press"], "click": ["press", "release"]}[verb]:
                self.pointer(what, rest)

    def picture(self, small):
        return self.ask("snapshot", {"format": "png", "maxWidth": small})[1]

    def look(self):
        """As it is now, in full size, whatever is still on its way."""
        return self.ask("view", {"since": -1})[1]

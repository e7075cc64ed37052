"""A gateway with one paired node that lives on a desktop of session.py, and somebody who invokes it."""

import base64
import json
import os
import sys
import uuid

from harness import Client, check, equal, need, usable, wait_until
from session import BUILT

HELPER = os.path.join(BUILT, "openclaw-media")


class World:
    def __init__(self, test, desktop, switch, commands, allow=()):
        """switch: the owner's, turned on. commands: what the node then has. allow: those the gateway does not allow by itself."""
        need(os.path.exists(HELPER), "openclaw-media is not built")
        self.test, self.desktop, self.switch = test, desktop, switch
        self.tmp = os.path.join(test.dir, "tmp")
        os.makedirs(self.tmp)
        self.home = test.machine("gw")
        self.home.config({"gateway": {"nodes": {"allowCommands": list(allow)}}})
        self.gateway = self.home.gateway()
        self.box = test.machine("box")
        self.consent(True)
        self.node = self.box.node(self.gateway.port, env={**desktop.env, "TMPDIR": self.tmp})
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.gateway.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.gateway.port)
        for command in commands:
            wait_until(lambda: usable(self.home, self.gateway.port, "box", command), f"a node with {command}")
        self.id = self.home.cli_json("nodes", "status", "--json", port=self.gateway.port)["nodes"][0]["nodeId"]
        self.caller = Client(self.gateway.port)
        check(self.caller.connect()["ok"], "connect")

    def consent(self, on):
        path = os.path.join(self.box.state, "consent.json")
        with open(path + ".new", "w", encoding="utf-8") as f:
            json.dump({"version": 1, self.switch: on, "announce": False}, f)
        os.rename(path + ".new", path)

    def send(self, command, params=None, timeout_ms=90000):
        return self.caller.send("node.invoke", {"nodeId": self.id, "command": command, "params": params or {},
                                                "timeoutMs": timeout_ms, "idempotencyKey": str(uuid.uuid4())})

    def answer(self, request):
        """Answers may come in any order."""
        for frame in self.caller.events:
            if frame.get("type") == "res" and frame.get("id") == request:
                self.caller.events.remove(frame)
                return frame
        return self.caller.answer(request)

    def result(self, request):
        answer = self.answer(request)
        check(answer["ok"], f"invoke failed: {str(answer)[:900]}")
        return answer["payload"]["payload"]

    def error(self, request):
        answer = self.answer(request)
        check(not answer["ok"], f"invoke should have failed: {str(answer)[:600]}")
        return json.dumps(answer["error"])

    def invoke(self, command, params=None):
        return self.result(self.send(command, params))

    def refused(self, command, params=None, **kw):
        return self.error(self.send(command, params, **kw))

    def file(self, result, name):
        path = os.path.join(self.test.dir, name)
        with open(path, "wb") as f:
            f.write(base64.b64decode(result["base64"], validate=True))
        return path

    def helpers(self):
        """The pids of this node's helper programs: their ancestors lead to it."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if exe(pid) == HELPER and self.is_ours(pid)]

    def is_ours(self, pid):
        while pid > 1:
            if pid == self.node.child.pid:
                return True
            pid = parent(pid)
        return False

    def one_helper(self):
        return wait_until(self.helpers, "a running helper")[0]

    def check_clean(self):
        """No process, no file."""
        wait_until(lambda: not self.helpers(), "the helpers' end")
        equal(os.listdir(self.tmp), [], "temporary files")


def exe(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return int(f.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0

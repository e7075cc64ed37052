"""A file system that never answers holds nobody up but those who name files there. It is a FUSE mount without a server, in a mount
namespace of this test's own."""

import ctypes

from harness import *

MS_REC, MS_PRIVATE, MNT_DETACH, CLONE_NEWNS, CLONE_NEWUSER = 0x4000, 0x40000, 2, 0x20000, 0x10000000
libc = ctypes.CDLL(None, use_errno=True)


def own_mounts():
    uid, gid = os.getuid(), os.getgid()
    check(libc.unshare(CLONE_NEWNS | (0 if uid == 0 else CLONE_NEWUSER)) == 0, os.strerror(ctypes.get_errno()))
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="utf-8") as f:
                f.write(text)
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0, os.strerror(ctypes.get_errno()))


class DeadMount:
    """A directory whose every file is waited for, until end()."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)
        self.fuse = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fuse},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
        check(libc.mount(b"dead", path.encode(), b"fuse", 0, options.encode()) == 0, os.strerror(ctypes.get_errno()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fuse)  # whoever waits gets an error now
        libc.umount2(self.path.encode(), MNT_DETACH)


class Scene:
    def __init__(self, test):
        self.dir = os.path.realpath(test.dir)
        self.home, self.gateway, self.box, self.process = paired_node(test, "allowlist")
        self.box.approvals("allowlist", ask="on-miss")
        self.evil, self.desk = self.operator(test), self.operator(test)
        self.node = self.desk.ok("node.list", {})["nodes"][0]["nodeId"]
        self.script = os.path.join(self.dir, "x.sh")
        with open(self.script, "w", encoding="utf-8") as f:
            f.write("echo hi\n")

    def operator(self, test):
        client = Client(self.gateway.port)
        check(client.connect(mode="ui", client_id="openclaw-macos", identity=test.identity(),
                             scopes=["operator.read", "operator.write"])["ok"], "connect")
        return client

    def wish(self, command, params, ms=20000):
        return {"nodeId": self.node, "command": command, "params": params, "idempotencyKey": str(uuid.uuid4()), "timeoutMs": ms}

    def invoke(self, client, command, params, ms=20000):
        return client.call("node.invoke", self.wish(command, params, ms))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.child.pid}/task"))

    def ask_for_dead(self, command, params):
        """Sent, and a thread of the node waits for its file."""
        wait_until(lambda: self.threads() == 1, "threads of before to end")
        request = self.evil.send("node.invoke", self.wish(command, params))
        wait_until(lambda: self.threads() > 1, "a thread that waits")
        return request

    def others_are_served(self, what):
        check(self.invoke(self.desk, "system.which", {"bins": ["sh"]})["ok"], f"the loop waits: {what}")
        answer = self.invoke(self.desk, "system.run.prepare", {"command": ["sh", self.script]})
        check(answer["ok"], f"{what}: {answer}")
        equal(answer["payload"]["payload"]["approval"]["bound"], [self.script])


def test_a_script_that_is_never_read(test):
    scene = Scene(test)
    with DeadMount(scene.dir + "/dead") as dead:
        scene.ask_for_dead("system.run.prepare", {"command": ["sh", "-c", f"sh {dead.path}/x"]})
        scene.others_are_served("a file operand")
        again = scene.invoke(scene.evil, "system.run.prepare", {"command": ["sh", scene.script]})
        contains(again["error"]["message"], "a file system of the node does not answer")
    wait_until(lambda: scene.invoke(scene.evil, "system.run.prepare", {"command": ["sh", scene.script]})["ok"], "it is over")


def dead_commands(path):
    return [
        ({"command": [path + "/x"]}, "the program"),
        ({"command": [path + ".link/x"]}, "the program behind a link"),
        ({"command": ["sh", "-c", f"cd {path} && true"]}, "cd"),
        ({"command": ["nice", path + "/x"]}, "the program behind a wrapper"),
        ({"command": ["true"], "cwd": path}, "the working directory"),
    ]


def test_programs_and_directories_that_never_answer(test):
    scene = Scene(test)
    path = scene.dir + "/dead"
    os.symlink(path, path + ".link")
    for command in ("system.run.prepare", "system.run"):
        for params, what in dead_commands(path):
            with DeadMount(path):
                request = scene.ask_for_dead(command, params)
                scene.others_are_served(f"{command}: {what}")
            scene.evil.answer(request)  # before the next mount is dead: it goes on when this one has answered


own_mounts()
run_tests(globals())

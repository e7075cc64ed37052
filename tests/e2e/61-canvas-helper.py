"""Canvas programs that misbehave: the node stays, and says what happened.

The program here is a script beside a copy of openclaw; 60-canvas has the real one."""

import harness
from harness import *

HEAD = r"""#!/usr/bin/env python3
import json, os, signal, socket, sys, time
s = socket.socket(fileno=0)
surfaces = []
def recv():
    data, fds, _, _ = socket.recv_fds(s, 131072, 4)
    if not data:
        sys.exit(0)
    text = b""
    for fd in fds:
        text = os.pread(fd, 1 << 24, 0)
        os.close(fd)
    return json.loads(data), text.decode()
def send(value, fd=None):
    data = [json.dumps(value).encode()]
    socket.send_fds(s, data, [fd]) if fd is not None else s.sendmsg(data)
def ok(m, **result):
    send({"id": m["id"], "ok": True, "result": result})
def keep(text):
    for line in text.splitlines():
        body = next(iter(json.loads(line).values())) if line.strip() else {}
        if body.get("surfaceId") and body["surfaceId"] not in surfaces:
            surfaces.append(body["surfaceId"])
def usual(m, text):
    if m["do"] == "push":
        keep(text)
        ok(m, surfaces=surfaces)
    elif m["do"] == "eval":
        ok(m, result=json.dumps(surfaces))
    else:
        ok(m)
"""
LOOP = """
while True:
    m, text = recv()
    handle(m, text)
"""


def push_of(name):
    return json.dumps({"beginRendering": {"surfaceId": name, "root": "r"}})


class World:
    def __init__(self, test, handle, window=None, env=None, config=None):
        folder = os.path.join(test.dir, "bin")
        os.makedirs(folder)
        shutil.copy(os.environ.get("OPENCLAW_BIN", "openclaw"), os.path.join(folder, "openclaw"))
        self.log = os.path.join(test.dir, "log")
        for name, body in (("openclaw-canvas", handle), ("openclaw-canvas-window", window)):
            if body is not None:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(HEAD + f"LOG = {self.log!r}\n" + body + LOOP)
                os.chmod(os.path.join(folder, name), 0o755)
        self.node_id = None
        self.before = harness.BINARY
        harness.BINARY = os.path.join(folder, "openclaw")
        self.home = test.machine("gw")
        self.gateway = self.home.gateway()
        self.port = self.gateway.port
        self.box = test.machine("box")
        self.box.approvals("full")
        if config:
            self.box.config(config)
        self.box.cli("node", "enable", "canvas")
        self.node = self.box.node(self.port, env={"DISPLAY": None, "WAYLAND_DISPLAY": None, "XDG_RUNTIME_DIR": test.dir,
                                                  **(env or {})})
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.port)
        wait_until(lambda: usable(self.home, self.port, "box", "canvas.present"), "the canvas")

    def canvas(self, *args, **kw):
        return self.home.cli("nodes", "canvas", *args, "--node", "box", port=self.port, **kw)

    def ask(self, caller, command, params, timeout_ms=20000):
        if not self.node_id:
            self.node_id = self.home.cli_json("nodes", "describe", "--node", "box", "--json", port=self.port)["nodeId"]
        return caller.send("node.invoke", {"nodeId": self.node_id, "command": command, "params": params, "timeoutMs": timeout_ms,
                                           "idempotencyKey": str(uuid.uuid4())})

    def push(self, name, **kw):
        return self.canvas("a2ui", "push", "--jsonl", "-", stdin=push_of(name).encode(), **kw)

    def surfaces(self):
        return json.loads(self.canvas("eval", "openclawA2UI.getSurfaces()").out)

    def is_well(self):
        equal(self.home.cli("nodes", "run", "--node", "box", "--", "/bin/echo", "alive", port=self.port).out, "alive\n")

    def lines(self):
        with open(self.log, encoding="utf-8") as f:
            return f.read().split()


def test_a_push_that_kills_takes_nothing_along(test):
    w = World(test, """
def handle(m, text):
    if "poison" in text:
        sys.exit(3)
    usual(m, text)
""")
    w.push("good")
    done = w.push("poison", code=1)
    contains(done.err, "CANVAS_UNAVAILABLE: ")
    contains(done.err, "status 3")
    equal(w.surfaces(), ["good"], "what was there before")
    w.is_well()


def test_surfaces_that_kill_are_dropped_in_the_end(test):
    w = World(test, """
def handle(m, text):
    if m["do"] == "push" and (m.get("params") or {}).get("quiet"):
        os.kill(os.getpid(), signal.SIGKILL)
    if m["do"] == "snapshot":
        sys.exit(1)
    usual(m, text)
""")
    w.push("late")
    contains(w.canvas("snapshot", code=1).err, "CANVAS_UNAVAILABLE: ")
    wait_until(lambda: w.canvas("eval", "document.title", code=None).returncode == 0, "a canvas that lives")
    equal(w.surfaces(), [], "surfaces")
    contains(w.node.output(), "dies of its surfaces")
    w.is_well()


def test_nonsense(test):
    w = World(test, """
def handle(m, text):
    if m["do"] == "hide":
        s.send(b"{nonsense")
    elif m["do"] == "present":
        s.send(b"[]")
    elif m["do"] == "navigate":
        send({"id": m["id"], "ok": False})
    elif m["do"] == "snapshot":
        fd = os.memfd_create("x")
        os.write(fd, b"not sealed")
        send({"id": m["id"], "ok": True, "result": {"format": "png"}}, fd)
    elif m["do"] == "eval":
        send({"id": 12345, "ok": True})
        send({"event": {"what": 1}})
        send({"event": {"action": {"userAction": {}}}})
        send({"event": {"geometry": {"x": "far"}}})
        send({"event": {"wanted": "ftp://x"}})
        send({"ok": True})
        ok(m, result=1)
    else:
        usual(m, text)
""")
    contains(w.canvas("hide", code=1).err, "its message cannot be read: not valid JSON")
    contains(w.canvas("present", code=1).err, "its message cannot be read: not an object")
    contains(w.canvas("navigate", "https://x/", code=1).err, "the canvas gave no reason")
    contains(w.canvas("snapshot", code=1).err, "not sealed")
    w.canvas("eval", "x")
    w.is_well()


def test_why_it_refuses_is_passed_on_as_data(test):
    """What a program may name arrives at whoever asked; what only the owner's node may name does not."""
    w = World(test, """
def handle(m, text):
    if m["do"] == "navigate":
        send({"id": m["id"], "ok": False, "code": "CANVAS_UNAVAILABLE", "message": "no web engine", "cause": "NOT_INSTALLED",
              "remedy": "install-package", "subject": "openclaw-web"})
    elif m["do"] == "view":
        send({"id": m["id"], "ok": False, "code": "CANVAS_UNAVAILABLE", "message": "not now", "cause": "BUSY",
              "remedy": "try-later"})
    elif m["do"] == "present":
        send({"id": m["id"], "ok": False, "code": "CANVAS_UNAVAILABLE", "message": "no", "cause": "RUN_DENIED",
              "remedy": "security-full", "subject": "x", "gate": "local exec approvals", "fix": "openclaw approvals security full"})
    else:
        usual(m, text)
""")

    caller = Client(w.port)
    check(caller.connect()["ok"], "connect")

    def refusal(command, params):
        return caller.answer(w.ask(caller, command, params))["error"]

    error = refusal("canvas.navigate", {"url": "https://x/"})
    equal({k: error["details"].get(k) for k in ("cause", "remedy", "subject", "fix")},
          {"cause": "NOT_INSTALLED", "remedy": "install-package", "subject": "openclaw-web",
           "fix": "on the node install the package openclaw-web"}, "grounds")
    error = refusal("canvas.view", {})
    equal((error["details"].get("cause"), error["details"].get("fix")), ("BUSY", "try again later"), "grounds")
    error = refusal("canvas.present", {})
    equal([k for k in ("cause", "gate", "remedy", "fix") if k in error["details"]], [], "grounds of nobody")
    check("security" not in json.dumps(error), f"{error}")


def test_too_many_requests_are_busy(test):
    """Who gave up waiting is still in the queue of a program that does not answer."""
    w = World(test, """
def handle(m, text):
    if m["do"] != "eval":
        usual(m, text)
""")
    caller = Client(w.port)
    check(caller.connect()["ok"], "connect")
    for _ in range(4):
        for request in [w.ask(caller, "canvas.eval", {"javaScript": "1"}, 200) for _ in range(16)]:
            check(not caller.answer(request)["ok"], "an answer from nobody")
    error = caller.answer(w.ask(caller, "canvas.eval", {"javaScript": "1"}))["error"]
    contains(error["message"], "node busy: too many requests to the canvas")
    equal((error["details"].get("cause"), error["details"].get("remedy")), ("BUSY", "try-later"), "grounds")


def test_a_flood_of_wishes(test):
    """More pictures than anybody shows: each is answered, none is fetched twice at a time, and commands go on."""
    w = World(test, """
def handle(m, text):
    if m["do"] == "bring":
        with open(LOG, "a") as f:
            f.write("error " if m["params"].get("error") else "bytes ")
    if m["do"] == "push":
        for i in range(2000):
            send({"event": {"wanted": f"http://127.0.0.1:1/{i}.png"}})
    usual(m, text)
""")
    w.push("a")
    wait_until(lambda: os.path.exists(w.log) and len(w.lines()) >= 2000, "answers to the wishes", deadline=60)
    equal(len(w.lines()), 2000, "answers")
    check("bytes" not in w.lines(), "something was fetched")
    w.is_well()


def test_pictures_that_are_not_taken(test):
    """However many are wanted, few are held for a canvas that does not take them; they use up nobody's place, and all come in the end."""
    w = World(test, """
brought, wanted = [], 300
def handle(m, text):
    if m["do"] == "bring":
        brought.append(m)
        if os.path.exists(LOG):
            ok(m)
    elif m["do"] == "eval":
        ok(m, result=json.dumps([len(brought), len({b["params"]["url"] for b in brought}), sum("error" in b["params"] for b in brought)]))
    elif m["do"] == "hide":
        open(LOG, "w").close()
        for b in list(brought):
            ok(b)
        ok(m)
    else:
        usual(m, text)
        if m["do"] == "push":
            for i in range(wanted):
                send({"event": {"wanted": f"big.png?{i}"}})
""")
    folder = os.path.join(w.box.state, "canvas")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "big.png"), "wb") as f:
        f.write(b"x" * 1_000_000)
    w.push("a")
    state = lambda: json.loads(w.canvas("eval", "x").out)
    wait_until(lambda: state()[0] >= 6, "the first pictures")
    for _ in range(5):
        equal(state(), [6, 6, 0], "pictures, until one is taken")
    copies = [os.readlink(f"/proc/{w.node.child.pid}/fd/{n}") for n in os.listdir(f"/proc/{w.node.child.pid}/fd")]
    check(sum("memfd:" in name for name in copies) <= 30, f"{len(copies)} descriptors")
    w.canvas("hide")
    wait_until(lambda: state()[:2] == [300, 300], "all of them")
    equal(state()[2], 300 - 256, "those that were too many")
    w.is_well()


def test_a_host_that_does_not_answer(test):
    """It holds up neither other pictures nor, for longer than it takes to notice, the rest of its own."""
    silent, good = socket.create_server(("127.0.0.1", 0), backlog=64), socket.create_server(("127.0.0.1", 0))
    slow, quick = (f"127.0.0.1:{s.getsockname()[1]}" for s in (silent, good))

    def answer():
        peer, _ = good.accept()
        with peer:
            peer.recv(65536)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")

    threading.Thread(target=answer, daemon=True).start()
    w = World(test, f"""
def handle(m, text):
    if m["do"] == "bring":
        with open(LOG, "a") as f:
            f.write(m["params"]["url"] + "|" + m["params"].get("error", "").replace(" ", "_") + " ")
    usual(m, text)
    if m["do"] == "push":
        for i in range(60):
            send({{"event": {{"wanted": f"http://{slow}/{{i}}.png"}}}})
        send({{"event": {{"wanted": "http://{quick}/good.png"}}}})
""", config={"node": {"canvas": {"allowHosts": [slow, quick]}}})
    w.push("a")
    first = wait_until(lambda: os.path.exists(w.log) and w.lines(), "the first picture")
    equal(first[0], f"http://{quick}/good.png|", "first")
    lines = wait_until(lambda: len(w.lines()) == 61 and w.lines(), "what became of the others", deadline=60)
    equal({line.split("|")[1].split(":")[-1] for line in lines[1:]} - {"its_host_does_not_answer"}, {"_no_answer_in_time"}, "why")
    silent.close()
    good.close()


def test_a_canvas_that_does_not_keep_up(test):
    """What finds no room in its socket is said later, in order."""
    w = World(test, """
def handle(m, text):
    if m["do"] == "hide":
        while not os.path.exists(LOG):
            time.sleep(0.02)
    if m["do"] == "navigate":
        with open(LOG, "a") as f:
            f.write(m["params"]["url"].rsplit("=", 1)[1] + " ")
    usual(m, text)
""")
    caller = Client(w.port)
    check(caller.connect()["ok"], "connect")
    node = w.home.cli_json("nodes", "status", "--json", port=w.port)["nodes"][0]["nodeId"]

    def invoke(command, **params):
        return caller.send("node.invoke", {"nodeId": node, "command": command, "params": params, "timeoutMs": 60000,
                                           "idempotencyKey": os.urandom(8).hex()})

    sent = [invoke("canvas.hide")] + [invoke("canvas.navigate", url="https://x/" + "y" * 8000 + f"={i}") for i in range(50)]
    w.is_well()  # the node has read them all by then
    open(w.log, "w").close()
    equal([a for a in map(caller.answer, sent) if not a["ok"]], [], "refusals")
    equal(w.lines(), [str(i) for i in range(50)], "what it was told, in order")


def test_a_flood_of_actions(test):
    """A canvas program that was taken over cannot press buttons without end."""
    w = World(test, """
def handle(m, text):
    if m["do"] == "action-status":
        with open(LOG, "a") as f:
            f.write((m["params"].get("error") or "told").replace(" ", "_") + " ")
    usual(m, text)
    if m["do"] == "push":
        for i in range(500):
            send({"event": {"action": {"userAction": {"name": "go", "id": str(i)}}}})
""")
    w.push("a")
    wait_until(lambda: os.path.exists(w.log) and "too_many_in_a_short_time" in w.lines(), "an end of it")
    w.is_well()
    check(w.lines().count("told") <= 20, f"{w.lines().count('told')} were told")


def test_a_window_that_cannot_open(test):
    """With a display the program with the window is tried; when it fails at once, the one without does the work."""
    w = World(test, """
def handle(m, text):
    with open(LOG, "a") as f:
        f.write("headless ")
    usual(m, text)
""", window="""
with open(LOG, "a") as f:
    f.write("window ")
print("cannot open display", file=sys.stderr)
sys.exit(1)
""", env={"DISPLAY": ":99999"})
    w.push("a")
    equal(w.lines()[0], "window", "who was tried first")
    contains(w.lines(), "headless", "who did it")
    equal(w.surfaces(), ["a"], "surfaces")
    equal(w.lines().count("window"), 1, "tries")


def test_a_window_comes_back_by_itself(test):
    w = World(test, "", window="""
with open(LOG, "a") as f:
    f.write(f"start:{os.getpid()} ")
def handle(m, text):
    with open(LOG, "a") as f:
        quiet = "quietly:" if (m.get("params") or {}).get("quiet") else ""
        f.write(f"{quiet}{m['do']}:{(m.get('params') or {}).get('placement', {}).get('x', '')} ")
    if m["do"] == "present" and not (m.get("params") or {}).get("quiet"):
        send({"event": {"geometry": {"x": 33, "y": 44, "width": 500, "height": 400}}})
    usual(m, text)
""", env={"DISPLAY": ":99999"})
    w.push("a")
    w.canvas("present", "--x", "5")
    first = [int(x[6:]) for x in w.lines() if x.startswith("start:")]
    equal(len(first), 1, "starts")
    os.kill(first[0], signal.SIGKILL)
    wait_until(lambda: len([x for x in w.lines() if x.startswith("start:")]) == 2 and w.lines()[-1].startswith("present"), "its return")
    again = w.lines()[[i for i, x in enumerate(w.lines()) if x.startswith("start:")][1] + 1:]
    equal([x for x in again if x not in ("theme:", "gateway:")], ["quietly:push:", "present:33"], "what it was told")
    w.canvas("hide")
    os.kill([int(x[6:]) for x in w.lines() if x.startswith("start:")][1], signal.SIGKILL)
    equal(w.surfaces(), ["a"], "surfaces")
    equal([x.split(":")[0] for x in w.lines() if "present" in x], ["present", "present", "quietly"], "a hidden one stays hidden")
    w.node.stop()
    with open(os.path.join(w.box.state, "canvas-window.json"), encoding="utf-8") as f:
        equal(json.load(f), {"x": 33, "y": 44, "width": 500, "height": 400}, "where the window was")


run_tests(globals())

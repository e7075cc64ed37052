"""The canvas of a node: drawn on through gateway and node, by the command line; what a person does comes back."""

import http.server
import struct
import zlib

import harness
from harness import *
from tap import Tap

COMMANDS = ["canvas.a2ui.push", "canvas.a2ui.pushJSONL", "canvas.a2ui.reset", "canvas.eval", "canvas.hide", "canvas.input",
            "canvas.navigate", "canvas.present", "canvas.snapshot", "canvas.view"]
HELPER = os.path.join(os.path.dirname(os.path.realpath(BINARY)), "openclaw-canvas")


def component(name, kind, **props):
    return {"id": name, "component": {kind: props}}


def surface(name, *components, root="root", data=None):
    messages = [{"surfaceUpdate": {"surfaceId": name, "components": list(components)}}]
    if data:
        messages.append({"dataModelUpdate": {"surfaceId": name, "contents": data}})
    messages.append({"beginRendering": {"surfaceId": name, "root": root}})
    return "\n".join(json.dumps(m) for m in messages)


def hello(text="Hello", name="main"):
    return surface(name, component("root", "Text", text={"literalString": text}, usageHint="h1"))


FORM = surface("order",
               component("root", "Column", children={"explicitList": ["name", "go"]}),
               component("name", "TextField", label={"literalString": "Name"}, text={"path": "/name"}),
               component("go", "Button", child="label", action={
                   "name": "place order!", "context": [{"key": "name", "value": {"path": "/name"}},
                                                       {"key": "n", "value": {"literalNumber": 2}}]}),
               component("label", "Text", text={"literalString": "Order"}),
               data=[{"key": "name", "valueString": "Ada"}])


class World:
    """A gateway and a node whose canvas is switched on and approved."""

    def __init__(self, test, tap=False, config=None):
        self.test = test
        self.home = test.machine("gw")
        self.gateway = self.home.gateway()
        self.port = self.gateway.port
        self.box = test.machine("box")
        self.box.approvals("full")
        if config:
            self.box.config(config)
        self.tap = Tap(self.port) if tap else None
        self.box.cli("node", "enable", "canvas")
        self.node = self.box.node(self.tap.port if tap else self.port,
                                  env={"DISPLAY": None, "WAYLAND_DISPLAY": None, "XDG_RUNTIME_DIR": test.dir})
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.port)
        wait_until(lambda: usable(self.home, self.port, "box", "canvas.present"), "the canvas")

    def canvas(self, *args, **kw):
        return self.home.cli("nodes", "canvas", *args, "--node", "box", port=self.port, **kw)

    def push(self, jsonl, **kw):
        return self.canvas("a2ui", "push", "--jsonl", "-", stdin=jsonl.encode(), **kw)

    def snapshot(self, *args):
        path = os.path.join(self.test.dir, "snapshot.png")
        self.canvas("snapshot", "--format", "png", "--out", path, *args)
        with open(path, "rb") as f:
            return f.read()

    def invoke(self, command, params, code=0):
        return self.home.cli("nodes", "invoke", "--node", "box", "--command", command, "--params", json.dumps(params), "--json",
                             port=self.port, code=code)

    def surfaces(self):
        return json.loads(self.canvas("eval", "openclawA2UI.getSurfaces()").out)

    def helper(self):
        """The process id of the canvas program, or None."""
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/environ", "rb") as f:
                        mine = self.box.home.encode() in f.read()
                    if mine and runs(name, HELPER):
                        found.append(int(name))
                except OSError:
                    pass
        check(len(found) < 2, f"more than one canvas program: {found}")
        return found[0] if found else None


def same(got, wanted, what="picture"):
    """As equal, for what nobody wants to read."""
    check(got == wanted, f"{what}: {len(got)} bytes that are others than {len(wanted)} before")


def png_size(data):
    equal(data[:8], b"\x89PNG\r\n\x1a\n", "the first bytes")
    return struct.unpack(">II", data[16:24])


def test_draw_look_and_take_away(test):
    w = World(test)
    described = w.home.cli_json("nodes", "describe", "--node", "box", "--json", port=w.port)
    equal([c for c in described["commands"] if c.startswith("canvas.")], COMMANDS, "commands")
    contains(described["caps"], "canvas", "caps")
    equal(w.helper(), None, "nobody draws yet")
    empty = w.snapshot()
    equal(png_size(empty), (900, 700), "size")
    equal(w.push(hello()).out, "canvas a2ui push ok (v0.8, 2 messages)\n")
    first = w.snapshot()
    check(first != empty, "nothing was drawn")
    same(w.snapshot(), first)
    equal(png_size(w.snapshot("--max-width", "450")), (450, 350), "size")
    reply = w.home.cli_json("nodes", "canvas", "a2ui", "push", "--text", "Two", "--json", "--node", "box", port=w.port)
    equal(reply["payload"], {"ok": True, "surfaces": ["main"]}, "reply")
    check(w.snapshot() != first, "the text is the same")
    equal(w.canvas("present", "--width", "600", "--height", "300").out, "canvas present ok\n")
    equal(png_size(w.snapshot()), (600, 300), "size")
    equal(w.canvas("hide").out, "canvas hide ok\n")
    equal(png_size(w.snapshot()), (600, 300), "size while hidden")
    equal(w.canvas("a2ui", "reset").out, "canvas a2ui reset ok\n")
    equal(w.surfaces(), [], "surfaces")


def test_by_hand_it_looks_like_at_the_node(test):
    """`canvas render` draws what a node draws, unless it is told another theme."""
    w = World(test)
    w.push(FORM)
    out = os.path.join(test.dir, "by-hand.png")

    def by_hand(*args):
        w.home.cli("canvas", "render", "-", "--width", "900", "--height", "700", "--out", out, *args, stdin=FORM.encode())
        with open(out, "rb") as f:
            return f.read()

    same(by_hand(), w.snapshot())
    check(by_hand("--theme", "default") != w.snapshot(), "the theme is not taken")


def test_snapshot_as_the_reference_does_it(test):
    w = World(test)
    w.push(hello())
    out = w.canvas("snapshot").out
    check(re.fullmatch(r"MEDIA:(/tmp/openclaw|.*/openclaw-\d+)/openclaw-canvas-snapshot-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jpg\n",
                       out), out)
    path = out[6:-1]
    with open(path, "rb") as f:
        equal(f.read(3), b"\xff\xd8\xff", "the first bytes")
    equal(os.stat(path).st_mode & 0o777, 0o600, "mode")
    os.remove(path)
    file = w.home.cli_json("nodes", "canvas", "snapshot", "--format", "png", "--node", "box", "--json", port=w.port)["file"]
    equal(file["format"], "png")
    check(file["path"].endswith(".png"), "name")
    os.remove(file["path"])
    answer = json.loads(w.invoke("canvas.snapshot", {"format": "jpg", "quality": 0.2, "more": 1}).out)["payload"]
    equal(answer["format"], "jpeg")
    check(base64.b64decode(answer["base64"])[:2] == b"\xff\xd8", "a JPEG")


def test_the_name_of_a_snapshot_says_what_it_is(test):
    w = World(test)
    w.push(hello())
    for name, args, head in (("a.png", (), b"\x89PNG"), ("a.JPG", (), b"\xff\xd8"), ("a", (), b"\xff\xd8"),
                             ("b.png", ("--format", "jpg"), b"\xff\xd8")):
        path = os.path.join(test.dir, name)
        w.canvas("snapshot", "--out", path, *args)
        with open(path, "rb") as f:
            equal(f.read(len(head)), head, name)


def test_wrong_words_ask_nobody(test):
    home = test.machine("gw")  # no gateway at all
    cases = [
        (["a2ui", "push"], b"", "provide exactly one of --jsonl or --text", 2),
        (["a2ui", "push", "--text", "x", "--jsonl", "-"], b"", "provide exactly one of --jsonl or --text", 2),
        (["a2ui", "push", "--jsonl", "-"], b"\r\n \n", "Invalid A2UI JSONL:\n- no JSONL messages found", 1),
        (["a2ui", "push", "--jsonl", "-"], b'{"createSurface":{}}\n',
         "Detected A2UI v0.9 JSONL (createSurface). OpenClaw currently supports v0.8 only.", 1),
        (["a2ui", "push", "--jsonl", "-"], b'{"createSurface":{}}\n\n{"deleteSurface":{}}',
         "Invalid A2UI JSONL:\n- mixed A2UI v0.8 and v0.9 messages in one file", 1),
        (["a2ui", "push", "--jsonl", "-"], b'\n{"deleteSurface":{}}\n[1]\n{"a":1}\n{"deleteSurface":1,"beginRendering":2}\n{',
         "Invalid A2UI JSONL:\n- line 3: expected JSON object\n- line 4: expected exactly one action key (beginRendering, "
         "surfaceUpdate, dataModelUpdate, deleteSurface, createSurface)\n- line 5: expected exactly one action key", 1),
        (["a2ui", "push", "--jsonl", "/no/such/file"], b"", "/no/such/file", 1),
        (["snapshot", "--format", "webp"], b"", "invalid format: webp (expected png|jpg|jpeg)", 2),
        (["snapshot", "--max-width", "0"], b"", "--max-width must be a positive integer.", 2),
        (["snapshot", "--quality", "2"], b"", "--quality must be between 0 and 1.", 2),
        (["snapshot", "--out", "x.webp"], b"", "this makes .png or .jpg, not .webp", 2),
        (["a2ui", "push", "--jsonl", "-"], b'{"deleteSurface":{}}\n{"version":"v0.9","deleteSurface":{}}\n'
         b'{"version":"v0.8","deleteSurface":{}}\n{"version":7,"deleteSurface":{}}\n{"a" 1}\n{"a":',
         "Invalid A2UI JSONL:\n- line 2: A2UI v0.9 message (version); OpenClaw currently supports v0.8 only\n"
         "- line 3: A2UI v0.8 messages must not include a version field\n- line 4: unsupported A2UI version: 7\n"
         "- line 5: SyntaxError: unexpected '1' at position 5\n- line 6: SyntaxError: unexpected end of JSON at position 5", 1),
        (["a2ui", "push", "--jsonl", "-"], b'{"version":"v0.9","createSurface":{}}\n', "Detected A2UI v0.9 JSONL", 1),
        (["navigate"], b"", "where to?", 2), (["eval"], b"", "missing --js", 2), (["wave"], b"", "'wave' is none of these; say what to do", 2),
        (["a2ui"], b"", "say what to do", 2), (["hide", "--text", "x"], b"", "--text does not go with hide", 2),
        (["present", "--x", "left"], b"", "--x takes a number", 2),
    ]
    for args, stdin, text, code in cases:
        done = home.cli("nodes", "canvas", *args, "--node", "box", port=1, stdin=stdin, code=code)
        contains(done.err, text)
        if code == 1 or args[0] == "eval":
            words = " ".join(args[:2] if args[0] == "a2ui" else args[:1])
            contains(done.err, f"nodes canvas {words} failed: Error: ")
        equal(done.out, "", "stdout")


def test_bad_pushes_change_nothing(test):
    w = World(test)
    w.push(hello())
    before = w.snapshot()
    for jsonl, text in (
            ('{"createSurface":{}}', "A2UI JSONL line 1: looks like A2UI v0.9 (`createSurface`). Canvas supports v0.8 messages only."),
            (hello("No") + "\n\n[]", "A2UI JSONL line 4: expected a JSON object"),
            (hello("No") + '\n{"x":1}', "A2UI JSONL line 3: expected exactly one of beginRendering, dataModelUpdate, "
                                        "deleteSurface, surfaceUpdate; found: x")):
        contains(w.invoke("canvas.a2ui.pushJSONL", {"jsonl": jsonl}, code=1).err, "INVALID_REQUEST: " + text)
    contains(w.invoke("canvas.a2ui.push", {"messages": [json.loads(hello("No").split("\n")[0]), 5]}, code=1).err,
             "INVALID_REQUEST: A2UI messages[1]: expected a JSON object")
    for command, params, text in (
            ("canvas.a2ui.push", {}, "messages[] required"), ("canvas.a2ui.push", {"messages": 1, "jsonl": " "}, "messages[] required"),
            ("canvas.a2ui.pushJSONL", {"jsonl": 5}, "jsonl required"), ("canvas.eval", {"javaScript": " "}, "javaScript required"),
            ("canvas.navigate", {}, "url required"), ("canvas.navigate", {"url": 5}, "url must be a string"),
            ("canvas.navigate", {"url": "file:///etc/passwd"}, "Canvas navigation allows only http(s)"),
            ("canvas.present", {"url": "javascript:alert(1)"}, "Canvas navigation allows only http(s)"),
            ("canvas.present", {"placement": [1]}, "placement must be an object"),
            ("canvas.snapshot", {"format": "webp"}, "format must be png or jpeg"),
            ("canvas.snapshot", {"maxWidth": 0}, "maxWidth must be a positive integer"),
            ("canvas.snapshot", {"quality": 7}, "quality must be between 0 and 1")):
        contains(w.invoke(command, params, code=1).err, "INVALID_REQUEST: " + text)
    same(w.snapshot(), before)
    good = [json.loads(line) for line in hello("Other", "second").split("\n")]
    answer = json.loads(w.invoke("canvas.a2ui.push", {"messages": good}).out)["payload"]
    equal(answer, {"ok": True, "surfaces": ["main", "second"]}, "answer")


def test_eval_without_a_page(test):
    w = World(test)
    w.push(hello())
    equal(w.canvas("eval", "document.title").out, "OpenClaw Canvas\n")
    equal(w.canvas("eval", "--js", "return window.location.href;").out, "openclaw-canvas://a2ui/\n")
    equal(w.canvas("eval", "JSON.stringify(openclawA2UI.getSurfaces())").out, '["main"]\n')
    messages = [json.loads(line) for line in hello("x", "by-script").split("\n")]
    equal(w.canvas("eval", f"openclawA2UI.applyMessages({json.dumps(messages)})").out, '{"ok":true,"surfaces":["main","by-script"]}\n')
    contains(w.canvas("eval", "openclawA2UI.applyMessages([5])", code=1).err, "messages[0]: expected a JSON object")
    contains(w.canvas("eval", "1 + 1", code=1).err, "CANVAS_EVAL_UNSUPPORTED: ")
    contains(w.canvas("navigate", "http://127.0.0.1:1/", code=1).err, "CANVAS_UNAVAILABLE: ")  # with or without a web engine
    os.kill(w.helper(), signal.SIGKILL)
    equal(w.surfaces(), ["main", "by-script"], "what a script drew comes back")
    equal(w.canvas("eval", "openclawA2UI.reset()").out, '{"ok":true}\n')
    equal(w.surfaces(), [], "surfaces")


def test_a_killed_canvas_comes_back(test):
    w = World(test)
    w.push(hello("One", "a"))
    w.push(hello("Two", "b"))
    w.push(json.dumps({"surfaceUpdate": {"surfaceId": "a", "components": [
        component("root", "Text", text={"path": "/t"})]}}))
    w.push(json.dumps({"dataModelUpdate": {"surfaceId": "a", "contents": [{"key": "t", "valueString": "Three"}]}}))
    w.canvas("present", "--width", "500", "--height", "400")
    before = w.snapshot()
    for _ in range(2):
        pid = w.helper()
        os.kill(pid, signal.SIGKILL)
        same(w.snapshot(), before, "the picture afterwards")
        check(w.helper() != pid, "it is the same one")
    equal(w.surfaces(), ["a", "b"], "surfaces, in their order")
    w.push(json.dumps({"deleteSurface": {"surfaceId": "a"}}))
    os.kill(w.helper(), signal.SIGKILL)
    equal(w.surfaces(), ["b"], "surfaces")
    check(w.node.child.poll() is None, "the node has ended")


def test_a_stopped_canvas_is_replaced(test):
    """It hangs: the caller's time is over first, later the node's patience; other commands go on."""
    w = World(test)
    w.push(hello())
    os.kill(w.helper(), signal.SIGSTOP)
    done = w.canvas("snapshot", "--format", "png", "--invoke-timeout", "1500", code=1)
    contains(done.err, "nodes canvas snapshot failed: Error: ")
    equal(w.home.cli("nodes", "run", "--node", "box", "--", "/bin/echo", "alive", port=w.port).out, "alive\n")
    os.kill(w.helper(), signal.SIGKILL)
    equal(w.surfaces(), ["main"], "surfaces")


def test_what_a_person_does_reaches_the_agent(test):
    w = World(test, tap=True)
    w.invoke("canvas.a2ui.pushJSONL", {"jsonl": FORM, "sessionKey": "agent:main:desk"})
    w.invoke("canvas.a2ui.pushJSONL", {"jsonl": "nonsense", "sessionKey": "agent:mallory"}, code=1)  # did not draw: hears nothing
    view = json.loads(w.invoke("canvas.view", {}).out)["payload"]
    equal((view["width"], view["height"], view["changed"]), (900, 700, True), "view")
    again = json.loads(w.invoke("canvas.view", {"since": view["rev"]}).out)["payload"]
    equal((again["changed"], "base64" in again), (False, False), "nothing new")
    waiting = []
    patient = threading.Thread(target=lambda: waiting.append(json.loads(w.invoke(
        "canvas.view", {"since": view["rev"], "waitMs": 20000}).out)["payload"]))
    patient.start()
    for params in ({"key": "Tab"}, {"key": "End"}, {"text": " Löve"}, {"key": "Tab"}, {"key": "Enter"}):
        equal(json.loads(w.invoke("canvas.input", params).out)["payload"], {"taken": True}, f"{params}")
    event = wait_until(lambda: [e for e in w.tap.requests("node.event") if e["event"] == "agent.request"], "the action")[0]
    equal(sorted(event), ["event", "payloadJSON"], "members")
    payload = json.loads(event["payloadJSON"])
    node_id = [p["client"]["instanceId"] for p in w.tap.requests("connect")][0]
    equal(payload.pop("message"),
          f'CANVAS_A2UI action=place_order_ session=agent:main:desk surface=order component=go host=box instance={node_id} '
          'via=input ctx={"name":"Ada Löve","n":2} default=update_canvas', "message")
    check(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", payload.pop("key")), "key")
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]{12}Z", payload.pop("timestamp")), "timestamp")
    equal(payload, {"sessionKey": "agent:main:desk", "thinking": "low", "deliver": False, "action": "place order!", "surfaceId": "order",
                    "sourceComponentId": "go", "via": "input", "context": {"name": "Ada Löve", "n": 2}}, "payload")
    after = json.loads(w.invoke("canvas.view", {"since": view["rev"]}).out)["payload"]
    check(after["changed"], "what was typed is seen")
    patient.join(DEADLINE)
    check(waiting and waiting[0]["changed"] and waiting[0]["rev"] != view["rev"], "who waited for a change sees it")


def test_what_a_person_entered_survives_the_program(test):
    """Also what looks like JSON, and in an element of a list; until the agent says something else about it."""
    w = World(test, tap=True)
    rows = json.dumps([{"done": False, "name": n} for n in ("a", "b")])
    w.push(surface("order",
                   component("root", "Column", children={"explicitList": ["name", "rows", "go"]}),
                   component("name", "TextField", label={"literalString": "Name"}, text={"path": "/name", "literalString": "Ada"}),
                   component("rows", "List", children={"template": {"componentId": "row", "dataBinding": "/rows"}}),
                   component("row", "CheckBox", label={"path": "name"}, value={"path": "done"}),
                   component("go", "Button", child="label", action={"name": "go", "context": [
                       {"key": "name", "value": {"path": "/name"}}, {"key": "rows", "value": {"path": "/rows"}}]}),
                   component("label", "Text", text={"literalString": "Go"}),
                   data=[{"key": "name", "valueString": "Ada"}, {"key": "rows", "valueString": rows}]))

    def does(*steps):
        for params in steps:
            equal(json.loads(w.invoke("canvas.input", params).out)["payload"], {"taken": True}, f"{params}")

    def sent(count):
        """What the button told, pressed in a program that has just been started."""
        os.kill(w.helper(), signal.SIGKILL)
        does(*[{"key": "Tab"}] * 4, {"key": "Enter"})
        told = wait_until(lambda: [e for e in w.tap.requests("node.event") if e["event"] == "agent.request"][count - 1:], "the action")[0]
        return json.loads(re.search(r" ctx=(.*) default=", json.loads(told["payloadJSON"])["message"]).group(1))

    does({"key": "Tab"}, {"key": "a", "mods": 2}, {"text": '{"a":'}, {"text": "[1]}"}, {"key": "Tab"}, {"key": "Tab"}, {"key": "Space"})
    entered = {"name": '{"a":[1]}', "rows": [{"done": False, "name": "a"}, {"done": True, "name": "b"}]}
    equal(sent(1), entered, "what was entered")
    equal(sent(2), entered, "and again")
    w.push(json.dumps({"dataModelUpdate": {"surfaceId": "order", "path": "/name", "contents": [{"key": ".", "valueString": "Eve"}]}}))
    equal(sent(3), {**entered, "name": "Eve"}, "what was said since")
    w.canvas("a2ui", "reset")
    w.push(FORM)
    os.kill(w.helper(), signal.SIGKILL)
    equal(w.surfaces(), ["order"], "surfaces")


def test_large_pushes(test):
    """Up to 16 MiB, if they fit into the messages between command line, gateway and node; what does not is an error, no more."""
    w = World(test)

    def data(size, text):
        return "\n".join(json.dumps({"dataModelUpdate": {"surfaceId": "main", "path": f"/p{i}", "contents": [
            {"key": "k", "valueString": text * (500000 // len(text))}]}}) for i in range(size * 2))

    equal(w.push(data(14, "x")).out, "canvas a2ui push ok (v0.8, 28 messages)\n")
    os.kill(w.helper(), signal.SIGKILL)
    equal(w.surfaces(), ["main"], "all of it came back")
    check(w.push(data(10, '"'), code=None).returncode in (0, 1), "quotes, which grow on their way")
    refused = w.push(data(17, "x"), code=1)
    contains(refused.err, "nodes canvas a2ui push failed: Error: ")
    equal(w.home.cli("nodes", "run", "--node", "box", "--", "/bin/echo", "alive", port=w.port).out, "alive\n")
    equal(w.surfaces(), ["main"], "surfaces")


def test_switching_it_on_says_nothing_of_captures(test):
    box = test.machine("box")
    said = box.cli("node", "enable", "canvas").out
    check("nodes approve" in said and "capture" not in said, said)
    contains(box.cli("node", "enable", "canvas", "camera").out, "Every capture is announced")


def test_switched_off(test):
    w = World(test)
    w.push(hello())
    pid = w.helper()
    w.box.cli("node", "disable", "canvas")
    wait_until(lambda: not usable(w.home, w.port, "box", "canvas.present") and usable(w.home, w.port, "box"), "no canvas")
    contains(w.canvas("present", code=1).err, "openclaw node enable canvas")
    wait_until(lambda: w.helper() is None, f"the end of {pid}")
    w.box.cli("node", "enable", "canvas")
    wait_until(lambda: usable(w.home, w.port, "box", "canvas.present"), "the canvas again")
    equal(w.surfaces(), [], "what was there is gone")


def test_the_helper_ends_with_the_node(test):
    w = World(test)
    w.push(hello())
    check(w.helper(), "no helper")
    w.node.stop()
    wait_until(lambda: w.helper() is None, "the helper's end")


def picture(color):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(color) * 40 for _ in range(30))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Pictures:
    """A web server of this machine that counts who comes."""

    def __init__(self):
        outer = self
        self.paths = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.paths.append(self.path)
                if self.path == "/away":
                    self.send_response(302)
                    self.send_header("Location", f"http://localhost:{outer.port}/red.png")
                    self.end_headers()
                    return
                body = picture((255, 0, 0))
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def image(url):
    return surface("main", component("root", "Image", url={"literalString": url}))


def test_pictures(test):
    web = Pictures()
    w = World(test, config={"node": {"canvas": {"allowHosts": [f"127.0.0.1:{web.port}"]}}})
    w.push(image(f"http://localhost:{web.port}/red.png"))
    refused = w.snapshot()
    for host in ("0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0177.0.0.1", "169.254.169.254"):
        w.push(image(f"http://{host}:{web.port}/red.png"))
        w.snapshot()
    w.push(image(f"http://127.0.0.1:{web.port}/away"))
    w.snapshot()
    equal(web.paths, ["/away"], "what was fetched")
    w.push(image(f"http://127.0.0.1:{web.port}/red.png"))
    check(w.snapshot() != refused, "the picture is not shown")
    equal(web.paths, ["/away", "/red.png"], "what was fetched")
    url = f"http://[::1]:{web.port}/red.png"
    told = w.box.cli("canvas", "render", "-", "--out", os.path.join(test.dir, "x.png"), stdin=image(url).encode(), code=None)
    contains(told.err, f"::1 is not an address on the Internet, and is not fetched (fix: on the node name '[::1]:{web.port}' in the "
                       f"list node.canvas.allowHosts of openclaw.json): {url}")


def test_theme_setting(test):
    w = World(test, config={"node": {"canvas": {"theme": "default"}}})
    w.push(surface("main", component("root", "Text", text={"literalString": "hello"})))
    light = w.snapshot()
    w.box.config({"node": {"canvas": {"theme": "default-dark"}}})
    wait_until(lambda: w.snapshot() != light, "the dark theme")
    dark = w.snapshot()
    w.box.config({"node": {"canvas": {}}})  # auto: nobody says what this desktop likes
    wait_until(lambda: w.snapshot() not in (light, dark), "the theme of old")
    w.box.config({"node": {"canvas": {"theme": "default"}}})
    wait_until(lambda: w.snapshot() == light, "the light theme")
    os.kill(w.helper(), signal.SIGKILL)
    same(w.snapshot(), light, "the theme of one that came back")


def test_canvas_files(test):
    w = World(test)
    folder = os.path.join(w.box.state, "canvas")
    os.makedirs(os.path.join(folder, "sub"))
    for path in (os.path.join(folder, "sub", "a b.png"), os.path.join(w.box.state, "secret.png")):
        with open(path, "wb") as f:
            f.write(picture((0, 0, 255)))
    os.symlink(os.path.join(w.box.state, "secret.png"), os.path.join(folder, "link.png"))

    def shown(url):
        w.canvas("a2ui", "reset")
        w.push(image(url))
        return w.snapshot()

    nothing = shown("none.png")
    for url in ("../secret.png", "sub/../../secret.png", "/__openclaw__/canvas/%2e%2e/secret.png", "link.png", "sub", "..",
                "/__openclaw__/canvas/..%2fsecret.png", os.path.join(w.box.state, "secret.png"),
                "file://" + os.path.join(w.box.state, "secret.png")):
        same(shown(url), nothing, url)
    good = [shown(url) for url in ("sub/a%20b.png", "/__openclaw__/canvas/sub/a%20b.png", "openclaw-canvas://main/sub/a b.png", "/sub/a%20b.png",
                                   "file://" + os.path.join(folder, "sub/a b.png"), os.path.join(folder, "sub/a b.png"))]
    check(good[0] != nothing, "the file is not shown")
    check(all(g == good[0] for g in good), "the same file by other names")


def test_render_and_check_without_a_node(test):
    home = test.machine("me")
    path = os.path.join(test.dir, "form.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        f.write(FORM)
    out = os.path.join(test.dir, "x.png")
    equal(home.cli("canvas", "render", path, "--out", out, "--width", "480", "--theme", "default").out, "", "stdout")
    with open(out, "rb") as f:
        first = f.read()
    equal(png_size(first)[0], 480, "width")
    home.cli("canvas", "render", path, "--out", out, "--width", "480", "--theme", "default")
    with open(out, "rb") as f:
        same(f.read(), first, "the second time")
    home.cli("canvas", "render", path, "--out", out, "--width", "480", "--scale", "2", "--height", "100")
    with open(out, "rb") as f:
        equal(png_size(f.read()), (960, 200), "size")
    jpeg = os.path.join(test.dir, "x.jpg")
    home.cli("canvas", "render", "-", "--out", jpeg, "--quality", "0.5", stdin=FORM.encode())
    with open(jpeg, "rb") as f:
        equal(f.read(2), b"\xff\xd8", "a JPEG")
    layout = home.cli_json("canvas", "render", path, "--dump", "layout")
    equal([s["id"] for s in layout["surfaces"]], ["order"], "surfaces")
    equal([i["id"] for i in layout["surfaces"][0]["items"]], ["root", "name", "go", "label"], "items")
    equal(sorted(layout["surfaces"][0]["items"][0]), ["depth", "h", "id", "text", "type", "w", "x", "y"], "members")
    equal(home.cli_json("canvas", "render", path, "--dump", "data"), {"surfaces": [{"id": "order", "data": {"name": "Ada"}}]})
    contains(home.cli("canvas", "render", path, "--dump", "list").out, "text ")
    action = home.cli_json("canvas", "render", path, "--activate", "go")["userAction"]
    equal((action["name"], action["surfaceId"], action["sourceComponentId"], action["context"]),
          ("place order!", "order", "go", {"name": "Ada", "n": 2}), "action")
    contains(home.cli("canvas", "render", path, "--activate", "nobody", code=1).err, "there is no component 'nobody'")
    parts = os.path.join(test.dir, "parts.jsonl")
    with open(parts, "w", encoding="utf-8") as f:
        f.write(surface("main", component("root", "Column", children={"explicitList": ["sl", "cb", "l", "im", "nf"]}),
                        component("sl", "Slider", value={"literalNumber": 1}, minValue=0, maxValue=5),
                        component("cb", "CheckBox", label={"literalString": "c"}, value={"literalBoolean": False}),
                        component("l", "List", children={"template": {"componentId": "it", "dataBinding": "/a"}}),
                        component("it", "Text", text={"path": "."}), component("off", "Text", text={"literalString": "x"}),
                        component("im", "Image", url={"literalString": ""}), component("nf", "Image", url={"literalString": "nf.png"})))
        f.write('\n{"dataModelUpdate":{"surfaceId":"main","contents":[{"key":"a","valueString":"[1,2]"}]}}')
    for what, text, code in (("sl", "'sl' is a Slider", 1), ("it", "name one of its instances: it:0, it:1", 1),
                             ("off", "'off' is not shown", 1), ("cb", "'cb' sends no action", 0)):
        contains(home.cli("canvas", "render", parts, "--activate", what, code=code).err, text)
    for name, shown in (("a%20b.mp3", "'a b.mp3'"), ("%ff%20.mp3", "'%ff%20.mp3'"), ("a%0Ab.mp3", "'a%0Ab.mp3'")):
        audio = surface("main", component("root", "AudioPlayer", url={"literalString": "https://example.com/" + name}))
        contains(home.cli("canvas", "render", "-", "--dump", "list", stdin=audio.encode()).out, shown)
    told = home.cli("canvas", "check", parts).out
    contains(told, "warning: 2 pictures are missing: main/im: there is no picture; also main/nf (image-failed)\n")
    told = home.cli("canvas", "check", "-", stdin=image("nf.png").encode()).out
    check("picture:" not in told and told.count("nf.png") == 1, told)
    for args, text in ((("--scale", "4", "--out", out), "canvas render: --scale takes a number from 1 to 3"),
                       (("--quality", "5", "--out", out), "--quality takes a number from 0 to 1"),
                       (("--out", "-", "--dump", "layout"), "both write to stdout"),
                       (("--out", out + ".webp"), "this makes .png or .jpg, not .webp")):
        contains(home.cli("canvas", "render", parts, *args, code=2).err, text)
    contains(home.cli("canvas", "render", path, code=2).err, "--out")
    contains(home.cli("canvas", "render", path, "--theme", "neon", "--out", out, code=2).err, "one of openclaw|default|default-dark, not 'neon'")
    contains(home.cli("canvas", "render", "/no/such.jsonl", "--out", out, code=1).err, "/no/such.jsonl")
    done = home.cli("canvas", "render", "-", "--out", out, stdin=b'{"createSurface":{}}\n\n{"x":1}', code=1)
    contains(done.err, "line 1: looks like A2UI v0.9")
    contains(done.err, "line 3: expected exactly one of")
    equal(done.out, "", "stdout")


def test_check(test):
    home = test.machine("me")
    equal(home.cli_json("canvas", "check", "-", "--json", stdin=FORM.encode()), {"ok": True, "diagnostics": []})
    bad = surface("s", component("root", "Column", children={"explicitList": ["gone"]}), component("odd", "Blink"))
    said = home.cli("canvas", "check", "-", stdin=bad.encode(), code=None)
    contains(said.out, "line 1: ")
    contains(said.out, "gone")
    document = json.loads(home.cli("canvas", "check", "-", "--json", stdin=bad.encode(), code=None).out)
    check(document["diagnostics"] and all({"level", "code", "message"} <= set(d) for d in document["diagnostics"]), "diagnostics")
    refused = json.loads(home.cli("canvas", "check", "-", "--json", stdin=b'{\n{"x":1}', code=1).out)
    equal((refused["ok"], [d["line"] for d in refused["diagnostics"]]), (False, [1, 2]), "refused")


def as_json(jsonl):
    """The same messages as the specification's examples have them: an array, objects of many lines, an array on one line."""
    messages = [json.loads(line) for line in jsonl.splitlines()]
    return json.dumps(messages, indent=2), "\n".join(json.dumps(m, indent=2) for m in messages), json.dumps(messages)


def test_json_of_many_lines_without_a_node(test):
    home = test.machine("gw")
    wanted = home.cli("canvas", "render", "-", "--dump", "list", stdin=FORM.encode()).out
    for text in as_json(FORM):
        equal(home.cli("canvas", "render", "-", "--dump", "list", stdin=text.encode()).out, wanted)
        equal(home.cli_json("canvas", "check", "-", "--json", stdin=text.encode()), {"ok": True, "diagnostics": []})
    cut = as_json(FORM)[0][:-40]
    for verb in (("check", "-"), ("render", "-", "--dump", "list")):
        (line,) = home.cli("canvas", *verb, stdin=cut.encode(), code=1).err.splitlines()
        last = len(cut.splitlines())
        check(re.fullmatch(rf"A2UI JSON line {last}, column \d+: expected a JSON object \(unexpected end of JSON\)", line), line)
    (line,) = home.cli("canvas", "check", "-", stdin=b"Dear reader,\n" * 300, code=1).err.splitlines()
    equal(line, "A2UI JSON line 1, column 1: expected a JSON object (unexpected 'D')")


def test_json_of_many_lines_on_a_node(test):
    """The node gets lines; another agent may push JSON as it is, and it comes back with the program, too."""
    w = World(test)
    w.push(FORM)
    before = w.snapshot()
    for text in as_json(FORM):
        w.canvas("a2ui", "reset")
        equal(w.push(text).out, "canvas a2ui push ok (v0.8, 3 messages)\n")
        same(w.snapshot(), before)
        w.canvas("a2ui", "reset")
        w.invoke("canvas.a2ui.pushJSONL", {"jsonl": text})
        same(w.snapshot(), before)
        os.kill(w.helper(), signal.SIGKILL)
        same(w.snapshot(), before, "the picture afterwards")
    refused = w.push(as_json(FORM)[0][:-40], code=1).err
    contains(refused, "Invalid A2UI JSON:\n- line ")
    equal(refused.count("SyntaxError"), 1, refused)


def test_missing_pictures_are_one_warning(test):
    home = test.machine("gw")
    names = [f"i{n}" for n in range(12)]
    text = surface("main", component("root", "Column", children={"explicitList": names}),
                   *(component(n, "Image", url={"literalString": f"http://127.0.0.1:1/{n}.png"}) for n in names))
    for done in (home.cli("canvas", "render", "-", "--dump", "list", stdin=text.encode()).err,
                 home.cli("canvas", "check", "-", stdin=text.encode()).out):
        (line,) = [line for line in done.splitlines() if "image-failed" in line]
        contains(line, "warning: 12 pictures are missing: main/i0: ")
        contains(line, "; also main/i1, main/i2, main/i3, main/i4, main/i5 and 6 more (image-failed)")
    told = home.cli_json("canvas", "check", "-", "--json", stdin=text.encode())["diagnostics"]
    equal([d["component"] for d in told if d["code"] == "image-failed"], names, "as data each is named")


def test_check_names_what_agents_get_wrong(test):
    home = test.machine("gw")
    path = os.path.join(test.dir, "wrong.jsonl")
    options = [{"label": {"literalString": v}, "value": v} for v in "ab"]
    deep = [component(f"d{i}", "Column", children={"explicitList": [f"d{i + 1}"]}) for i in range(260)]
    with open(path, "w", encoding="utf-8") as f:
        f.write(surface(
            "main", component("root", "Column", children={"explicitList": ["re", "d1", "d2", "mc", "long", "dd0"]}),
            component("re", "TextField", label={"literalString": "x"}, text={"literalString": "x"}, validationRegexp="[a"),
            component("d1", "DateTimeInput", value={"literalString": "2026-02-31"}),
            component("d2", "DateTimeInput", value={"literalString": "soon"}),
            component("mc", "MultipleChoice", selections={"literalArray": ["a", "b"]}, options=options, maxAllowedSelections=1),
            component("long", "Text", text={"path": "/a" * 1000}),
            *[{"id": "d" + c["id"], "component": {"Column": {"children": {"explicitList": [f"dd{i + 1}"]}}}}
              for i, c in enumerate(deep)]).replace('"root": "root"}', '"root": "root", "styles": {"font": "No Such Font"}}'))
    told = {(d["code"], d.get("component")): d for d in json.loads(home.cli("canvas", "check", path, "--json").out)["diagnostics"]}
    for code, who in (("bad-regexp", "re"), ("bad-date", "d1"), ("bad-date", "d2"), ("too-many-selections", "mc"),
                      ("path-too-long", "long"), ("too-deep", "dd254")):
        check((code, who) in told, f"{code} of {who}: {sorted(k for k in told)}")
        equal(told[code, who]["line"], 1, f"line of {code}")
    check(("missing-font", None) in told, sorted(k[0] for k in told))
    check(("no-data", "long") not in told, "a path that is too long has no data, either")


def test_without_the_web_program(test):
    folder = os.path.join(test.dir, "bare")
    os.makedirs(folder)
    for path in (BINARY, HELPER):
        shutil.copy(path, folder)
    harness.BINARY = os.path.join(folder, "openclaw")
    try:
        w = World(test)
        w.push(hello())
        for args in (["navigate", "https://example.com/"], ["present", "--target", "index.html"]):
            said = w.canvas(*args, code=1).err
            contains(said, "CANVAS_UNAVAILABLE: no web engine")
            contains(said, "fix: on the node install the package openclaw-web")
        equal(w.surfaces(), ["main"], "surfaces")
        said = w.box.cli("doctor", port=w.port, code=None).out
        contains(said, "openclaw-web is not installed; the canvas shows A2UI surfaces, but no web pages")
        contains(said, "install the package openclaw-canvas-window")
    finally:
        harness.BINARY = BINARY


def test_without_the_program(test):
    folder = os.path.join(test.dir, "bare")
    os.makedirs(folder)
    shutil.copy(BINARY, os.path.join(folder, "openclaw"))
    harness.BINARY = os.path.join(folder, "openclaw")
    try:
        home = test.machine("me")
        contains(home.cli("canvas", "check", "-", stdin=b"", code=1).err, "install the package openclaw-canvas")
        home.cli("node", "enable", "canvas")
        contains(home.cli("doctor", code=None).out, "install the package openclaw-canvas")
    finally:
        harness.BINARY = BINARY


need(os.path.exists(HELPER), "openclaw-canvas is not built")
run_tests(globals())

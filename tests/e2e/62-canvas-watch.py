"""The canvas of a node in a browser: who gets an address, what it shows and takes, and when it ends. tests/canvas/browser.py has a
real browser."""

import http.client
from urllib.parse import urlsplit

from canvas_world import *


class Page:
    """What a browser does, without one."""

    def __init__(self, port, path):
        self.ws = WebSocket(port, path=path + "ws", headers=["Origin: http://somewhere.example"])
        equal(self.ws.status, 101, "status")
        self.hello = self.ws.recv_json()

    def next(self):
        """(message, picture or None)"""
        message = self.ws.recv_json()
        return message, self.picture() if message["state"] == "live" else None

    def picture(self):
        parts = []
        while True:
            fin, opcode, data = self.ws.recv_frame()
            if opcode == 9:
                self.ws.send_frame(10, data)
                continue
            equal(opcode, 0 if parts else 2, "a binary message")
            parts.append(data)
            if fin:
                whole = b"".join(parts)
                equal(whole[:8], b"\x89PNG\r\n\x1a\n", "the first bytes")
                return whole

    def until(self, state):
        while True:
            message, picture = self.next()
            if message["state"] == state:
                return message, picture

    def do(self, **touch):
        self.ws.send_json(touch)


def get(port, path, method="GET"):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    c.request(method, path)
    r = c.getresponse()
    equal(len(r.getheaders()), len(dict(r.getheaders())), "every header once")
    done = r.status, dict(r.getheaders()), r.read().decode()
    c.close()
    return done


def test_the_page_and_who_gets_it(test):
    w = World(test)
    path = w.path()
    status, headers, body = get(w.port, path)
    equal((status, headers["Content-Type"], headers["X-Content-Type-Options"], headers["Referrer-Policy"], headers["Cache-Control"]),
          (200, "text/html; charset=utf-8", "nosniff", "no-referrer", "no-store"))
    contains(headers["Content-Security-Policy"], "default-src 'none'")
    check("unsafe" not in headers["Content-Security-Policy"] and "<script>" not in body and "style=" not in body, "inline")
    for name, kind in (("a2ui.js", "text/javascript"), ("a2ui.css", "text/css")):
        contains(body, f'"{name}"')
        contains(get(w.port, path + name)[1]["Content-Type"], kind)
    equal((get(w.port, path + "other")[0], get(w.port, path + "ws")[0], get(w.port, path, "POST")[0]), (404, 426, 405))
    equal(get(w.port, path[:-1])[1]["Location"], "a2ui/")
    for wrong in ("/__openclaw__/a2ui/", "/__openclaw__/a2ui/a2ui.js", path.replace(path[19:23], "aaaa"), path.replace("/cap/", "/cap/x")):
        status, _, body = get(w.port, wrong)
        equal(status, 401, wrong)
        contains(body, "openclaw nodes canvas watch", wrong)
        contains(body, '"a2ui.css"', "it looks like ours")
        contains(get(w.port, wrong.rsplit("/", 1)[0] + "/a2ui.css")[1]["Content-Type"], "text/css")
    equal(get(w.port, path.replace(path[19:23], "aaaa") + "a2ui.js")[0], 401, "only what the page about it needs")
    equal(WebSocket(w.port, path="/__openclaw__/a2ui/ws").status, 401, "without an address")
    equal(WebSocket(w.port, path=path.replace(path[19:23], "aaaa") + "ws").status, 401, "with a wrong one")
    # It is for this and nothing else.
    for other in ("canvas/", "ws"):
        equal(get(w.port, path.replace("a2ui/", other))[0], 401, other)
    weak = Client(w.port)
    weak.connect(scopes=["operator.read"])
    node_id = w.home.cli_json("nodes", "status", "--json", port=w.port)["nodes"][0]["nodeId"]
    contains(json.dumps(weak.call("canvas.watch.open", {"nodeId": node_id})["error"]), "operator.write")
    contains(w.home.cli("nodes", "canvas", "watch", "--node", "none", port=w.port, code=1).err, "none")
    contains(w.home.cli("nodes", "canvas", "hide", "--qr", "--node", "box", port=w.port, code=2).err, "--qr does not go with hide")
    strong = Client(w.port)
    strong.connect()
    contains(json.dumps(strong.call("canvas.watch.open", {"nodeId": "nobody"})["error"]), "node not connected")
    check(not strong.call("canvas.watch.open", {"nodeId": node_id, "readOnly": "yes"})["ok"], "a flag that is none")
    said = w.watch("--qr")
    contains(said.out, "/__openclaw__/a2ui/\n")
    contains(said.err, "press and type")
    contains(said.err, "own machine only")


def test_looking_and_touching(test):
    w = World(test)
    path = w.path()
    page, other = Page(w.port, path), Page(w.port, path)
    equal(page.hello, {"state": "hello", "node": "box", "readOnly": False})
    message, first = page.until("live")
    equal((message["width"], message["height"]), (900, 700), "size")
    contains(message["text"], "button, Order", "what a screen reader says")
    equal(other.until("live")[1], first, "the same for all")
    for touch in ({"key": "Tab"}, {"key": "End"}, {"text": " Löve"}):
        page.do(**touch)
    wait_until(lambda: "Ada Löve" in page.until("live")[0]["text"], "what was typed")
    check(other.until("live")[1] != first, "the other page sees it, too")
    page.do(key="Tab")
    page.do(key="Enter")
    contains(wait_until(w.actions, "the action")[0], 'ctx={"name":"Ada Löve"}')
    looker = Page(w.port, w.path("--read-only"))
    equal(looker.hello["readOnly"], True)
    looker.until("live")
    looker.do(key="Enter")
    looker.do(text="no")
    page.do(key="Tab")
    page.do(text="!")
    message, _ = wait_until(lambda: [m for m in [looker.until("live")] if "!" in m[0]["text"]], "what the other one typed")[0]
    check("no" not in message["text"].split("Name")[1].split("\n")[0], message)
    equal(len(w.actions()), 1, "actions")
    for nonsense in ("x", "[]", "{}", '{"pointer":"press"}', '{"pointer":"press","x":1e99,"y":0}', '{"key":1}', "y" * 20000):
        bad = Page(w.port, path)
        bad.ws.send_text(nonsense)
        while bad.ws.recv_frame()[1] != 8:
            pass
        bad.ws.close()
    page.do(key="Tab")
    equal(w.home.cli("nodes", "run", "--node", "box", "--", "/bin/echo", "alive", port=w.port).out, "alive\n")


def size_of(png):
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def test_each_page_has_its_own_room(test):
    """The canvas is laid out for who looks; the node's own stays as it is."""
    w = World(test)
    path = w.path()
    wide, phone, looker = Page(w.port, path), Page(w.port, path), Page(w.port, w.path("--read-only"))
    own = wide.until("live")[1]
    phone.do(view={"width": 390, "height": 600, "scale": 2})
    message, picture = wait_until(lambda: [m for m in [phone.until("live")] if m[0]["width"] == 390], "the phone's picture")[0]
    equal((message["height"], size_of(picture)), (600, (780, 1200)))
    contains(message["text"], "button, Order", "all of it is there")
    looker.do(view={"width": 300})
    message, picture = wait_until(lambda: [m for m in [looker.until("live")] if m[0]["width"] == 300], "who only looks")[0]
    check(60 < message["height"] < 400, f"as high as its content, not {message['height']}")

    # A press is where it is on the picture that was pressed. In the node's own layout nothing is there.
    layout = os.path.join(test.dir, "form.jsonl")
    with open(layout, "w", encoding="utf-8") as f:
        f.write(FORM)
    boxes = {i["id"]: i for i in w.home.cli_json("canvas", "render", layout, "--width", "390", "--dump", "layout")["surfaces"][0]["items"]}
    name = boxes["name"]
    for kind in ("press", "release"):
        phone.do(pointer=kind, x=name["x"] + name["w"] - 20, y=name["y"] + name["h"] - 14)
    phone.do(key="End")
    phone.do(text=" L")
    for page in (phone, wide, looker):
        wait_until(lambda p=page: "Ada L" in p.until("live")[0]["text"], "what was typed, for all")
    w.home.cli("nodes", "canvas", "snapshot", "--format", "png", "--node", "box", "--out", os.path.join(test.dir, "own.png"), port=w.port)
    with open(os.path.join(test.dir, "own.png"), "rb") as f:
        equal(size_of(f.read()), (900, 700), "the node's own size")
    equal(size_of(own), (900, 700), "as before")

    # A page that says nonsense is closed; a node does not take it either.
    for nonsense in ({"width": 5}, {"width": 1e9}, {"width": 390, "height": -1}, {"width": 390, "scale": 9}, {}):
        bad = Page(w.port, path)
        bad.do(view=nonsense)
        while bad.ws.recv_frame()[1] != 8:
            pass
        bad.ws.close()
    for command in ("canvas.view", "canvas.input"):
        contains(w.home.cli("nodes", "invoke", "--node", "box", "--command", command, "--params", json.dumps({"width": 5, "key": "Tab"}),
                            port=w.port, code=1).err, "width must be a number from 160 to 4096")


def test_node_gone_switched_off_and_back(test):
    w = World(test)
    page = Page(w.port, w.path())
    _, first = page.until("live")
    w.box.cli("node", "disable", "canvas")
    shut = page.until("shut")[0]["message"]
    check("openclaw" not in shut and "canvas.view" not in shut, f"a stranger is told of gates: {shut}")
    contains(w.gateway.output(), "openclaw node enable canvas")
    refused = w.watch(code=1)
    contains(refused.err, "openclaw node enable canvas")
    page.do(key="Tab")
    w.box.cli("node", "enable", "canvas")
    page.until("live")
    w.node.stop()
    contains(page.until("away")[0]["message"], "not connected")
    contains(w.watch(code=1).err, "not connected")
    w.start()
    page.until("live")


def test_ended_by_hand_and_with_the_node(test):
    w = World(test)
    path = w.path()

    def is_over(page):
        while page.ws.recv_frame()[1] != 8:
            pass
        equal(get(w.port, path)[0], 401, "the address")

    page = Page(w.port, path)
    page.until("live")
    equal(w.watch("--end").out, "1 address ended\n")
    is_over(page)
    equal(json.loads(w.watch("--end", "--json").out)["ended"], 0, "addresses")
    path = w.path()
    page = Page(w.port, path)
    page.until("live")
    w.home.cli("nodes", "remove", "--node", "box", port=w.port)
    is_over(page)


def test_a_web_page(test):
    if not os.path.exists(os.path.join(os.path.dirname(HELPER), "openclaw-web")):
        return  # 62-canvas-pages says so
    w = World(test)
    files = os.path.join(w.box.state, "canvas")
    os.makedirs(files, exist_ok=True)
    with open(os.path.join(files, "page.html"), "w", encoding="utf-8") as f:
        f.write("<title>0</title><body onclick='document.title++; document.body.style.background=\"red\"' style='background:blue;height:600px'>")
    page = Page(w.port, w.path())
    _, first = page.until("live")

    def canvas(*args):
        return w.home.cli("nodes", "canvas", *args, "--node", "box", "--timeout", "60000", port=w.port).out

    canvas("navigate", "page.html")
    message, blue = page.until("live")
    check("text" not in message and blue != first, "the page is not shown")
    page.do(pointer="press", x=100, y=100)
    page.do(pointer="release", x=100, y=100)
    wait_until(lambda: page.until("live")[1] != blue, "what the page does when it is pressed")
    equal(canvas("eval", "document.title"), "1\n", "presses")
    canvas("navigate", "/")
    contains(page.until("live")[0]["text"], "button, Order", "the surfaces again")


def test_ceilings_and_the_end(test):
    w = World(test)
    path = w.path()
    pages = [Page(w.port, path) for _ in range(8)]
    equal(WebSocket(w.port, path=path + "ws").status, 503, "one more than there is room for")
    again = w.path()
    check(again != path, "each is its own")
    Page(w.port, again).until("live")
    pages[0].ws.close()
    wait_until(lambda: WebSocket(w.port, path=path + "ws").status == 101, "room again")
    # One maker has 16; the oldest that nobody looks at goes.
    spare = w.path()
    for _ in range(16):
        w.path()
    equal((get(w.port, spare)[0], get(w.port, path)[0]), (401, 200), "which of them go")


def test_it_ends_with_its_maker(test):
    w = World(test)
    node_id = w.home.cli_json("nodes", "status", "--json", port=w.port)["nodes"][0]["nodeId"]
    key, maker, admin = test.identity(), Client(w.port), Client(w.port)
    check(maker.connect(client_id="openclaw-macos", mode="ui", identity=key)["ok"], "maker")
    check(admin.connect(client_id="openclaw-macos", mode="ui", identity=test.identity())["ok"], "admin")
    path = urlsplit(maker.ok("canvas.watch.open", {"nodeId": node_id})["url"]).path
    other = w.path()
    maker.close()
    page = Page(w.port, path)
    page.until("live")
    admin.ok("device.pair.remove", {"deviceId": key.device_id})
    try:
        while True:
            page.next()
    except Closed as closed:
        equal((closed.code, closed.reason), (1008, "this address has ended"))
    equal((get(w.port, path)[0], get(w.port, other)[0]), (401, 200), "afterwards")


need(os.path.exists(HELPER), "openclaw-canvas is not built")
run_tests(globals())

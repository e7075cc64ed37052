"""The page that shows a node's canvas in a real Chromium, driven over its DevTools socket: what it shows is what the node draws, and
what is done there reaches the agent."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from canvas_world import *  # pylint: disable=wrong-import-position

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# The button is at the top left, where nobody has to look for it.
FORM = "\n".join(json.dumps(m) for m in (
    {"surfaceUpdate": {"surfaceId": "order", "components": [
        component("root", "Column", children={"explicitList": ["go", "name"]}),
        component("go", "Button", child="label", action={"name": "order", "context": [{"key": "name", "value": {"path": "/name"}}]}),
        component("label", "Text", text={"literalString": "Order now"}),
        component("name", "TextField", label={"literalString": "Name"}, text={"path": "/name"})]}},
    {"dataModelUpdate": {"surfaceId": "order", "contents": [{"key": "name", "valueString": "Ada"}]}},
    {"beginRendering": {"surfaceId": "order", "root": "root"}}))
LONG = "\n".join(json.dumps(m) for m in (
    {"surfaceUpdate": {"surfaceId": "order", "components": [
        component("root", "Column", children={"explicitList": [f"t{i}" for i in range(99)]}),
        *[component(f"t{i}", "Text", text={"literalString": f"Line {i}"}) for i in range(99)]]}},
    {"beginRendering": {"surfaceId": "order", "root": "root"}}))
BUTTON = (40, 36)  # on the canvas
SAME = """(async () => {
  const bytes = Uint8Array.from(atob('%s'), c => c.charCodeAt(0));
  const wanted = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const own = document.getElementById('canvas');
  if (own.width !== wanted.width || own.height !== wanted.height) return `${own.width}x${own.height}`;
  const [a, b] = [own, wanted].map(picture => {
    const copy = new OffscreenCanvas(own.width, own.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(picture, 0, 0);
    return copy.getImageData(0, 0, own.width, own.height).data;
  });
  let different = 0;
  for (let i = 0; i < a.length; i++) different += a[i] !== b[i];
  return different;
})()"""


class Browser:
    """A tab of a Chromium of its own."""

    def __init__(self, test):
        home = os.path.join(test.dir, "chromium")
        self.process = Process(test, "chromium", [
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--window-size=1100,900",
            "--remote-debugging-port=0", f"--user-data-dir={home}", "about:blank"], {**os.environ, "HOME": test.dir})
        place = os.path.join(home, "DevToolsActivePort")

        def ready():
            try:
                with open(place, encoding="utf-8") as f:
                    lines = f.read().split("\n")
                return lines if len(lines) > 1 and lines[1] else None
            except OSError:
                return None

        port, path = wait_until(ready, "the browser", 60)[:2]
        self.ws = WebSocket(int(port), path=path)
        self.last, self.session, self.complaints = 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        self.last += 1
        self.ws.send_json({"id": self.last, "method": method, "params": params,
                           **({"sessionId": self.session} if self.session else {})})
        while True:
            m = self.ws.recv_json()
            if m.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                self.complaints.append(json.dumps(m["params"])[:400])
            if m.get("id") == self.last:
                check("error" not in m, f"{method}: {m.get('error')}")
                return m["result"]

    def value(self, script):
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        check("exceptionDetails" not in done, f"{script}: {done.get('exceptionDetails')}")
        return done["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.shows("live")

    def shows(self, word):
        wait_until(lambda: word in (self.value("document.getElementById('state')?.textContent") or "").lower(), f"'{word}'")

    def place(self, x, y):
        """Where a point of the canvas is in the window."""
        box = self.value("(b => [b.left, b.top, b.width])(document.getElementById('canvas').getBoundingClientRect())")
        scale = box[2] / self.value("size.width")
        return {"x": box[0] + x * scale, "y": box[1] + y * scale}

    def fit(self, width, height):
        """A window that has this room for the canvas, as the node's own has."""
        above = self.value("document.querySelector('header').offsetHeight")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height + above, deviceScaleFactor=1, mobile=False)
        wait_until(lambda: self.value("[size.width, size.height]") == [width, height], "the new size")

    def click(self, x, y):
        at = self.place(x, y)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def key(self, key, modifiers=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers)

    def words(self):
        return self.value("document.getElementById('words').textContent")

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def end(self):
        self.ws.close()
        self.process.child.terminate()
        self.process.child.wait(30)


def snapshot(w):
    path = os.path.join(w.test.dir, "snapshot.png")
    w.home.cli("nodes", "canvas", "snapshot", "--format", "png", "--node", "box", "--out", path, port=w.port)
    with open(path, "rb") as f:
        return base64.b64encode(f.read()).decode()


def is_same(browser, w):
    return browser.value(SAME % snapshot(w)) == 0


def test_in_a_browser(test):
    w = World(test, FORM)
    browser = Browser(test)
    url = f"http://127.0.0.1:{w.port}" + w.path()
    browser.open(url)
    wait_until(lambda: browser.value("size.width") == browser.value("innerWidth"), "a canvas as wide as the window")
    browser.fit(900, 700)
    wait_until(lambda: is_same(browser, w), "the node's picture")
    contains(browser.words(), "button, Order now")
    contains(browser.words(), "text field, Name, Ada")
    equal(browser.value("document.title"), "box – canvas", "title")
    if os.environ.get("KEEP_PICTURES"):
        browser.picture(os.path.join(os.environ["KEEP_PICTURES"], "page.png"))

    browser.click(*BUTTON)
    contains(wait_until(w.actions, "the action")[0], 'component=go host=box')
    browser.key("Tab")
    browser.key("End")
    browser.call("Input.insertText", text=" Löve")
    wait_until(lambda: "Ada Löve" in browser.words(), "what was typed")
    browser.key("Backspace")
    browser.key("Tab", modifiers=8)
    browser.key("Enter")
    contains(wait_until(lambda: w.actions()[1:], "the second action")[0], 'ctx={"name":"Ada Löv"}')
    wait_until(lambda: is_same(browser, w), "the same picture again")

    # A phone: narrower than the canvas, and with fingers.
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    browser.open(url)
    wait_until(lambda: browser.value("size.width") == 390, "a canvas as wide as the phone")
    equal(browser.value("document.documentElement.scrollWidth"), 390, "width of the page")
    equal(browser.value("[canvas.width, canvas.getBoundingClientRect().width, canvas.getBoundingClientRect().bottom]"), [780, 390, 800],
          "the canvas fills it, and nothing is shrunk")
    if os.environ.get("KEEP_PICTURES"):
        browser.picture(os.path.join(os.environ["KEEP_PICTURES"], "phone.png"))
    browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[browser.place(*BUTTON)])
    browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    wait_until(lambda: w.actions()[2:], "the action of a finger")
    w.home.cli("nodes", "canvas", "a2ui", "push", "--jsonl", "-", "--node", "box", port=w.port, stdin=LONG.encode())
    wait_until(lambda: "Line 1\n" in browser.words(), "the long page")
    before = browser.value("+document.getElementById('canvas').dataset.pictures")
    browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[browser.place(200, 400)])
    for y in (350, 250, 150):
        browser.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[browser.place(200, y)])
    browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    wait_until(lambda: browser.value("+document.getElementById('canvas').dataset.pictures") > before, "that a finger scrolls")

    same = snapshot(w)
    wait_until(lambda: snapshot(w) == same, "the node's own window to stay where it is")

    # To look at only: as high as it is, and the page scrolls.
    browser.open(f"http://127.0.0.1:{w.port}" + w.path("--read-only"))
    browser.shows("look at only")
    wait_until(lambda: browser.value("size.width") == 390, "the phone's width")
    check(browser.value("size.height > 1500 && room.scrollHeight > 1500"), "all of the long page")
    browser.click(*BUTTON)
    w.box.cli("node", "disable", "canvas")
    browser.shows("canvas")
    check(browser.value("document.getElementById('canvas').classList.contains('stale')"), "an old picture looks like a new one")
    equal(len(w.actions()), 3, "actions")
    equal(browser.complaints, [], "what the browser complains of")
    browser.end()


def test_a_link_that_has_ended(test):
    """A page that looks like ours says so and what to do, also when it ends under somebody's eyes."""
    w = World(test, FORM)
    browser = Browser(test)
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True)
    url = f"http://127.0.0.1:{w.port}" + w.path()
    browser.open(url)

    def has_ended():
        try:
            return browser.value("document.readyState === 'complete' && document.querySelector('h2')?.textContent") == "This link has ended"
        except Failure:
            return False  # it was just loaded anew

    w.watch("--end")
    for again in (None, url, url.replace("/cap/", "/cap/x")):
        if again:
            browser.call("Page.navigate", url=again)
        wait_until(has_ended, "the end")
        wait_until(lambda: browser.value("getComputedStyle(document.documentElement).backgroundColor") == "rgb(11, 13, 18)", "our looks")
        contains(browser.value("document.body.innerText"), "openclaw nodes canvas watch --node NAME")
        equal(browser.value("document.documentElement.scrollWidth"), 390, "width of the page")
    if os.environ.get("KEEP_PICTURES"):
        browser.picture(os.path.join(os.environ["KEEP_PICTURES"], "ended.png"))
    browser.end()


def views(w):
    """Ids of the questions for a picture that the node has got, and the answers that it has given, both in order."""
    asked = [(m["payload"]["id"], json.loads(m["payload"]["paramsJSON"])) for m in list(w.tap.heard)
             if m.get("event") == "node.invoke.request" and m["payload"]["command"] == "canvas.view"]
    return asked, {r["id"]: r for r in w.tap.requests("node.invoke.result")}


def test_a_change_is_told(test):
    """What the node draws anew comes as the answer to a question that it has kept: nobody asks whether there is something."""
    w = World(test, FORM)
    browser = Browser(test)
    browser.open(f"http://127.0.0.1:{w.port}" + w.path())
    browser.fit(900, 700)
    for word in ("First", "Second"):
        def waits():
            asked, answered = views(w)
            return asked if asked and asked[-1][0] not in answered and asked[-1][1].get("waitMs", 0) > 5000 else None

        asked = wait_until(waits, "a question that is kept")
        wait_until(lambda: is_same(browser, w), "the picture as it is")
        equal(views(w)[0], asked, "the node is asked although nothing happens")
        w.home.cli("nodes", "canvas", "a2ui", "push", "--text", word, "--node", "box", port=w.port)
        wait_until(lambda: word in browser.words(), word)
        wait_until(lambda: is_same(browser, w), "the new picture")
        answer = json.loads(views(w)[1][asked[-1][0]]["payloadJSON"])
        check(answer["changed"], "the kept question is not what it came with")
    # Nothing of what is shut comes any more, also not as the answer to a question of before.
    w.home.cli("config", "set", "gateway.nodes.denyCommands", '["canvas.view"]', port=w.port)
    browser.shows("may not be seen now")
    w.home.cli("nodes", "canvas", "a2ui", "push", "--text", "Secret", "--node", "box", port=w.port)
    check("Secret" not in browser.words(), "shown past a shut gate")
    equal(browser.complaints, [], "what the browser complains of")
    browser.end()


need(os.path.exists(HELPER), "openclaw-canvas is not built")
need(CHROMIUM, "chromium is not installed")
run_tests(globals())

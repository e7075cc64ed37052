"""The reference renderer, npm's @a2ui/lit in a headless Chromium, as tests/bench/canvas measures it beside ours: one page that stays
open, JSONL in, PNG out. Chromium is asked over its DevTools pipe, the shortest way there is, and for its fastest PNG."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "openclaw-peers", "lit")
PACKAGES = "@a2ui/lit@0.8.3 @a2ui/web_core@0.8.0 markdown-it@14 esbuild"
HOST = "<x-host style=\"display:block\"></x-host>"
BODY = "<!doctype html><body style=\"margin:0;padding:16px;font-family:'Liberation Sans'\">" + HOST
# All that Lit does is done when its promises are; pictures are waited for, and the layout.
PUSH = """(async (messages) => {
  window.go(messages);
  await new Promise((done) => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); });
  const images = [], walk = (e) => {
    if (e instanceof HTMLImageElement) images.push(e);
    for (const child of [...(e.shadowRoot?.children ?? []), ...e.children]) walk(child);
  };
  walk(document.body);
  await Promise.all(images.map((i) => i.decode().catch(() => 0)));
  return document.body.offsetHeight;
})"""


def why_not(folder):
    """What is missing for it, or None."""
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        return "there is no chromium"
    if not os.path.exists(os.path.join(folder, "node_modules", "@a2ui", "lit")):
        return f"npm's @a2ui/lit is not there: npm install --prefix {folder} {PACKAGES}"
    return None


def bundle(folder):
    """The page of tests/canvas/reference as one script."""
    done = subprocess.run([os.path.join(folder, "node_modules", ".bin", "esbuild"), "--bundle", "--minify", "--log-level=error",
                           os.path.join(ROOT, "tests", "canvas", "reference", "page.js")], capture_output=True, check=True,
                          env={**os.environ, "NODE_PATH": os.path.join(folder, "node_modules")})
    return done.stdout.decode()


def tree(pid):
    """The process and all that it has started."""
    found = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
                found += [p for child in f.read().split() for p in tree(int(child))]
    except OSError:
        pass  # it has ended
    return found


def pss_kb(pid):
    """What its processes have in memory; what they share counts once."""
    total = 0
    for one in tree(pid):
        try:
            with open(f"/proc/{one}/smaps_rollup", encoding="ascii") as lines:
                total += next(int(l.split()[1]) for l in lines if l.startswith("Pss:"))
        except (OSError, StopIteration):
            pass
    return total


def cpu_ms(pid):
    """What its processes have taken of the processor, as long as they live."""
    total = 0
    for one in tree(pid):
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/schedstat", encoding="ascii") as f:
                    total += int(f.read().split()[0])
        except OSError:
            pass
    return total / 1e6


class Lit:
    """One Chromium with the page in it."""

    def __init__(self, script, picture, width, height):
        self.picture, self.last, self.session, self.rest = base64.b64encode(picture).decode(), 0, None, b""
        self.home = tempfile.mkdtemp(prefix="bench-lit-")
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (theirs_in, theirs_out)]
        self.process = subprocess.Popen(
            [shutil.which("chromium") or "chromium-browser", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-sync", "--disable-background-networking", "--disable-component-update",
             "--disable-extensions", "--hide-scrollbars", f"--window-size={width},{height}", "--remote-debugging-pipe",
             f"--user-data-dir={self.home}", "about:blank"],
            env={**os.environ, "HOME": self.home}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4), preexec_fn=lambda: (os.dup2(high[0], 3), os.dup2(high[1], 4)))
        for fd in (theirs_in, theirs_out, *high):
            os.close(fd)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Fetch.enable", patterns=[{"urlPattern": "http*://*"}])
        self.value(f"document.open(), document.write({json.dumps(BODY)}), document.close()")
        self.value(script + "\n;0")

    def send(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params, **({"sessionId": self.session} if self.session else {})}
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        return self.last

    def receive(self):
        while b"\0" not in self.rest:
            got = os.read(self.back, 1 << 20)
            if not got:
                raise SystemExit("chromium ended")
            self.rest += got
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        wanted = self.send(method, **params)
        while True:
            m = self.receive()
            if m.get("method") == "Fetch.requestPaused":
                self.send("Fetch.fulfillRequest", requestId=m["params"]["requestId"], responseCode=200, body=self.picture,
                          responseHeaders=[{"name": "Content-Type", "value": "image/png"}])
            if m.get("id") == wanted:
                if "error" in m:
                    raise SystemExit(f"{method}: {m['error']}")
                return m["result"]

    def value(self, script):
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(json.dumps(done["exceptionDetails"])[:300])
        return done["result"].get("value")

    def reset(self):
        self.value(f"document.body.innerHTML = {json.dumps(HOST)}; 0")

    def push(self, jsonl):
        messages = [json.loads(l) for l in jsonl.decode().split("\n") if l.strip()]
        self.value(f"{PUSH}({json.dumps(messages)})")

    def components(self):
        return self.value("window.dump().length")

    def png(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"])

    def end(self):
        self.session = None
        self.send("Browser.close")
        self.process.wait(30)
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.home, ignore_errors=True)

"""Web pages and canvas files on a node's canvas, headless: through gateway and node, by the command line."""

import http.server
import struct
import zlib

from harness import *
from tap import Tap

FOLDER = os.path.dirname(os.path.realpath(BINARY))
HELPER, WEB = os.path.join(FOLDER, "openclaw-canvas"), os.path.join(FOLDER, "openclaw-web")
SURFACE = "\n".join(json.dumps(m) for m in (
    {"surfaceUpdate": {"surfaceId": "main", "components": [{"id": "t", "component": {"Text": {"text": {"literalString": "Hi"}}}}]}},
    {"beginRendering": {"surfaceId": "main", "root": "t"}}))


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"<!doctype html><title>Page</title><body style='background:blue'>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class World:
    def __init__(self, test):
        self.test = test
        self.home = test.machine("gw")
        self.port = self.home.gateway().port
        self.tap = Tap(self.port)
        self.box = test.machine("box")
        self.box.cli("node", "enable", "canvas")
        self.node = self.box.node(self.tap.port, env={"DISPLAY": None, "WAYLAND_DISPLAY": None, "XDG_RUNTIME_DIR": None})
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.port)
        wait_until(lambda: usable(self.home, self.port, "box", "canvas.present"), "the canvas")
        self.files = os.path.join(self.box.state, "canvas")
        os.makedirs(self.files, exist_ok=True)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/page"

    def canvas(self, *args, **kw):
        return self.home.cli("nodes", "canvas", *args, "--node", "box", "--timeout", "30000", port=self.port, **kw)

    def eval(self, script, **kw):
        return self.canvas("eval", "--js", script, **kw).out.rstrip("\n")

    def color(self):
        """Of the first pixel, which no filter changes much: RGB."""
        path = os.path.join(self.test.dir, "snapshot.png")
        self.canvas("snapshot", "--format", "png", "--out", path)
        with open(path, "rb") as f:
            data = f.read()
        at = data.index(b"IDAT")
        size = struct.unpack(">I", data[at - 4:at])[0]
        return tuple(zlib.decompressobj().decompress(data[at + 4:at + 4 + size], 4)[1:4])

    def processes(self, program):
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as f:
                    mine = self.box.home.encode() in f.read()
                if mine and runs(name, program):
                    found.append(int(name))
            except OSError:
                pass
        return found


def write(w, name, text):
    path = os.path.join(w.files, name)
    with open(path + "~", "w") as f:
        f.write(text)
    os.rename(path + "~", path)


def test_pages_and_surfaces(test):
    w = World(test)
    w.canvas("a2ui", "push", "--jsonl", "-", stdin=SURFACE.encode())
    equal(w.processes(WEB), [], "no page, no web program")
    surface = w.color()
    equal(w.canvas("navigate", w.url).out, "canvas navigate ok\n")
    equal(w.color(), (0, 0, 255), "the page")
    equal(w.eval("document.title"), "Page")
    equal(len(w.eval("'x'.repeat(300000)")), 300000, "a long result")
    script = "'then \\x1b]0;owned\\x07one\\ttwo\\nthree \\x9b2J' + ' end'"
    shown = Terminal(test, w.home, w.port, "nodes", "canvas", "eval", "--js", script, "--node", "box", "--timeout", "30000", "--token", TOKEN)
    shown.wait_for(" end")
    shown.end(0)
    check("\x1b" not in shown.text and "\x07" not in shown.text and "\x9b" not in shown.text, repr(shown.text))
    contains(shown.text, "owned")
    contains(shown.text, "one\ttwo\r\nthree ")
    equal(w.eval(script), "then \x1b]0;owned\x07one\ttwo\nthree \x9b2J end", "not on a terminal")
    contains(w.canvas("eval", "nope.nope", code=1).err, "CANVAS_UNAVAILABLE: JavaScript failed")
    contains(w.canvas("navigate", "http://169.254.169.254/", code=1).err, "link-local addresses are not shown")
    contains(w.canvas("navigate", "file:///etc/passwd", code=1).err, "INVALID_REQUEST")
    os.kill(w.processes(HELPER)[0], signal.SIGKILL)
    equal(w.eval("document.title"), "Page", "after the canvas program died")
    equal(w.color(), (0, 0, 255), "the page again")
    w.canvas("hide")
    w.canvas("present")
    os.kill(w.processes(HELPER)[0], signal.SIGKILL)
    equal(w.eval("document.title"), "Page", "hidden, shown as it was, and died")
    w.canvas("a2ui", "push", "--jsonl", "-", stdin=SURFACE.encode())
    equal(w.color(), surface, "the surface again")
    equal(w.processes(WEB), [], "the page is gone, and its program")


def test_canvas_files(test):
    w = World(test)
    write(w, "act.html", "<!doctype html><title>Act</title><body style='background:red'>")
    w.canvas("present", "--target", "act.html")
    equal(w.color(), (255, 0, 0), "the file")
    write(w, "act.html", "<!doctype html><title>Act</title><body style='background:lime'>")
    wait_until(lambda: w.color() == (0, 255, 0), "the changed file")
    w.eval("window.heard = []; addEventListener('openclaw:a2ui-action-status', e => heard.push(e.detail.ok ? 'ok' : e.detail.error)); 1")
    press = "openclawSendUserAction({name: 'go on', surfaceId: 's', sourceComponentId: 'b', context: {n: 1}})"
    equal(w.eval(press), "true")
    wait_until(lambda: w.eval("heard.join()") == "no agent listens", "word that nobody heard it")
    agent = Process(test, "agent", [BINARY, "nodes", "requests", "--json", "--count", "1"], w.home.env(OPENCLAW_GATEWAY_PORT=str(w.port)))
    wait_until(lambda: w.eval(press) and w.eval("heard.includes('ok')") == "true", "an agent that hears it")
    equal(agent.wait_exit(), 0)
    contains(json.loads(agent.output().splitlines()[0])["message"], "CANVAS_A2UI action=go_on session=main surface=s component=b")
    event = wait_until(lambda: [e for e in w.tap.requests("node.event") if e["event"] == "agent.request"], "the action")[0]
    message = json.loads(event["payloadJSON"])["message"]
    check(message.startswith("CANVAS_A2UI action=go_on session=main surface=s component=b host=box instance="), message)
    contains(message, ' ctx={"n":1} default=update_canvas')
    missing = os.path.join(w.files, "nothing.html")
    contains(w.canvas("present", "--target", "nothing.html", code=1).err, "there is no canvas file " + missing)
    contains(w.canvas("navigate", "nothing.html", code=1).err, "there is no canvas file " + missing)
    contains(w.eval("location.href"), "act.html")  # what was there stays
    w.node.stop()
    wait_until(lambda: not w.processes(WEB) and not w.processes(HELPER), "the end of them all")


def test_files_of_the_gateway(test):
    w = World(test)
    write(w, "hosted.html", "<title>Node</title>")
    for name, text in (("hosted.html", "<title>Gateway</title><script src=hosted.js></script>"), ("hosted.js", "here = 'too'"), ("x.zip", "PK")):
        with open(os.path.join(w.home.state, "canvas", name), "w") as f:
            f.write(text)
    place = "/__openclaw__/canvas/hosted.html"
    for url, title in ((place, "Gateway"), ("hosted.html", "Node"), (f"http://127.0.0.1:{w.tap.port}{place}", "Gateway")):
        w.canvas("navigate", url)
        equal(w.eval("document.title"), title, url)
    equal(w.eval("here + location.pathname.replace(/cap.[^/]*/, 'C')"), "too/__openclaw__/C" + place, "what belongs to it, too")
    equal(len(w.tap.requests("node.pluginSurface.refresh")), 2, "a capability for each")
    os.kill(w.processes(HELPER)[0], signal.SIGKILL)
    equal(w.eval("document.title"), "Gateway", "after the canvas program died")
    refused = w.canvas("navigate", "/__openclaw__/canvas/x.zip", code=1).err
    contains(refused, "/__openclaw__/cap/\u2026/__openclaw__/canvas/x.zip: the canvas does not show this")
    secrets = set(re.findall(r"/cap/([A-Za-z0-9_-]{24})", json.dumps(w.tap.heard)))
    equal(len(secrets), 4, "hello's, and three")
    for secret in secrets:
        check(secret not in w.node.output() and secret not in refused and secret not in json.dumps(w.tap.said), "a capability is told")


need(os.path.exists(WEB), "openclaw-web is not built")
need(shutil.which("weston") or shutil.which("Xvfb"), "no weston, no Xvfb")
need(subprocess.run(["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"], capture_output=True, check=False).returncode == 0,
     "no user namespaces for WebKit's sandbox")
run_tests(globals())

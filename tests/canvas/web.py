"""openclaw-web against a server of ours: pages, scripts, pictures, what pages may not do, files that change, and processes that die.
Needs WebKit's sandbox (user namespaces) and weston or Xvfb."""

import fcntl
import http.server
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

PROGRAM = sys.argv[1]
CANVAS = os.path.join(os.path.dirname(PROGRAM), "openclaw-canvas")  # supervises it
RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 128, 0), (0, 0, 255), (255, 255, 0)


def page(body, style="background:green"):
    return f"<!doctype html><title>T</title><body style='margin:0;{style}'>{body}".encode()


ACT = "openclawSendUserAction({name: 'go', surfaceId: 's', context: {n: 1}})"
PAGES = {
    "/plain": page("<div style='width:100px;height:50px;background:red'></div>"),
    "/strict": page(""),
    "/blue": page("", "background:blue"),
    "/none": b"<!doctype html><title>none</title>",
    "/window": page(f"<script>opened = window.open('/blue'); location.hash = opened ? 'yes' : 'no'</script>"),
    "/steals": page("<iframe src='openclaw-canvas://local/index.html'></iframe>"),
    "/form": page("<form onsubmit='event.preventDefault(); sent = n.value'><input id=n style='position:absolute;left:0;top:0'>"
                  "<button style='position:absolute;left:0;top:100px;width:50px;height:50px' onclick='clicks = (window.clicks || 0) + 1'"
                  " type=button></button></form><div style='height:3000px'></div>"),
    "/copies": page("<input id=a value=mine><button onclick='a.select(); pressed = 1; document.execCommand(\"copy\");"
                    " navigator.clipboard?.writeText(\"page\").catch(() => 0)'></button>"),
    "/acts": page("<script>function act() { " + ACT + " } act()</script><button style='width:500px;height:400px' onclick='act()'></button>"),
    "/link": page("<a href=/blue target=_blank style='display:block;width:400px;height:300px'></a>"),
    "/race": page("<script>tries = 0; setInterval(() => { tries++; const s = document.createElement('script'), i = new Image();"
                  "s.src = 'openclaw-canvas://local/key.js?' + Math.random(); s.onload = () => fetch('/leak?script=' + window.KEY);"
                  "i.src = 'openclaw-canvas://local/key.svg?' + Math.random(); i.onload = () => fetch('/leak?picture');"
                  "document.head.append(s) }, 0)</script>"),
    "/alert": page("<script>alert(1); answer = confirm('x')</script>"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/leak":
            self.server.leaks.append(self.path)
        if path == "/slow":
            self.server.gate.wait(30)
        if path == "/file.zip":
            return self.answer(b"PK\x03\x04", "application/zip")
        if path in ("/404", "/503"):
            return self.answer(page("<p>an error page</p>"), "text/html", int(path[1:]))
        if path == "/to-metadata":
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/latest")
            self.end_headers()
            return None
        return self.answer(PAGES.get(path, page("")), "text/html")

    def answer(self, body, kind, status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.path == "/strict":
            self.send_header("Content-Security-Policy", "default-src 'none'; script-src 'none'")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.gate = threading.Event()
    server.leaks = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def environment():
    """A sanitizer would find what fontconfig and WebKit leave behind."""
    return {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


class Refused(Exception):
    def __init__(self, answer):
        super().__init__(answer["message"])
        self.code = answer["code"]


class Web:
    def __init__(self, *command):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen(command, stdin=theirs, start_new_session=True, env=environment())
        theirs.close()
        self.id, self.events = 0, []

    def read(self, timeout):
        self.socket.settimeout(timeout)
        text, fds, _, _ = socket.recv_fds(self.socket, 1 << 18, 1)
        if not text:
            raise EOFError(f"openclaw-web ended with {self.process.wait()}")
        data = b""
        for fd in fds:
            with os.fdopen(fd, "rb") as f:
                f.seek(0)
                data = f.read()
        return json.loads(text), data

    def ask(self, what, timeout=30, data=None, **params):
        self.id += 1
        message, fds = json.dumps({"id": self.id, "do": what, "params": params}).encode(), []
        if data is not None:
            fds = [os.memfd_create("data", os.MFD_ALLOW_SEALING)]
            os.write(fds[0], data)
            fcntl.fcntl(fds[0], fcntl.F_ADD_SEALS, 15)
        socket.send_fds(self.socket, [message], fds)
        for fd in fds:
            os.close(fd)
        while True:
            message, data = self.read(timeout)
            if "event" in message:
                self.events.append(message["event"])
            elif message["id"] == self.id:
                break
        if not message["ok"]:
            raise Refused(message)
        return message["result"], data

    def next_event(self, timeout=20):
        return self.events.pop(0) if self.events else self.read(timeout)[0]["event"]

    def event(self, kind, timeout=20):
        end = time.monotonic() + timeout
        while True:
            for i, e in enumerate(self.events):
                if kind in e:
                    return self.events.pop(i)[kind]
            message, _ = self.read(max(end - time.monotonic(), 0.01))
            self.events.append(message["event"])

    def go(self, url, **params):
        return self.ask("navigate", url=url, **params)[0]

    def eval(self, script):
        return self.ask("eval", javaScript=script)[0]["result"]

    def picture(self, **params):
        result, data = self.ask("snapshot", **params)
        return result, data

    def pixel(self, x, y):
        result, data = self.picture(format="png")
        return pixels(data)[y][x]

    def until(self, script, expected):
        for _ in range(200):
            try:
                value = self.eval(script)
            except Refused:
                value = None
            if value == expected:
                return
            time.sleep(0.05)
        raise AssertionError(f"{script}: {value!r}, not {expected!r}")

    def end(self):
        self.socket.close()
        self.process.wait(20)


def pixels(png):
    """RGB rows of an 8 bit PNG."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2)
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    raw, rows, above, stride = zlib.decompress(packed), [], bytearray(width * 3), width * 3
    for y in range(height):
        how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if how == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif how:
            for i in range(stride):
                a, b, c = row[i - 3] if i > 2 else 0, above[i], above[i - 3] if i > 2 else 0
                p = a + b - c
                paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
                row[i] = (row[i] + (a, 0, (a + b) // 2, paeth)[how - 1]) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, stride, 3)])
        above = row
    return rows


def refused(call, text, code="CANVAS_UNAVAILABLE"):
    try:
        got = call()
    except Refused as e:
        assert text in str(e) and e.code == code, f"{e.code}: {e}"
        return
    raise AssertionError(f"not refused: {got}")


def check_pages(web):
    got = web.go(BASE + "/plain", placement={"width": 400, "height": 300})
    assert got == {"url": BASE + "/plain"}, got
    result, data = web.picture(format="png")
    assert (result["width"], result["height"], result["format"]) == (400, 300, "png"), result
    rows = pixels(data)
    assert rows[10][10] == RED and rows[49][99] == RED and rows[60][10] == GREEN and rows[299][399] == GREEN
    result, data = web.picture(format="png", maxWidth=200)
    assert (result["width"], result["height"]) == (200, 150), result
    rows = pixels(data)
    assert len(rows) == 150 and rows[10][10] == RED and rows[60][60] == GREEN
    result, data = web.picture(format="jpeg", quality=0.5)
    assert result["format"] == "jpeg" and data[:3] == b"\xff\xd8\xff"
    web.go(BASE + "/none")
    assert web.pixel(5, 5) == (255, 255, 255)
    web.go(BASE.replace("127.0.0.1", "localhost") + "/blue")  # a name is looked up first
    assert web.pixel(5, 5) == BLUE
    refused(lambda: web.go("http://no-such-name.invalid/"), "no-such-name.invalid")
    web.go(BASE + "/plain#there")
    assert web.eval("location.hash") == "#there"
    web.go(BASE + "/plain#elsewhere")
    assert web.eval("location.hash") == "#elsewhere"


def check_scripts(web):
    web.go(BASE + "/plain")
    for script, expected in (
            ("document.title", "T"), ("1 + 1", "2"), ("true", "true"), ("null", ""), ("undefined", ""), ("'a\"b'", 'a"b'),
            ("{a: [1, 'x']}", '{"a":[1,"x"]}'), ("[]", "[]"), ("document.title;", "T"), ("// nothing", ""), ("", ""),
            ("const n = 3; n * 2", "6"), ("var k = 1; for (let i = 0; i < 3; i++) k *= 2; k", "8"), ("if (1) { 'yes' }", "yes"),
            ("fetch('/plain').then(r => r.status)", "200"), ("await Promise.resolve({ok: 1})", '{"ok":1}'),
            ("const r = await fetch('/plain'); return r.ok", "true"), ("return 7", "7"), ("(() => 'f')()", "f"),
            ("document.body", "{}"), ("10n", "10"), ("var b = document.body; b", ""), ("function f() {} f", ""), ("const o = {}; o.o = o; return o", "[object Object]"),
            ("'\\u2028 \u20ac \U0001f600'", "\u2028 \u20ac \U0001f600"),
            ("document.body.style.background = 'blue'; innerWidth", "400")):
        got = web.eval(script)
        assert got == expected, f"{script}: {got!r}"
    assert web.pixel(200, 200) == BLUE
    refused(lambda: web.eval("nope.nope"), "JavaScript failed: ")
    refused(lambda: web.eval("nope.nope"), "nope")
    refused(lambda: web.eval("throw new Error('own words')"), "own words")
    refused(lambda: web.eval("Promise.reject(new Error('later'))"), "later")
    refused(lambda: web.eval("1 +"), "SyntaxError")
    refused(lambda: web.eval("1); evil(2"), "SyntaxError")
    assert web.eval("JSON.stringify({})") == "{}"
    refused(lambda: web.eval("seen = (window.seen || 0) + 1; JSON.parse('{')"), "JavaScript failed")
    assert web.eval("seen") == "1"  # an error of its own does not run it again
    result, data = web.ask("eval", javaScript="'x'.repeat(200000)")
    assert result == {"isText": True} and data == b"x" * 200000
    refused(lambda: web.eval("'x'.repeat(9000000)"), "the result has 9000000 bytes")
    for script in ("'\\0abc'", "let z = 'ab\\0'; z"):
        refused(lambda: web.eval(script), "NUL character")
    assert web.eval("JSON.stringify('\\0abc')") == '"\\u0000abc"' and web.eval("'\\x01\\n'") == "\x01\n"
    refused(lambda: web.eval("'\\x01'.repeat(6000000)"), "6000000 bytes, but 42000000 with")
    result, data = web.ask("eval", javaScript="'\\x01'.repeat(3000000)")
    assert data == b"\1" * 3000000
    deep = "0"
    for i in range(40):
        deep = f"(a{i}={deep})=>0"
    web.eval("mark = 1")
    refused(lambda: web.eval(deep), "JavaScript timed out: it takes too long to read")
    assert web.eval("mark") == "1"  # the page is none the worse for it
    web.go(BASE + "/strict")
    assert web.eval("document.title") == "T" and web.eval("let a = 1; a") == "1"


def check_watching(web):
    """A person who sees pictures of it elsewhere."""
    web.go(BASE + "/form")
    seen, data = web.ask("view")
    assert (seen["changed"], seen["width"], seen["height"]) == (True, 400, 300) and data[:4] == b"\x89PNG", seen
    again, data = web.ask("view", since=seen["rev"])
    assert (again["changed"], again["rev"], data) == (False, seen["rev"], b""), again

    def act(**params):
        assert web.ask("input", **params)[0] == {"taken": True}, params

    for pointer in ("press", "release"):
        act(pointer=pointer, x=10, y=120)
    assert web.eval("clicks") == "1"
    for pointer in ("press", "release"):
        act(pointer=pointer, x=10, y=10)
    act(text="Ad\u00e4x")
    act(key="Backspace")
    act(key="Enter")
    assert web.eval("sent") == "Ad\u00e4"
    assert web.ask("view", since=seen["rev"])[0]["changed"]
    act(key="Tab")
    assert web.eval("document.activeElement.localName") == "button"
    act(key="Space")
    assert web.eval("clicks") == "2"
    act(scroll=True, x=200, y=250, dx=0, dy=500)
    assert web.eval("scrollY") == "500"
    assert web.ask("input", text="nowhere")[0] == {"taken": False}
    web.go(BASE + "/link")
    for pointer in ("press", "release"):
        act(pointer=pointer, x=10, y=10)
    for _ in range(100):
        if web.eval("location.pathname") == "/blue":
            break
        time.sleep(0.05)
    assert web.eval("location.pathname") == "/blue"


def check_manners(web):
    web.go(BASE + "/window")
    assert web.eval("location.hash") == "#no"
    web.go(BASE + "/alert")
    assert web.eval("answer") == "false"
    refused(lambda: web.go("http://127.0.0.1:1/"), "not an address that browsers go to")
    web.go(BASE + "/blue")
    refused(lambda: web.go(BASE + "/file.zip"), "the canvas does not show this")
    refused(lambda: web.go(BASE + "/to-metadata"), "the canvas does not show this")
    refused(lambda: web.go(BASE + "/404"), BASE + "/404: HTTP 404 Not Found")
    refused(lambda: web.go(BASE + "/503"), "HTTP 503 Service Unavailable")
    with socket.socket() as nobody:  # bound, but it does not listen
        nobody.bind(("127.0.0.1", 0))
        refused(lambda: web.go("http://127.0.0.1:%d/" % nobody.getsockname()[1]), "127.0.0.1")
    refused(lambda: web.go("file:///etc/passwd"), "file:// shows only", "INVALID_REQUEST")
    refused(lambda: web.go("javascript:alert(1)"), "only http(s)", "INVALID_REQUEST")
    assert web.eval("document.body.style.background") == "blue"  # what was there stays
    web.eval("location = 'file:///etc/passwd'; 1")
    web.eval("location = 'openclaw-canvas://local/index.html'; 1")
    assert web.eval("location.href") == BASE + "/blue"
    assert web.eval("navigator.geolocation ? await new Promise(r => navigator.geolocation.getCurrentPosition("
                    "() => r('got'), e => r(e.code))) : 1") == "1"
    assert web.eval("localStorage.x = 'kept'; document.cookie = 'a=b'; 1") == "1"


def check_files(web):
    got = web.go("")
    assert got["url"] == "openclaw-canvas://local/" and web.eval("document.title") == "index", got
    assert web.eval("(await fetch('data.json')).headers.get('content-type')") == "application/json"
    assert web.eval("(await (await fetch('sub/my%20file.txt')).text())") == "in a folder"
    for bad in ("../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "link.txt", "linked/secret.txt", ".hidden",
                "sub", "sub/../../secret.txt", "pipe", "/etc/passwd", "sub//..//../secret.txt"):
        got = web.eval(f"fetch({json.dumps(bad)}).then(async r => r.status + (await r.text()).slice(0, 9), e => 'error')")
        assert "SECRET" not in got and (got.startswith("404") or got == "error"), f"{bad}: {got}"
    for bad in ("sub/../../secret.txt", "%2e%2e/secret.txt", "secret.txt#top", "secret.txt?a=b"):
        refused(lambda: web.go(bad, root=WORK), "there is no canvas file " + ROOT)  # who asks for pages does not say where files are
    assert web.eval("document.title") == "index"  # what was there stays
    web.go("sub/../sub/page.html?a=b#c")
    web.eval("location.href = '/secret.txt'")
    web.until("document.title", "Not found")
    assert ROOT + "/secret.txt" in web.eval("document.body.innerText")
    web.go("file://" + ROOT + "/sub/page.html")
    assert web.eval("document.title") == "sub"
    web.go(BASE + "/steals")  # a page of the web does not get at files
    assert web.eval("document.querySelector('iframe').contentDocument?.title ?? 'hidden'") in ("", "hidden")
    assert web.eval("fetch('openclaw-canvas://local/data.json').then(r => 'got', e => 'no')") == "no"
    for _ in range(4):  # not while the canvas goes to a file either
        web.go(BASE + "/race")
        web.until("tries > 20", "true")
        web.go("")
        assert web.eval("document.title") == "index" and not SERVER.leaks, SERVER.leaks
    web.go("nest.html")  # nor in a frame of a file, which itself may
    web.until("window.frameSaid ?? ''", "refused")
    assert web.eval("KEY") == "k3y"


def check_reload(web):
    path = os.path.join(ROOT, "live.html")
    write(path, page("", "background:red"))
    web.go("live.html")
    assert web.pixel(5, 5) == RED
    write(path, page("<link rel=stylesheet href=new/style.css>", "background:yellow"))
    web.until("document.body.style.background", "yellow")
    os.mkdir(os.path.join(ROOT, "new"))
    write(os.path.join(ROOT, "new/style.css"), b"html { color: rgb(1, 2, 3) }")
    web.until("getComputedStyle(document.documentElement).color", "rgb(1, 2, 3)")
    refused(lambda: web.go("later.html"), "there is no canvas file " + os.path.join(ROOT, "later.html"))
    web.eval("location.href = 'later.html'")
    web.until("document.title", "Not found")
    write(os.path.join(ROOT, "later.html"), page("<b>here</b>"))
    web.until("document.body.innerText", "here")


def check_bridge(web):
    web.go("act.html")
    assert web.eval(ACT) == "true"
    action = web.event("action")["userAction"]
    assert len(action["id"]) == 36 and (action["name"], action["surfaceId"], action["context"]) == ("go", "s", {"n": 1}), action
    for script in ("webkit.messageHandlers.openclawCanvasA2UIAction.postMessage({userAction: {id: 'i1', name: 'a'}})",
                   "openclawCanvasA2UIAction.postMessage('{\"userAction\":{\"id\":\"i1\",\"name\":\"a\"}}')",
                   "OpenClaw.postMessage({id: 'i1', name: 'a'})", "OpenClaw.sendUserAction({id: 'i1', name: 'a'})"):
        assert web.eval(script) == "true"
        assert web.event("action") == {"userAction": {"id": "i1", "name": "a"}}, script
    heard = "window.heard ??= []; addEventListener('openclaw:a2ui-action-status', e => heard.push(e.detail)); 1"
    web.eval(heard)
    web.ask("action-status", id="i1", ok=False, error="gateway </script> 'not' connected")
    web.until("heard", '[{"id":"i1","ok":false,"error":"gateway </script> \'not\' connected"}]')
    web.eval("openclawPostMessage('no json')")
    web.until("heard.length", "2")
    assert web.eval("heard[1].error") == "the message is no JSON object"
    web.go(BASE + "/plain")  # not even the objects
    assert web.eval("typeof openclawSendUserAction + typeof window.OpenClaw + typeof window.webkit") == "undefined" * 3
    web.eval("document.dispatchEvent(new CustomEvent('openclaw:canvas-bridge', {detail: '{\"name\":\"forged\"}'}))")
    web.go(BASE + "/plain", trustNetwork=True)
    web.eval(ACT)
    assert web.event("action")["userAction"]["name"] == "go"  # and the forged one did not come first
    web.go("frames.html", trustNetwork=False)  # frames of a trusted page are not trusted
    web.until("window.frameSaid ?? ''", "undefined")
    web.eval("OpenClaw.sendUserAction({name: 'last'})")
    assert web.event("action")["userAction"]["name"] == "last"
    assert not [e for e in web.events if "action" in e]


def check_deaths(web):
    web.go(BASE + "/plain")
    start = time.monotonic()
    refused(lambda: web.eval("for (;;) {}"), "JavaScript timed out")
    assert time.monotonic() - start > 7
    assert web.eval("document.title + location.href") == "T" + BASE + "/plain"  # it is loaded again
    processes = children(web.process.pid)
    pages = [p for p in processes if comm(p).startswith("WebKitWebProces")]
    assert pages, [comm(p) for p in processes]
    web.eval("mark = 1")
    for pid in pages:
        os.kill(pid, signal.SIGKILL)
    web.until("typeof mark + document.title", "undefinedT")
    assert web.pixel(10, 10) == RED


def memory_mb(pid, line):
    try:
        with open(f"/proc/{pid}/status") as f:
            return int(f.read().split(line + ":")[1].split()[0]) // 1024
    except (OSError, IndexError):
        return 0


def check_memory(web):
    """A page that takes all it gets is ended; a result that is too long does not leave the page."""
    web.go(BASE + "/plain")
    before = memory_mb(web.process.pid, "VmHWM")
    refused(lambda: web.eval("'x'.repeat(200000000)"), "the result has 200000000 bytes")
    after = memory_mb(web.process.pid, "VmHWM")
    assert after - before < 100, (before, after)
    web.eval("all = []; setInterval(() => all.length < 75 && all.push(new Uint8Array(2e7).fill(1)), 20)")
    web.until("typeof all + document.title", "undefinedT")


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm") as f:
            return f.read().strip()
    except OSError:
        return ""


def arguments(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read()
    except OSError:
        return b""


def children(root):
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as f:
                    parents[int(name)] = int(f.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    found, grown = {root}, True
    while grown:
        more = {p for p, parent in parents.items() if parent in found} - found
        grown = bool(more)
        found |= more
    return found - {root}


SURFACE = b"""{"surfaceUpdate":{"surfaceId":"main","components":[{"id":"t","component":{"Text":{"text":{"literalString":"Hi"}}}}]}}
{"beginRendering":{"surfaceId":"main","root":"t"}}
"""


def web_pid(canvas):
    found = [p for p in children(canvas.process.pid) if comm(p) == "openclaw-web" and b"--parse" not in arguments(p)]
    assert len(found) < 2, found
    return found[0] if found else None


def check_canvas(canvas):
    """The canvas program with its web program: pages and surfaces take turns."""
    canvas.ask("push", data=SURFACE)
    surface = canvas.picture(format="png")[1]
    assert web_pid(canvas) is None
    refused(lambda: canvas.go("file:///etc/passwd"), "INVALID_REQUEST: file://", "INVALID_REQUEST")
    assert canvas.picture(format="png")[1] == surface  # a page that does not come changes nothing
    canvas.go(BASE + "/plain", placement={"width": 300, "height": 200})
    result, data = canvas.picture(format="png")
    assert (result["width"], result["height"]) == (300, 200), result
    assert pixels(data)[10][10] == RED
    assert canvas.eval("location.pathname") == "/plain"
    result, data = canvas.ask("eval", data=b"'" + b"y" * 100000 + b"'")
    assert result == {"isText": True} and data == b"y" * 100000
    refused(lambda: canvas.eval("nope.nope"), "CANVAS_UNAVAILABLE: JavaScript failed")
    first = web_pid(canvas)
    os.kill(first, signal.SIGKILL)  # the program itself; the page comes back
    canvas.until("location.pathname", "/plain")
    assert web_pid(canvas) not in (first, None)
    canvas.ask("present", url="act.html")
    canvas.eval(ACT)
    assert canvas.event("action")["userAction"]["name"] == "go"
    canvas.eval("window.heard = null; addEventListener('openclaw:a2ui-action-status', e => heard = e.detail.ok); 1")
    canvas.ask("action-status", id="x", ok=True)
    canvas.until("heard", "true")
    canvas.ask("hide")
    assert canvas.eval("document.title") == "act"
    canvas.ask("present")
    assert canvas.eval("document.title") == "act"
    last = web_pid(canvas)
    canvas.ask("push", data=SURFACE)
    assert canvas.picture(format="png")[1] == surface
    assert web_pid(canvas) is None and not os.path.exists(f"/proc/{last}")
    canvas.go(BASE + "/blue")
    assert canvas.pixel(5, 5) == BLUE
    canvas.go("/")  # the canvas itself
    assert canvas.picture(format="png")[1] == surface


def check_by_hand():
    out = os.path.join(WORK, "hand.jpg")
    done = subprocess.run([PROGRAM, "snapshot", "index.html", "--root", ROOT, "--out", out, "--width", "320", "--height", "200",
                           "--eval", "document.body.style.background = 'red'"], capture_output=True, text=True, timeout=60, env=environment())
    assert done.returncode == 0 and done.stdout.strip() == out + " 320 x 200", done
    with open(out, "rb") as f:
        assert f.read(3) == b"\xff\xd8\xff"
    log = os.path.join(WORK, "log")
    write(log, b"before\n")
    with open(log, "ab") as f:
        done = subprocess.run([PROGRAM, "eval", "index.html", "'y'.repeat(100000)", "--root", ROOT], stdout=f, timeout=60, env=environment())
    with open(log, "rb") as f:
        assert done.returncode == 0 and f.read() == b"before\n" + b"y" * 100000 + b"\n"
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, "eval", "index.html", "'short'", "--root", ROOT], stdout=full, stderr=subprocess.PIPE, text=True,
                              timeout=60, env=environment())
    assert done.returncode == 1 and "standard output: No space left" in done.stderr, done
    hosts = os.path.join(WORK, "hosts")
    write(hosts, b"127.0.0.1 localhost\n169.254.169.254 meta.example\n")
    done = subprocess.run(["bwrap", "--dev-bind", "/", "/", "--bind", hosts, "/etc/hosts", PROGRAM, "eval", "http://meta.example/", "1"],
                          capture_output=True, text=True, timeout=60, env=environment())
    assert done.returncode == 1 and "stands for a link-local address" in done.stderr, done
    done = subprocess.run([PROGRAM, "eval", "ftp://x/", "1"], capture_output=True, text=True, timeout=60, env=environment())
    assert done.returncode == 1 and "INVALID_REQUEST: Canvas navigation allows only" in done.stderr, done


def write(path, data):
    with open(path + "~", "wb") as f:
        f.write(data)
    os.rename(path + "~", path)


def fill():
    os.makedirs(os.path.join(ROOT, "sub"))
    for name, body in (("index.html", "<!doctype html><title>index</title><body>"), ("data.json", "{}"), ("act.html", "<title>act</title>"),
                       ("key.js", "KEY = 'k3y'"),
                       ("key.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>"),
                       ("nest.html", f"<iframe src='{BASE}/nested'></iframe><script src=key.js></script>"
                                     "<script>addEventListener('message', e => frameSaid = e.data)</script>"),
                       ("sub/my file.txt", "in a folder"), ("sub/page.html", "<title>sub</title>"), (".hidden", "SECRET"),
                       ("frames.html", f"<title>frames</title><iframe src='{BASE}/frame'></iframe><iframe srcdoc='x' sandbox='allow-scripts'>"
                                       "</iframe><script>addEventListener('message', e => frameSaid = e.data)</script>")):
        write(os.path.join(ROOT, name), body.encode())
    PAGES["/frame"] = page("<script>parent.postMessage(typeof openclawSendUserAction, '*');"
                           "document.dispatchEvent(new CustomEvent('openclaw:canvas-bridge', {detail: '{\"name\":\"forged\"}'}));"
                           "try { webkit.messageHandlers.openclawCanvas.postMessage('{}') } catch (e) {}</script>")
    PAGES["/nested"] = page("<script src='openclaw-canvas://local/key.js' onload=\"parent.postMessage('got', '*')\""
                            " onerror=\"parent.postMessage('refused', '*')\"></script>")
    write(os.path.join(WORK, "secret.txt"), b"SECRET")
    os.symlink(os.path.join(WORK, "secret.txt"), os.path.join(ROOT, "link.txt"))
    os.symlink(WORK, os.path.join(ROOT, "linked"))
    os.mkfifo(os.path.join(ROOT, "pipe"))


def main():
    if not (shutil.which("weston") or shutil.which("Xvfb")) or subprocess.run(
            ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"], capture_output=True).returncode:
        sys.exit("cannot run: no weston or Xvfb, or no user namespaces for WebKit's sandbox (scripts/deps test)")
    fill()
    web = Web(PROGRAM, "--socket", "--headless", "--root", ROOT)
    try:
        for check in (check_pages, check_scripts, check_watching, check_manners, check_files, check_reload, check_bridge, check_memory, check_deaths):
            start = time.monotonic()
            check(web)
            print(f"{check.__name__}: ok, {time.monotonic() - start:.1f} s", flush=True)
    finally:
        web.end()
    canvas = Web(CANVAS, "--socket", "--root", ROOT)
    try:
        start = time.monotonic()
        check_canvas(canvas)
        print(f"check_canvas: ok, {time.monotonic() - start:.1f} s", flush=True)
    finally:
        canvas.end()
    check_by_hand()
    left = [n for n in os.listdir(os.environ["XDG_RUNTIME_DIR"]) if n.startswith("openclaw-web")]
    for _ in range(100):
        left = [n for n in left if os.path.exists(os.path.join(os.environ["XDG_RUNTIME_DIR"], n))]
        if not left:
            break
        time.sleep(0.05)
    assert not left, left
    return 0


if __name__ == "__main__":
    WORK = tempfile.mkdtemp(prefix="oc-web-")
    ROOT = os.path.join(WORK, "canvas")
    os.environ["XDG_RUNTIME_DIR"] = WORK
    SERVER = serve()
    BASE = f"http://127.0.0.1:{SERVER.server_port}"
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(WORK, ignore_errors=True)

"""Where the connections of pages may go. In a network of its own, where this machine has a server at 169.254.169.254 as clouds have,
and one at an address of the Internet; so each thing that is refused could have been had. Needs user namespaces."""

import http.server
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

METADATA, STRANGER, OURS = "169.254.169.254", "8.8.8.8", "9.9.9.9"
INSIDE = "oc-web-guard-inside"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.seen.append(self.headers["Host"].split(":")[0] + self.path)
        here = self.server.server_address[0]
        if self.path == "/hop":
            self.send_response(302)
            self.send_header("Location", f"http://{METADATA}/secret")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path == "/big":
            body = b"x" * 5_000_000
        elif self.path == "/image":
            body = b"<svg xmlns='http://www.w3.org/2000/svg' width='5' height='5'/>"
        else:
            body = f"<!doctype html><title>{here}</title>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "image/svg+xml" if self.path == "/image" else "text/html")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Length", str(len(body)))
        if here == STRANGER:  # what comes next is another connection
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 50


def serve(address):
    server = Server((address, 80), Handler)
    server.daemon_threads, server.seen = True, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class OuterProxy(threading.Thread):
    """Knows names that this machine does not."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener, self.seen = socket.create_server(("127.0.0.1", 0)), []
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096) or b"\r\n\r\n"
        self.seen.append(head.split(b"\r\n")[0].decode())
        server = socket.create_connection(("127.0.0.1", 80))
        client.sendall(b"HTTP/1.1 200 fine\r\n\r\n")
        threading.Thread(target=self.pump, args=(server, client), daemon=True).start()
        self.pump(client, server)

    @staticmethod
    def pump(a, b):
        while data := a.recv(65536):
            b.sendall(data)
        b.close()


def hosts(**names):
    with open("/etc/hosts", "w") as f:  # the same file: it is a mount
        f.write("127.0.0.1 localhost\n" + "".join(f"{a} {n}.example\n" for n, v in names.items() for a in v.split()))


def get(url):
    return f"fetch({url!r}).then(r => r.text()).then(t => 'got ' + t.length, e => 'failed')"


def check(browser, own, metadata):
    hosts(meta=METADATA, both=f"{METADATA} 127.0.0.1", rebind=STRANGER, mixed=f"{STRANGER} 127.0.0.1", here="127.0.0.1")
    browser.go("http://127.0.0.1/")
    for name in ("http://here.example", "http://localhost", "http://127.0.0.1", f"http://{STRANGER}", "http://both.example"):
        assert browser.eval(get(name + "/")).startswith("got"), name
    assert browser.eval(get("http://localhost/big")) == "got 5000000"
    many = browser.eval("(await Promise.all([...Array(40).keys()].map(n => fetch('/x' + n).then(r => r.ok)))).filter(x => x).length")
    assert many == "40", many

    bad = [f"http://{METADATA}/", "http://meta.example/", "http://[::ffff:a9fe:a9fe]/", "/hop", "http://here.example/hop"]
    for url in bad:
        assert browser.eval(get(url)) == "failed", url
        for tag, source in (("img", "src"), ("script", "src"), ("iframe", "src"), ("link", "href"), ("video", "src")):
            browser.eval(f"await new Promise(done => {{ const e = document.createElement('{tag}'); e.{source} = {url!r}; e.rel = 'stylesheet';"
                         "e.onload = e.onerror = done; setTimeout(done, 1500); document.body.append(e) }); 1")
    assert browser.eval(f"await new Promise(d => {{ const s = new WebSocket('ws://{METADATA}/'); s.onopen = () => d('open');"
                        "s.onerror = () => d('failed') })") == "failed"
    assert browser.eval("await new Promise(d => { const i = new Image(); i.onload = () => d('there'); i.onerror = () => d('no');"
                        "i.src = 'http://localhost/image' })") == "there"
    try:
        browser.go("http://meta.example/")
        raise AssertionError("shown")
    except browser.refused as e:
        assert "meta.example" in str(e) and "stands for a link-local address" in str(e), e
    assert not metadata.seen, metadata.seen

    browser.go("http://rebind.example/")  # a stranger's page, whose name then is one of ours
    assert browser.eval("document.title") == STRANGER
    hosts(rebind="127.0.0.1", mixed=f"{STRANGER} 127.0.0.1")
    own.seen.clear()
    for _ in range(3):
        assert browser.eval(get("/again")) == "failed"
    try:
        browser.go("http://rebind.example/")
        raise AssertionError("shown")
    except browser.refused as e:
        assert "stood for the Internet before and now for this machine" in str(e), e
    browser.go("http://mixed.example/")  # only the one that is further inside
    assert browser.eval("document.title") == "127.0.0.1"
    assert "rebind.example/again" not in own.seen and "mixed.example/" in own.seen, own.seen


def check_secret():
    """The proxy is for our pages only."""
    ports = set()
    with open("/proc/net/tcp") as f:
        for line in f.readlines()[1:]:
            parts = line.split()
            if parts[3] == "0A" and parts[1].startswith("0100007F"):
                ports.add(int(parts[1].split(":")[1], 16))
    asked = 0
    for port in ports - {80}:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
            s.sendall(b"\x05\x01\x00")
            try:
                got = s.recv(2)
            except OSError:
                continue
            if got == b"\x05\xff":
                asked += 1
        with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
            s.sendall(b"\x05\x01\x02")
            try:
                if s.recv(2) == b"\x05\x02":
                    s.sendall(b"\x01\x08openclaw\x05wrong")
                    assert s.recv(2) == b"\x01\x01" and s.recv(1) == b""
            except OSError:
                continue
    assert asked == 1, ports


def check_outer_proxy(start):
    proxy = OuterProxy()
    os.environ.update(http_proxy=proxy.url, https_proxy=proxy.url, no_proxy="")
    browser = start()
    try:
        browser.go("http://only-the-proxy-knows.example/page")
        assert browser.eval("document.title") == "127.0.0.1"
        assert proxy.seen[0].startswith("CONNECT only-the-proxy-knows.example:80 "), proxy.seen
        del proxy.seen[:]
        browser.go("http://127.0.0.1/")  # the machine itself is not asked of others
        for url in (f"http://{METADATA}/", "http://meta.example/"):
            assert browser.eval(get(url)) == "failed", url
        for url in (f"http://{OURS}/", "http://[::ffff:909:909]/"):  # nor is an address of the Internet that is the machine's own
            assert browser.eval(get(url)).startswith("got"), url
        assert not proxy.seen, proxy.seen
    finally:
        browser.end()


def inside():
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "addr", "add", METADATA + "/32", "dev", "lo"], check=True)
    subprocess.run(["ip", "addr", "add", OURS + "/32", "dev", "lo"], check=True)
    subprocess.run(["ip", "route", "add", "local", STRANGER + "/32", "dev", "lo"], check=True)  # not ours, but it answers
    work = tempfile.mkdtemp(prefix="oc-web-guard-")
    os.environ["XDG_RUNTIME_DIR"] = work
    open(os.path.join(work, "hosts"), "w").close()
    subprocess.run(["mount", "--bind", os.path.join(work, "hosts"), "/etc/hosts"], check=True)
    import web
    web.ROOT = os.path.join(work, "canvas")

    def start():
        browser = web.Web(web.PROGRAM, "--socket", "--headless")
        browser.refused = web.Refused
        return browser

    own, metadata = serve("127.0.0.1"), serve(METADATA)
    serve(STRANGER)
    serve(OURS)
    browser = start()
    try:
        check(browser, own, metadata)
        check_secret()
    finally:
        browser.end()
    hosts(meta=METADATA)
    check_outer_proxy(start)
    assert not metadata.seen, metadata.seen
    subprocess.run(["umount", "/etc/hosts"], check=True)
    shutil.rmtree(work, ignore_errors=True)
    return 0


def main():
    tools = all(shutil.which(t) for t in ("ip", "unshare", "mount")) and (shutil.which("weston") or shutil.which("Xvfb"))
    alone = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    if not tools or subprocess.run(alone + ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"], capture_output=True).returncode:
        sys.exit("cannot run: no ip, unshare, weston or Xvfb, or no user namespaces (scripts/deps test)")
    return subprocess.run(alone + [sys.executable, os.path.abspath(__file__), sys.argv[1], INSIDE]).returncode


if __name__ == "__main__":
    sys.exit(inside() if sys.argv[2:] == [INSIDE] else main())

"""Files for nodes that show web pages, on the gateway's port: who may look, at what, and who hears of changes."""

import http.client

from harness import *


def get(port, path, method="GET", host=None, body=None, address="127.0.0.1", **headers):
    """(status, headers, body) of one request."""
    c = http.client.HTTPConnection(address, port, timeout=DEADLINE)
    c.putrequest(method, path, skip_host=True)
    c.putheader("Host", host or f"127.0.0.1:{port}")
    for name, value in headers.items():
        c.putheader(name.replace("_", "-"), value)
    if body is not None:
        c.putheader("Content-Length", str(len(body)))
    c.endheaders(body)
    r = c.getresponse()
    done = r.status, dict(r.getheaders()), r.read()
    c.close()
    return done


def write(home, name, text):
    path = os.path.join(home.state, "canvas", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(text)


def served(test, config=None, name="gw"):
    home = test.machine(name)
    if config:
        home.config(config)
    gateway = home.gateway()
    return home, gateway.port


def test_files(test):
    home, port = served(test)
    status, _, body = get(port, "/__openclaw__/canvas/")
    equal(status, 200)
    contains(body.decode(), "This canvas is empty")
    write(home, "a/index.html", b"<html><body>one</BODY></html>")
    write(home, "a/x.js", b"let a = 1")
    write(home, "big.bin", bytes(range(256)) * 8192)
    status, headers, body = get(port, "/__openclaw__/canvas/a/")
    equal((status, headers["Content-Type"], headers["Cache-Control"], headers["X-Content-Type-Options"]),
          (200, "text/html; charset=utf-8", "no-store", "nosniff"))
    check(body.index(b"<script>") < body.index(b"</BODY>"), body)
    contains(body.decode(), "openclawCanvasA2UIAction")
    equal(get(port, "/__openclaw__/canvas/a/x.js")[1]["Content-Type"], "text/javascript; charset=utf-8")
    equal(get(port, "/__openclaw__/canvas/%61/x.js")[2], b"let a = 1")
    equal(get(port, "/__openclaw__/canvas/big.bin")[2], bytes(range(256)) * 8192)
    status, headers, body = get(port, "/__openclaw__/canvas/big.bin", "HEAD")
    equal((status, headers["Content-Length"], body), (200, str(256 * 8192), b""))
    equal(get(port, "/__openclaw__/canvas/none.html")[0], 404)
    for path, to in (("/__openclaw__/canvas", "./canvas/"), ("/__openclaw__/canvas/a", "./a/"), ("/__openclaw__/canvas/%61?q", "./%61/")):
        status, headers, _ = get(port, path)
        equal((status, headers["Location"], headers["Cache-Control"]), (308, to, "no-store"), path)
    status, headers, body = get(port, "/__openclaw__/canvas/new/<b>/")
    equal((status, headers["Content-Type"]), (404, "text/html; charset=utf-8"))
    contains(body.decode(), "Create <code>new/&#60;b&#62;/index.html</code>")
    status, headers, _ = get(port, "/__openclaw__/canvas/a/", "POST", body=b"x")
    equal((status, headers["Allow"]), (405, "GET, HEAD"))


def test_nothing_outside_the_root(test):
    home, port = served(test)
    secret = os.path.join(home.state, "openclaw.json")
    with open(os.path.join(home.state, "outside.txt"), "w", encoding="utf-8") as f:
        f.write("outside")
    root = os.path.join(home.state, "canvas")
    os.symlink(os.path.join(home.state, "outside.txt"), os.path.join(root, "link.txt"))
    os.symlink(home.state, os.path.join(root, "up"))
    os.mkfifo(os.path.join(root, "pipe"))
    write(home, ".hidden", b"hidden")
    for path in ("../outside.txt", "%2e%2e/outside.txt", "..%2foutside.txt", "a/../../outside.txt", "link.txt", "up/outside.txt",
                 "..\\outside.txt", "%5c..%5coutside.txt", "pipe", ".hidden", "%00", "index.html%00.png", "%", "%4", "/etc/passwd",
                 secret, "//etc/passwd", "....//outside.txt"):
        status, _, body = get(port, "/__openclaw__/canvas/" + path)
        check(status in (400, 404) and b"outside" not in body and b"hidden" not in body and b"root:" not in body, f"{path}: {status} {body[:80]}")


def test_who_may_look(test):
    home, port = served(test, {"gateway": {"bind": "lan", "auth": {"mode": "token", "token": "the-secret"}}})
    path = "/__openclaw__/canvas/"
    equal(get(port, path)[0], 200, "a program here")
    equal(get(port, path, host="evil.example")[0], 401, "a name that somebody points at us")
    equal(get(port, path, Origin="https://evil.example")[0], 401, "a page of elsewhere")
    equal(get(port, path, X_Forwarded_For="203.0.113.9")[0], 401, "behind a proxy")
    equal(get(port, path, host="evil.example", Authorization="Bearer the-secret")[0], 200, "who knows the secret")
    for site in ("cross-site", "same-site"):
        equal(get(port, path, Sec_Fetch_Site=site, Sec_Fetch_Dest="script")[0], 401, "a page of another site that includes it")
        equal(get(port, path, Sec_Fetch_Site=site, Sec_Fetch_Dest="iframe")[0], 401, "or frames it")
        equal(get(port, path, Sec_Fetch_Site=site, Sec_Fetch_Dest="document")[0], 200, "a link to it")
    for site in ("same-origin", "none"):
        equal(get(port, path, Sec_Fetch_Site=site, Sec_Fetch_Dest="script")[0], 200, site)
    equal(get(port, path)[1]["Cross-Origin-Resource-Policy"], "same-origin")
    equal(get(port, path, host="evil.example", Authorization="Bearer wrong")[0], 401)
    for cap in ("short", "a" * 24, "a" * 25, "../" * 8, ""):
        status, _, body = get(port, f"/__openclaw__/cap/{cap}/__openclaw__/canvas/")
        equal(status, 401, cap)
        contains(body.decode(), '"type":"unauthorized"')


def shown_at(url):
    """The path of the canvas files behind an address that a node was told."""
    return "/" + url.split("/", 3)[3] + "/__openclaw__/canvas/"


def raw_node(test, home, port, commands):
    """A node that is connected and waits for its approval; and its address of canvas files."""
    client = Client(port)
    answer = client.connect(role="node", identity=test.identity(), commands=commands, caps=["canvas"])
    check(answer["ok"], answer)
    return client, answer["payload"].get("canvasHostUrl") or answer["payload"]["pluginSurfaceUrls"]["canvas"]


def test_a_node_gets_a_capability(test):
    home = test.machine("gw")
    port = home.gateway().port
    client, url = raw_node(test, home, port, ["canvas.present"])
    check(re.fullmatch(rf"http://127.0.0.1:{port}/__openclaw__/cap/[A-Za-z0-9_-]{{24}}", url), url)
    home.cli("nodes", "approve", "--yes", port=port)
    equal(get(port, shown_at(url), host="evil.example", Origin="https://evil.example")[0], 200, "with the capability")
    equal(as_another_user(lambda: get(port, shown_at(url))[0]), 200, "a node of another user")
    client.ws.sock.close()
    wait_until(lambda: get(port, shown_at(url))[0] == 401, "the end of the capability with its node")


def test_a_node_asks_for_another_capability(test):
    home = test.machine("gw")
    gateway = home.gateway()
    client, first = raw_node(test, home, gateway.port, ["canvas.navigate"])
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: get(gateway.port, shown_at(first))[0] == 200, "the approval")
    told = client.ok("node.pluginSurface.refresh", {"surface": "canvas"})
    second = told["pluginSurfaceUrls"]["canvas"]
    equal(told["surface"], "canvas")
    check(told["expiresAtMs"] > time.time() * 1000 and second != first, told)
    equal((get(gateway.port, shown_at(first))[0], get(gateway.port, shown_at(second))[0]), (401, 200))
    for params, words in (({}, "surface required"), ({"surface": "x"}, "x plugin surface unavailable")):
        contains(client.call("node.pluginSurface.refresh", params)["error"]["message"], words)


def test_a_node_whose_surface_nobody_approved_reads_no_canvas_files(test):
    home = test.machine("gw")
    gateway = home.gateway()
    client, url = raw_node(test, home, gateway.port, ["canvas.present", "canvas.navigate"])
    fresh = client.ok("node.pluginSurface.refresh", {"surface": "canvas"})["pluginSurfaceUrls"]["canvas"]
    equal([get(gateway.port, shown_at(u))[0] for u in (url, fresh)], [401, 401], "while it waits")
    request = home.cli_json("nodes", "pending", "--json", port=gateway.port)[0]["requestId"]
    home.cli("nodes", "reject", request, port=gateway.port)
    equal(get(gateway.port, shown_at(fresh))[0], 401, "rejected")
    # nor one that shows nothing
    other, url = raw_node(test, home, gateway.port, ["system.which"])
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    equal(get(gateway.port, shown_at(url))[0], 401, "approved for something else")


def as_another_user(function):
    """What the function gives when it runs as nobody."""
    need_root()
    read, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.write(write_end, json.dumps(function()).encode())
        except BaseException as e:  # pylint: disable=broad-except
            os.write(write_end, json.dumps(repr(e)).encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read) as f:
        text = f.read()
    os.waitpid(pid, 0)
    return json.loads(text)


def test_another_user_of_the_machine_reads_no_canvas_files(test):
    """The files are 0600 below 0700; a port on loopback does not open them."""
    home, port = served(test, {"gateway": {"auth": {"mode": "token", "token": "the-secret"}}})
    write(home, "private.txt", b"private")
    path = "/__openclaw__/canvas/private.txt"

    def attempts():
        ws = WebSocket(port, path="/__openclaw__/ws")
        upgraded = ws.status
        ws.sock.close()
        return [get(port, path)[0], get(port, path, host="localhost")[0], get(port, path, Origin=f"http://127.0.0.1:{port}")[0], upgraded,
                get(port, path, Authorization="Bearer the-secret")[0]]

    equal(attempts(), [200, 200, 200, 101, 200], "the same user")
    equal(as_another_user(attempts), [401, 401, 401, 401, 200], "another user")


def test_a_page_cannot_leave_a_service_worker_behind(test):
    home, port = served(test)
    write(home, "sw.js", b"self.addEventListener('fetch', () => {})")
    path = "/__openclaw__/canvas/sw.js"
    equal(get(port, path)[0], 200, "as a script of a page")
    for how in ({"Service_Worker": "script"}, {"Sec_Fetch_Dest": "serviceworker", "Sec_Fetch_Site": "same-origin"}):
        status, headers, body = get(port, path, **how)
        equal((status, b"fetch" in body, headers.get("Service-Worker-Allowed")), (404, False, None))


def test_pages_that_nobody_reads_cost_little(test):
    home = test.machine("gw")
    gateway = home.gateway()
    node, url = raw_node(test, home, gateway.port, ["canvas.present"])
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    write(home, "large.html", b"<html>" + b"x" * 7_900_000 + b"</body></html>")
    _, headers, body = get(gateway.port, shown_at(url) + "large.html", host="elsewhere.example")
    equal(int(headers["Content-Length"]), len(body))
    check(body.endswith(b"</script>\n</body></html>"), body[-100:])
    _, short, _ = get(gateway.port, shown_at(url) + "large.html", "HEAD", host="elsewhere.example")
    equal(short["Content-Length"], headers["Content-Length"])
    before = gateway.memory_kb("VmHWM")
    kept, refused = [], 0
    for _ in range(50):  # more than are sent at a time
        s = socket.create_connection(("127.0.0.1", gateway.port))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(f"GET {shown_at(url)}large.html HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n".encode())
        refused += s.recv(12) == b"HTTP/1.1 503"
        kept.append(s)
    equal(refused, 50 - 32)
    check(gateway.memory_kb("VmHWM") - before < 64 * 1024, "a page is in memory for each who does not read it")
    equal(get(gateway.port, "/__openclaw__/canvas/large.html")[0], 200, "others are not touched")
    for s in kept:
        s.close()
    wait_until(lambda: get(gateway.port, shown_at(url) + "large.html", host="elsewhere.example")[0] == 200, "there is room again")
    node.close()


def test_switched_off(test):
    _, port = served(test, {"canvasHost": {"enabled": False}})
    equal(get(port, "/__openclaw__/canvas/")[0], 404)
    _, port = served(test, {"canvasHost": {"liveReload": False}}, name="other")
    equal(get(port, "/__openclaw__/ws")[0], 404)


def test_pages_hear_of_changes(test):
    home, port = served(test)
    equal(get(port, "/__openclaw__/ws")[0], 426)
    first, second = WebSocket(port, path="/__openclaw__/ws"), WebSocket(port, path="/__openclaw__/ws")
    evil = WebSocket(port, path="/__openclaw__/ws", headers=["Origin: https://evil.example"])
    equal(evil.status, 401)
    write(home, "page.html", b"new")
    equal((first.recv_text(), second.recv_text()), ("reload", "reload"))
    write(home, "page.html", b"newer")
    equal(first.recv_text(), "reload")
    first.close()
    second.close()
    many = [WebSocket(port, path="/__openclaw__/ws") for _ in range(65)]
    equal(many[-1].status, 503, "one more than there is room for")
    for one in many:
        one.close()


run_tests(globals())

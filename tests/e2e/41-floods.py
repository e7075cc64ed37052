"""One paired device opens connections, begins messages, and does not read answers, as fast as it can. The gateway stays small,
and its owner is served meanwhile."""

from harness import *

import encodings.idna  # another user may not be able to load it from where this Python is
import resource
import urllib.request

MIB = 1 << 20
MAX_MESSAGE = 25 * MIB
PER_DEVICE = 32
MAX_RSS_KB = 256 * 1000
HARD_LIMIT = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
IS_ASAN = "asan" in BINARY or "tsan" in BINARY  # their own memory is not the gateway's


def device_client(gateway, key, scopes, token=TOKEN):
    client = Client(gateway.port)
    answer = client.connect(identity=key, scopes=scopes, token=token)
    check(answer["ok"], f"connect: {answer}")
    return client


def token_of(gateway, key, scopes):
    """Pairs the device, at this machine and so without asking, and gives its own token."""
    client = Client(gateway.port)
    token = client.connect(identity=key, scopes=scopes)["payload"]["auth"]["deviceToken"]
    client.close()
    return token


def owner_is_served(home, gateway):
    contains(home.cli("nodes", "status", port=gateway.port).out, "Paired:")
    with urllib.request.urlopen(f"http://127.0.0.1:{gateway.port}/healthz", timeout=DEADLINE) as answer:
        equal(answer.status, 200, "/healthz")


def begin_message(ws, size, sent):
    """The head of one frame and part of its body; the mask is zero, so that the bytes go out as they are."""
    head = bytes([0x81, 0x80 | 127]) + struct.pack(">Q", size) + bytes(4)
    ws.sock.sendall(head)
    piece = b" " * 65536
    try:
        while sent > 0:
            sent -= ws.sock.send(piece[:min(sent, len(piece))])
    except ConnectionError:
        pass  # it was closed, as it should be


def stays_small(gateway):
    peak = gateway.memory_kb("VmHWM")
    check(IS_ASAN or peak <= MAX_RSS_KB, f"the gateway grew to {peak} KiB")


def comes_back(gateway, before):
    """A little is allowed to stay: a quarter of nothing much is not worth a page."""
    if IS_ASAN:
        return
    wait_until(lambda: gateway.memory_kb() <= before * 1.2, f"{before} KiB again (now {gateway.memory_kb()} KiB)")


def warm(gateway, key, scopes, token):
    """What the gateway is like when it has done everything once."""
    client = device_client(gateway, key, scopes, token)
    client.call("config.schema")
    client.close()
    return gateway.memory_kb()


def test_who_has_no_scope_sends_small_messages_only(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    client = device_client(gateway, key, [], token_of(gateway, key, []))
    client.ok("health")
    begin_message(client.ws, MAX_MESSAGE - 1, 65536)
    code, reason, _ = client.ws.expect_close()
    equal((code, reason), (1009, "message too big"))
    node = Client(gateway.port)  # whose commands nobody has approved
    check(node.connect(role="node", identity=test.identity(), commands=["system.run"])["ok"], "connect")
    begin_message(node.ws, 70000, 100)
    equal(node.ws.expect_close()[0], 1009)


def test_half_sent_messages_do_not_take_the_memory(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key, scopes = test.identity(), ["operator.write"]  # others send small messages only
    token = token_of(gateway, key, scopes)
    before = warm(gateway, key, scopes, token)
    clients = [device_client(gateway, key, scopes, token) for _ in range(12)]
    for client in clients:
        begin_message(client.ws, MAX_MESSAGE, MAX_MESSAGE - 1)
    owner_is_served(home, gateway)
    stays_small(gateway)
    gateway.wait_for(r"closing the connection that keeps most in memory .*party=" + key.device_id[:12])
    closed = 0
    for client in clients:
        client.ws.sock.settimeout(0.05)
        try:
            code, reason, _ = client.ws.expect_close()
            check(code == 1006 or (code == 1013 and "too much in memory" in reason), f"{code} {reason}")
            closed += 1
        except TimeoutError:
            pass
    check(8 <= closed < 12, f"{closed} were closed")
    for client in clients:
        client.close()
    comes_back(gateway, before)


def with_large_answers(test, count):
    """A gateway whose config.get is large, and clients of one device. Its answers are made anew each time; those of config.schema
    are one for all."""
    home = test.machine("gw")
    long = ".".join(["x" * 60] * 3)
    home.config({"node": {"canvas": {"allowHosts": [f"h{i}.{long}.example.org" for i in range(2000)]}}})
    gateway = home.gateway()
    key, scopes = test.identity(), ["operator.admin"]
    token = token_of(gateway, key, scopes)
    before = warm(gateway, key, scopes, token)
    clients = [device_client(gateway, key, scopes, token) for _ in range(count)]
    size = len(json.dumps(clients[0].ok("config.get")))
    check(size > MIB // 2, f"an answer has {size} bytes")
    return home, gateway, clients, size, before


def read_answers(client, count):
    while count > 0:
        count -= '"type":"res"' in client.ws.recv_text()[:100]


def test_answers_that_nobody_reads_do_not_take_the_memory(test):
    home, gateway, clients, size, before = with_large_answers(test, 24)
    each = 400 * MIB // size // len(clients)
    for _ in range(each):
        for client in clients:
            client.send("config.get")
    # They take turns: when one has all its answers, the others would have theirs.
    read_answers(clients[0], each)
    owner_is_served(home, gateway)
    stays_small(gateway)
    for client in clients:
        client.close()
    comes_back(gateway, before)


def test_who_does_not_read_waits_and_is_not_closed(test):
    home, gateway, (reader, other), size, _ = with_large_answers(test, 2)
    each = 64 * MIB // size  # more than may wait for one receiver
    for _ in range(each):
        reader.send("config.get")
        other.send("config.get")
    read_answers(reader, each)
    owner_is_served(home, gateway)
    read_answers(other, each)  # it was not read from meanwhile, and goes on where it was
    check("closing" not in gateway.output(), "somebody was closed")


def test_one_device_does_not_take_all_connections(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    token = token_of(gateway, key, [])
    before = warm(gateway, key, [], token)
    clients, refused = [], []
    for _ in range(PER_DEVICE + 20):
        client = Client(gateway.port)
        answer = client.connect(identity=key, scopes=[], token=token)
        (clients if answer["ok"] else refused).append(client)
        if not answer["ok"]:
            equal(answer["error"]["code"], "UNAVAILABLE")
            equal(answer["error"]["details"]["code"], "TOO_MANY_CONNECTIONS")
            check(answer["error"]["retryAfterMs"] > 0, "retryAfterMs")
            contains(answer["error"]["message"], f"this device has {PER_DEVICE} open")
            equal(client.ws.expect_close()[0], 1013)
    equal((len(clients), len(refused)), (PER_DEVICE, 20), "let in and refused")
    owner_is_served(home, gateway)
    other = test.identity()
    device_client(gateway, other, [])
    clients.pop().close()  # who closes one may open one
    wait_until(lambda: Client(gateway.port).connect(identity=key, scopes=[], token=token)["ok"], "a place")
    stays_small(gateway)
    for client in clients + refused:
        client.close()
    comes_back(gateway, before)


def other_user():
    """Makes this process another user's."""
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


class Flooder:
    """Another process, of another user, that opens connections and keeps them: upgraded ones, then silent ones."""

    def __init__(self, test, port, upgrades, silent):
        need_root()
        ready, tell = os.pipe()
        stay, self.end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.end)
                other_user()
                statuses, held = [], []
                for _ in range(upgrades):
                    ws = WebSocket(port)
                    statuses.append(ws.status)
                    held.append(ws)
                held += [socket.create_connection(("127.0.0.1", port)) for _ in range(silent)]
                os.write(tell, json.dumps(statuses).encode())
                os.close(tell)
                os.read(stay, 1)
            except BaseException as e:  # pylint: disable=broad-except
                os.write(tell, json.dumps(repr(e)).encode())
            os._exit(0)
        os.close(tell)
        os.close(stay)
        with os.fdopen(ready) as f:
            self.statuses = json.loads(f.read())

    def stop(self):
        os.close(self.end)
        os.waitpid(self.pid, 0)


def test_descriptors_that_another_user_takes_leave_some_for_the_owner(test):
    home = test.machine("gw")
    gateway = Process(test, "gateway-gw", ["sh", "-c", 'ulimit -n 256; exec "$0" gateway run --port 0', BINARY], home.env())
    gateway.port = int(gateway.wait_for(r"listening on ws://[^\s:]+:(\d+)").group(1))
    # Of 256 descriptors 64 are for files, a quarter of the rest each for requests and answers, some for the owner.
    flood = Flooder(test, gateway.port, 150, 100)
    try:
        check(isinstance(flood.statuses, list), flood.statuses)
        let_in = flood.statuses.count(101)
        equal(set(flood.statuses), {101, 503}, "statuses")
        equal(let_in, 24 if is_lax("descriptors") else 72, "let in")
        for _ in range(3):
            owner_is_served(home, gateway)
        said = subprocess.run([BINARY, "gateway", "health"],
                              env=dict(home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)), HOME="/nonexistent", OPENCLAW_HOME="/nonexistent",
                                       OPENCLAW_STATE_DIR="/nonexistent"),
                              user=65534, group=65534, extra_groups=[], cwd="/", capture_output=True, check=False,
                              timeout=DEADLINE)
        equal(said.returncode, 1, "exit status of who is not let in")
        contains(said.stderr.decode(), "too many connections")
        contains(said.stderr.decode(), "fix: try again in a moment")
        check("wss" not in said.stderr.decode(), said.stderr)
        check(gateway.output().count("accept") == 0, "it ran out of descriptors")
    finally:
        flood.stop()
    wait_until(lambda: WebSocket(gateway.port).status == 101, "a place")


def test_places_before_login_that_another_user_takes_leave_some_for_the_owner(test):
    home = test.machine("gw")
    home.config({"gateway": {"handshakeTimeoutMs": 120000}})  # nobody leaves meanwhile
    gateway = home.gateway()
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, HARD_LIMIT), HARD_LIMIT))  # of the flooder; the gateway raises its own
    flood = Flooder(test, gateway.port, 1040, 0)
    try:
        check(isinstance(flood.statuses, list), flood.statuses)
        equal(set(flood.statuses), {101, 503}, "statuses")
        equal(flood.statuses.count(101), 1024 - 64, "connections of another user")
        for _ in range(3):
            owner_is_served(home, gateway)
    finally:
        flood.stop()


def answer_views(node, device, payload, stop):
    """Plays the node: every canvas.view is answered with the same large picture."""
    while not stop.is_set():
        try:
            frame = node.ws.recv_json()
        except (OSError, Closed):
            return
        if frame.get("event") != "node.invoke.request":
            continue
        body = (b'{"type":"req","id":"v","method":"node.invoke.result","params":{"id":"%s","nodeId":"%s","ok":true,"payload":'
                % (frame["payload"]["id"].encode(), device.encode())) + payload + b"}}"
        head = bytes([0x81, 0x80 | 127]) + struct.pack(">Q", len(body)) + bytes(4)
        try:
            node.ws.sock.sendall(head + body)
        except OSError:
            return


def page_socket(port, path):
    """A browser whose window is small, so that the kernel does not keep much for it."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
    sock.settimeout(DEADLINE)
    sock.connect(("127.0.0.1", port))
    key = base64.b64encode(os.urandom(16)).decode()
    sock.sendall((f"GET {path}ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
    contains(sock.recv(12).decode(), "101")
    return sock


def test_pages_that_do_not_read_do_not_take_the_memory(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["canvas.view", "canvas.input"], caps=["canvas"])["ok"], "connect")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    owner = Client(gateway.port)
    owner.connect()
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(9 * MIB))
    stop = threading.Event()
    payload = b'{"rev":1,"changed":true,"width":1,"height":1,"base64":"' + png + b'"}'
    player = threading.Thread(target=answer_views, args=(node, key.device_id, payload, stop))
    player.start()
    try:
        pages = []
        for _ in range(4):  # addresses, with eight pages each
            url = owner.ok("canvas.watch.open", {"nodeId": key.device_id})["url"]
            path = "/" + url.split("/", 3)[3]
            pages += [page_socket(gateway.port, path) for _ in range(8)]
        # Pages that do not read make room, one after the other, until each has had its picture. All that clients hold together has a
        # ceiling, too, which is higher: pages alone do not come to it.
        closed = re.compile("closing a page that does not read while others wait for its room")
        wait_until(lambda: len(closed.findall(gateway.output())) >= 3, "the end of pages that do not read")
        owner_is_served(home, gateway)
        stays_small(gateway)
        check("closing a page that holds most" not in gateway.output(), "pages came to the ceiling of all clients together")
        for page in pages[1:]:
            page.close()
        reader = WebSocket(gateway.port, path=path + "ws")  # of an address that has room again
        equal(reader.status, 101, "another page")
        while True:
            fin, opcode, data = reader.recv_frame()
            if opcode == 2:
                equal(data[:4], b"\x89PNG", "a picture")
                break
    finally:
        stop.set()
        node.ws.sock.shutdown(socket.SHUT_RDWR)
        player.join()


run_tests(globals())

"""A gateway that wants the memory of its node, or its log, or the memory of a command line that watches, does not get it."""

from harness import *

MAX_RSS_KB = 128 * 1000
IS_ASAN = "asan" in BINARY or "tsan" in BINARY


class FalseGateway:
    """Answers one client's connect and then says what the test tells it to."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.answers = []

    def accept(self):
        self.listener.settimeout(DEADLINE)
        self.sock, _ = self.listener.accept()
        self.sock.settimeout(DEADLINE)
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.sock.recv(4096)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        key = re.search(rb"Sec-WebSocket-Key: (\S+)", head).group(1).decode()
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        self.sock.sendall(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           f"Sec-WebSocket-Accept: {accept}\r\n\r\n").encode())
        self.event("connect.challenge", {"nonce": "n", "ts": int(time.time() * 1000)})
        connect = self.request("connect")
        self.respond(connect["id"], {
            "type": "hello-ok", "protocol": 4, "server": {"version": "e2e", "connId": "c"},
            "features": {"methods": [], "events": []}, "snapshot": {},
            "policy": {"maxPayload": 26214400, "maxBufferedBytes": 52428800, "tickIntervalMs": 30000}})
        return connect

    def send(self, text):
        data = text.encode()
        length = len(data)
        head = bytes([0x81]) + (bytes([length]) if length < 126 else bytes([126]) + struct.pack(">H", length) if length < 65536
                                else bytes([127]) + struct.pack(">Q", length))
        self.sock.sendall(head + data)

    def event(self, name, payload):
        self.send(json.dumps({"type": "event", "event": name, "payload": payload}))

    def respond(self, request, payload):
        self.send(json.dumps({"type": "res", "id": request, "ok": True, "payload": payload}))

    def _exactly(self, n):
        while len(self.buffer) < n:
            data = self.sock.recv(65536)
            check(data, "the client has left")
            self.buffer += data
        got, self.buffer = self.buffer[:n], self.buffer[n:]
        return got

    def frame(self):
        first, second = self._exactly(2)
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self._exactly(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._exactly(8))[0]
        key = self._exactly(4)
        data = self._exactly(length)
        whole = (key * (length // 4 + 1))[:length]
        data = (int.from_bytes(data, "big") ^ int.from_bytes(whole, "big")).to_bytes(length, "big")
        return first & 0x80, first & 0x0F, data

    def request(self, method):
        """The next request of this name; what comes before it is kept in `answers`."""
        while True:
            parts = []
            while True:
                fin, opcode, data = self.frame()
                if opcode >= 8:
                    continue
                parts.append(data)
                if fin:
                    break
            message = json.loads(b"".join(parts))
            if message.get("method") == method:
                return message
            self.answers.append(message)


def stays_small(process):
    peak = process.memory_kb("VmHWM")
    check(IS_ASAN or peak <= MAX_RSS_KB, f"{process.name} grew to {peak} KiB")


def a_node(test):
    """A node that obeys, at a gateway that is none."""
    false = FalseGateway()
    box = test.machine("box")
    box.approvals("full")
    node = box.node(false.port)
    connect = false.accept()
    return false, node, connect["params"]["device"]["id"]


def invoke(false, device, number, params):
    false.event("node.invoke.request", {"id": f"i{number}", "nodeId": device, "command": "system.run", "paramsJSON": params,
                                        "idempotencyKey": f"k{number}", "timeoutMs": 600000})


def result_of(false, number):
    while True:
        for message in false.answers:
            if message.get("method") == "node.invoke.result" and message["params"]["id"] == f"i{number}":
                return message["params"]
        message = false.request("node.invoke.result")
        false.answers.append(message)


def test_what_a_node_does_not_know_it_does_not_keep(test):
    false, node, device = a_node(test)
    junk = ",".join(["0"] * 100000)
    for i in range(32):
        invoke(false, device, i, '{"command":["sleep","600"],"background":true,"junk":[%s]}' % junk)
    for i in range(32):
        check(result_of(false, i)["ok"], f"run {i} was refused: {false.answers[-1]}")
    stays_small(node)
    # And a million of them are too many to look at.
    invoke(false, device, 99, '{"command":["true"],"junk":[%s]}' % ",".join(["0"] * 1000000))
    refused = result_of(false, 99)
    contains(refused["error"]["message"], "too many values")
    stays_small(node)


def test_all_runs_of_a_node_share_one_budget(test):
    false, node, device = a_node(test)
    words = json.dumps(["sh", "-c", "sleep 600", *("x" * 100000 for _ in range(19))])
    runs = 24
    for i in range(runs):
        invoke(false, device, i, '{"command":%s,"background":true}' % words)
    results = [result_of(false, i) for i in range(runs)]
    busy = [r["error"]["message"] for r in results if not r["ok"]]
    check(0 < len(busy) < runs, f"{len(busy)} were refused: {busy[:1]}")
    contains(busy[0], "node busy: what running commands were given takes too much memory")
    stays_small(node)
    invoke(false, device, 50, '{"command":["echo","still here"]}')
    contains(result_of(false, 50)["payloadJSON"], "still here")


def test_a_gateway_that_does_not_read_does_not_fill_the_nodes_log(test):
    """It is owed answers until no more fit; each that is dropped is worth a line, and all of them together are worth few."""
    false = FalseGateway()
    box = test.machine("box")
    box.approvals("full", [f"/x/{i}/" + "y" * 200 for i in range(2000)])
    node = box.node(false.port)
    device = false.accept()["params"]["device"]["id"]
    before = os.path.getsize(node.log_path)

    def ask(name, command):
        false.event("node.invoke.request", {"id": name, "nodeId": device, "command": command, "paramsJSON": "{}",
                                            "idempotencyKey": name, "timeoutMs": 600000})

    def wait_for_all(number):
        marker = os.path.join(test.dir, f"marker{number}")
        invoke(false, device, number, json.dumps({"command": ["touch", marker]}))
        wait_until(lambda: os.path.exists(marker), "the last thing that was asked for")

    for part in range(3):  # no more at a time than a node has calls; they take turns
        for i in range(60):
            ask(f"large{part}.{i}", "system.execApprovals.get")
        wait_for_all(part)
    for i in range(10000):
        ask(f"small{i}".ljust(240, "x"), "no.such.command")
    wait_for_all(3)
    dropped = node.output().count("the gateway reads too slowly: a message was dropped")
    check(dropped >= 300, f"only {dropped} messages were dropped: nothing was tried")
    grown = os.path.getsize(node.log_path) - before
    check(grown < 90000, f"the log grew by {grown} bytes")


def test_requests_that_pile_up_do_not_take_the_memory_of_who_watches(test):
    false = FalseGateway()
    home = test.machine("desk")
    watch = Process(test, "watch", [BINARY, "approvals", "watch", "--json"],
                    home.env(OPENCLAW_GATEWAY_PORT=str(false.port)))
    false.accept()
    for _ in range(2):
        false.respond(false.request("exec.approval.list")["id"], [])
    now = int(time.time() * 1000)

    def ask(name, values):
        false.send('{"type":"event","event":"exec.approval.requested","payload":{"id":"%s","createdAtMs":%d,"expiresAtMs":%d,'
                   '"request":{"command":"true","nodeId":"n","junk":[0%s]}}}' % (name, now, now + 600000, ",0" * values))

    for i in range(200):
        ask(f"a{i}", 20000)
    for i in range(10):
        ask(f"b{i}", 1000000)
    watch.wait_for("more requests came than are kept here")
    false.event("exec.approval.resolved", {"id": "a0", "decision": "deny", "resolvedBy": "x"})
    watch.wait_for(r'"event":"resolved"')
    stays_small(watch)


run_tests(globals())

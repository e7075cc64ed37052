"""A connection whose queue is full ends over the next answer, whatever the gateway is in the middle of: lists of those who wait, a
decision, chunks that are held back. Somebody with a node and an operator's device can have it so."""

from harness import *

QUEUE = 52428800
COMMANDS = ["system.run", "system.run.prepare", "system.runs.list", "system.which"]
SEEN = {"approval": {"look": "L", "lookAt": "A", "state": "S1", "bound": [], "unbound": []}}


def packed(frame):
    """Without a mask, which Python takes long to compute."""
    data = json.dumps(frame).encode()
    size = len(data)
    head = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size)
    return b"\x81" + head + bytes(4) + data


def raw(client, frame):
    client.ws.sock.sendall(packed(frame))


class Scene:
    """A gateway, a node that is our own, and operators that are."""

    def __init__(self, test):
        self.test = test
        self.home = test.machine("gw")
        self.gateway = self.home.gateway()
        key = test.identity()
        self.id = key.device_id
        self.node = Client(self.gateway.port)
        check(self.node.connect(role="node", identity=key, commands=COMMANDS, caps=["system"])["ok"], "connect")
        self.home.cli("nodes", "approve", "--yes", port=self.gateway.port)

    def operator(self, is_slow=False):
        client = Client(self.gateway.port)
        check(client.connect(mode="ui", client_id="openclaw-macos", identity=self.test.identity())["ok"], "connect")
        if is_slow:
            client.ws.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        return client

    def invoke(self, operator, text="x"):
        name = str(uuid.uuid4())
        raw(operator, {"type": "req", "id": name, "method": "node.invoke", "params": {
            "nodeId": self.id, "command": "system.which", "params": {"bins": [text]}, "idempotencyKey": name, "timeoutMs": 60000}})
        return name

    def result(self, invoked, payload):
        return {"type": "req", "id": str(uuid.uuid4()), "method": "node.invoke.result",
                "params": {"id": invoked["id"], "nodeId": self.id, "ok": True, "payload": payload}}

    def progress(self, invoked, seq, text, name=None):
        return {"type": "req", "id": name or f"p{seq}", "method": "node.invoke.progress",
                "params": {"invokeId": invoked["id"], "nodeId": self.id, "seq": seq, "chunk": text}}

    def drain(self):
        """The node reads on, and looks at nothing."""
        def read():
            try:
                while self.node.ws.recv_text():
                    pass
            except (OSError, Closed, Failure):
                pass
        threading.Thread(target=read, daemon=True).start()

    def flood(self, invoked):
        """What fills the queue of whoever waits for these four, up to some bytes; made before there is hurry."""
        big = self.result(invoked[0], "x" * (24 * 1024 * 1024 - 5000))
        rest = QUEUE - 2 * len(json.dumps(big)) - 90000
        sizes = [size for size, count in ((15000, 8), (4000, 8), (900, 8), (200, 8), (0, 25)) for _ in range(count)]
        return b"".join(map(packed, [big, self.result(invoked[1], big["params"]["payload"]), self.result(invoked[2], "z" * rest),
                                     *(self.progress(invoked[3], seq, "y" * size) for seq, size in enumerate(sizes))]))

    def check_lives(self):
        wait_until(lambda: "closing a client that does not read" in self.gateway.output(), "the end of the connection that is full")
        check(self.home.cli_json("gateway", "health", "--json", port=self.gateway.port)["ok"], "health")


def test_over_the_answer_to_a_decision(test):
    scene = Scene(test)
    desk, agent = scene.operator(is_slow=True), scene.operator()
    name = str(uuid.uuid4())
    request = agent.send("exec.approval.request", {"id": name, "command": "x", "commandArgv": ["/bin/ls"], "host": "node",
                                                   "nodeId": scene.id, "agentId": "main", "twoPhase": True})
    raw(scene.node, scene.result(scene.node.event("node.invoke.request"), SEEN))
    agent.answer(request)
    for _ in range(4):
        scene.invoke(desk)
    flood = scene.flood([scene.node.event("node.invoke.request") for _ in range(4)])
    desk.ws.send_json({"type": "req", "id": "r" * 250, "method": "exec.approval.resolve", "params": {"id": name, "decision": "allow-once"}})
    look = scene.node.event("node.invoke.request")
    equal(look["command"], "system.run.prepare")
    scene.drain()
    scene.node.ws.sock.sendall(flood)
    failed = scene.result(look, None)
    failed["params"].update({"ok": False, "error": {"code": "X", "message": "m" * 200}})
    raw(scene.node, failed)
    scene.check_lives()


def test_over_the_news_that_an_approval_can_be_decided(test):
    scene = Scene(test)
    desk = scene.operator(is_slow=True)
    for _ in range(4):
        scene.invoke(desk)
    flood = scene.flood([scene.node.event("node.invoke.request") for _ in range(4)])
    name = str(uuid.uuid4())
    desk.ws.send_json({"type": "req", "id": "r" * 250, "method": "exec.approval.request", "params": {
        "id": name, "command": "x", "commandArgv": ["/bin/ls"], "host": "node", "nodeId": scene.id, "agentId": "main", "twoPhase": True}})
    desk.send("exec.approval.waitDecision", {"id": name})
    desk.send("exec.approval.waitDecision", {"id": name})
    look = scene.node.event("node.invoke.request")
    scene.drain()
    scene.node.ws.sock.sendall(flood)
    raw(scene.node, scene.result(look, SEEN))
    scene.check_lives()


def test_over_a_chunk_that_was_held_back(test):
    """The node is the one that does not read; its caller reads at last, and the node's chunks are answered."""
    scene = Scene(test)
    caller, other, third = (scene.operator() for _ in range(3))
    scene.node.ws.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    scene.invoke(caller)
    chatty = scene.node.event("node.invoke.request")
    scene.invoke(caller)
    large = scene.node.event("node.invoke.request")
    frame = scene.result(large, "z" * (16 << 20))
    raw(scene.node, frame)
    scene.node.answer(frame["id"])
    for seq in range(3):
        raw(scene.node, scene.progress(chatty, seq, "hello", f"p{seq}".ljust(250, "p")))
    for operator, size in ((other, 24 << 20), (third, 24 << 20), (other, 1900000)):
        scene.invoke(operator, "x" * size)
        operator.ok("node.list", {})  # it is on its way
    for size in (1 << 20, 1 << 18, 1 << 16, 1 << 14, 1 << 12, 1 << 10, 256, 64, 1):
        for _ in range(8):
            name = scene.invoke(third, "x" * size)
            third.ok("node.list", {})
            if any(e.get("id") == name for e in third.events):
                break  # the node's queue has no room for that
    read = 0
    caller.ws.sock.settimeout(10)
    while read < (16 << 20):
        read += len(caller.ws.sock.recv(1 << 20))
    scene.check_lives()


run_tests(globals())

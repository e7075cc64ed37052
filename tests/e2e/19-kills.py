"""Somebody dies in the middle of a run: the gateway, the node, the connection. No command runs twice, every caller gets a
definite answer or a definite "unknown", and nothing is left running on the node."""

from harness import *



def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # the second: it went while we read
        return True


class Cut:
    """A TCP proxy whose connections can be cut, both ways at once."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets = []
        self.is_open = True
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                if not self.is_open:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                continue
            self.sockets += [client, server]
            for a, b in ((client, server), (server, client)):
                threading.Thread(target=HostProxy._pump, args=(a, b), daemon=True).start()

    def cut(self):
        self.is_open = False
        for sock in self.sockets:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.sockets = []

    def mend(self):
        self.is_open = True


ESCAPE = """echo run >> {dir}/runs
env -i setsid bash -c '(while kill -0 $$ 2>/dev/null; do :; done; echo $BASHPID >> {dir}/pids; exec -c /bin/sleep 1000) &'
sleep 1000 & echo $! >> {dir}/pids
echo $$ >> {dir}/pids
"""


class Scene:
    """A gateway, a node behind a proxy, and a run in the middle of its work."""

    def __init__(self, test, orphan_ms=None):
        self.test = test
        self.home = test.machine("gw")
        self.gateway = self.home.gateway()
        self.port = self.gateway.port
        self.proxy = Cut(self.port)
        self.box = test.machine("box")
        self.box.approvals()
        if orphan_ms is not None:
            self.box.config({"node": {"exec": {"orphanMs": orphan_ms}}})
        self.node = self.box.node(self.proxy.port)
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.port)
        self.wait_usable()

    def wait_usable(self):
        wait_until(lambda: usable(self.home, self.port, "box"), "the node")

    def run(self, *words, script="wait"):
        self.caller = subprocess.Popen(
            [BINARY, *words, "sh", "-c", ESCAPE.format(dir=self.test.dir) + "echo ready; " + script],
            env=self.home.env(OPENCLAW_GATEWAY_PORT=str(self.port)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.test.dir)
        return self

    def pids(self):
        path = os.path.join(self.test.dir, "pids")

        def look():
            try:
                with open(path, encoding="ascii") as f:
                    text = f.read()
            except FileNotFoundError:
                return None
            return text.count("\n") == 3 and [int(line) for line in text.split()]

        return wait_until(look, "the tree")

    def runs(self):
        with open(os.path.join(self.test.dir, "runs"), encoding="ascii") as f:
            return f.read().count("run")

    def wait_running(self):
        path = os.path.join(self.test.dir, "runs")  # which is there before anything is written to it
        wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the command")

    def answer(self):
        out, err = self.caller.communicate(timeout=DEADLINE)
        return out.decode(), err.decode(), self.caller.returncode


def test_the_gateway_is_killed(test):
    scene = Scene(test, orphan_ms=0).run("nodes", "run", "--reconnect", "0", "--")
    equal(scene.caller.stdout.readline(), b"ready\n")
    pids = scene.pids()
    scene.gateway.child.kill()
    scene.gateway.wait_exit()
    _, err, code = scene.answer()
    equal(code, 1, "exit code")
    contains(err, "unknown, last seen")
    wait_until(lambda: all(is_gone(pid) for pid in pids), "the tree to be gone")
    scene.gateway = scene.home.gateway(port=scene.port)
    scene.wait_usable()
    equal(scene.runs(), 1, "runs")


def test_the_node_is_killed(test):
    scene = Scene(test).run("nodes", "run", "--")
    equal(scene.caller.stdout.readline(), b"ready\n")
    pids = scene.pids()
    scene.node.child.kill()
    _, err, code = scene.answer()
    equal(code, 1, "exit code")
    contains(err, "node disconnected")
    contains(err, "unknown, last seen")
    wait_until(lambda: all(is_gone(pid) for pid in pids), "the tree to be gone")
    scene.node.wait_exit()
    scene.box.node(scene.proxy.port)
    scene.wait_usable()
    equal(scene.runs(), 1, "runs")


def test_the_connection_is_cut(test):
    scene = Scene(test, orphan_ms=0).run("nodes", "run", "--")
    equal(scene.caller.stdout.readline(), b"ready\n")
    pids = scene.pids()
    scene.proxy.cut()
    _, err, code = scene.answer()
    equal(code, 1, "exit code")
    contains(err, "unknown, last seen")
    wait_until(lambda: all(is_gone(pid) for pid in pids), "the tree to be gone")
    scene.proxy.mend()
    scene.wait_usable()
    equal(scene.runs(), 1, "runs")


def invoke(scene, key, script):
    params = json.dumps({"command": ["sh", "-c", script]})
    return ["nodes", "invoke", "--node", "box", "--command", "system.run", "--idempotency-key", key, "--invoke-timeout", "60000",
            "--params", params]


def test_who_asks_again_with_the_same_key_gets_the_first_answer(test):
    """The connection is cut and mended in the middle; the command went on and did not start again."""
    scene = Scene(test)
    fifo = os.path.join(test.dir, "fifo")
    os.mkfifo(fifo)
    script = f"echo run >> {test.dir}/runs; read x < {fifo}; echo $x"
    env = scene.home.env(OPENCLAW_GATEWAY_PORT=str(scene.port))
    first = subprocess.Popen([BINARY, *invoke(scene, "one", script)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    scene.wait_running()
    scene.proxy.cut()
    _, err = first.communicate(timeout=DEADLINE)
    contains(err.decode(), "node disconnected")
    scene.gateway.child.kill()  # it would remember that answer
    scene.gateway.wait_exit()
    scene.gateway = scene.home.gateway(port=scene.port)
    scene.proxy.mend()
    scene.wait_usable()
    again = subprocess.Popen([BINARY, *invoke(scene, "one", script)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(fifo, "w", encoding="ascii") as f:
        f.write("the answer\n")
    out, err = again.communicate(timeout=DEADLINE)
    equal(again.returncode, 0, err.decode())
    equal(json.loads(out)["payload"]["stdout"], "the answer\n")
    equal(scene.runs(), 1, "runs")


def test_a_key_that_ran_when_the_node_was_killed_does_not_run_again(test):
    scene = Scene(test)
    script = f"echo run >> {test.dir}/runs; sleep 1000"
    env = scene.home.env(OPENCLAW_GATEWAY_PORT=str(scene.port))
    first = subprocess.Popen([BINARY, *invoke(scene, "one", script)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    scene.wait_running()
    scene.node.child.kill()
    contains(first.communicate(timeout=DEADLINE)[1].decode(), "node disconnected")
    scene.node.wait_exit()
    scene.gateway.child.kill()
    scene.gateway.wait_exit()
    scene.gateway = scene.home.gateway(port=scene.port)
    scene.box.node(scene.proxy.port)
    scene.wait_usable()
    done = scene.home.cli(*invoke(scene, "one", script), port=scene.port, code=1)
    contains(done.err, "already")
    equal(scene.runs(), 1, "runs")


run_tests(globals())

"""What a cell of the matrix is made of: a gateway, a node host and a command line, each ours, 2026.2.26 or 2026.9.6.

The three kinds are called "ours", "2" and "9" in code. Every class hides one kind of difference: how a gateway is made to see
a node as remote, what a node host does when it is refused, and how a command line spells a step.
"""

from peers import *

NAMES = {"ours": "ours", "2": "2026.2.26", "9": "2026.9.6"}
PAUSE = 0.1  # between two looks at a real program: a look costs it more than the time between two of ours
FULL = {"version": 1, "defaults": {"security": "full", "ask": "off"}, "agents": {}}


class Gateway:
    """A gateway that pairs nobody silently: ours and 2026.2.26 see nodes through a proxy that makes them remote, 2026.9.6
    does not care about the Host header and is configured instead."""

    def __init__(self, test, kind):
        self.kind = kind
        self.home = test.machine("gw") if kind == "ours" else Peer(test, kind, "gw")
        self.port = free_port()
        self.process = None
        self.desk, self.lock = None, threading.Lock()  # one connection for all questions: 2026.9.6 takes 35 ms for a new one
        self.start()
        self.proxy = None if kind == "9" else HostProxy(self.port)
        self.node_port = self.proxy.port if self.proxy else self.port

    def start(self, when_it_listens=None):
        """2026.9.6 listens some seconds before it lets anybody in; that is when when_it_listens is called."""
        if self.kind == "ours":
            self.process = self.home.gateway(port=self.port)
            return
        extra = {"nodes": {"pairing": {"autoApproveLocal": False, "sshVerify": False}}} if self.kind == "9" else {}
        self.process = self.home.gateway(self.port, **extra)
        if when_it_listens:
            when_it_listens()
        wait_until(self.answers, "the real gateway to be ready", 180, pause=0.5)

    def answers(self):
        try:
            return self.ask("node.list", {})["ok"]
        except (Failure, Closed, OSError, KeyError):
            return False

    def hang_up(self):
        if self.desk:
            self.desk.close()
            self.desk = None

    def stop(self):
        with self.lock:
            self.hang_up()
        if self.process.child.poll() is None:
            self.process.child.terminate()
        try:
            self.process.child.wait(60)
        except subprocess.TimeoutExpired:
            self.process.child.kill()
            self.process.child.wait()

    def operator(self):
        client = Client(self.port)
        hello = client.connect()
        check(hello["ok"], f"an operator with the token is refused: {hello.get('error')}")
        client.methods = hello["payload"]["features"]["methods"]
        return client

    def ask(self, method, params):
        with self.lock:
            while True:
                is_old = self.desk is not None
                try:
                    self.desk = self.desk or self.operator()
                    self.desk.events.clear()
                    return self.desk.call(method, params)
                except (Closed, ConnectionError):
                    # Nobody answers the pings of 2026.9.6 while nothing is asked, and it hangs up then.
                    self.hang_up()
                    if not is_old:
                        raise
                except (Failure, OSError):
                    self.hang_up()
                    raise

    def ok(self, method, params):
        answer = self.ask(method, params)
        check(answer["ok"], f"{method}: {answer.get('error')}")
        return answer["payload"]

    def device_request(self, name):
        found = [r for r in self.ok("device.pair.list", {})["pending"] if r.get("displayName") == name]
        return found[0] if found else None

    def surface_request(self, node_id):
        found = [r for r in self.ok("node.pair.list", {})["pending"] if r.get("nodeId") == node_id]
        return found[0] if found else None

    def node(self, node_id):
        found = [n for n in self.ok("node.list", {})["nodes"] if n["nodeId"] == node_id]
        return found[0] if found else None


class Patience(HostProxy):
    """The way to a real gateway for a 2026.9.6 node host, which pauses for ever once it was told that it must pair first (ours
    tells it to try again). The refusal is held back, and the connection lost once the device is approved: then the node
    connects anew by itself, which saves a start of ten seconds."""

    def __init__(self, target, host):
        self.held, self.is_over, self.lock = [], False, threading.Lock()
        super().__init__(target, host)

    def _pump(self, source, sink):
        try:
            if source.getpeername()[1] != self.target:
                HostProxy._pump(source, sink)
                return
            while data := source.recv(65536):
                if b"NOT_PAIRED" in data:
                    with self.lock:
                        if not self.is_over:
                            self.held.append(sink)
                            return
                    break  # said before the approval, and read after it
                sink.sendall(data)
        except OSError:
            pass
        for sock in (source, sink):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def release_hold(self):
        with self.lock:
            self.is_over = True
        for sock in self.held:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class NodeHost:
    """A node host and its supervisor: 2026.2.26 ends after every close and is started again; 2026.9.6 reaches a real gateway
    through Patience."""

    def __init__(self, test, gateway, kind, name):
        self.gateway, self.kind, self.name = gateway, kind, name
        self.home = test.machine(name) if kind == "ours" else Peer(test, kind, name)
        self.process = None
        self.proxy = None
        if kind == "9" and gateway.kind != "ours":
            self.proxy = Patience(gateway.port, "127.0.0.1" if gateway.kind == "9" else "gateway.lan")
        self.port = self.proxy.port if self.proxy else gateway.node_port
        if kind == "ours":
            self.home.approvals("full")
        else:
            path = os.path.join(self.home.state, "home", ".openclaw")
            os.makedirs(path)
            with open(os.path.join(path, "exec-approvals.json"), "w", encoding="utf-8") as f:
                json.dump(FULL, f)

    def start(self, **env):
        if self.kind == "ours":
            self.process = self.home.node(self.port, env=env)
        else:
            self.process = self.home.node(self.port)

    def keep(self):
        """What a service manager does."""
        if self.kind == "2" and self.process.child.poll() is not None:
            self.start()
        return self.process

    def stop(self):
        child = self.process.child
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def approved(self):
        """Called once the device is let in."""
        if self.proxy:
            self.proxy.release_hold()

    def wait(self, probe, what):
        def look():
            self.keep()
            return probe()

        try:
            return wait_until(look, f"{self.name}: {what}", 180, pause=PAUSE)
        except Failure as failure:
            raise Failure(f"{failure}\n--- it said:\n{self.process.output()[-1500:]}") from None


class CommandLine:
    """The steps, as each command line spells them. A step returns the finished process whatever its exit code. A real one that
    stays does all its steps in one process: its own code and its own connections, loaded once."""

    def __init__(self, test, gateway, kind, stays=False):
        self.gateway, self.kind = gateway, kind
        name = f"user-{kind}-stays" if stays else f"user-{kind}"
        self.home = test.machine(name) if kind == "ours" else Peer(test, kind, name)
        self.lock = threading.Lock()
        self.process = None
        self.stays = stays and kind != "ours"
        if kind == "2":
            # Its `nodes run` asks by default, and then waits two minutes for someone to answer.
            self.home.config({"tools": {"exec": {"ask": "off", "security": "full"}}})

    def run(self, *args):
        if not self.stays:
            return self.home.cli(*args, port=self.gateway.port, code=None)
        return self.say(*args, "--url", f"ws://127.0.0.1:{self.gateway.port}", "--token", TOKEN)

    def say(self, *args):
        """One command of a process that stays."""
        with self.lock:
            self.process = self.process or self.home.staying_cli()
            self.process.stdin.write(json.dumps({"args": args}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        check(line, f"the staying {NAMES[self.kind]} command line ended: {' '.join(args)}")
        answer = json.loads(line)
        done = subprocess.CompletedProcess(args, answer["code"])
        done.out, done.err = answer["out"], answer["err"]
        return done

    def end(self):
        if self.process:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait(30)

    def approve_device(self, request_id):
        # Ours opens both gates with one command where it can.
        return self.run("nodes" if self.kind == "ours" else "devices", "approve", request_id)

    def approve_surface(self, request_id):
        return self.run("nodes", "approve", request_id)

    def status(self):
        return self.run("nodes", "status")

    def describe(self, node_id):
        return self.run("nodes", "describe", "--node", node_id)

    def rename(self, node_id, name):
        return self.run("nodes", "rename", "--node", node_id, "--name", name)

    def which(self, node_id):
        return self.run("nodes", "invoke", "--node", node_id, "--command", "system.which", "--params", '{"bins":["sh"]}')

    def notify(self, node_id):
        if self.kind == "ours":
            return self.run("nodes", "invoke", "--node", node_id, "--command", "system.notify", "--params",
                            '{"title":"Ping","body":"hi"}')
        return self.run("nodes", "notify", "--node", node_id, "--title", "Ping", "--body", "hi")

    def run_command(self, node_id):
        if self.kind == "ours":
            return self.run("nodes", "run", "--node", node_id, "--", "uname", "-s")
        words = ("nodes", "run", "--node", node_id, "--url", f"ws://127.0.0.1:{self.gateway.port}", "--token", TOKEN, "--",
                 "uname", "-s")
        if self.stays:
            return self.say(*words)
        done = subprocess.run([NODE, PROGRAM["2"], *words],
                              env=self.home.env(), stdin=subprocess.DEVNULL, capture_output=True, timeout=180, check=False)
        done.out, done.err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        return done

    def remove(self, node_id):
        # 2026.2.26 has no `nodes remove`, as command line and as gateway: there the device is removed.
        if self.kind == "2" or self.gateway.kind == "2":
            return self.run("devices", "remove", node_id)
        return self.run("nodes", "remove", "--node", node_id)

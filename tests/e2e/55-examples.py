"""What is in examples/, run: pictures, loops, the drop-in, the reverse proxy."""

import manager
from canvas_world import *

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples")
sys.path.insert(0, os.path.join(ROOT, "tests/canvas"))
import pngs  # pylint: disable=wrong-import-position

manager.enter()


def forms():
    found = sorted(f[:-len(".jsonl")] for f in os.listdir(os.path.join(EXAMPLES, "canvas")) if f.endswith(".jsonl"))
    check(len(found) >= 4, found)
    return found


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def test_forms_and_their_pictures(test):
    me = test.machine("me")
    for name in forms():
        done = me.cli("canvas", "check", os.path.join(EXAMPLES, "canvas", name + ".jsonl"))
        equal(done.out + done.err, "1 surface, 0 diagnostics\n", f"what canvas check says of {name}")
    made = os.path.join(test.dir, "made")
    os.mkdir(made)
    subprocess.run([os.path.join(EXAMPLES, "pictures"), made], env=me.env(OPENCLAW_BIN=BINARY), check=True)
    for name in forms():
        far = pngs.compare(read(EXAMPLES, "canvas", name + ".png"), read(made, name + ".png"))
        check(not far, f"examples/canvas/{name}.png is not what is drawn now (examples/pictures draws it anew): {far}")


class Watcher:
    """A person at the watch page: reads what is shown, and uses the keyboard."""

    def __init__(self, world):
        self.ws = WebSocket(world.port, path=world.path() + "ws", headers=["Origin: http://somewhere.example"])
        equal(self.ws.status, 101, "status")

    def text(self):
        """Of the next picture."""
        while True:
            fin, opcode, data = self.ws.recv_frame()
            if opcode == 9:
                self.ws.send_frame(10, data)
            elif opcode == 1 and fin and json.loads(data).get("state") == "live":
                return json.loads(data).get("text", "")

    def wait_for(self, part):
        seen = ""
        while part not in seen:
            seen = self.text()
        return seen

    def press(self, tabs):
        for _ in range(tabs):
            self.ws.send_json({"key": "Tab"})
        self.ws.send_json({"key": "Enter"})

    def type(self, text):
        self.ws.send_json({"text": text})


def loop(test, w, program):
    """An example of ours, as if openclaw were installed and the gateway this user's."""
    folder = os.path.join(test.dir, "bin")
    os.makedirs(folder, exist_ok=True)
    os.symlink(BINARY, os.path.join(folder, "openclaw"))
    w.home.cli("nodes", "canvas", "a2ui", "reset", "--node", "box", port=w.port)
    env = w.home.env(OPENCLAW_GATEWAY_PORT=str(w.port))
    env["PATH"] = folder + ":" + env["PATH"]
    return Process(test, "loop", [os.path.join(EXAMPLES, program), "box"], env)


def wait_listener(test, w):
    """Until somebody hears what people press. The one who asks is another node, whose words no loop knows."""
    node = Client(w.port)
    check(node.connect(role="node", identity=test.identity(), commands=["canvas.present"], caps=["canvas"])["ok"], "connect")
    w.home.cli("nodes", "approve", "--yes", port=w.port)
    for words in ("odd words", "CANVAS_A2UI action=unknown ctx={\"number\":\"1\"} default=update_canvas"):
        told = {"event": "agent.request", "payloadJSON": json.dumps({"message": words, "sessionKey": "main"})}
        wait_until(lambda t=told: node.ok("node.event", t)["handled"], "somebody who listens", pause=0.2)


def test_shell_loop(test):
    need(shutil.which("jq"), "jq")
    w = World(test)
    agent = loop(test, w, "loop.sh")
    person = Watcher(w)
    person.wait_for("What may it be?")
    wait_listener(test, w)
    person.press(5)
    person.wait_for("Thank you, Ada: 2 × coffee.")
    person.press(1)
    person.wait_for("What may it be?")
    person.press(6)
    equal(agent.wait_exit(), 0, f"the loop: {agent.output()}")


def test_python_loop(test):
    check(len(read(EXAMPLES, "loop.py").splitlines()) <= 60, "it is longer than 60 lines")
    w = World(test)
    agent = loop(test, w, "loop.py")
    person = Watcher(w)
    person.wait_for("2 things to do")
    wait_listener(test, w)
    person.press(1)
    contains(person.wait_for("1 thing to do"), "Oil the press")
    check(agent.child.poll() is None, agent.output())


def test_drop_in(test):
    """The node's service takes it, and keeps it when it is installed anew."""
    m = manager.Manager(test.machine("desk"))
    folder = os.path.join(m.units, "openclaw-node.service.d")
    os.makedirs(folder)
    shutil.copy(os.path.join(EXAMPLES, "systemd/node-limits.conf"), folder)
    for _ in range(2):
        m.cli("node", "install", "--port", "1")
        told = [m.show("openclaw-node.service", name) for name in ("MemoryMax", "TasksMax", "Nice", "DropInPaths")]
        equal(told, [str(2 << 30), "512", "5", os.path.join(folder, "node-limits.conf")], "what systemd made of it")
    contains(m.show("openclaw-node.service", "Environment"), "LANG=C.UTF-8")
    m.cli("node", "uninstall")
    m.stop()


def nginx():
    found = shutil.which("nginx") or os.path.expanduser("~/.cache/openclaw-test/nginx/usr/sbin/nginx")
    need(os.path.exists(found), "nginx")
    return found


def test_reverse_proxy(test):
    """A node and a command line through nginx as the example sets it up, but for ports and files."""
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"], "auth": {"mode": "token", "token": TOKEN}}})
    gateway = home.gateway()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    cert, key = (os.path.join(test.dir, name) for name in ("cert.pem", "key.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", cert,
                    "-days", "2", "-subj", "/CN=claw.example.org"], check=True, capture_output=True)
    conf = read(EXAMPLES, "proxy/nginx.conf").decode()
    for old, new in (("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"), ("/etc/ssl/certs/claw.example.org.pem", cert),
                     ("/etc/ssl/private/claw.example.org.key", key), ("127.0.0.1:18789", f"127.0.0.1:{gateway.port}")):
        equal(conf.count(old), 1, f"'{old}' in the example")
        conf = conf.replace(old, new)
    path = os.path.join(test.dir, "nginx.conf")
    temp = "".join(f"{kind}_temp_path {test.dir}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{user}daemon off;\nmaster_process off;\npid {test.dir}/nginx.pid;\nerror_log stderr;\nevents {{}}\n"
                f"http {{\naccess_log off;\n{temp}{conf}}}\n")
    checked = subprocess.run([nginx(), "-t", "-e", "stderr", "-c", path, "-p", test.dir], capture_output=True, text=True, check=False)
    equal(checked.returncode, 0, f"nginx -t: {checked.stderr}")
    proxy = Process(test, "nginx", [nginx(), "-e", "stderr", "-c", path, "-p", test.dir], dict(os.environ))

    def listens():
        check(proxy.child.poll() is None, proxy.output())
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0

    wait_until(listens, "nginx")
    told = subprocess.run(["openssl", "x509", "-in", cert, "-noout", "-fingerprint", "-sha256"], check=True, capture_output=True, text=True)
    pin = told.stdout.strip().split("=")[1].replace(":", "").lower()
    box = test.machine("box")
    box.approvals("full")
    box.node(port, "--tls", "--tls-fingerprint", pin)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node behind the proxy")
    equal(home.cli("nodes", "run", "--node", "box", "--", "/bin/echo", "hello", port=gateway.port).out, "hello\n")


run_tests(globals())

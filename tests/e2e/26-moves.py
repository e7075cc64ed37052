"""A gateway that moves: TLS is switched on, another port, another certificate. Its nodes come along, safely, or say what to do."""

import hashlib
import signal
import ssl
import subprocess

from harness import *
from lying_gateway import LyingGateway

FINGERPRINT = r"tls fingerprint \(sha256\): ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})"
NO_TOKEN = {"OPENCLAW_GATEWAY_TOKEN": None}
PIN = "ab" * 32
JOIN = "openclaw devices join-code"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def serve(test, home, **gateway):
    """A gateway whose port is in its config, as it is at home."""
    home.config({"gateway": gateway})
    process = Process(test, "gateway", [BINARY, "gateway", "run"], home.env())
    process.wait_for(rf"listening on wss?://127.0.0.1:{gateway['port']}\b")
    return process


def settings(machine):
    with open(os.path.join(machine.state, "node.json"), encoding="utf-8") as f:
        return json.load(f)["gateway"]


def tokens(machine):
    """The gateways that this machine has a device token of."""
    with open(os.path.join(machine.state, "identity", "device-auth.json"), encoding="utf-8") as f:
        return sorted(t["gateway"] for t in json.load(f)["tokens"].values() if t["role"] == "node")


def pin_of(gateway, but=None):
    found = wait_until(lambda: [m for m in re.findall(FINGERPRINT, gateway.output()) if m != but], "the fingerprint")
    return found[-1].replace(":", "").lower()


def own_node(test, home, *flags):
    """The node of the gateway's own machine: the same state directory."""
    return Process(test, "node-here", [BINARY, "node", "run", "--display-name", "here", *flags], home.env())


def approve(home, name):
    """Lets it in, if it has to be."""
    def look():
        if usable(home, None, name):
            return True
        for request in home.cli_json("nodes", "pending", "--json"):
            home.cli("nodes", "approve", request["requestId"], "--yes")
        return False
    wait_until(look, f"the approved node {name}")


def scene(test, port=None, **gateway):
    """A gateway, its own node, and one with a state directory of its own, which has nothing but its device token."""
    home, box = test.machine("gw"), test.machine("box")
    port = port or free_port()
    process = serve(test, home, port=port, **gateway)
    here = own_node(test, home)
    for machine in (home, box):
        machine.approvals("full")
    flags = ["--tls-fingerprint", pin_of(process)] if gateway.get("tls") else []
    first = box.node(port, *flags)
    approve(home, "here")
    approve(home, "box")
    first.stop()
    node = box.node(port, env=NO_TOKEN)
    wait_until(lambda: usable(home, None, "box"), "the node with its device token")
    return home, process, here, box, node, port


def runs(home, name):
    equal(home.cli("nodes", "run", "--node", name, "--", "echo", "moved").out, "moved\n")


def comes_over(home, name, where, node):
    wait_until(lambda: node.output().count(f"connected to {where}"), f"{name} at {where}")
    wait_until(lambda: usable(home, None, name), f"{name} usable at {where}")
    runs(home, name)


def test_tls_is_switched_on(test):
    home, gateway, here, box, node, port = scene(test)
    home.cli("config", "set", "gateway.tls.enabled", "true")
    pin = pin_of(gateway)
    comes_over(home, "here", f"wss://127.0.0.1:{port}", here)
    comes_over(home, "box", f"wss://127.0.0.1:{port}", node)
    for machine in (home, box):
        kept = settings(machine)
        equal((kept["port"], kept["tls"], kept["tlsFingerprint"]), (port, True, pin))
        check("next" not in kept, f"{kept}")
        equal(os.stat(os.path.join(machine.state, "node.json")).st_mode & 0o777, 0o600, "mode of node.json")
    equal(tokens(box), ["sha256:" + pin], "whose device tokens there are")
    # With the same words as ever.
    node.stop()
    again = box.node(port, env=NO_TOKEN)
    comes_over(home, "box", f"wss://127.0.0.1:{port}", again)
    here.stop()
    comes_over(home, "here", f"wss://127.0.0.1:{port}", own_node(test, home))


def test_tls_and_another_port(test):
    home, gateway, here, box, node, port = scene(test)
    other = free_port()
    home.config({"gateway": {"port": other, "tls": {"enabled": True}}})
    pin = pin_of(gateway)
    comes_over(home, "here", f"wss://127.0.0.1:{other}", here)
    comes_over(home, "box", f"wss://127.0.0.1:{other}", node)
    equal([(p["port"], p["tls"]) for p in settings(box)["movedFrom"]], [(port, False)])
    equal(tokens(box), ["sha256:" + pin])
    # A unit that names the port of before means the same gateway.
    node.stop()
    comes_over(home, "box", f"wss://127.0.0.1:{other}", box.node(port, env=NO_TOKEN))
    # So does an old code in a start script.
    check(settings(box)["port"] == other, "the port of before is back")


def test_another_port_without_tls(test):
    home, _, here, box, node, port = scene(test)
    other = free_port()
    home.config({"gateway": {"port": other}})
    comes_over(home, "here", f"ws://127.0.0.1:{other}", here)
    comes_over(home, "box", f"ws://127.0.0.1:{other}", node)
    equal(tokens(box), [f"ws://127.0.0.1:{other}"])
    # And back.
    home.config({"gateway": {"port": port}})
    wait_until(lambda: settings(box)["port"] == port, "the way back")
    wait_until(lambda: usable(home, None, "box"), "the node where it began")
    equal([p["port"] for p in settings(box)["movedFrom"]], [other])


def test_a_move_that_fails_changes_nothing(test):
    """The port is somebody else's: a program that says nothing, or another gateway, which refuses our nodes."""
    home, gateway, _, box, node, port = scene(test)
    another = test.machine("another").gateway(env={"OPENCLAW_GATEWAY_TOKEN": "f" * 40})
    with socket.create_server(("127.0.0.1", 0)) as mute:
        for times, taken in enumerate((mute.getsockname()[1], another.port), 1):
            home.config({"gateway": {"port": taken}})
            wait_until(lambda: gateway.output().count("going back to the ones before") == times, "the way back")
            wait_until(lambda: node.output().count(f"connected to ws://127.0.0.1:{port}\n") > times, "the node where it was")
            wait_until(lambda: "next" not in settings(box), "that it forgets where the gateway did not go")
            equal((settings(box)["port"], settings(box).get("movedFrom")), (port, None))
            equal(tokens(box), [f"ws://127.0.0.1:{port}"])
            home.config({"gateway": {"port": port}})
            gateway.child.send_signal(signal.SIGUSR1)
            wait_until(lambda: usable(home, None, "box"), "the node")
    contains(another.output(), "refused ip=127.0.0.1", "the other gateway")


def make_pair(folder, name):
    cert, key = os.path.join(folder, name + ".pem"), os.path.join(folder, name + "-key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={name}",
                    "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key


def test_a_new_certificate(test):
    cert, key = make_pair(test.dir, "first")
    tls = {"enabled": True, "certPath": cert, "keyPath": key}
    home, gateway, here, box, node, port = scene(test, tls=tls)
    old = settings(box)["tlsFingerprint"]
    before = re.findall(FINGERPRINT, gateway.output())[-1]
    for new, there in zip(make_pair(test.dir, "second"), (cert, key)):
        os.replace(new, there)
    pin = pin_of(gateway, but=before)
    # Nothing is restarted: it is noted, and used from the next connection on, also by one that was killed.
    kept = wait_until(lambda: settings(box).get("next"), "the next certificate")
    equal((kept["port"], kept["tlsFingerprint"], settings(box)["tlsFingerprint"]), (port, pin, old))
    node.child.send_signal(signal.SIGKILL)
    node.wait_exit()
    again = box.node(port, env=NO_TOKEN)
    comes_over(home, "box", f"wss://127.0.0.1:{port}", again)
    equal((settings(box)["tlsFingerprint"], tokens(box)), (pin, ["sha256:" + pin]))
    check("next" not in settings(box), "it is still to come")
    gateway.child.send_signal(signal.SIGUSR1)
    wait_until(lambda: settings(home)["tlsFingerprint"] == pin, "the gateway's own node with the new certificate")
    comes_over(home, "here", f"wss://127.0.0.1:{port}", here)
    # A unit that names the pin of before means the same gateway.
    again.stop()
    comes_over(home, "box", f"wss://127.0.0.1:{port}", box.node(port, "--tls-fingerprint", old, env=NO_TOKEN))


def test_who_was_away(test):
    home, gateway, here, box, node, port = scene(test)
    here.stop()
    node.stop()
    home.cli("config", "set", "gateway.tls.enabled", "true")
    pin = pin_of(gateway)
    # The one of the state directory finds it by itself.
    comes_over(home, "here", f"wss://127.0.0.1:{port}", own_node(test, home))
    # The other one says what is the matter and what to do, and no word of certificates.
    away = box.node(port, env=NO_TOKEN)
    away.wait_for("the gateway speaks TLS on that port now")
    away.wait_for(f"fix: .*{JOIN}.*openclaw node run --pair -")
    check("self-signed" not in away.output() and "ertificate" not in away.output(), away.output())
    away.stop()
    lax = box.node(port, "--tls", env=NO_TOKEN)
    lax.wait_for(f"fix: .*{JOIN}.*openclaw node run --pair -")
    check("self-signed" not in lax.output(), lax.output())
    lax.stop()
    # And that is all there is to do.
    code = re.search(r"--pair (\S+)", home.cli("devices", "join-code").out).group(1)
    paired = Process(test, "node-box", [BINARY, "node", "run", "--pair", code], box.env(**NO_TOKEN))
    comes_over(home, "box", f"wss://127.0.0.1:{port}", paired)
    equal(settings(box)["tlsFingerprint"], pin)
    paired.stop()
    comes_over(home, "box", f"wss://127.0.0.1:{port}", Process(test, "node-box", [BINARY, "node", "run"], box.env(**NO_TOKEN)))


def test_nobody_is_led_away_from_tls(test):
    home, gateway, here, box, node, port = scene(test, tls={"enabled": True})
    pin = settings(box)["tlsFingerprint"]
    home.config({"gateway": {"port": port}})
    node.wait_for("not followed: the gateway says that it goes on without TLS")
    node.wait_for("does not speak TLS")
    node.wait_for("fix: .*openclaw node run --no-tls")
    # The owner's own word on this machine is another thing, and so is the owner's word at the node.
    comes_over(home, "here", f"ws://127.0.0.1:{port}", here)
    kept = settings(box)
    equal((kept["tls"], kept["tlsFingerprint"], "next" in kept), (True, pin, False))
    equal(tokens(box), ["sha256:" + pin], "the device token")
    check(not usable(home, None, "box"), "it followed")
    node.stop()
    # Its token is of the certificate: without TLS it is not sent, so the shared one is needed.
    comes_over(home, "box", f"ws://127.0.0.1:{port}", box.node(port, "--no-tls"))


def test_others_are_told_nothing_they_do_not_understand(test):
    home = test.machine("gw")
    port = free_port()
    serve(test, home, port=port)

    def connect(follows):
        node = Client(port)
        check(node.connect(role="node", identity=test.identity(), commands=["system.run"], caps=["system"])["ok"], "connect")
        if follows:
            answer = node.ok("node.event", {"event": "node.gateway.follows", "payloadJSON": "{}"})
            equal((answer["ok"], answer["handled"]), (True, True))
        return node

    ours, other = connect(True), connect(False)
    proxied = Client(port, headers=["X-Forwarded-For: 203.0.113.10"])
    operator = Client(port)
    check(operator.connect()["ok"], "connect")
    home.cli("config", "set", "gateway.tls.enabled", "true")
    code, reason, seen = ours.ws.expect_close()
    equal((code, reason), (1012, "service restart"))
    names = [f["event"] for f in seen if f.get("type") == "event"]
    check(names.index("gateway.moved") < names.index("shutdown"), f"{names}")
    moved = [f["payload"] for f in seen if f.get("event") == "gateway.moved"][0]
    with open(os.path.join(home.state, "gateway", "tls", "gateway-cert.pem"), encoding="ascii") as f:
        pin = hashlib.sha256(ssl.PEM_cert_to_DER_cert(f.read())).hexdigest()
    equal(moved, {"port": port, "tls": True, "tlsFingerprint": pin})
    for client in (other, operator, proxied):
        _, _, seen = client.ws.expect_close()
        check(not [f for f in seen + client.events if f.get("event") == "gateway.moved"], "told who did not ask")
    # Nobody but a node can ask for it.
    ws = WebSocket(port, wrap=ssl._create_unverified_context().wrap_socket)
    equal(ws.recv_json()["event"], "connect.challenge")


def test_another_machine(test):
    """The owner says where; who is connected hears it at once, who comes later then, and they go when the old one is gone."""
    home, gateway, here, box, node, port = scene(test, tls={"enabled": True})
    here.stop()
    other = free_port()
    pin = settings(box)["tlsFingerprint"]
    wait_until(lambda: not usable(home, None, "here"), "the end of the gateway's own node")
    said = home.cli("gateway", "move", "--host", "127.0.0.2", "--port", str(other)).out
    contains(said, "Told: box\n")
    contains(said, "Not told: here\n")
    there = {"host": "127.0.0.2", "port": other, "tls": True, "tlsFingerprint": pin}
    equal(wait_until(lambda: settings(box).get("next"), "the next place"), there)
    # Nobody is there yet: it stays where it is, and is told again.
    node.stop()
    node = box.node(port, env=NO_TOKEN)
    wait_until(lambda: usable(home, None, "box"), "the node where it was")
    equal(wait_until(lambda: settings(box).get("next"), "the next place, told again"), there)
    # One with that certificate is there who does not know the node: what it has stays, and so does the place it has.
    moved = {"port": other, "bind": "custom", "customBindHost": "127.0.0.2", "tls": {"enabled": True}}
    empty = test.machine("empty")
    shutil.copytree(os.path.join(home.state, "gateway"), os.path.join(empty.state, "gateway"))
    empty.config({"gateway": moved})
    unready = Process(test, "unready", [BINARY, "gateway", "run"], empty.env())
    unready.wait_for(rf"listening on wss://127.0.0.2:{other}")
    node.stop()
    wait_until(lambda: not usable(home, None, "box"), "that it is gone")
    node = box.node(port, env=NO_TOKEN)
    wait_until(lambda: usable(home, None, "box"), "the node where it was")
    contains(unready.output(), "refused", "it was there first")
    equal(tokens(box), ["sha256:" + pin])
    unready.stop()
    equal(wait_until(lambda: settings(box).get("next"), "the next place, told again"), there)
    # The owner's secrets are for the host that they named.
    with_secret = test.machine("other")
    with_secret.approvals("full")
    second = with_secret.node(port, "--tls-fingerprint", pin)
    approve(home, "other")
    wait_until(lambda: settings(with_secret).get("next"), "the second node")
    gateway.stop()
    new = test.machine("new")
    shutil.copytree(home.state, new.state, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.lock", "node*"))
    new.config({"gateway": moved})
    process = Process(test, "gateway", [BINARY, "gateway", "run"], new.env())
    process.wait_for(rf"listening on wss://127.0.0.2:{other}")
    for one, machine in ((node, box), (second, with_secret)):
        one.wait_for(f"connected to wss://127.0.0.2:{other}")
        wait_until(lambda: settings(machine)["host"] == "127.0.0.2", "where it is")
        equal(tokens(machine), ["sha256:" + pin])
    came = re.findall(r'connected role=node client="(?:box|other)" .*auth=(\S+)', process.output())
    equal(came, ["device-token"] * 2, "what they came with")


def test_a_machine_is_named_over_tls_only_and_can_be_taken_back(test):
    home, gateway, _, box, _, port = scene(test)
    contains(home.cli("gateway", "move", "--host", "127.0.0.2", code=1).err, "nodes follow to another host over TLS only")
    home.cli("gateway", "move", code=2)
    home.cli("config", "set", "gateway.tls.enabled", "true")
    wait_until(lambda: settings(box)["tls"], "TLS")
    wait_until(lambda: usable(home, None, "box"), "the node with TLS")
    contains(home.cli("gateway", "move", "--host", "a b", code=1).err, "needs a host's name or address")
    contains(home.cli("gateway", "move", "--host", "x.example", "--pin", "12", code=1).err, "is not a SHA-256")
    home.cli("gateway", "move", "--host", "x.example")
    equal(wait_until(lambda: settings(box).get("next"), "the next place")["host"], "x.example")
    contains(home.cli("gateway", "move", "--stay").out, "The gateway stays here.")
    wait_until(lambda: "next" not in settings(box), "that it stays")


def lying_node(test, gateway, name="box"):
    box = test.machine(name)
    box.approvals("full")
    return box, box.node(gateway.port)


def after(liar, link, number):
    """The node has handled all that was sent before."""
    link.event("node.invoke.request", {"id": f"i{number}", "nodeId": "x", "command": "system.which", "paramsJSON": "{\"bins\":[]}"})
    wait_until(lambda: [p for p in liar.requests("node.invoke.result") if p["id"] == f"i{number}"], "the node's answer")


def opened(**kw):
    """A lying gateway, and its connections as they open."""
    links = []
    liar = LyingGateway({"node.event": {"ok": True}}, on_open=links.append, **kw)
    return liar, links


def test_a_move_counts_in_an_open_session_only(test):
    target, _ = opened()
    good = {"port": target.port, "tls": False}

    class Refusing(LyingGateway):
        def _answer(self, link, frame):
            link.event("gateway.moved", good)
            if frame.get("method") != "connect":
                return
            self.asked.append(("connect", {}))
            link.send({"type": "res", "id": frame["id"], "ok": False,
                       "error": {"code": "UNAVAILABLE", "message": "not now", "retryAfterMs": 100}})
            link.event("gateway.moved", good)
            link.sock.shutdown(socket.SHUT_RDWR)

    liar = Refusing({})
    box, _ = lying_node(test, liar)
    wait_until(lambda: len(liar.requests("connect")) > 3, "that it comes again")
    check("next" not in settings(box), f"{settings(box)}")
    equal(target.asked, [], "what was said where nobody led it to")


def test_nonsense_and_other_hosts_are_not_followed(test):
    target, _ = opened()
    liar, links = opened()
    box, node = lying_node(test, liar)
    link = wait_until(lambda: links and links[0], "the node")
    before = settings(box)
    wrong = [{"port": 0, "tls": False}, {"port": target.port, "tls": True}, {"port": target.port, "tls": True, "tlsFingerprint": "ab"},
             {"port": target.port, "tls": True, "tlsFingerprint": PIN + "ab"}, {"port": target.port, "tls": False, "tlsFingerprint": PIN},
             {"host": "127.0.0.2", "port": target.port, "tls": False},
             {"host": "127.0.0.2", "port": target.port, "tls": True, "tlsFingerprint": PIN}, "x" * 60000, [[[{}]]]]
    for payload in wrong:
        link.event("gateway.moved", payload)
    after(liar, link, 1)
    equal(settings(box), {**before, "own": False})
    node.wait_for("not followed: the gateway names another host, which counts only over TLS")
    link.sock.shutdown(socket.SHUT_RDWR)
    wait_until(lambda: len(links) > 1, "that it comes back to where it was")
    equal(target.asked, [], "what was said to a place it was not led to")


def test_a_flood_of_moves(test):
    liar, links = opened()
    box, node = lying_node(test, liar)
    link = wait_until(lambda: links and links[0], "the node")
    for i in range(2000):
        link.event("gateway.moved", {"port": 20000 + i, "tls": False})
    after(liar, link, 1)
    check(settings(box)["next"]["port"] < 20010, f"{settings(box)}")
    check(node.output().count("\n") < 20, node.output())


def test_a_place_that_does_not_prove_itself_hears_nothing(test):
    """The certificate there is not the one that was named: no word is said, and the place of before stays."""
    cert, key = make_pair(test.dir, "other")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    heard, tried = [], []
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            try:
                sock = listener.accept()[0]
            except OSError:
                return
            try:
                sock = context.wrap_socket(sock, server_side=True)
                heard.append(sock.recv(4096))
            except OSError:
                pass
            tried.append(1)
            sock.close()

    threading.Thread(target=accept, daemon=True).start()
    liar, links = opened(hello={"auth": {"deviceToken": "dt-1", "role": "node", "scopes": []}})
    box, node = lying_node(test, liar)
    link = wait_until(lambda: links and links[0], "the node")
    link.event("gateway.moved", {"port": listener.getsockname()[1], "tls": True, "tlsFingerprint": PIN})
    after(liar, link, 1)
    equal(settings(box)["next"]["tlsFingerprint"], PIN)
    link.sock.shutdown(socket.SHUT_RDWR)
    wait_until(lambda: tried, "that the place is tried")
    wait_until(lambda: len(links) > 1, "that it comes back")
    equal([h for h in heard if h], [], "what was said to who did not prove itself")
    wait_until(lambda: "next" not in settings(box), "that it is forgotten")
    equal(tokens(box), [f"ws://127.0.0.1:{liar.port}"])
    listener.close()


run_tests(globals())

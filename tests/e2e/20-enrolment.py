"""Setup codes: one paste pairs a machine; single use, bound to what its maker may grant."""

import termios

from harness import *

NO_TOKEN = {"OPENCLAW_GATEWAY_TOKEN": None}


def decode(code):
    return json.loads(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)))


def make_code(home, port, *flags):
    return home.cli_json("devices", "join-code", *flags, "--json", port=port)


def use(port, code, identity, **kw):
    """Connects with nothing but the code; gives the answer."""
    token = decode(code)["bootstrapToken"]
    return Client(port, host_header="gateway.lan").connect(identity=identity, token=token, auth={"bootstrapToken": token}, **kw)


def refused(answer, what):
    check(not answer["ok"], f"{what}: was let in")
    equal(answer["error"]["details"]["code"], "AUTH_BOOTSTRAP_TOKEN_INVALID", what)


def test_one_paste_pairs_a_node_for_good(test):
    home = test.machine("gw")
    gateway = home.gateway()
    proxy = HostProxy(gateway.port)
    made = make_code(home, gateway.port, "--public-url", f"ws://127.0.0.1:{proxy.port}")
    contains(made["command"], "openclaw node run --pair " + made["setupCode"])
    equal(decode(made["setupCode"])["url"], f"ws://127.0.0.1:{proxy.port}")
    box = test.machine("box")
    box.approvals("full")
    node = Process(test, "node-box", [BINARY, "node", "run", "--display-name", "box", "--pair", made["setupCode"]],
                   box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "box"), "the node, approved by its code")
    with open(f"/proc/{node.child.pid}/cmdline", "rb") as f:
        check(made["setupCode"].encode() not in f.read(), "the code can be read in the process list")
    home.cli("nodes", "run", "--node", "box", "--", "true", port=gateway.port)
    equal(home.cli_json("nodes", "pending", "--json", port=gateway.port), [], "nothing to approve")
    check(decode(made["setupCode"])["bootstrapToken"] not in node.output() + gateway.output(), "the token is in a log")
    # From now on it needs neither code nor token.
    node.stop()
    again = Process(test, "node-box", [BINARY, "node", "run"], box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "box"), "the node after a restart")
    again.stop()
    # For a supervisor that always passes the same, long used code.
    Process(test, "node-box", [BINARY, "node", "run", "--pair-if-needed", made["setupCode"]], box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "box"), "the node with a used code, if needed")
    proxy.close()


def test_a_code_from_stdin_or_the_environment(test):
    home = test.machine("gw")
    gateway = home.gateway()
    code = make_code(home, gateway.port)["setupCode"]
    one = test.machine("one")
    child = subprocess.Popen([BINARY, "node", "run", "--display-name", "one", "--pair", "-"], env=one.env(**NO_TOKEN),
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=test.dir)
    child.stdin.write(b"oc-pair://" + code.encode() + b"\n")
    child.stdin.close()
    wait_until(lambda: usable(home, gateway.port, "one"), "the node with the code on stdin")
    child.terminate()
    child.wait(DEADLINE)
    code = make_code(home, gateway.port)["setupCode"]
    two = test.machine("two")
    Process(test, "node-two", [BINARY, "node", "run", "--display-name", "two"],
            two.env(OPENCLAW_PAIR_CODE=code, **NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "two"), "the node with the code in its environment")


def test_a_code_is_one_line(test):
    """Nobody has to end the input behind it, and on a terminal it is asked for and not shown."""
    home = test.machine("gw")
    gateway = home.gateway()
    one, two = test.machine("one"), test.machine("two")
    code = make_code(home, gateway.port)["setupCode"]
    child = subprocess.Popen([BINARY, "node", "run", "--display-name", "one", "--pair", "-"], env=one.env(**NO_TOKEN),
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=test.dir)
    child.stdin.write(code.encode() + b"\n")
    child.stdin.flush()  # and it stays open
    wait_until(lambda: usable(home, gateway.port, "one"), "the node with one line on stdin")
    child.terminate()
    child.communicate(timeout=DEADLINE)
    code = make_code(home, gateway.port)["setupCode"]
    terminal = Terminal(test, two, 0, "node", "run", "--display-name", "two", "--pair", "-")
    terminal.wait_for("Join code: ")
    terminal.type(code + "\n")
    wait_until(lambda: usable(home, gateway.port, "two"), "the node whose code was typed")
    terminal.wait_for("connected to")
    check(code not in terminal.text, f"the code is on the screen: {terminal.text}")
    terminal.child.terminate()
    terminal.child.wait(DEADLINE)
    os.close(terminal.master)
    given_up = Terminal(test, test.machine("three"), 0, "node", "run", "--pair", "-")
    given_up.wait_for("Join code: ")
    before = termios.tcgetattr(given_up.master)[3]
    check(not before & termios.ECHO, "it is shown")
    given_up.child.send_signal(signal.SIGINT)
    equal(given_up.child.wait(DEADLINE), -signal.SIGINT)
    check(termios.tcgetattr(given_up.master)[3] & termios.ECHO, "the terminal stays without echo")
    os.close(given_up.master)


def test_cve_2026_32987_a_used_code_is_refused(test):
    home = test.machine("gw")
    gateway = home.gateway()
    code = make_code(home, gateway.port)["setupCode"]
    key = test.identity()
    check(use(gateway.port, code, key, role="node")["ok"], "first use")
    refused(use(gateway.port, code, test.identity(), role="node"), "second use by another device")
    refused(use(gateway.port, code, key, role="node"), "second use by the same device")
    box = test.machine("box")
    node = Process(test, "node-box", [BINARY, "node", "run", "--pair", code], box.env(**NO_TOKEN))
    equal(node.wait_exit(), 1, "exit status of a node with a used code")
    contains(node.output(), "openclaw devices join-code")


def test_many_at_once_and_one_wins(test):
    home = test.machine("gw")
    gateway = home.gateway()
    code = make_code(home, gateway.port)["setupCode"]
    token = decode(code)["bootstrapToken"]
    clients = [(Client(gateway.port, host_header="gateway.lan"), test.identity()) for _ in range(12)]
    ready = [(client, client.connect_params(role="node", identity=key, token=token, auth={"bootstrapToken": token}))
             for client, key in clients]
    asked = [(client, client.send("connect", params)) for client, params in ready]
    answers = [client.answer(request) for client, request in asked]
    equal(sum(a["ok"] for a in answers), 1, "devices let in by one code")
    for answer in answers:
        if not answer["ok"]:
            refused(answer, "loser")
    paired = home.cli_json("devices", "list", "--json", port=gateway.port)["paired"]
    equal(len([d for d in paired if "node" in d.get("roles", [])]), 1, "paired nodes")


def test_a_code_is_for_its_role_and_scopes_only(test):
    home = test.machine("gw")
    gateway = home.gateway()
    node_code = make_code(home, gateway.port)["setupCode"]
    refused(use(gateway.port, node_code, test.identity(), scopes=["operator.read"]), "a node's code used by an operator")
    check(use(gateway.port, node_code, test.identity(), role="node")["ok"], "the attempt with the wrong role used it up")
    reader = make_code(home, gateway.port, "--role", "operator", "--scope", "operator.read")["setupCode"]
    refused(use(gateway.port, reader, test.identity()), "a reader's code used for admin")
    refused(use(gateway.port, reader, test.identity(), role="node"), "an operator's code used by a node")
    key = test.identity()
    hello = use(gateway.port, reader, key, scopes=["operator.read"])["payload"]
    equal(hello["auth"]["role"], "operator")
    token = hello["auth"]["deviceToken"]
    wider = Client(gateway.port, host_header="gateway.lan")
    check(not wider.connect(identity=key, token=token, scopes=["operator.write"])["ok"], "the reader became a writer")
    check(Client(gateway.port).connect(identity=key, token=token, scopes=["operator.read"])["ok"], "the device token")


def test_an_old_code_takes_no_pin_away(test):
    """The code stays in the start script; the gateway has got TLS since, and the owner has pinned it."""
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    code = make_code(home, gateway.port)["setupCode"]
    node = Process(test, "node-box", [BINARY, "node", "run", "--pair", code], box.env(**NO_TOKEN))
    node.wait_for("connected")
    node.stop()
    path = os.path.join(box.state, "node.json")
    with open(path, encoding="utf-8") as f:
        kept = json.load(f)
    kept["gateway"].update(tls=True, tlsFingerprint="ab" * 32)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(kept, f)
    for argv, env in ((["--pair-if-needed", code], {}), ([], {"OPENCLAW_PAIR_CODE": code})):
        node = Process(test, "node-box", [BINARY, "node", "run", *argv], box.env(**NO_TOKEN, **env))
        node.wait_for(r"TLS|tls", "that a gateway without TLS is refused")
        check(": connected" not in node.output(), node.output())
        node.stop()
        with open(path, encoding="utf-8") as f:
            equal(json.load(f)["gateway"], kept["gateway"], "node.json")


def test_pairing_only_leaves_the_commands_shut(test):
    home = test.machine("gw")
    gateway = home.gateway()
    code = make_code(home, gateway.port, "--pairing-only")["setupCode"]
    node = Client(gateway.port, host_header="gateway.lan")
    token = decode(code)["bootstrapToken"]
    check(node.connect(role="node", identity=test.identity(), token=token, auth={"bootstrapToken": token},
                       commands=["system.run"], caps=["system"])["ok"], "connect")
    equal(len(home.cli_json("nodes", "pending", "--json", port=gateway.port)), 1, "surface requests")


def test_cve_2026_32905_only_who_may_grant_may_mint(test):
    home = test.machine("gw")
    gateway = home.gateway()
    clerk = Client(gateway.port)
    check(clerk.connect(identity=test.identity(), scopes=["operator.pairing", "operator.read"])["ok"], "connect")
    answer = clerk.call("device.pair.setupCode", {"role": "node"})
    equal(answer["error"]["message"], "missing scope: operator.admin")
    answer = clerk.call("device.pair.setupCode", {"role": "operator", "scopes": ["operator.write"]})
    equal(answer["error"]["message"], "missing scope: operator.write")
    check(clerk.call("device.pair.setupCode", {"role": "operator", "scopes": ["operator.read"]})["ok"], "what it holds")
    reader = Client(gateway.port)
    check(reader.connect(identity=test.identity(), scopes=["operator.read"])["ok"], "connect")
    answer = reader.call("device.pair.setupCode", {"role": "operator", "scopes": ["operator.read"]})
    equal(answer["error"]["message"], "missing scope: operator.pairing")
    node = Client(gateway.port)
    check(node.connect(role="node", identity=test.identity())["ok"], "connect")
    check(not node.call("device.pair.setupCode", {"role": "node"})["ok"], "a node made a setup code")


def test_codes_of_a_removed_device_are_void(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    maker = Client(gateway.port)
    check(maker.connect(identity=key)["ok"], "connect")
    code = maker.ok("device.pair.setupCode", {"role": "node"})["setupCode"]
    home.cli("devices", "remove", key.device_id, port=gateway.port)
    refused(use(gateway.port, code, test.identity(), role="node"), "a code of a removed device")


def test_codes_survive_a_restart_and_are_hashed(test):
    home = test.machine("gw")
    gateway = home.gateway()
    code = make_code(home, gateway.port)["setupCode"]
    used = make_code(home, gateway.port)["setupCode"]
    check(use(gateway.port, used, test.identity(), role="node")["ok"], "use")
    gateway.stop()
    token = decode(code)["bootstrapToken"].encode()
    for name in os.listdir(home.state):
        path = os.path.join(home.state, name)
        if os.path.isfile(path):
            with open(path, "rb") as f:
                check(token not in f.read(), f"the token is in {name}")
    gateway = home.gateway()
    refused(use(gateway.port, used, test.identity(), role="node"), "a used code after a restart")
    check(use(gateway.port, code, test.identity(), role="node")["ok"], "a code from before the restart")


def test_waiting_codes_are_bounded(test):
    home = test.machine("gw")
    gateway = home.gateway()
    maker = Client(gateway.port)
    check(maker.connect(identity=test.identity())["ok"], "connect")
    for _ in range(32):
        maker.ok("device.pair.setupCode", {"role": "node"})
    answer = maker.call("device.pair.setupCode", {"role": "node"})
    equal(answer["error"]["code"], "UNAVAILABLE")
    for bad in ({"role": "king"}, {"publicUrl": "http://x"}, {"publicUrl": "ws://a b"}, {"publicUrl": "ws://u:p@x"},
                {"publicUrl": "ws://$(x)"}, {"scopes": "operator.read"}, {"publicUrl": 1}):
        equal(maker.call("device.pair.setupCode", bad)["error"]["code"], "INVALID_REQUEST", str(bad))


def test_an_app_gets_the_tokens_of_both_roles(test):
    home = test.machine("gw")
    gateway = home.gateway()
    code = home.cli("qr", "--setup-code-only", port=gateway.port).out.strip()
    key = test.identity()
    auth = use(gateway.port, code, key, role="node", client_id="openclaw-ios")["payload"]["auth"]
    equal([t["role"] for t in auth["deviceTokens"]], ["operator"])
    scopes = auth["deviceTokens"][0]["scopes"]
    check("operator.admin" not in scopes and "operator.write" in scopes, f"scopes of the app: {scopes}")
    operator = Client(gateway.port, host_header="gateway.lan")
    check(operator.connect(identity=key, token=auth["deviceTokens"][0]["deviceToken"], scopes=["operator.read"])["ok"],
          "the app as operator")


def test_the_pin_comes_with_the_code(test):
    home = test.machine("gw")
    cert, key = os.path.join(test.dir, "cert.pem"), os.path.join(test.dir, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-subj", "/CN=x", "-keyout", key,
                    "-out", cert], check=True, capture_output=True)
    home.config({"gateway": {"tls": {"enabled": True, "certPath": cert, "keyPath": key}}})
    gateway = Process(test, "gateway-tls", [BINARY, "gateway", "run", "--port", "0"], home.env())
    port = int(gateway.wait_for(r"listening on wss?://[^\s:]+:(\d+)").group(1))
    made = make_code(home, port)
    inside = decode(made["setupCode"])
    check(inside["url"].startswith("wss://"), f"url: {inside['url']}")
    equal(len(inside["tlsFingerprint"]), 64, "pin")
    # Someone in the middle has another certificate: the node must not give the token away.
    wrong = dict(inside, tlsFingerprint="00" * 32)
    forged = base64.urlsafe_b64encode(json.dumps(wrong).encode()).decode().rstrip("=")
    fooled = test.machine("fooled")
    node = Process(test, "node-fooled", [BINARY, "node", "run", "--pair", forged], fooled.env(**NO_TOKEN))
    node.wait_for(r"(?i)fingerprint|certificate")
    node.stop()
    box = test.machine("box")
    node = Process(test, "node-box", [BINARY, "node", "run", "--display-name", "box", "--pair", made["setupCode"]],
                   box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, port, "box"), "the node by its code and pin")
    with open(os.path.join(box.state, "node.json"), encoding="utf-8") as f:
        equal(json.load(f)["gateway"]["tlsFingerprint"], inside["tlsFingerprint"], "stored pin")
    node.wait_for(r"\nconnected to ")  # by then it has kept its token
    node.stop()
    Process(test, "node-box", [BINARY, "node", "run"], box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, port, "box"), "the node after a restart")


def test_a_code_for_a_proxy_has_no_pin_of_ours(test):
    home = test.machine("gw")
    home.config({"gateway": {"tls": {"enabled": True}}})
    gateway = Process(test, "gateway-tls", [BINARY, "gateway", "run", "--port", "0"], home.env())
    port = int(gateway.wait_for(r"listening on wss?://[^\s:]+:(\d+)").group(1))

    def made(*args):
        done = home.cli("devices", "join-code", *args, port=port)
        return decode(re.search(r"--pair (\S+)", done.out).group(1)), done.err

    for url in ("wss://gw.example.com/oc", "wss://gw.example.com"):
        inside, said = made("--public-url", url)
        check("tlsFingerprint" not in inside, f"a pin for {url}")
        contains(said, "add --pin")
    equal(len(made("--public-url", "wss://gw.example.com", "--pin")[0]["tlsFingerprint"]), 64, "pin on request")
    equal(len(made("--public-url", f"wss://gw.example.com:{port}")[0]["tlsFingerprint"]), 64, "pin of our own port")
    inside, said = made("--public-url", "ws://example.com:1")
    contains(said, "nodes refuse ws:// to example.com")


def test_scopes_that_make_no_sense(test):
    home = test.machine("gw")
    gateway = home.gateway()
    contains(home.cli("devices", "join-code", "--role", "operator", "--scope", "operator.nonsense", port=gateway.port, code=1).err,
             "no such scope: operator.nonsense")
    contains(home.cli("devices", "join-code", "--scope", "operator.read", port=gateway.port, code=2).err, "a node has no scopes")
    client = Client(gateway.port)
    client.connect()
    error = client.call("device.pair.setupCode", {"role": "node", "scopes": ["operator.read"]})["error"]
    contains(error["message"], "scopes are for operators")


def test_the_qr_code_is_drawn_with_the_text(test):
    home = test.machine("gw")
    gateway = home.gateway()
    shown = home.cli("qr", port=gateway.port)
    contains(shown.out, "Setup code: ")
    check("▀" in shown.out or "libqrencode4" in shown.err, f"neither a picture nor a word about it: {shown.err}")


def test_damaged_codes_are_named_and_not_shown(test):
    box = test.machine("box")
    for bad in ("x", "!!!!", "e30", base64.urlsafe_b64encode(b'{"url":"ftp://x","bootstrapToken":"t"}').decode(),
                base64.urlsafe_b64encode(b'{"url":"ws://x","bootstrapToken":"t","tlsFingerprint":1}').decode()):
        done = box.cli("node", "run", "--pair", bad, code=1)
        contains(done.err, "setup code")
        check(bad not in done.err or len(bad) < 5, "the code is shown")
    old = base64.urlsafe_b64encode(b'{"url":"ws://127.0.0.1:1","bootstrapToken":"t","expiresAtMs":1000}').decode().rstrip("=")
    contains(box.cli("node", "run", "--pair", old, code=1).err,
             "the setup code has expired\n  fix: copy it whole, or make a new one with: openclaw devices join-code\n")


run_tests(globals())

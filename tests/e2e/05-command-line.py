"""The command line as a person and a script see it."""

from harness import *


def test_version_and_help(test):
    m = test.machine("m")
    contains(m.cli("--version").out, "openclaw ")
    top = m.cli("--help").out
    for family in ("gateway", "node", "nodes", "devices"):
        contains(top, family, "top help")
        contains(m.cli(family, "--help").out, "openclaw " + family, f"help of {family}")
    for command in ("gateway run", "gateway status", "gateway health", "gateway call", "node run", "nodes status", "nodes list",
                    "nodes describe", "nodes pending", "nodes approve", "nodes reject", "nodes rename", "nodes remove",
                    "nodes invoke", "nodes run", "devices list", "devices approve", "devices reject", "devices remove",
                    "devices rotate", "devices revoke"):
        done = m.cli(*command.split(), "--help")
        contains(done.out, "openclaw " + command, f"help of {command}")


def test_mistakes_are_explained(test):
    m = test.machine("m")
    contains(m.cli("devcies", code=2).err, "devices", "a suggestion")
    contains(m.cli("nodes", "status", "--jsno", code=2).err, "--json", "a suggestion")
    contains(m.cli("gateway", "run", "--port", "99999999", code=2).err, "--port")
    contains(m.cli("nodes", "status", port=1, code=1).err, "openclaw gateway run", "what to do when there is no gateway")


def test_a_usage_error_is_a_document_too(test):
    m = test.machine("m")
    for args in (("nodes", "status", "--json", "--jsno"), ("nodes", "reject", "--json"), ("nodes", "rename", "--json"),
                 ("gateway", "health", "--json", "--tls-fingerprint", "zz")):
        done = m.cli(*args, port=1, code=2)
        document = json.loads(done.out)
        equal((document["ok"], document["error"]["type"]), (False, "usage_error"), " ".join(args))
        check(document["error"]["message"] in done.err, f"the same on stderr: {done.err}")
    equal(m.cli("nodes", "status", "--jsno", port=1, code=2).out, "", "nobody asked for a document")
    contains(m.cli("gateway", "rnu", code=2).err, "did you mean 'gateway run'?")


def test_nodes_invoke_says_its_error_once(test):
    home, gateway, _, _ = paired_node(test)
    failed = home.cli("nodes", "invoke", "--node", "box", "--command", "no.such", port=gateway.port, code=1)
    equal(failed.out, "")
    check("nodes allow" not in failed.err, f"advice to allow what no node has: {failed.err}")
    failed = home.cli("nodes", "invoke", "box", "sytem.which", port=gateway.port, code=1)
    contains(failed.err, 'did you mean "system.which"?')
    failed = home.cli("nodes", "invoke", "box", "camera.ptz.control", port=gateway.port, code=1)
    contains(failed.err, "openclaw nodes allow camera.ptz.control", "one that there is")
    equal(home.cli_json("nodes", "invoke", "--node", "box", "--command", "no.such", "--json", port=gateway.port, code=1)["ok"], False)


def test_a_gateway_on_another_port_is_found(test):
    """gateway run --port is not in the config; local commands ask where it listens."""
    home = test.machine("gw")
    gateway = home.gateway()
    check(home.cli_json("gateway", "health", "--json")["ok"], "gateway health")
    contains(home.cli("doctor").out, f"ws://127.0.0.1:{gateway.port} answers")
    gateway.stop()
    check(str(gateway.port) not in home.cli("nodes", "status", code=1).err, "the port of a gateway that is gone")


def test_json_is_one_document_on_stdout(test):
    home, gateway, _, _ = paired_node(test)
    port = gateway.port
    status = home.cli_json("nodes", "status", "--json", port=port)
    check({"ts", "nodes"} <= set(status), f"node.list payload: {status}")
    node = status["nodes"][0]
    for key in ("nodeId", "displayName", "platform", "caps", "commands", "connected", "paired"):
        check(key in node, f"{key} in a node entry")
    check({"pending", "paired"} <= set(home.cli_json("nodes", "list", "--json", port=port)), "nodes list")
    equal(home.cli_json("nodes", "pending", "--json", port=port), [], "nodes pending")
    equal(home.cli_json("nodes", "describe", "--node", "box", "--json", port=port)["nodeId"], node["nodeId"])
    check({"pending", "paired"} <= set(home.cli_json("devices", "list", "--json", port=port)), "devices list")
    check(home.cli_json("gateway", "health", "--json", port=port)["ok"], "gateway health")
    home.cli_json("gateway", "status", "--json", port=port)
    check("nodes" in home.cli_json("gateway", "call", "node.list", "--json", port=port), "gateway call")
    result = home.cli_json("nodes", "invoke", "--node", "box", "--command", "system.which", "--params", '{"bins":["sh"]}', port=port)
    check(result["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {result}")
    result = home.cli_json("nodes", "run", "--node", "box", "--json", "--", "printf", "hi", port=port)
    contains(json.dumps(result), '"stdout": "hi"')


def test_names_and_prefixes_find_a_node(test):
    home, gateway, _, _ = paired_node(test)
    port = gateway.port
    node_id = home.cli_json("nodes", "status", "--json", port=port)["nodes"][0]["nodeId"]
    for query in ("box", "BOX", node_id, node_id[:8]):
        equal(home.cli_json("nodes", "describe", "--node", query, "--json", port=port)["nodeId"], node_id, query)
    contains(home.cli("nodes", "describe", "--node", "nobody", port=port, code=1).err, "unknown node: nobody (known: ")
    home.cli("nodes", "rename", "--node", "box", "--name", "Upstairs", port=port)
    equal(home.cli_json("nodes", "describe", "--node", "upstairs", "--json", port=port)["displayName"], "Upstairs")
    for query in ("ups", "UPS", node_id[:3]):
        equal(home.cli_json("nodes", "describe", query, "--json", port=port)["nodeId"], node_id, query)
    contains(home.cli("nodes", "describe", "upstiars", port=port, code=1).err, "did you mean Upstairs?")


def test_a_word_names_the_node(test):
    home, gateway, box, _ = paired_node(test)
    port = gateway.port
    equal(home.cli("nodes", "run", "box", "--", "echo", "there", port=port).out, "there\n")
    equal(home.cli("nodes", "run", "echo", "box", port=port).out, "box\n", "without -- all words are the program's")
    equal(home.cli("nodes", "run", "--", "echo", "--", "x", port=port).out, "-- x\n", "a later -- is the program's")
    contains(home.cli("nodes", "run", "box", "uname", port=port, code=127).err, "openclaw nodes run box -- <program>")
    contains(home.cli("nodes", "run", "nobody", "--", "echo", port=port, code=1).err, "unknown node: nobody")
    contains(home.cli("nodes", "run", "--node", "box", "box", "--", "echo", port=port, code=2).err, "name the node once")
    contains(home.cli("nodes", "describe", "box", port=port).out, "system.run")
    check(home.cli_json("nodes", "invoke", "box", "system.which", "--params", '{"bins":["sh"]}', port=port)["ok"], "nodes invoke")
    home.cli("nodes", "invoke", "box", port=port, code=2)
    contains(home.cli("nodes", "location", "get", "bax", port=port, code=1).err, "did you mean box?")
    contains(home.cli("nodes", "camera", "snap", "bax", port=port, code=1).err, "did you mean box?")
    contains(home.cli("nodes", "screen", "snapshot", "bax", port=port, code=1).err, "did you mean box?")
    contains(home.cli("nodes", "canvas", "navigate", "bax", "https://example.org", port=port, code=1).err, "did you mean box?")
    contains(home.cli("nodes", "canvas", "a2ui", "reset", "bax", port=port, code=1).err, "did you mean box?")
    contains(home.cli("nodes", "notify", "bax", "--title", "x", port=port, code=1).err, "did you mean box?")
    handle = home.cli("nodes", "run", "--background", "box", "--", "sleep", "1000", port=port).out.strip()
    contains(home.cli("nodes", "runs", "list", "box", port=port).out, handle)
    contains(home.cli("nodes", "runs", "poll", handle[:5], port=port).out, handle, "the beginning of a handle")
    contains(home.cli("nodes", "runs", "kill", "box", handle[:5], port=port).out, "killed")
    home.cli("nodes", "rename", "box", "Up stairs", port=port)
    contains(home.cli("nodes", "remove", "up", port=port).out, "Removed Up stairs")


def test_the_words_people_try_first(test):
    home = test.machine("gw")
    contains(home.cli().out, "Neither a gateway nor a node runs here.")
    contains(home.cli("version").out, "openclaw ")
    equal(home.cli("status", port=1, code=1).out.split()[0], "Gateway")
    gateway = home.gateway()
    contains(home.cli().out, f"A gateway runs here, on port {gateway.port}.")
    check(home.cli_json("status", "-o", "json", port=gateway.port)["gateway"]["ok"], "status")
    contains(home.cli("status", port=gateway.port).out, "0 connected of 0")
    contains(home.cli("logs", port=gateway.port).out, "gateway listening")
    lines = home.cli_json("logs", "-n", "1", "-o", "json", port=gateway.port)["lines"]
    equal(len(lines), 1, "lines")
    contains(home.cli("nodes", "ls", port=gateway.port).out, "Paired: 0")
    contains(home.cli("nodes", "status", "--help").out, "openclaw help options")
    contains(home.cli("help", "options").out, "--password-file")


def test_status_and_logs_go_on(test):
    home = test.machine("gw")
    gateway = home.gateway()

    def start(*args):
        return subprocess.Popen([BINARY, *args], env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=test.dir)

    watch, logs = start("status", "--watch", "--json"), start("logs", "-f")
    equal(json.loads(watch.stdout.readline())["nodes"]["connected"], 0)
    contains(logs.stdout.readline().decode(), "gateway listening")
    node = Client(gateway.port)
    check(node.connect(role="node", identity=test.identity(), commands=["system.run"], caps=["system"])["ok"], "connect")
    equal(json.loads(watch.stdout.readline())["nodes"]["connected"], 1, "what has changed")
    while b"node waits for approval" not in logs.stdout.readline():
        pass
    for child in (watch, logs):
        child.terminate()
        child.communicate(timeout=DEADLINE)


def test_a_typing_error_is_not_allowed(test):
    home = test.machine("gw")
    gateway = home.gateway()
    for verb in ("allow", "deny"):
        failed = home.cli("nodes", verb, "camera.snp", port=gateway.port, code=1)
        contains(failed.err, "no node offers camera.snp; did you mean camera.snap?")
    contains(home.cli("nodes", "allow", "foo.bar", port=gateway.port, code=1).err, "--force")
    contains(home.cli("nodes", "allow", "foo.bar", "--force", port=gateway.port).out, "foo.bar: allowed")
    node = Client(gateway.port)
    check(node.connect(role="node", identity=test.identity(), commands=["my.own"], caps=["system"])["ok"], "connect")
    contains(home.cli("nodes", "allow", "my.own", port=gateway.port).out, "my.own: allowed", "a node has it")


def test_requests_by_the_beginning_of_their_id(test):
    """What is approved by less than its whole id is shown first, and needs a yes."""
    home = test.machine("gw")
    gateway = home.gateway()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=test.identity(), commands=["system.run"], caps=["system"])["ok"], "connect")
    request = home.cli_json("nodes", "pending", "--json", port=gateway.port)[0]["requestId"]
    contains(home.cli("nodes", "approve", request[:3], port=gateway.port, code=1).err, "unknown requestId")
    failed = home.cli("nodes", "approve", request[:6], port=gateway.port, code=1)
    contains(failed.err, "commands  system: run", "what it would open")
    contains(failed.err, f"openclaw nodes approve {request} --yes")
    contains(home.cli("nodes", "approve", request[:6], "--yes", port=gateway.port).out, "Approved")


def test_approve_asks_before_it_acts(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.run"], caps=["system"])["ok"], "connect")
    done = home.cli("nodes", "approve", port=gateway.port, code=1, stdin=b"")
    contains(done.out + done.err, "  commands  system: run\n", "what it would open")
    contains(done.err, "openclaw nodes approve", "how to say yes")
    equal(len(home.cli_json("nodes", "pending", "--json", port=gateway.port)), 1, "still pending")
    second = Client(gateway.port)
    check(second.connect(role="node", identity=test.identity(), commands=["system.run"], caps=["system"])["ok"], "connect")
    done = home.cli("nodes", "approve", "--yes", port=gateway.port, code=1)
    contains(done.err, "--all", "several need an id or --all")
    home.cli("nodes", "approve", "--all", "--yes", port=gateway.port)
    equal(home.cli_json("nodes", "pending", "--json", port=gateway.port), [], "nothing pending")


def test_bytes_pass_unchanged(test):
    home, gateway, _, _ = paired_node(test)
    done = home.cli("nodes", "run", "--node", "box", "--", "printf", r"a\000b\033[31mc\n", port=gateway.port)
    equal(done.stdout, b"a\0b\x1b[31mc\n", "stdout")


def test_secrets_stay_private(test):
    home = test.machine("gw")
    gateway = home.gateway(env={"OPENCLAW_GATEWAY_TOKEN": None})
    config = os.path.join(home.state, "openclaw.json")
    equal(os.stat(config).st_mode & 0o777, 0o600, "mode of the config with the generated token")
    with open(config, encoding="utf-8") as f:
        token = json.load(f)["gateway"]["auth"]["token"]
    check(len(token) >= 32, "generated token")
    check(token not in gateway.output(), "the token was printed")
    home.cli("nodes", "status", port=gateway.port, env={"OPENCLAW_GATEWAY_TOKEN": None})
    for base, folders, names in os.walk(home.state):
        for name in folders:
            equal(os.stat(os.path.join(base, name)).st_mode & 0o077, 0, f"mode of {name}/")
        for name in names:
            equal(os.stat(os.path.join(base, name)).st_mode & 0o077, 0, f"mode of {name}")


def test_http_health(test):
    home = test.machine("gw")
    gateway = home.gateway()
    for path, wanted in (("/healthz", '"ok":true'), ("/readyz", '"ready":true')):
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE) as sock:
            sock.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            data = b""
            while True:
                part = sock.recv(4096)
                if not part:
                    break
                data += part
        contains(data.decode(), "HTTP/1.1 200")
        contains(data.decode(), wanted)
        contains(data.decode(), "X-Content-Type-Options: nosniff")


def test_a_broken_config_does_not_matter_to_who_says_everything(test):
    home = test.machine("gw")
    gateway = home.gateway()
    other = test.machine("other")
    other.config("{ gateway: ")
    url = ["--url", f"ws://127.0.0.1:{gateway.port}", "--token", TOKEN]
    other.cli("gateway", "health", *url)
    other.cli("nodes", "list", *url)
    contains(other.cli("gateway", "health", code=1).err, "line 1, column")
    contains(other.cli("gateway", "health", *url[:2], code=1).err, "line 1, column")


def test_a_fingerprint_that_is_none_is_a_mistake_of_the_caller(test):
    home = test.machine("gw")
    for command in (["gateway", "health", "--url", "wss://127.0.0.1:1", "--token", "x"], ["node", "run"]):
        done = home.cli(*command, "--tls-fingerprint", "abc", code=2)
        contains(done.err, "--tls-fingerprint must be a SHA-256 in hex")
    home.config({"gateway": {"mode": "remote", "remote": {"url": "wss://127.0.0.1:1", "tlsFingerprint": "abc"}}})
    contains(home.cli("gateway", "health", code=1).err, "gateway.remote.tlsFingerprint in ")


run_tests(globals())

"""openclaw doctor and nodes describe: the four gates, and the one command that opens the shut one."""

import fcntl
import termios

from harness import *


def doctor(machine, port, code, **env):
    report = machine.cli_json("doctor", "--json", port=port, code=code, env=env)
    equal(report["ok"], code == 0, "ok")
    return report


def found(report, level, part):
    return [c for c in report["checks"] if c["level"] == level and part in c["text"]]


def snapshot(root):
    seen = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                seen[path] = (f.read(), os.stat(path).st_mode)
    return seen


def test_all_is_well(test):
    home, gateway, box, _ = paired_node(test)
    report = doctor(home, gateway.port, 0)
    check(not found(report, "warn", ""), f"warnings: {report['checks']}")
    gates = report["nodes"][0]["commands"]["system.run"]
    equal(gates, {"declared": True, "approved": True, "policy": True, "local": True}, "gates of system.run")
    text = home.cli("doctor", port=gateway.port).out
    contains(text, "ok    gateway: ws://127.0.0.1:")
    check(re.search(r"box is connected, (\d+) of \1 commands usable", text), f"all commands can be used:\n{text}")


def test_each_shut_gate_is_named_with_its_fix(test):
    home = test.machine("gw")
    home.config({"gateway": {"nodes": {"denyCommands": ["system.which"]}}})
    gateway = home.gateway()
    box = test.machine("box")  # no exec-approvals.json: its owner allows nothing
    box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the request")
    report = doctor(home, gateway.port, 0)
    request = home.cli_json("nodes", "pending", "--json", port=gateway.port)[0]["requestId"]
    for part in ("system.run is not approved", "box waits at gate: node surface approval"):
        equal(found(report, "warn", part)[0]["fix"], f"openclaw nodes approve {request}", part)
    equal(found(report, "warn", "system.which is shut by the gateway's command policy")[0]["fix"],
          "openclaw nodes allow system.which")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    report = doctor(home, gateway.port, 0)
    contains(found(report, "warn", "system.run is not allowed by the node's owner")[0]["fix"],
             "on the node run: openclaw approvals security allowlist")  # nobody may change its rules from afar
    described = home.cli("nodes", "describe", "--node", "box", port=gateway.port).out
    contains(described, "Owner")
    row = [line for line in described.splitlines() if "│ system.run " in line and "Perms" not in line][0]
    equal([cell.strip() for cell in row.split("│")[1:-1]], ["system.run", "yes", "yes", "yes", "no", "no"], "gates row")


def refusal(machine, port, node_id, command, params):
    """What the gateway says on the wire."""
    client = Client(port)
    check(client.connect()["ok"], "connect")
    error = client.call("node.invoke", {"nodeId": node_id, "command": command, "params": params,
                                        "idempotencyKey": str(uuid.uuid4())})["error"]
    client.close()
    return error


def test_doctor_describe_and_the_wire_say_the_same_and_it_helps(test):
    home = test.machine("gw")
    home.config({"gateway": {"nodes": {"commands": {"deny": ["system.which", "x.y"]}}}})
    gateway = home.gateway()
    box = test.machine("box")
    box.switches(approvals=True)
    box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the request")
    node_id = home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"][0]["nodeId"]

    def same_everywhere(command, params, gate):
        gates = home.cli_json("nodes", "describe", "--node", "box", "--json", port=gateway.port)["gates"][command]
        equal(gates["gate"], gate)
        shown = home.cli("nodes", "describe", "--node", "box", port=gateway.port).out
        contains(shown, f"shut at gate {gate}")
        contains(shown, "fix: " + gates["fix"])
        report = doctor(home, gateway.port, 0)
        check([c for c in report["checks"] if c.get("fix") == gates["fix"] and f" {command} " in c["text"]], f"{report['checks']}")
        equal(report["nodes"][0]["commands"][command], gates, "gates in doctor")
        error = refusal(home, gateway.port, node_id, command, params)
        equal((error["details"]["gate"], error["details"]["fix"]), (gate, gates["fix"]), "on the wire")
        contains(error["message"], f"(gate: {gate}; fix: {error['details']['fix']})")
        return gates["fix"]

    fix = same_everywhere("system.which", {"bins": ["sh"]}, "gateway command policy")
    equal(fix, "openclaw nodes allow system.which")
    run_fix(home, fix, gateway.port)
    equal(json.loads(home.cli("config", "get", "gateway.nodes.commands.deny", "--json").out), ["x.y"], "what else is denied")
    wait_until(lambda: home.cli_json("nodes", "describe", "--node", "box", "--json",
                                     port=gateway.port)["gates"]["system.which"]["policy"], "the changed policy")
    fix = same_everywhere("system.which", {"bins": ["sh"]}, "node surface approval")
    run_fix(home, fix + " --yes", gateway.port)
    fix = same_everywhere("system.run", {"command": ["true"]}, "local exec approvals")
    run_fix(home, fix, gateway.port)
    wait_until(lambda: home.cli_json("nodes", "describe", "--node", "box", "--json",
                                     port=gateway.port)["gates"]["system.run"]["local"], "the owner's word")
    error = refusal(home, gateway.port, node_id, "system.run", {"command": ["true"]})
    equal(error["details"]["gate"], "local exec approvals")
    contains(error["details"]["fix"], "openclaw approvals allowlist add /")
    contains(error["message"], f"(gate: local exec approvals; fix: {error['details']['fix']})")
    run_fix(home, error["details"]["fix"], gateway.port)
    home.cli("nodes", "run", "--node", "box", "--", "true", port=gateway.port)


def gates_of(home, port, command="system.run"):
    return home.cli_json("nodes", "describe", "--node", "box", "--json", port=port)["gates"][command]


def test_the_owner_gate_is_as_it_is_now(test):
    """Not as it was when the node connected."""
    home, gateway, box, _ = paired_node(test)
    for security, allowed in (("deny", False), ("allowlist", True), ("deny", False), ("full", True)):
        box.approvals(security)
        wait_until(lambda: gates_of(home, gateway.port)["local"] == allowed, f"security {security}")
        told = found(doctor(home, gateway.port, 0), "warn", "system.run is not allowed by the node's owner")
        equal(bool(told), not allowed, "doctor")
    os.unlink(os.path.join(box.home, ".openclaw", "exec-approvals.json"))
    wait_until(lambda: not gates_of(home, gateway.port)["local"], "no file")


def test_an_approval_outlives_a_denial(test):
    home, gateway, box, _ = paired_node(test)
    home.cli("nodes", "deny", "system.which", port=gateway.port)
    wait_until(lambda: not gates_of(home, gateway.port, "system.which")["policy"], "the denial")
    gates = gates_of(home, gateway.port, "system.which")
    equal((gates["approved"], gates["gate"], gates["fix"]),
          (True, "gateway command policy", "openclaw nodes allow system.which"))
    node_id = home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"][0]["nodeId"]
    error = refusal(home, gateway.port, node_id, "system.which", {"bins": ["sh"]})
    contains(error["message"], '"system.which" is on the gateway\'s list of denied commands')
    equal(error["details"]["fix"], gates["fix"])
    run_fix(home, gates["fix"], gateway.port)
    wait_until(lambda: "fix" not in gates_of(home, gateway.port, "system.which"), "the open gate")
    equal(home.cli_json("nodes", "allow", "system.which", "--json", port=gateway.port)["changed"], True)
    wait_until(lambda: gates_of(home, gateway.port, "system.which")["policy"], "the policy")


def test_adding_a_program_makes_the_list_count(test):
    home, gateway, box, _ = paired_node(test)
    os.unlink(os.path.join(box.home, ".openclaw", "exec-approvals.json"))
    wait_until(lambda: not gates_of(home, gateway.port)["local"], "a node that runs nothing")
    added = home.cli("approvals", "allowlist", "add", os.path.realpath("/usr/bin/uname"), "--node", "box", port=gateway.port)
    contains(added.err, "its security is allowlist from here on")
    home.cli("nodes", "run", "--node", "box", "--", "uname", port=gateway.port)
    box.approvals("deny")
    wait_until(lambda: not gates_of(home, gateway.port)["local"], "a node whose owner denies")
    added = home.cli("approvals", "allowlist", "add", os.path.realpath("/usr/bin/uname"), "--node", "box", port=gateway.port)
    contains(added.err, "fix: openclaw approvals security allowlist --node ")
    run_fix(home, re.search("fix: (.*)", added.err).group(1), gateway.port)
    home.cli("nodes", "run", "--node", "box", "--", "uname", port=gateway.port)
    home.cli("approvals", "security", "sometimes", "--node", "box", port=gateway.port, code=2)


def test_permissions_can_be_read(test):
    home, gateway, box, _ = paired_node(test)
    contains(home.cli("nodes", "describe", "--node", "box", port=gateway.port).out, "system.run allowed")


def run_fix(machine, command, port):
    """As somebody would who pastes it into a shell."""
    done = subprocess.run(["sh", "-c", command.replace("openclaw", f"'{BINARY}'", 1)], capture_output=True, check=False,
                          env=machine.env(OPENCLAW_GATEWAY_PORT=str(port)))
    equal(done.returncode, 0, f"{command}: {done.stderr}")


def test_a_node_that_is_away(test):
    home, gateway, box, node = paired_node(test)
    node_id = home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"][0]["nodeId"]
    node.stop()
    wait_until(lambda: not usable(home, gateway.port, "box"), "the node's end")
    fix = "on the node run: openclaw node run"
    equal(found(doctor(home, gateway.port, 0), "warn", "box is not connected")[0]["fix"], fix)
    described = home.cli_json("nodes", "describe", "--node", "box", "--json", port=gateway.port)["gates"]["system.run"]
    equal((described["declared"], described["approved"], described["fix"]), (True, True, fix))
    row = [line for line in home.cli("nodes", "describe", "--node", "box", port=gateway.port).out.splitlines() if "system.run " in line][0]
    equal([cell.strip() for cell in row.split("│")[1:-1]], ["system.run", "yes", "yes", "yes", "-", "offline"], "gates row")
    error = refusal(home, gateway.port, node_id, "system.run", {"command": ["true"]})
    equal((error["message"], error["details"]["fix"]), ("node not connected", fix))


def test_other_nodes_are_asked_for_their_file(test):
    """Nodes of the reference do not tell what their owner allows; doctor looks it up through the gateway."""
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, caps=["system"],
                       commands=["system.run", "system.which", "system.execApprovals.get"])["ok"], "connect")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    files = []

    def serve():
        try:
            while True:
                asked = node.event("node.invoke.request")
                file = {"version": 1, "defaults": {"security": files[-1]}, "agents": {}}
                node.ok("node.invoke.result", {"id": asked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": json.dumps(
                    {"path": "/x", "exists": True, "hash": "0" * 64, "file": file})})
        except (Failure, Closed, OSError):
            pass  # the test is over

    threading.Thread(target=serve, daemon=True).start()
    for security, allowed in (("deny", False), ("allowlist", True)):
        files.append(security)
        report = doctor(home, gateway.port, 0)
        gates = report["nodes"][0]["commands"]["system.run"]
        equal(gates["local"], allowed, security)
        told = found(report, "warn", "system.run is not allowed by the node's owner")
        equal(bool(told), not allowed, "a warning")
        if told:
            equal((gates["gate"], told[0]["fix"]), ("local exec approvals", gates["fix"]))
            equal(gates["fix"], f"openclaw approvals security allowlist --node {key.device_id[:12]}")
        described = home.cli_json("nodes", "describe", "--node", key.device_id, "--json", port=gateway.port)
        equal(described["gates"]["system.run"], gates, "nodes describe")


def test_unknown_keys_are_named_with_the_nearest(test):
    home, gateway, box, _ = paired_node(test)
    box.config({"gateway": {"prot": 5}})
    report = doctor(box, gateway.port, 0)
    told = found(report, "warn", "gateway.prot unknown key; did you mean gateway.port?")
    equal(len(told), 1)
    contains(told[0]["text"], "line 1, column")
    contains(told[0]["fix"], "openclaw config validate")
    node = test.machine("second")
    node.config({"gateway": {"prot": 5}})
    node.node(gateway.port).wait_for(r"warn node.config .*openclaw.json: line 1, column \d+: gateway.prot unknown key; did you mean gateway.port\?")


def test_no_gateway_a_foreign_program_a_wrong_token(test):
    home = test.machine("gw")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        free = probe.getsockname()[1]
    report = doctor(home, free, 1)
    equal(found(report, "fail", "nothing listens")[0]["fix"], "openclaw gateway run")
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        def serve():
            while True:
                try:
                    client, _ = stranger.accept()
                except OSError:
                    return
                client.sendall(b"SSH-2.0-no gateway\r\n")
                client.close()
        threading.Thread(target=serve, daemon=True).start()
        report = doctor(home, stranger.getsockname()[1], 1)
        told = found(no_harm(report), "fail", "in use by something")
        equal(told[0]["fix"], "openclaw config set gateway.port <another>")
    gateway = home.gateway()
    other = test.machine("other")
    report = doctor(other, gateway.port, 1, OPENCLAW_GATEWAY_TOKEN="wrong")
    check([c for c in report["checks"] if c["check"] == "auth" and c["level"] == "fail" and c.get("fix")],
          f"{report['checks']}")


def no_harm(report):
    """Nothing is told to be stopped, and what is well has nothing to be mended."""
    for c in report["checks"]:
        check(c["level"] in ("ok", "off", "warn", "fail"), f"{c}")
        check(not (c["level"] == "ok" and "fix" in c), f"a fix where all is well: {c}")
        check("stop" not in c.get("fix", ""), f"harmful advice: {c}")
    return report


def test_tls_is_told_from_none_and_ours_is_not_in_the_way(test):
    """The config says one thing and the gateway that runs another: it was not restarted."""
    home = test.machine("gw")
    for says, serves in ((True, "without"), (False, "with")):
        reload_off = {"reload": {"mode": "off"}}
        home.config({"gateway": {**reload_off, "tls": {"enabled": not says}}})
        gateway = home.gateway()
        home.config({"gateway": {**reload_off, "tls": {"enabled": says}}})
        if says:  # the certificate is there, as after a first start with TLS
            folder = os.path.join(home.state, "gateway", "tls")
            os.makedirs(folder, mode=0o700)
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=x", "-keyout",
                            os.path.join(folder, "gateway-key.pem"), "-out", os.path.join(folder, "gateway-cert.pem")], check=True,
                           capture_output=True)
            os.chmod(os.path.join(folder, "gateway-key.pem"), 0o600)
        report = no_harm(doctor(home, gateway.port, 1))
        told = found(report, "fail", f"serves {serves} TLS")
        equal(told[0]["fix"], f"kill -USR1 {gateway.child.pid}")
        contains(told[0]["text"], f"the gateway that runs here (process {gateway.child.pid})")
        # Which is what it says it is.
        os.kill(gateway.child.pid, signal.SIGUSR1)
        wait_until(lambda: home.cli("gateway", "health", port=gateway.port, code=None).returncode == 0, "the gateway with TLS as told")
        no_harm(doctor(home, gateway.port, 0))
        gateway.stop()


def test_a_gateway_of_somebody_else_with_tls(test):
    home = test.machine("gw")
    home.config({"gateway": {"tls": {"enabled": True}}})
    gateway = home.gateway()
    box = test.machine("box")
    told = found(no_harm(doctor(box, gateway.port, 1)), "fail", "speaks TLS, which")
    contains(told[0]["fix"], f"--url wss://127.0.0.1:{gateway.port} --tls-fingerprint")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        free = probe.getsockname()[1]
    told = found(no_harm(doctor(home, free, 1)), "fail", f"the gateway that runs here listens on port {gateway.port}")
    equal(told[0]["fix"], "unset OPENCLAW_GATEWAY_PORT")


def test_a_running_node_is_told_from_none(test):
    home, gateway, box, node = paired_node(test)
    says = lambda level, part: found(no_harm(doctor(box, gateway.port, 0)), level, part)
    check(says("ok", f"it runs (process {node.child.pid}) and is connected"), "a node that is connected")
    # It runs, and its gateway is another one now.
    other = test.machine("other")
    gateway.stop()
    node.wait_for("not connected to")
    report = no_harm(doctor(box, gateway.port, 1))
    told = found(report, "warn", f"it runs (process {node.child.pid}): not connected to ws://127.0.0.1:{gateway.port}")
    check(told and "openclaw node run" not in told[0].get("fix", ""), f"{report['checks']}")
    check("\n" not in told[0]["text"], "the fix is beside the text, not in it")
    gateway = home.gateway(port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node is back")
    # The gateway's list of nodes, seen from the machine that is one of them.
    node.stop()
    wait_until(lambda: not usable(home, gateway.port, "box"), "the node's end")
    equal(says("off", "but no node runs here")[0]["fix"], "openclaw node run")
    equal(says("warn", "box is this machine, and is not connected: no node runs here")[0]["fix"], "openclaw node run")
    stray = box.node(other.gateway().port)
    stray.wait_for("connected to|waiting for approval")
    told = says("warn", f"box is not connected, but runs here (process {stray.child.pid})")
    check("openclaw node run" not in told[0].get("fix", ""), f"{told}")


def on_a_terminal(machine, port, *args, env=(), columns=80):
    """What doctor prints on a terminal that is so wide."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen([BINARY, "doctor", *args], env=machine.env(OPENCLAW_GATEWAY_PORT=str(port), **dict(env)), stdin=slave,
                             stdout=slave, stderr=slave, cwd=machine.test.dir)
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    child.wait(DEADLINE)
    os.close(master)
    return text.decode()


def test_on_a_terminal(test):
    home, gateway, box, node = paired_node(test)
    node.stop()
    wait_until(lambda: not usable(home, gateway.port, "box"), "the node's end")
    colour = on_a_terminal(home, gateway.port, env={"NO_COLOR": None, "TERM": "xterm"})
    for level, start in (("ok", "\x1b[32m"), ("off", "\x1b[2m"), ("warn", "\x1b[33m")):
        contains(colour, f"{start}{level}\x1b[0m")
    for plain in (on_a_terminal(home, gateway.port, "--no-color", env={"NO_COLOR": None, "TERM": "xterm"}),
                  on_a_terminal(home, gateway.port)):
        check("\x1b" not in plain, plain)
        lines = plain.replace("\r\n", "\n").splitlines()
        for line in lines:
            check(re.match(r"(ok|off|warn|fail) +[a-z]|      \S", line), f"no hanging indent: {line!r}\n{plain}")
            check(len(line) < 80 or line.startswith("      fix: openclaw "), f"{len(line)} columns: {line!r}")
        check([i for i, line in enumerate(lines) if line.startswith("      ") and not line.startswith("      fix: ")],
              f"nothing was wrapped:\n{plain}")
    # Elsewhere a finding is a line, for grep.
    for line in home.cli("doctor", port=gateway.port, code=None).out.splitlines():
        check(re.match(r"(ok|off|warn|fail) +[a-z]|      fix: ", line), f"{line!r}")


def test_files_that_are_open_or_damaged(test):
    _, gateway, box, _ = paired_node(test)
    identity = os.path.join(box.state, "identity", "device.json")
    os.chmod(identity, 0o644)
    report = doctor(box, gateway.port, 1)
    equal(found(report, "fail", "others can read")[0]["fix"], f"chmod 600 '{identity}'")
    os.chmod(identity, 0o600)
    with open(os.path.join(box.state, "node.json"), "w", encoding="utf-8") as f:
        f.write("{")
    check(found(doctor(box, gateway.port, 1), "fail", "node.json is damaged"), "a damaged node.json")
    os.unlink(os.path.join(box.state, "node.json"))
    box.config("{ gateway: ")
    check(found(doctor(box, gateway.port, 1), "fail", "openclaw.json"), "a damaged config")


def test_a_state_of_2026_9_6_is_named_and_not_touched(test):
    home = test.machine("gw")
    os.makedirs(os.path.join(home.state, "state"))
    foreign = os.path.join(home.state, "state", "openclaw.sqlite")
    with open(foreign, "wb") as f:
        f.write(b"SQLite format 3\0 of somebody else")
    gateway = home.gateway()
    home.cli("devices", "list", port=gateway.port)
    before = snapshot(home.state)
    report = doctor(home, gateway.port, 0)
    contains(found(report, "warn", "2026.9.6")[0]["text"], foreign)
    after = snapshot(home.state)
    for path, value in before.items():
        if "gateway.sqlite" not in path:
            equal(after.get(path), value, f"{path} after doctor")
    equal(set(after) - set(before), set(), "files that doctor made")
    equal(after[foreign][0], b"SQLite format 3\0 of somebody else", "the foreign database")


def test_the_import_that_is_still_to_come(test):
    """A state directory of 2026.2.26: what is taken over, what is not, and a file that cannot be."""
    home = test.machine("gw")
    pair_many(home, 2)
    paired = os.path.join(home.state, "devices", "paired.json")
    with open(os.path.join(home.state, "devices", "pending.json"), "w", encoding="utf-8") as f:
        json.dump({"r1": {"requestId": "r1", "deviceId": "d"}}, f)
    os.makedirs(os.path.join(home.state, "settings"))
    with open(os.path.join(home.state, "settings", "voicewake.json"), "w", encoding="utf-8") as f:
        json.dump({"triggers": [" hey box ", ""], "updatedAtMs": 5}, f)
    with open(paired, "rb") as f:
        good = f.read()
    with open(paired, "wb") as f:
        f.write(good[:-20])
    home.cli("gateway", "run", code=1)
    report = home.cli_json("doctor", "--json", code=1)
    contains(found(report, "fail", paired)[0]["fix"], "correct the file")
    with open(paired, "wb") as f:
        f.write(good)
    report = home.cli_json("doctor", "--json", code=1)
    contains(found(report, "ok", "2 devices paired with 2026.2.26")[0]["text"], "1 requests that wait are not")
    gateway = home.gateway()
    contains(gateway.output(), "requests that waited there are not taken over, their devices ask again count=1")
    operator = Client(gateway.port)
    check(operator.connect()["ok"], "connect")
    equal(operator.ok("voicewake.get"), {"triggers": ["hey box"]})
    check(not found(doctor(home, gateway.port, 0), "ok", "2026.2.26"), "it is done")
    operator.ok("voicewake.set", {"triggers": ["other"]})
    gateway.stop()
    gateway = home.gateway()
    operator = Client(gateway.port)
    operator.connect()
    equal(operator.ok("voicewake.get"), {"triggers": ["other"]}, "what was set here stays")


run_tests(globals())

"""openclaw.json: changed by hand, by the command line and over the wire, and taken over by the running gateway."""

from harness import *


def config_path(machine):
    return os.path.join(machine.state, "openclaw.json")


def config_text(machine):
    with open(config_path(machine), encoding="utf-8") as f:
        return f.read()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def listening_count(gateway):
    return len(re.findall(r"listening on ws://", gateway.output()))


def start_from_config(machine):
    """A gateway that takes its port from the config, not from the command line."""
    gateway = Process(machine.test, f"gateway-{machine.name}", [BINARY, "gateway", "run"], machine.env())
    gateway.port = int(gateway.wait_for(r"listening on ws://[^\s:]+:(\d+)").group(1))
    return gateway


def connect(port, scopes=ALL_SCOPES, **kw):
    client = Client(port)
    answer = client.connect(scopes=scopes, **kw)
    check(answer["ok"], f"connect: {answer}")
    return client


def test_command_line(test):
    home = test.machine("gw")
    contains(home.cli("config", "path").out, config_path(home))
    home.config('// mine\n{\n  gateway: {\n    port: 18801, // why\n  },\n}\n')
    equal(home.cli("config", "get", "gateway.port").out, "18801\n")
    home.cli("config", "set", "gateway.port", "18802")
    home.cli("config", "set", "gateway.bind", "loopback")
    home.cli("config", "set", "gateway.auth.token", "--stdin", stdin=b"12345\n")
    home.cli("config", "set", "gateway.nodes.commands.allow", "['a.b', 'c.d']")
    home.cli("config", "set", "hooks.webhook.port", "80")
    home.cli("config", "set", "hooks.webhook.enabled", "true")
    equal(home.cli_json("config", "get", "hooks", "--json"), {"webhook": {"port": 80, "enabled": True}})
    text = config_text(home)
    contains(text, "// mine")
    contains(text, "port: 18802, // why")
    equal(os.stat(config_path(home)).st_mode & 0o777, 0o600, "mode")
    equal(home.cli_json("config", "get", "gateway.nodes", "--json"), {"commands": {"allow": ["a.b", "c.d"]}})
    equal(home.cli_json("config", "get", "gateway.auth.token", "--json"), "__OPENCLAW_REDACTED__")
    equal(home.cli_json("config", "get", "gateway.auth.token", "--json", "--show-secrets"), "12345")
    check("12345" not in home.cli("config", "get").out, "the token is hidden")
    home.cli("config", "unset", "gateway.nodes")
    home.cli("config", "get", "gateway.nodes", code=1)
    contains(home.cli("config", "unset", "gateway.nodes", code=1).err, "is not set")
    before = config_text(home)
    contains(home.cli("config", "set", "gateway.port", "high", code=1).err, "must be a whole number in 1..65535")
    equal(config_text(home), before, "after a refused change")
    failed = home.cli("config", "set", "gateway.prot", "1", code=1)
    contains(failed.err, "did you mean gateway.port?")
    contains(failed.err, "--force")
    equal(config_text(home), before, "after a key that nobody knows")
    contains(home.cli("config", "set", "gateway.prot", "1", "--force").err, "did you mean gateway.port?")
    home.cli("config", "unset", "gateway.prot")
    schema = home.cli_json("config", "schema", "--json")
    equal(schema["properties"]["gateway"]["properties"]["port"]["maximum"], 65535)
    contains(home.cli("config", "schema").out, "gateway.nodes.commands.allow")


def test_half_a_place_is_not_valid(test):
    home = test.machine("gw")
    contains(home.cli("config", "set", "node.location.fixed.lat", "52.5").err, "needs lon as well")
    contains(home.cli("config", "validate", code=1).out, "node.location.fixed needs lon as well")
    equal(home.cli("config", "set", "node.location.fixed.lon", "13.4").err, "")
    home.cli("config", "validate")
    home.cli("config", "unset", "node.location.fixed.lat")
    contains(home.cli("config", "validate", code=1).out, "needs lat as well")


def test_a_setting_before_the_first_start(test):
    """The token of the first start goes into the file that is there."""
    home = test.machine("gw")
    home.cli("config", "set", "gateway.nodes.commands.deny", "['camera.snap']")
    gateway = home.gateway(env={"OPENCLAW_GATEWAY_TOKEN": None})
    config = home.cli_json("config", "get", "--json", "--show-secrets")["gateway"]
    equal((len(config["auth"]["token"]), config["nodes"]["commands"]["deny"]), (43, ["camera.snap"]))
    equal(os.stat(config_path(home)).st_mode & 0o777, 0o600, "mode")
    check(config["auth"]["token"] not in gateway.output(), "the token was printed")
    home.cli("nodes", "status", port=gateway.port, env={"OPENCLAW_GATEWAY_TOKEN": None})


def test_validate_names_the_place(test):
    home = test.machine("gw")
    home.cli("config", "validate")
    home.config("{\n  gateway: {\n    port: 'x',\n    prot: 1,\n  }\n}\n")
    out = home.cli("config", "validate", code=1).out
    contains(out, "error: line 3, column 5: gateway.port must be a whole number in 1..65535")
    contains(out, "warning: line 4, column 5: gateway.prot unknown key; did you mean gateway.port?")
    report = home.cli_json("config", "validate", "--json", code=1)
    equal((report["valid"], report["issues"][0]["line"], report["issues"][0]["column"]), (False, 3, 5))
    home.config("{\n  gateway: {\n")
    contains(home.cli("config", "validate", code=1).out, "line 3, column 1")
    contains(home.cli("gateway", "run", code=1).err, "line 3, column 1")
    home.config("{gateway:{port:'x'}}")
    contains(home.cli("gateway", "run", code=1).err, "gateway.port must be a whole number")
    other = os.path.join(test.dir, "other.json")
    home.cli("config", "validate", other, code=1)


def test_included_values_are_left_alone(test):
    home = test.machine("gw")
    home.config("{ gateway: { $include: './gw.json5' } }")
    with open(os.path.join(home.state, "gw.json5"), "w", encoding="utf-8") as f:
        f.write("{ port: 18803 }")
    equal(home.cli("config", "get", "gateway.port").out, "18803\n")
    contains(home.cli("config", "set", "gateway.port", "1", code=1).err, "gw.json5")
    home.cli("config", "set", "gateway.bind", "loopback")
    equal(home.cli_json("config", "get", "gateway", "--json"), {"port": 18803, "bind": "loopback"})


def test_policy_is_taken_over_at_once(test):
    home = test.machine("gw")
    home.config("// mine\n{}\n")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.run"], caps=["system"])["ok"], "connect")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    operator = connect(gateway.port)

    def commands():
        return [n["commands"] for n in operator.ok("node.list")["nodes"] if n["connected"]]

    equal(commands(), [["system.run"]])
    home.cli("config", "set", "gateway.nodes.denyCommands", "['system.run']")
    wait_until(lambda: commands() == [[]], "the command to be denied")
    answer = operator.call("node.invoke", {"nodeId": key.device_id, "command": "system.run", "params": {},
                                           "idempotencyKey": "k"})
    equal(answer["ok"], False)
    home.cli("config", "unset", "gateway.nodes.denyCommands")
    wait_until(lambda: commands() == [["system.run"]], "the command to be back")
    node.ok("health")
    equal(listening_count(gateway), 1, "no restart")
    contains(config_text(home), "// mine")


def test_signal_restarts_in_place(test):
    home, gateway, _, node = paired_node(test)
    operator = connect(gateway.port)
    gateway.child.send_signal(signal.SIGUSR1)
    equal(operator.event("shutdown"), {"reason": "gateway restarting", "restartExpectedMs": 1500})
    equal(operator.ws.expect_close()[:2], (1012, "service restart"))
    wait_until(lambda: listening_count(gateway) == 2, "the gateway to be back")
    wait_until(lambda: usable(home, gateway.port, "box"), "the node to be back")
    equal(home.cli("nodes", "run", "--node", "box", "--", "echo", "hi", port=gateway.port).out, "hi\n")
    check(gateway.child.poll() is None and node.child.poll() is None, "same processes")
    gateway.wait_for("info gateway.*restarting as asked for")
    equal(gateway.stop(), 0, "exit status")


def test_an_announced_restart_is_no_failure(test):
    """The node does not back off further with every restart: it comes back within seconds each time."""
    home, gateway, _, node = paired_node(test)
    for round_number in range(3):
        gateway.child.send_signal(signal.SIGUSR1)
        wait_until(lambda: listening_count(gateway) == round_number + 2, "the gateway to be back")
        wait_until(lambda: usable(home, gateway.port, "box"), "the node to be back")
    waits = [float(s) for s in re.findall(r"service restart.* in (\d+\.\d) ?s", node.output())]
    equal(len(waits), 3, f"restarts the node heard of in {node.output()}")
    check(max(waits) <= 1.2, f"the node waited {waits}")


def test_stopping_while_restarting(test):
    home = test.machine("gw")
    gateway = home.gateway()
    stuck = connect(gateway.port)
    gateway.child.send_signal(signal.SIGUSR1)
    stuck.event("shutdown")
    equal(gateway.stop(), 0, "exit status")


def test_another_port(test):
    home = test.machine("gw")
    first, second = free_port(), free_port()
    home.config("{ gateway: { port: %d } } // mine\n" % first)
    gateway = start_from_config(home)
    operator = connect(first)
    home.cli("config", "set", "gateway.port", str(second))
    equal(operator.event("shutdown")["reason"], "gateway restarting")
    gateway.wait_for(rf"listening on ws://[^\s:]+:{second}\b")
    connect(second).ok("health")
    equal(config_text(home), "{ gateway: { port: %d } } // mine\n" % second)


def test_a_taken_port_goes_back(test):
    home = test.machine("gw")
    first = free_port()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        home.config("{ gateway: { port: %d } }" % first)
        gateway = start_from_config(home)
        home.cli("config", "set", "gateway.port", str(taken.getsockname()[1]))
        gateway.wait_for(r"going back to the ones before: .*")
        wait_until(lambda: listening_count(gateway) == 2, "the old settings")
        connect(first).ok("health")


def test_another_token(test):
    home = test.machine("gw")
    home.config({"gateway": {"auth": {"token": "first-token"}}})
    gateway = home.gateway()
    home.cli("config", "set", "gateway.auth.token", TOKEN)
    wait_until(lambda: listening_count(gateway) == 2, "the restart")
    connect(gateway.port).ok("health")
    refused = Client(gateway.port).connect(token="first-token")
    equal(refused["ok"], False)
    check(TOKEN not in gateway.output() and "first-token" not in gateway.output(), "no secret in the log")


def test_a_wrong_edit_changes_nothing(test):
    home = test.machine("gw")
    home.config("{}")
    gateway = home.gateway()
    operator = connect(gateway.port)
    for text, says in (("{\n  gateway: {,\n", r"line 2, column 13"),
                       ("{\n  gateway: { bind: 'nowhere' } }", r"line 2, column 14: gateway.bind must be one of"),
                       ("{ gateway: { bind: 'lan', auth: { mode: 'none' } } }", r"gateway.auth.mode: none would let everybody in")):
        home.config(text)
        gateway.wait_for(r"keeping the settings that run: .*" + says)
        operator.ok("health")
    home.config("{ gateway: { nodes: { denyCommands: ['x'] }, prot: 1 } }")
    gateway.wait_for("took over the changed config")
    contains(gateway.output(), "gateway.prot unknown key; did you mean gateway.port?")
    operator.ok("health")
    equal(listening_count(gateway), 1)


def test_unknown_keys_are_named_once(test):
    home = test.machine("gw")
    home.config("{ gatway: {}, agents: { list: [] }, channels: { telegram: { x: 1 } } }")
    gateway = home.gateway()
    gateway.child.send_signal(signal.SIGUSR1)
    wait_until(lambda: listening_count(gateway) == 2, "the restart")
    equal(gateway.output().count("gatway unknown key; did you mean gateway?"), 1)
    equal(gateway.output().count("unknown key"), 1)


def test_over_the_wire(test):
    home = test.machine("gw")
    home.config('// mine\n{\n  gateway: { auth: { mode: "token", token: "%s" } }\n}\n' % TOKEN)
    gateway = home.gateway()
    admin = connect(gateway.port)
    got = admin.ok("config.get", {})
    equal((got["exists"], got["valid"], got["path"]), (True, True, config_path(home)))
    equal(got["config"]["gateway"]["auth"]["token"], "__OPENCLAW_REDACTED__")
    check(TOKEN not in json.dumps(got), "no secret on the wire")
    contains(got["raw"], "// mine")
    reader = connect(gateway.port, scopes=["operator.read"])
    seen = reader.ok("config.get")
    check("raw" not in seen, "the text is for administrators")
    for method in ("config.set", "config.patch", "config.apply"):
        equal(reader.call(method, {"raw": "{}"})["ok"], False, method)

    def refused(method, params, text):
        answer = admin.call(method, params)
        equal(answer["ok"], False, method)
        contains(answer["error"]["message"], text)

    refused("config.set", {}, "invalid config.set params: must have required property 'raw'")
    refused("config.set", {"raw": got["raw"]}, "config base hash required; re-run config.get and retry")
    home.cli("config", "set", "logging.level", "debug")
    refused("config.set", {"raw": got["raw"], "baseHash": got["hash"]},
            "config changed since last load; re-run config.get and retry")
    now = admin.ok("config.get")
    raw = now["raw"].replace("debug", "info")
    written = admin.ok("config.set", {"raw": raw, "baseHash": now["hash"]})
    equal(written["ok"], True)
    text = config_text(home)
    contains(text, TOKEN, "the secret that was not shown")
    contains(text, "// mine")
    contains(text, '"level": "info"')
    answer = admin.call("config.patch", {"raw": "{}", "baseHash": written["hash"]})
    equal((answer["ok"], answer["error"]["code"], answer["error"]["retryable"]), (False, "UNAVAILABLE", True))
    contains(answer["error"]["message"], "rate limit exceeded for config.patch; retry after ")
    equal(listening_count(gateway), 1, "nothing needed a restart")


def test_patch_over_the_wire(test):
    home = test.machine("gw")
    home.config('{\n  gateway: { controlUi: { allowedOrigins: ["https://a"] } }, // mine\n}\n')
    gateway = home.gateway()
    admin = connect(gateway.port)
    base = admin.ok("config.get")["hash"]
    done = admin.ok("config.patch", {"raw": '{gateway:{nodes:{denyCommands:["x"]},controlUi:null}}', "baseHash": base,
                                     "replacePaths": ["gateway.controlUi.allowedOrigins"]})
    equal(done["config"], {"gateway": {"nodes": {"denyCommands": ["x"]}}})
    contains(config_text(home), "// mine")
    gateway.wait_for("took over the changed config")
    bad = admin.call("config.patch", {"raw": '{gateway:{port:"x"}}', "baseHash": done["hash"]})
    equal((bad["ok"], bad["error"]["message"]), (False, "invalid config"))
    equal(bad["error"]["details"]["issues"][0]["path"], "gateway.port")
    schema = admin.ok("config.schema")
    equal(sorted(schema), ["generatedAt", "schema", "uiHints", "version"])
    check(schema["uiHints"]["gateway.auth.token"]["sensitive"], "hints")
    level = admin.ok("config.schema.lookup", {"path": "gateway.auth"})
    token = next(c for c in level["children"] if c["key"] == "token")
    equal((token["path"], token["type"], token["reloadKind"]), ("gateway.auth.token", "string", "restart"))
    equal(admin.ok("config.schema.lookup", {"path": "gateway.nodes.denyCommands"})["reloadKind"], "hot")
    equal(admin.call("config.schema.lookup", {"path": "gateway.zebra"})["error"]["message"], "config schema path not found")


def test_a_patch_loses_no_items_unasked(test):
    home = test.machine("gw")
    home.config('{gateway: {nodes: {denyCommands: ["a", "b"]}}, agents: {list: [{id: "x", n: 1}, {id: "y"}]}, // mine\n}')
    gateway = home.gateway()
    admin = connect(gateway.port)
    base = admin.ok("config.get")["hash"]

    def patch(client, raw, **more):
        return client.call("config.patch", {"raw": raw, "baseHash": base, **more})

    error = patch(admin, '{gateway:{nodes:{denyCommands:["b"]}}}')["error"]
    equal(error["code"], "INVALID_REQUEST")
    contains(error["message"], "config.patch would remove entries from array path(s): gateway.nodes.denyCommands. Pass replacePaths")
    done = patch(admin, '{agents:{list:[{id:"x",n:2}]}}')["payload"]
    equal(done["config"]["agents"]["list"], [{"id": "x", "n": 2}, {"id": "y"}], "merged by id")
    equal(done["changedPaths"], ["agents.list"])
    base = done["hash"]
    done = patch(admin, '{gateway:{nodes:{denyCommands:["b"]}}}', replacePaths=["gateway.nodes.denyCommands"])["payload"]
    equal((done["config"]["gateway"]["nodes"]["denyCommands"], done["changedPaths"]), (["b"], ["gateway.nodes.denyCommands"]))
    contains(config_text(home), "// mine")
    base = done["hash"]
    other = connect(gateway.port, identity=test.identity())  # each has its own budget of writes
    before = config_text(home)
    done = patch(other, '{gateway:{nodes:{denyCommands:["b"]}}}')["payload"]
    equal((done["noop"], done["changedPaths"], done["hash"]), (True, [], base))
    equal(config_text(home), before)
    old = connect(gateway.port, identity=test.identity(), max_protocol=3)
    equal(patch(old, '{gateway:{nodes:{denyCommands:["c"]}}}')["payload"]["config"]["gateway"]["nodes"]["denyCommands"], ["c"],
          "2026.2.26 knows no replacePaths")


def test_a_list_that_is_joined_from_two_files_is_not_patched(test):
    home = test.machine("gw")
    with open(os.path.join(home.state, "more.json"), "w", encoding="utf-8") as f:
        json.dump({"denyCommands": ["far"]}, f)
    home.config('{gateway: {nodes: {$include: "more.json", denyCommands: ["near"]}}}')
    gateway = home.gateway()
    admin = connect(gateway.port)
    got = admin.ok("config.get")
    equal(got["config"]["gateway"]["nodes"]["denyCommands"], ["far", "near"], "the included ones first, as the reference does")
    before = config_text(home)
    answer = admin.call("config.patch", {"raw": '{gateway:{nodes:{denyCommands:["far","near","new"]}}}', "baseHash": got["hash"]})
    contains(answer["error"]["message"], "gateway.nodes.denyCommands comes from an included file in part; change it there")
    equal(config_text(home), before)


def test_a_restart_waits_as_long_as_it_was_told_to(test):
    home = test.machine("gw")
    home.config({"gateway": {"reload": {"debounceMs": 0}}})
    gateway = home.gateway()
    admin = connect(gateway.port)
    base = admin.ok("config.get")["hash"]
    done = admin.ok("config.patch", {"raw": '{gateway:{contextPath:"/a"}}', "baseHash": base, "restartDelayMs": 59000,
                                     "note": "slow\x1blink"})
    restart = done["restart"]
    check(restart["ok"] and not restart["coalesced"] and 0 < restart["delayMs"] <= 59000, f"restart: {restart}")
    equal((restart["reason"], restart["signal"], restart["pid"]), ("config.patch", "SIGUSR1", gateway.child.pid))
    said = done["sentinel"]["payload"]
    equal((said["kind"], said["message"], said["stats"]["requiresRestart"]), ("config-patch", "slow\x1blink", True))
    gateway.wait_for(r'config.patch wrote .* note="slow\\x1blink"')
    # Something hot in the meantime neither waits for it nor brings it forward; the same wish again changes nothing.
    again = admin.ok("config.patch", {"raw": '{gateway:{contextPath:"/b"}}', "baseHash": done["hash"],
                                      "restartDelayMs": 60000})
    equal(again["restart"]["coalesced"], True)
    equal(listening_count(gateway), 1, "it did not wait")
    soon = admin.ok("config.apply", {"raw": json.dumps({"gateway": {"contextPath": "/c"}}), "baseHash": again["hash"],
                                     "restartDelayMs": 0})
    equal((soon["restart"]["coalesced"], soon["restart"]["delayMs"], soon["sentinel"]["payload"]["kind"]), (False, 0, "config-apply"))
    equal(admin.event("shutdown")["reason"], "gateway restarting")
    wait_until(lambda: listening_count(gateway) == 2, "the gateway serving anew")


def test_no_restart_is_announced_when_none_comes(test):
    home = test.machine("gw")
    home.config({"gateway": {"reload": {"mode": "hot"}}})
    gateway = home.gateway()
    admin = connect(gateway.port)
    done = admin.ok("config.patch", {"raw": '{gateway:{nodes:{denyCommands:["x"]}}}', "baseHash": admin.ok("config.get")["hash"],
                                     "restartDelayMs": 0})
    check("restart" not in done, "a hot change restarts nothing")
    equal(done["sentinel"]["payload"]["stats"]["requiresRestart"], False)
    done = admin.ok("config.patch", {"raw": '{gateway:{contextPath:"/a"}}', "baseHash": done["hash"], "restartDelayMs": 0})
    check("restart" not in done, "reload.mode hot leaves it to the owner")
    equal(done["sentinel"]["payload"]["stats"]["requiresRestart"], True)


def test_with_reload_off_a_client_still_gets_its_restart(test):
    home = test.machine("gw")
    home.config({"gateway": {"reload": {"mode": "off"}}})
    gateway = home.gateway()
    admin = connect(gateway.port)
    done = admin.ok("config.patch", {"raw": '{gateway:{contextPath:"/a"}}', "baseHash": admin.ok("config.get")["hash"],
                                     "restartDelayMs": 0})
    equal(done["restart"]["delayMs"], 0)
    wait_until(lambda: listening_count(gateway) == 2, "the gateway serving anew")


def test_a_large_patch_does_not_stop_the_gateway(test):
    home = test.machine("gw")
    home.config({"meta": {"a": 1}})
    gateway = home.gateway()
    admin = connect(gateway.port)
    base = admin.ok("config.get")["hash"]
    answer = admin.call("config.patch", {"raw": json.dumps({"meta": {f"k{i}": 1 for i in range(1500)}}), "baseHash": base})
    equal((answer["ok"], answer["error"]["code"]), (False, "INVALID_REQUEST"))
    contains(answer["error"]["message"], "at most 256 settings")
    done = admin.ok("config.patch", {"raw": json.dumps({"meta": {f"k{i}": 1 for i in range(256)}}), "baseHash": base})
    equal(len(done["config"]["meta"]), 257)


def test_a_config_of_thousands_of_keys_is_refused_before_the_work(test):
    home = test.machine("gw")
    home.config({"meta": {"a": 1}})
    gateway = home.gateway()
    base = connect(gateway.port).ok("config.get")["hash"]

    def ticks():
        with open(f"/proc/{gateway.child.pid}/stat", encoding="utf-8") as stat:
            return int(stat.read().rpartition(")")[2].split()[11])

    def refused(part, raw):
        for method in ("config.set", "config.apply", "config.patch"):
            answer = admin.call(method, {"raw": raw, "baseHash": base})
            check(not answer["ok"], f"{method} took {len(raw)} bytes")
            contains(answer["error"]["message"], f"{method} takes {part}")

    for part, raw in (("at most 10000 values", json.dumps({f"k{i}": 0 for i in range(20000)}, separators=(",", ":"))),
                      ("at most 10000 values", json.dumps({"meta": [0] * 10001})),
                      ("at most 10000 values, with keys of at most 256", json.dumps({"meta": {"k" * 257: 0}})),
                      ("a config of at most 256 KiB", json.dumps({"meta": "x" * (256 << 10)})),
                      ("a config of at most 256 KiB", "{" + ",".join(f"k{i}:0" for i in range(90000)) + "}")):
        admin = connect(gateway.port, identity=test.identity())
        refused(part, raw)
        admin.close()
    # Within the limits: four times as many, no more than about four times the work.
    used = []
    for count in (2400, 9600):
        admin = connect(gateway.port, identity=test.identity())
        before = ticks()
        answer = admin.call("config.patch", {"raw": json.dumps({f"k{i}": 0 for i in range(count)}), "baseHash": base})
        contains(answer["error"]["message"], "at most 256 settings")
        base = admin.ok("config.set", {"raw": json.dumps({f"k{count - i}": 0 for i in range(count)}), "baseHash": base})["hash"]
        base = admin.ok("config.set", {"raw": json.dumps({f"k{i}": 1 for i in range(count)}), "baseHash": base})["hash"]
        used.append(ticks() - before)
        admin.close()
    check(used[1] <= 9 * used[0] + 20, f"processor time {used} ticks")


def test_a_written_config_reads_nothing_for_the_writer(test):
    """Neither files of the gateway's machine nor its environment."""
    home = test.machine("gw")
    home.config({"meta": {"a": 1}})
    gateway = home.gateway(env={"AWS_SECRET": "secret-of-the-environment"})
    admin = connect(gateway.port)
    other = os.path.join(test.dir, "other.json")
    with open(other, "w", encoding="utf-8") as f:
        f.write('{"who": "content-of-a-file"}')
    base = admin.ok("config.get")["hash"]
    seen = []

    def write(method, value):
        answer = admin.call(method, {"raw": json.dumps(value), "baseHash": base})
        seen.append(answer)
        return answer

    answer = write("config.patch", {"meta": {"y": {"z": {"$include": other}}}})
    contains(answer["error"]["message"], "'$include' cannot be patched")
    answer = write("config.set", {"meta": {"$include": other}})
    contains(json.dumps(answer["error"]), "is outside of")
    answer = write("config.set", {"gateway": {"trustedProxies": ["${AWS_SECRET}"]}})
    contains(answer["error"]["message"], "invalid config: the settings do not fit together")
    gateway.stop()
    gateway = home.gateway(env={"AWS_SECRET": "secret-of-the-environment"})  # the budget is three writes a minute
    admin = connect(gateway.port)
    base = admin.ok("config.get")["hash"]
    answer = write("config.patch", {"meta": {"x": "${AWS_SECRET}"}})
    equal(answer["payload"]["config"], {"meta": {"a": 1, "x": "${AWS_SECRET}"}})
    for secret in ("content-of-a-file", "secret-of-the-environment"):
        check(secret not in json.dumps(seen), f"{secret} in {seen}")


def test_what_a_reader_sees(test):
    home = test.machine("gw")
    home.config({"mcp": {"servers": {"gh": {"env": {"GITHUB_PAT": "SECRET1"}, "headers": {"Authorization": "Bearer SECRET2"}}}},
                 "channels": {"a": {"passphrase": "SECRET3", "webhookUrl": "https://hooks/T0/SECRET4", "name": "n"},
                              "b": {"url": "https://x/${MY_SECRET}"}},
                 "env": {"vars": {"K": "SECRET5"}}, "zebra": "stripes",
                 "gateway": {"controlUi": {"allowedOrigins": ["https://a", "${MY_SECRET}"]}}})
    gateway = home.gateway(env={"MY_SECRET": "SECRET-of-the-environment"})
    reader = connect(gateway.port, scopes=["operator.read"]).ok("config.get")
    admin = connect(gateway.port).ok("config.get")
    for who, seen in (("reader", reader), ("admin", admin)):
        check(not re.search(r"SECRET\d|SECRET-of", json.dumps(seen)), f"{who}: {seen}")
        equal(seen["config"]["gateway"]["controlUi"]["allowedOrigins"], ["https://a", "${MY_SECRET}"], who)
    equal(sorted(reader["config"]), ["env", "gateway"], "what a reader sees of others' sections")
    equal((sorted(reader["parsed"]), sorted(reader["resolved"])), (["env", "gateway"], ["env", "gateway"]))
    equal(admin["config"]["channels"]["a"]["name"], "n")
    equal(admin["config"]["channels"]["b"]["url"], "https://x/${MY_SECRET}")


def test_an_edit_while_starting_is_not_lost(test):
    home = test.machine("gw")
    pair_many(home, 3000)  # enough to be starting for a while
    home.config({"gateway": {"nodes": {"commands": {"deny": []}}}})
    gateway = Process(test, "gateway", [BINARY, "gateway", "run", "--port", "0"], home.env())
    wait_until(lambda: os.path.exists(os.path.join(home.state, "gateway.sqlite")), "the database")
    home.config({"gateway": {"nodes": {"commands": {"deny": ["system.run"]}}}})
    port = int(gateway.wait_for(r"listening on ws://[^\s:]+:(\d+)").group(1))
    key = test.identity()
    node = Client(port)
    check(node.connect(role="node", identity=key, commands=["system.run"])["ok"], "connect")
    operator = connect(port)
    wait_until(lambda: not operator.ok("node.describe", {"nodeId": key.device_id})["gates"]["system.run"]["policy"],
               "the edit to be taken over")


def test_mode_hot_takes_over_what_it_can(test):
    """A setting that waits for a restart does not hold back the others, now or later."""
    home = test.machine("gw")

    def write(deny, **more):
        home.config({"gateway": {"reload": {"mode": "hot"}, "nodes": {"commands": {"deny": deny}}, **more}})

    write([])
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.run", "system.which"])["ok"], "connect")
    operator = connect(gateway.port)

    def closed():
        gates = operator.ok("node.describe", {"nodeId": key.device_id})["gates"]
        return [name for name in sorted(gates) if not gates[name]["policy"]]

    equal(closed(), [])
    write(["system.run"], trustedProxies=["10.0.0.1"])
    wait_until(lambda: closed() == ["system.run"], "the hot part")
    gateway.wait_for("needs a restart, which gateway.reload.mode hot leaves to you: send SIGUSR1")
    write(["system.run", "system.which"], trustedProxies=["10.0.0.1"])
    wait_until(lambda: closed() == ["system.run", "system.which"], "a later hot edit")
    wait_until(lambda: gateway.output().count("send SIGUSR1") == 2, "that the restart still waits")
    equal(listening_count(gateway), 1)
    gateway.child.send_signal(signal.SIGUSR1)
    wait_until(lambda: listening_count(gateway) == 2, "the restart")


def test_a_secret_does_not_stay_in_argv(test):
    """The command is held up by an output nobody reads, and looked at."""
    home = test.machine("gw")
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 65536)
    except BlockingIOError:
        pass
    os.set_blocking(writing, True)
    child = subprocess.Popen([BINARY, "config", "set", "gateway.auth.token", "very-secret"], env=home.env(), stdout=writing)
    wait_until(lambda: os.path.exists(config_path(home)) and "very-secret" in config_text(home), "the setting")
    with open(f"/proc/{child.pid}/cmdline", "rb") as f:
        argv = f.read()
    equal(child.poll(), None, "the command is still there")
    os.close(writing)
    os.close(reading)
    child.wait(DEADLINE)
    contains(argv.decode(), "gateway.auth.token")
    check(b"very-secret" not in argv, f"{argv}")


UNUSABLE = [
    ({"trustedProxies": ["nonsense"]}, "gateway.trustedProxies", "'nonsense' is not an address"),
    ({"auth": {"mode": "trusted-proxy"}}, "gateway.auth.mode", "must be one of token|password|none"),
    ({"bind": "lan", "auth": {"mode": "none"}}, "gateway.auth.mode", "would let everybody in"),
    ({"bind": "custom"}, "gateway.bind", "needs a numeric address in gateway.customBindHost"),
    ({"auth": {"mode": "password"}}, "gateway.auth.mode", "no password is set"),
    ({"tls": {"enabled": True, "certPath": "CERT", "keyPath": "/nonexist"}}, "gateway.tls", "/nonexist is not"),
    ({"tls": {"enabled": True, "certPath": "CERT", "keyPath": "KEY", "caPath": "/x"}}, "gateway.tls.caPath",
     "openclaw config unset gateway.tls.caPath"),
    ({"tls": {"enabled": True, "autoGenerate": False}}, "gateway.tls", "does not exist"),
    ({"contextPath": "/a b"}, "gateway.contextPath", "must be a plain URL path"),
]


def certificate(test, name):
    cert, key = (os.path.join(test.dir, f"{name}-{kind}.pem") for kind in ("cert", "key"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout",
                    key, "-out", cert], check=True, capture_output=True)
    os.chmod(key, 0o600)
    return cert, key


def test_what_no_gateway_starts_with_is_no_valid_config(test):
    home = test.machine("gw")
    cert, key = certificate(test, "a")
    for section, path, says in UNUSABLE:
        text = json.dumps({"gateway": section}).replace("CERT", cert).replace("KEY", key)
        home.config(text)
        report = home.cli_json("config", "validate", "--json", code=1)
        equal((report["issues"][0]["path"], report["issues"][0].get("line")), (path, 1), text)
        contains(report["issues"][0]["message"], says)
        contains(home.cli("config", "validate", code=1).out, path)
        home.cli("gateway", "run", code=1)
        report = home.cli_json("doctor", "--json", code=1)
        found = [c for c in report["checks"] if c["check"] == "config" and c["level"] == "fail"]
        contains(found[0]["text"], says, "doctor")
        contains(found[0]["fix"], config_path(home))
    home.config({"gateway": {"tls": {"enabled": True, "certPath": cert, "keyPath": key}}})
    home.cli("config", "validate")
    home.config({"gateway": {"port": 18801}})
    without = {"OPENCLAW_GATEWAY_TOKEN": None}
    contains(home.cli("config", "validate", env=without).out, "warning: gateway.auth.token is not set")
    home.config({"gateway": {"mode": "remote", "bind": "custom", "remote": {"url": "ws://127.0.0.1:1"}}})
    equal(home.cli("config", "validate", env=without).out.count("warning"), 0, "warnings of a machine without a gateway")


def test_settings_that_go_together_are_set_one_by_one(test):
    """Half a change is not served, costs nobody the connection, and is complained about until it is whole."""
    home = test.machine("gw")
    first, second = certificate(test, "a"), certificate(test, "b")
    home.config({"gateway": {"tls": {"enabled": True, "certPath": first[0], "keyPath": first[1]}}})
    gateway = home.gateway()
    done = home.cli("config", "set", "gateway.tls.certPath", second[0])
    contains(done.err, "warning: a gateway does not start with this yet: ")
    gateway.wait_for("keeping the settings that run: gateway.tls: the certificate and key cannot be used")
    report = home.cli_json("doctor", "--json", code=1, port=gateway.port)
    check([c for c in report["checks"] if c["level"] == "fail" and c["check"] == "config"], f"{report['checks']}")
    equal(len(re.findall("tls fingerprint", gateway.output())), 1, "starts")
    done = home.cli("config", "set", "gateway.tls.keyPath", second[1])
    equal(done.err, "", "warnings")
    wait_until(lambda: len(re.findall("tls fingerprint", gateway.output())) == 2, "the new certificate")
    check("going back" not in gateway.output(), gateway.output())


def test_moved_settings_have_two_names(test):
    home = test.machine("gw")
    home.config("{ gateway: { nodes: { allowCommands: ['a.b'] } } } // mine\n")
    done = home.cli("config", "get", "gateway.nodes.commands.allow")
    equal(json.loads(done.out), ["a.b"])
    contains(done.err, "the file has it as gateway.nodes.allowCommands")
    equal(home.cli("config", "get", "gateway.nodes.commands.allow[0]").out, "a.b\n")
    home.cli("config", "set", "gateway.nodes.commands.allow[1]", "c.d")
    equal(home.cli_json("config", "get", "gateway.nodes", "--json"), {"allowCommands": ["a.b", "c.d"]})
    home.cli("config", "unset", "gateway.nodes.commands.allow")
    home.cli("config", "get", "gateway.nodes.commands.allow", code=1)
    home.cli("config", "set", "gateway.nodes.commands.deny", "['x']")
    equal(json.loads(home.cli("config", "get", "gateway.nodes.denyCommands").out), ["x"])
    contains(home.cli("config", "unset", "gateway.nodes.commands.allow", code=1).err, "is not set")


def test_lists_are_made_for_numbers(test):
    home = test.machine("gw")
    home.cli("config", "set", "agents.list[0].id", "main")
    equal(home.cli_json("config", "get", "agents", "--json"), {"list": [{"id": "main"}]})
    home.cli("config", "set", "agents.list[1].id", "other")
    home.cli("config", "set", "agents.list[0].names[0]", "m")
    equal(home.cli_json("config", "get", "agents.list", "--json"), [{"id": "main", "names": ["m"]}, {"id": "other"}])
    home.cli("config", "set", "channels.x.0", "zero")
    home.cli("config", "set", 'channels.y["0"]', "zero")
    equal(home.cli_json("config", "get", "channels", "--json"), {"x": {"0": "zero"}, "y": {"0": "zero"}})
    contains(home.cli("config", "set", "gateway.trustedProxies[3]", "10.0.0.1", code=1).err, "begins with [0], not [3]")


def test_the_config_of_an_ancestor(test):
    """moltbot.json is read while there is no openclaw.json; what is changed goes to openclaw.json."""
    home = test.machine("gw")
    old = os.path.join(home.home, ".moltbot", "moltbot.json")
    os.makedirs(os.path.dirname(old), mode=0o700)
    text = "{ gateway: { mode: 'local', port: %d, auth: { token: '%s' } }, agents: {} } // old\n" % (free_port(), "t" * 40)
    with open(old, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(old, 0o644)
    env = {"OPENCLAW_STATE_DIR": None, "OPENCLAW_GATEWAY_TOKEN": None}
    port = home.cli("config", "get", "gateway.port", env=env).out.strip()
    gateway = Process(test, "gateway", [BINARY, "gateway", "run"], home.env(**env))
    gateway.wait_for(rf"listening on ws://[^\s:]+:{port}")
    contains(home.cli("nodes", "status", env=env).out, "Known: 0")  # by the old token
    doctor = home.cli("doctor", env=env, code=None).out
    contains(doctor, f"install -m 600 {old} {config_path(home)}")
    contains(doctor, f"chmod 600 {old}")
    home.cli("config", "set", "gateway.nodes.denyCommands", '["x.y"]', env=env)
    with open(old, encoding="utf-8") as f:
        equal(f.read(), text, "the old file")
    contains(config_text(home), "// old")
    contains(config_text(home), '"x.y"')
    equal(os.stat(config_path(home)).st_mode & 0o777, 0o600, "mode")
    check("install -m 600" not in home.cli("doctor", env=env, code=None).out, "it is offered once")
    # What runs on ours does not fall back to the old one when ours is gone for a moment.
    gateway.wait_for("took over the changed config")
    os.rename(config_path(home), config_path(home) + ".away")
    gateway.wait_for("is gone; keeping the settings that run")


run_tests(globals())

"""What went wrong elsewhere with commands on nodes, each under its number: the rest of it, which needs a gateway, a node or
both. What one machine judges by itself is in unit/exec_field_test.c."""

import threading

from harness import *


def operator(gateway, **more):
    client = Client(gateway.port)
    check(client.connect(mode="ui", client_id="openclaw-macos", **more)["ok"], "connect")
    return client


def node_of(desk):
    return desk.ok("node.list", {})["nodes"][0]["nodeId"]


def invoke(client, node, params, command="system.run"):
    return client.call("node.invoke", {"nodeId": node, "command": command, "params": params, "timeoutMs": 20000,
                                       "idempotencyKey": str(uuid.uuid4())})


def result(answer):
    check(answer["ok"], str(answer))
    return answer["payload"]["payload"]


def approved(run_id, argv, **more):
    return {"command": argv, "agentId": "main", "runId": run_id, "approved": True, "approvalDecision": "allow-once", **more}


def code_of(answer):
    check(not answer["ok"], f"it ran: {answer}")
    return answer["error"]["details"]["code"]


def request(client, node, argv, **more):
    name = str(uuid.uuid4())
    client.answer(client.send("exec.approval.request", {"id": name, "command": "x", "commandArgv": argv, "host": "node",
                                                        "nodeId": node, "agentId": "main", "twoPhase": True, **more}))
    return name


def bare_node(test, gateway, commands=("system.run",)):
    """A node of few commands that nobody has approved yet; gives (its id, its connection)."""
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=list(commands), caps=["system"])["ok"], "connect")
    return key.device_id, node


def test_v2026_4_26_issue_67600_the_configured_time_holds_on_nodes(test):
    _, gateway, box, node = paired_node(test)
    desk = operator(gateway)
    name = node_of(desk)
    box.config({"tools": {"exec": {"timeoutSec": 1}}, "agents": {"list": [
        {"id": "patient", "tools": {"exec": {"timeoutSec": 3600}}}]}})
    node.wait_for("took over the changed config")
    equal(result(invoke(desk, name, {"command": ["sleep", "600"]}))["timedOut"], True, "nobody said how long")
    for more in ({"timeoutMs": 60000}, {"timeoutMs": 0}, {"agentId": "patient"}):
        equal(result(invoke(desk, name, {"command": ["sleep", "1.2"], **more}))["timedOut"], False, str(more))


def test_v2026_3_31_4_1_4_5_issues_50961_58977_directories_are_the_nodes(test):
    """An explicit one goes through as it is, whatever the gateway has there; none is none, never the gateway's own."""
    home, gateway, _, node = paired_node(test)
    desk = operator(gateway)
    name = node_of(desk)
    own = os.readlink(f"/proc/{node.child.pid}/cwd")
    where = os.path.join(os.path.realpath(test.dir), "far")
    os.mkdir(where)
    equal(result(invoke(desk, name, {"command": ["pwd"]}))["stdout"].strip(), own)
    equal(result(invoke(desk, name, {"command": ["pwd"], "cwd": where}))["stdout"].strip(), where)
    equal(home.cli("nodes", "run", "--node", "box", "--cwd", where, "--", "pwd", port=gateway.port).out.strip(), where)
    key, bare = bare_node(test, gateway)
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    for cwd in (None, "/only/on/the/node", "C:\\far", "~/near/../x"):
        given = {"command": ["pwd"], **({"cwd": cwd} if cwd else {})}
        sent = desk.send("node.invoke", {"nodeId": key, "command": "system.run", "params": given, "timeoutMs": 20000,
                                         "idempotencyKey": str(uuid.uuid4())})
        event = bare.event("node.invoke.request")
        equal(json.loads(event["paramsJSON"]).get("cwd"), cwd, "the directory that the node is told")
        bare.ok("node.invoke.result", {"id": event["id"], "nodeId": key, "ok": True, "payloadJSON": "{}"})
        check(desk.answer(sent)["ok"], "answer")


def test_v2026_3_31_issue_57777_a_paired_device_is_no_node_yet(test):
    """Its commands stay off until somebody approves them, although the device is known and connected."""
    home = test.machine("gw")
    gateway = home.gateway()
    name, node = bare_node(test, gateway)
    desk = operator(gateway)
    check(name in [d["deviceId"] for d in desk.ok("device.pair.list", {})["paired"]], "the device is not paired")
    answer = invoke(desk, name, {"command": ["uname"]})
    check(not answer["ok"], f"it ran: {answer}")
    contains(answer["error"]["message"], "nodes approve", "refusal")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    sent = desk.send("node.invoke", {"nodeId": name, "command": "system.run", "params": {"command": ["uname"]},
                                     "idempotencyKey": str(uuid.uuid4())})
    event = node.event("node.invoke.request")
    node.ok("node.invoke.result", {"id": event["id"], "nodeId": name, "ok": True, "payloadJSON": "{}"})
    check(desk.answer(sent)["ok"], "approved")


def test_v2026_4_26_issues_37591_66839_a_node_that_cannot_prepare(test):
    """What would run is then what was asked for: the command line asks, somebody approves, it runs."""
    home = test.machine("gw")
    gateway = home.gateway()
    name, node = bare_node(test, gateway)
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    got = []

    def serve():
        try:
            while True:
                event = node.event("node.invoke.request")
                params = json.loads(event["paramsJSON"])
                got.append((event["command"], params.get("approved", False)))
                answer = {"id": event["id"], "nodeId": name, "ok": bool(params.get("approved"))}
                if answer["ok"]:
                    answer["payloadJSON"] = json.dumps({"exitCode": 0, "timedOut": False, "success": True,
                                                        "stdout": "it ran\n", "stderr": "", "error": None})
                else:
                    answer["error"] = {"code": "UNAVAILABLE", "message": "SYSTEM_RUN_DENIED: approval required"}
                node.send("node.invoke.result", answer)
        except (Closed, OSError, ValueError):
            pass

    threading.Thread(target=serve, daemon=True).start()
    desk = operator(gateway)
    run_it = Process(test, "run", [BINARY, "nodes", "run", "--node", "e2e node", "--", "uname", "-a"],
                     home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    asked = desk.event("exec.approval.requested")
    equal(asked["request"]["commandArgv"], ["uname", "-a"])
    desk.ok("exec.approval.resolve", {"id": asked["id"], "decision": "allow-once"})
    equal(run_it.wait_exit(), 0, run_it.output())
    contains(run_it.output(), "it ran")
    equal([command for command, _ in got], ["system.run", "system.run"], "what the node was asked")


def test_v2026_5_12_issue_78569_an_approval_outlives_the_connection_that_asked(test):
    _, gateway, box, node = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk, key = operator(gateway), test.identity()
    name = node_of(desk)
    asker = operator(gateway, identity=key)
    run_id = request(asker, name, ["uname", "-s"])
    asker.close()
    desk.ok("exec.approval.resolve", {"id": run_id, "decision": "allow-once"})
    back = operator(gateway, identity=key)
    equal(code_of(invoke(back, name, approved(run_id, ["uname", "-a"]))), "APPROVAL_REQUEST_MISMATCH", "another command")
    other = operator(gateway, identity=test.identity())
    equal(code_of(invoke(other, name, approved(run_id, ["uname", "-s"]))), "APPROVAL_DEVICE_MISMATCH", "another device")
    equal(result(invoke(back, name, approved(run_id, ["uname", "-s"])))["stdout"], "Linux\n")
    equal(code_of(invoke(back, name, approved(run_id, ["uname", "-s"]))), "APPROVAL_REQUIRED", "used")
    node.stop()
    wait_until(lambda: not desk.ok("node.list", {})["nodes"][0]["connected"], "the node to be gone")
    answer = invoke(back, name, {"command": ["uname", "-s"]})
    check(not answer["ok"], "a node that is not there")
    contains(answer["error"]["message"], "not connected", "refusal")


def test_v2026_6_6_issue_89938_no_decision_in_time_is_no(test):
    _, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk = operator(gateway)
    name = node_of(desk)
    run_id = request(desk, name, ["uname"], timeoutMs=1)
    equal(desk.ok("exec.approval.waitDecision", {"id": run_id})["decision"], None)
    check(not desk.call("exec.approval.resolve", {"id": run_id, "decision": "allow-once"})["ok"], "a yes that comes too late")
    equal(code_of(invoke(desk, name, approved(run_id, ["uname"]))), "APPROVAL_EXPIRED")
    check(not invoke(desk, name, {"command": ["uname"]})["ok"], "it runs without an approval")


def test_cve_2026_28462_and_28393_paths_that_climb_out(test):
    """A pattern is about the file that would run, not about how its path begins."""
    _, gateway, box, _ = paired_node(test, "allowlist")
    top = os.path.realpath(test.dir)
    for name in ("in", "out", "inside"):
        os.mkdir(os.path.join(top, name))
        shutil.copy(shutil.which("uname"), os.path.join(top, name, "tool"))
    os.symlink("../out", os.path.join(top, "in", "up"))
    os.symlink("../out/tool", os.path.join(top, "in", "link"))
    desk = operator(gateway)
    node = node_of(desk)
    for pattern in ("in/*", "in/**"):
        box.approvals("allowlist", [os.path.join(top, pattern)])
        for path in ("in/../out/tool", "in/up/tool", "in/link", "in/up/../out/tool", "inside/tool", "in//../out/tool"):
            check(not invoke(desk, node, {"command": [f"{top}/{path}"]})["ok"], f"{path} passes as {pattern}")
            check(not invoke(desk, node, {"command": ["../" + path], "cwd": f"{top}/in"})["ok"], f"../{path} from in")
        for path in ("in/tool", "out/../in/tool", "in/./tool"):
            equal(result(invoke(desk, node, {"command": [f"{top}/{path}"]}))["stdout"], "Linux\n", path)


run_tests(globals())

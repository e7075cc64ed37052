"""Bytes that are not text: in the name of a program, in what a run writes."""

from harness import *


def operator(gateway):
    client = Client(gateway.port)
    check(client.connect(mode="ui", client_id="openclaw-macos")["ok"], "connect")
    return client


def ask(client, node, command, /, **params):
    return client.send("node.invoke", {"nodeId": node, "command": command, "params": params,
                                       "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 60000})


def invoke(client, node, command, /, **params):
    return client.answer(ask(client, node, command, **params))


def odd_program(test):
    """A link with a plain name to a program whose name is not UTF-8, in a workspace of its own."""
    where = os.path.join(os.path.realpath(test.dir), "ws")
    os.mkdir(where)
    odd = os.path.join(where.encode(), b"bad\xff")
    with open(odd, "wb") as f:
        f.write(b"#!/bin/sh\necho odd\n")
    os.chmod(odd, 0o700)
    os.symlink(odd, os.path.join(where, "ok"))
    with open(os.path.join(where, "plain"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\necho plain\n")
    os.chmod(os.path.join(where, "plain"), 0o700)
    return where


def test_the_rules_stay_readable(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    where = odd_program(test)
    box.approvals("allowlist", allowlist=[where + "/*"])
    client = operator(gateway)
    node = client.ok("node.list", {})["nodes"][0]["nodeId"]
    answer = invoke(client, node, "system.run", command=[where + "/ok"])
    check(not answer["ok"], f"it ran: {answer}")
    contains(answer["error"]["message"], "is not UTF-8 text, so no list can name it")
    answer = invoke(client, node, "system.run", command=[where + "/plain"])
    equal(answer["payload"]["payload"]["stdout"], "plain\n")
    rules = client.ok("exec.approvals.node.get", {"nodeId": node})
    equal(rules["file"]["agents"]["*"]["allowlist"][0]["lastResolvedPath"], where + "/plain")


def test_preparing_keeps_the_connection(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    where = odd_program(test)
    box.approvals("allowlist", ask="on-miss")
    client = operator(gateway)
    node = client.ok("node.list", {})["nodes"][0]["nodeId"]
    answer = invoke(client, node, "system.run.prepare", command=[where + "/ok"])
    check(not answer["ok"], f"it was prepared: {answer}")
    contains(answer["error"]["message"], "approval requires a path that is UTF-8 text; fix: rename")
    # The same connection still answers.
    check(invoke(client, node, "system.run.prepare", command=[where + "/plain"])["ok"], "prepare")
    check("code=1007" not in gateway.output(), "the gateway has closed the node's connection")


run_tests(globals())

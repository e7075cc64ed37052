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
    contains(answer["error"]["message"], "approval requires a path that is UTF-8 text")
    equal(answer["error"]["details"]["remedy"], "rename-file")
    # The same connection still answers.
    check(invoke(client, node, "system.run.prepare", command=[where + "/plain"])["ok"], "prepare")
    check("code=1007" not in gateway.output(), "the gateway has closed the node's connection")


def test_the_beginning_of_a_character_is_nothing_yet(test):
    home, gateway, box, _ = paired_node(test)
    # Two of them: who opens one that is just being closed reads its end, and is gone before the next word comes.
    first, second = os.path.join(test.dir, "first"), os.path.join(test.dir, "second")
    os.mkfifo(first)
    os.mkfifo(second)
    client = operator(gateway)
    node = client.ok("node.list", {})["nodes"][0]["nodeId"]
    started = invoke(client, node, "system.run", background=True,
                     command=["sh", "-c", f"printf '\\342'; read x < {first}; printf '\\202\\254'; read x < {second}"])
    handle = started["payload"]["payload"]["handle"]
    wait_until(lambda: invoke(client, node, "system.runs.poll", handle=handle)["payload"]["payload"]["run"]["outputBytes"] == 1,
               "the first byte")
    poll = ask(client, node, "system.runs.poll", handle=handle, waitMs=50000)
    invoke(client, node, "system.runs.list")  # the node answers in order, so the poll waits
    check(not any(e.get("id") == poll for e in client.events), "the poll was answered with nothing")
    follower = subprocess.Popen([BINARY, "nodes", "runs", "log", "--follow", handle], stdin=subprocess.DEVNULL,
                                env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)), stdout=subprocess.PIPE)
    with open(first, "w", encoding="ascii") as f:
        f.write("\n")
    output = client.answer(poll)["payload"]["payload"]["output"]
    equal((output["from"], output["next"], output["data"]), (0, 3, "€"))
    waits = ask(client, node, "system.runs.poll", handle=handle, waitMs=50000, **{"from": 2 ** 53 - 1, "maxBytes": 0})
    with open(second, "w", encoding="ascii") as f:
        f.write("\n")
    equal(client.answer(waits)["payload"]["payload"]["run"]["state"], "ended")
    equal(follower.communicate(timeout=DEADLINE)[0].decode(), "€")


run_tests(globals())

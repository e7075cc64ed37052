"""What people at nodes ask of an agent: who hears it, and what the node is told when nobody does."""

from harness import *


def ask(node, message="order two", **more):
    payload = {"message": message, "sessionKey": "agent:main:desk", "deliver": False, **more}
    told = node.ok("node.event", {"event": "agent.request", "payloadJSON": json.dumps(payload)})
    equal((told["ok"], told["event"]), (True, "agent.request"))
    return told["handled"], told["reason"]


def approved(test):
    """A gateway with a raw node that somebody approved."""
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["canvas.present"], caps=["canvas"])["ok"], "connect")
    equal(ask(node), (False, "not_approved"))
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    return home, gateway, node, key


def listener(test, home, gateway, *args):
    agent = Process(test, "agent", [BINARY, "nodes", "requests", *args], home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    if "--json" not in args:
        agent.wait_for("Waiting for requests")
    return agent


def test_handed_to_who_listens(test):
    home, gateway, node, key = approved(test)
    equal(ask(node), (False, "no_listener"))
    contains(gateway.output(), "nobody hears")
    check("order two" not in gateway.output(), "what a person typed is not for the log")
    first = listener(test, home, gateway, "--count", "2")
    equal(ask(node), (True, "updated"))
    equal(ask(node, "evil \x1b[2J name"), (True, "updated"))
    equal(first.wait_exit(), 0)
    contains(first.output(), "(session agent:main:desk): order two\n")
    check("\x1b" not in first.output(), "escapes of a peer")
    wait_until(lambda: ask(node) == (False, "no_listener"), "the end of the listener")


def test_as_json(test):
    home, gateway, node, key = approved(test)
    agent = listener(test, home, gateway, "--json", "--count", "1")
    wait_until(lambda: ask(node, thinking="low", key="k1", to="x" * 5000)[0], "a listener")
    equal(agent.wait_exit(), 0)
    (line,) = agent.output().splitlines()
    told = json.loads(line)
    check(abs(told.pop("receivedAtMs") - time.time() * 1000) < 60000, told)
    told.pop("displayName", None)
    equal(told, {"nodeId": key.device_id, "message": "order two", "sessionKey": "agent:main:desk", "thinking": "low", "key": "k1",
                 "deliver": False})


def test_an_action_as_data(test):
    """What was done on a canvas comes as fields, too; what makes no sense or is too long is left out, the request is not."""
    home, gateway, node, key = approved(test)
    agent = listener(test, home, gateway, "--json", "--count", "4")
    pressed = {"action": "order it!", "surfaceId": "shop", "sourceComponentId": "go:2", "timestamp": "2026-01-02T03:04:05.678Z",
               "via": "input", "context": {"n": 2, "deep": {"list": [1, "é"]}}}
    wait_until(lambda: ask(node, **pressed)[0], "a listener")
    ask(node, action=7, surfaceId="shop", context={"n": 2})
    ask(node, action="x" * 4097, context={"n": 2})
    ask(node, action="go", surfaceId=["a"], sourceComponentId="y" * 4097, via=None, context={"t": "z" * 81920}, other="no")
    equal(agent.wait_exit(), 0)
    names = ("action", "surfaceId", "sourceComponentId", "timestamp", "via", "context", "other")
    told = [{k: v for k, v in json.loads(line).items() if k in names} for line in agent.output().splitlines()]
    equal(told, [pressed, {}, {}, {"action": "go"}])


def test_what_is_not_handed_over(test):
    home, gateway, node, _ = approved(test)
    agent = listener(test, home, gateway)
    for message, reason in (("", "invalid_payload"), ("  \n", "invalid_payload"), ("é" * 20001, "too_long")):
        equal(ask(node, message), (False, reason))
    equal(ask(node, "é" * 20000), (True, "updated"))
    answers = [ask(node)[1] for _ in range(50)]
    equal(answers[0], "updated")
    equal(answers[-1], "rate_limited")
    agent.child.send_signal(signal.SIGINT)
    equal(agent.wait_exit(), 130)


def test_who_may_listen(test):
    home, gateway, node, key = approved(test)
    check(not node.call("agent.requests.listen")["ok"], "a node")
    reader = Client(gateway.port)
    check(reader.connect(identity=test.identity(), scopes=["operator.read"])["ok"], "connect")
    contains(json.dumps(reader.call("agent.requests.listen")["error"]), "operator.write")
    agent = listener(test, home, gateway, "--json")
    wait_until(lambda: ask(node)[0], "a listener")
    gateway.stop()
    equal(agent.wait_exit(), 1)


run_tests(globals())

"""SIGTERM: clients hear `shutdown`, waiting calls get an answer, nothing is lost, exit 0."""

from harness import *


def test_clients_hear_of_it(test):
    home = test.machine("gw")
    gateway = home.gateway()
    client = Client(gateway.port)
    check(client.connect()["ok"], "connect")
    gateway.child.terminate()
    equal(client.event("shutdown")["reason"], "gateway stopping")
    code, reason, _ = client.ws.expect_close()
    equal((code, reason), (1012, "service restart"))
    equal(gateway.wait_exit(), 0, "exit status")


def test_a_silent_client_does_not_hold_it_up(test):
    home = test.machine("gw")
    gateway = home.gateway()
    socks = [socket.create_connection(("127.0.0.1", gateway.port)) for _ in range(5)]
    stuck = Client(gateway.port)
    check(stuck.connect()["ok"], "connect")
    equal(gateway.stop(), 0, "exit status")
    for sock in socks:
        sock.close()


def test_a_waiting_call_is_answered(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.run"], caps=["system"])["ok"], "connect")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    caller = Client(gateway.port)
    check(caller.connect()["ok"], "connect")
    request = caller.send("node.invoke", {"nodeId": key.device_id, "command": "system.run", "params": {"command": ["true"]},
                                          "idempotencyKey": "k1"})
    node.event("node.invoke.request")
    gateway.child.terminate()
    answer = caller.answer(request)
    equal(answer["ok"], False)
    equal(answer["error"]["code"], "UNAVAILABLE")
    equal(gateway.wait_exit(), 0, "exit status")


def test_the_node_stops_cleanly_and_takes_its_children_along(test):
    home, gateway, box, node = paired_node(test)
    marker = os.path.join(test.dir, "pid")
    run = Process(test, "run", [BINARY, "nodes", "run", "--node", "box", "--", "sh", "-c", f"echo $$ > {marker}; exec sleep 1000"],
                  home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    pid = int(wait_until(lambda: os.path.exists(marker) and open(marker, encoding="ascii").read().strip(), "the command"))
    equal(node.stop(), 0, "exit status")
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the command to be gone")
    check(run.wait_exit() != 0, "the caller was told")


run_tests(globals())

"""Many at once: a crowd that connects in the same moment, a thousand paired nodes, and a node that hangs."""

from harness import *

CROWD = 500
PAIRED = 1000


def test_a_crowd_connects_at_once(test):
    """What a restart of a busy gateway looks like: everybody comes back in the same moment, and everybody gets in."""
    gateway = test.machine("gw").gateway()
    gate = threading.Barrier(CROWD)
    clients, failures = [], []

    def join():
        try:
            gate.wait()
            client = Client(gateway.port)
            answer = client.connect()
            check(answer["ok"] and answer["payload"]["type"] == "hello-ok", f"no hello: {answer}")
            clients.append(client)
        except Exception as failure:  # pylint: disable=broad-except
            failures.append(failure)

    threads = [threading.Thread(target=join) for _ in range(CROWD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(failures[:3], [], f"{len(failures)} of {CROWD} failed")
    # All of them are there at the same time, and served.
    for client in clients:
        client.ok("health")
    for client in clients:
        client.close()


def test_a_thousand_paired_nodes_are_listed(test):
    home = test.machine("gw")
    pair_many(home, PAIRED)
    gateway = home.gateway()
    client = Client(gateway.port)
    check(client.connect()["ok"], "connect")
    nodes = client.ok("node.list")["nodes"]
    equal(len({n["nodeId"] for n in nodes}), PAIRED, "nodes")
    check(not any(n["connected"] for n in nodes), "one is connected")
    contains(home.cli("nodes", "status", port=gateway.port).out, f"Paired: {PAIRED}")


def test_a_stuck_node_delays_nobody(test):
    home, gateway, _, stuck = paired_node(test)
    other = test.machine("other")
    other.approvals("full")
    other.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the second node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    ids = {name: usable(home, gateway.port, name)[0]["nodeId"]
           for name in ("box", "other") if wait_until(lambda: usable(home, gateway.port, name), name)}
    client = Client(gateway.port)
    check(client.connect()["ok"], "connect")

    def invoke(name, key):
        return client.send("node.invoke", {"nodeId": ids[name], "command": "system.which", "params": {"bins": ["sh"]},
                                           "idempotencyKey": key, "timeoutMs": 120000})

    stuck.child.send_signal(signal.SIGSTOP)
    try:
        waiting = [invoke("box", f"stuck-{i}") for i in range(20)]
        for i in range(50):
            # answer() would keep a response of the stuck node among the events.
            check(client.answer(invoke("other", f"free-{i}"))["ok"], "the free node")
        client.ok("node.list")
        contains(home.cli("nodes", "invoke", "--node", "other", "--command", "system.which", "--params", '{"bins":["sh"]}',
                          port=gateway.port).out, "/sh")
        equal([f for f in client.events if f.get("type") == "res"], [], "answers of the stuck node")
    finally:
        stuck.child.send_signal(signal.SIGCONT)
    late = set(waiting)
    while late:
        frame = client.ws.recv_json()
        if frame.get("id") in late:
            check(frame["ok"], f"after it woke up: {frame}")
            late.remove(frame["id"])


run_tests(globals())

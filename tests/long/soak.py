"""A gateway and a node that work all day: clients come and go, commands run, devices pair and are removed. Memory, descriptors,
threads and children stay what they were.

SOAK_MINUTES (40): how long; 0 is a few rounds, to see that this file works. The beginning is for what fills up to its ceiling: answers
are remembered for ten minutes, up to 16 MB of them. The medians of the two halves after that are compared, so what grows without
end is seen, and what is merely large is not. Less than twice the beginning says nothing about memory."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from harness import *  # noqa: E402,F403

MINUTES = float(os.environ.get("SOAK_MINUTES", "40"))
WARM_MINUTES = 12
FEW_ROUNDS = 9
ROUND_S = 0.5  # at least
MORE_KB = 1024  # and a twentieth: what the median of resident memory may grow by


def figures(process):
    """Resident kB, descriptors, threads, children."""
    pid = process.child.pid
    children = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
            children += len(f.read().split())
    return process.memory_kb(), len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")), children


class Day:
    def __init__(self, test):
        self.test = test
        self.home, self.gateway, self.box, self.node = paired_node(test)
        self.port, self.count, self.next_device = self.gateway.port, 0, 0
        self.node_id = usable(self.home, self.port, "box")[0]["nodeId"]
        self.desk = Client(self.port)
        check(self.desk.connect()["ok"], "connect")

    def invoke(self, command, params):
        self.count += 1
        return self.desk.ok("node.invoke", {"nodeId": self.node_id, "command": command, "params": params,
                                            "idempotencyKey": f"soak-{self.count}", "timeoutMs": 60000})

    def visitors(self):
        for _ in range(5):
            visitor = Client(self.port)
            check(visitor.connect()["ok"], "connect")
            for method in ("health", "node.list", "status", "config.get"):
                visitor.ok(method)
            visitor.close()
        half = socket.create_connection(("127.0.0.1", self.port))
        half.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")  # hangs up in the middle
        half.close()

    def commands(self):
        for _ in range(10):
            self.invoke("system.which", {"bins": ["sh"]})
        self.invoke("system.run", {"command": ["sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x"]})
        contains(self.home.cli("nodes", "run", "--", "sh", "-c", f"echo said {self.count}", port=self.port).out, "said")
        equal(self.home.cli("nodes", "run", "--", "sh", "-c", "exit 3", port=self.port, code=None).returncode, 3, "exit code")

    def a_device_comes_and_goes(self):
        if time.monotonic() < self.next_device:
            return
        self.next_device = time.monotonic() + 1  # 300 a minute are too many for a gateway
        key = self.test.identity()
        device = Client(self.port, host_header="gateway.lan")
        refusal = device.connect(role="node", identity=key, commands=["system.which"], caps=["system"])
        self.desk.ok("device.pair.approve", {"requestId": refusal["error"]["details"]["requestId"]})
        device.close()
        device = Client(self.port, host_header="gateway.lan")
        check(device.connect(role="node", identity=key, commands=["system.which"], caps=["system"])["ok"], "paired")
        device.close()
        self.desk.ok("device.pair.remove", {"deviceId": key.device_id})

    def one_round(self):
        self.visitors()
        self.commands()
        self.a_device_comes_and_goes()
        self.desk.ok("exec.audit.list", {"limit": 50})
        self.desk.events.clear()


def median(values):
    return sorted(values)[len(values) // 2]


def check_flat(name, before, after, with_memory):
    was, now = ([median([f[i] for f in part]) for i in range(4)] for part in (before, after))
    print(f"{name}: {was[0]} kB, then {now[0]} kB; descriptors {was[1]}, then {now[1]}; threads {was[2]}, then {now[2]}; "
          f"children {was[3]}, then {now[3]}")
    if with_memory:
        check(now[0] <= was[0] * 21 // 20 + MORE_KB, f"the {name} grows: {was[0]} kB, then {now[0]} kB")
    # One more may be on its way in or out at any moment.
    for i, what in ((1, "descriptors"), (2, "threads"), (3, "children")):
        check(now[i] <= was[i] + 1, f"the {name} keeps {what}: {was[i]}, then {now[i]}")


def test_a_long_day(test):
    day = Day(test)
    end = time.monotonic() + MINUTES * 60
    seen = {"gateway": [], "node": []}
    rounds, warm = 0, None
    while rounds < FEW_ROUNDS or time.monotonic() < end:
        began = time.monotonic()
        day.one_round()
        rounds += 1
        if MINUTES >= 1:  # a gateway remembers 32,768 commands of one caller in ten minutes, and refuses more
            time.sleep(max(0, began + ROUND_S - time.monotonic()))
        if warm is None and time.monotonic() > end - (MINUTES - WARM_MINUTES) * 60:
            warm = rounds
        for name, process in (("gateway", day.gateway), ("node", day.node)):
            check(process.child.poll() is None, f"the {name} ended")
            seen[name].append(figures(process))
    is_long = MINUTES >= 2 * WARM_MINUTES
    warm = warm if is_long else rounds // 3
    middle = (warm + rounds) // 2
    print(f"{rounds} rounds, {day.count} invokes in {MINUTES:g} minutes")
    for name, all_ in seen.items():
        check_flat(name, all_[warm:middle], all_[middle:], is_long)
    equal(day.gateway.stop(), 0, "the gateway's exit code")
    equal(day.node.stop(), 0, "the node's exit code")


run_tests(globals())

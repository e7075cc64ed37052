"""kill -9 of gateway, node or both, at any moment, again and again. Nothing runs twice, every state on disk is whole, the node stays
paired, and everything works again after each.

KILLS_MINUTES (20): how long; 0 is a few rounds, to see that this file works. KILLS_SEED repeats a campaign's choices (not the
machine's timing). The pauses here are the random moments themselves; nothing is waited for with them."""

import os
import random
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from harness import *  # noqa: E402,F403

MINUTES = float(os.environ.get("KILLS_MINUTES", "20"))
SEED = int(os.environ.get("KILLS_SEED", str(int.from_bytes(os.urandom(3), "big"))))
FEW_ROUNDS = 4
MOMENT_S = 0.08  # the longest that somebody is let work before the blow


class Campaign:
    def __init__(self, test, choose):
        self.test, self.choose, self.keys = test, choose, 0
        self.home, self.gateway, self.box, self.node = paired_node(test)
        self.port = self.gateway.port
        self.ledger = os.path.join(test.dir, "ledger")
        with open(self.ledger, "w", encoding="ascii"):
            pass
        self.sure = set()  # keys whose command was answered with success

    def argv(self, key):
        params = json.dumps({"command": ["sh", "-c", f"echo {key} >> {self.ledger}; echo done {key}"]})
        return ["nodes", "invoke", "--node", "box", "--command", "system.run", "--idempotency-key", f"key-{key}", "--invoke-timeout",
                "60000", "--params", params]

    def start(self, *args):
        return subprocess.Popen([BINARY, *args], env=self.home.env(OPENCLAW_GATEWAY_PORT=str(self.port)), cwd=self.test.dir,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def begin_work(self):
        """Some of everything that writes, all at once."""
        self.busy = {}
        for _ in range(self.choose.randrange(1, 5)):
            self.keys += 1
            self.busy[self.keys] = self.start(*self.argv(self.keys))
        level = self.choose.choice(("info", "debug"))
        self.other = [self.start("config", "set", "logging.level", level)]
        self.key = self.test.identity()
        try:
            device = Client(self.port, host_header="gateway.lan")
            device.connect(role="node", identity=self.key, commands=["system.which"], caps=["system"])
            device.close()
        except (OSError, Closed):  # killed meanwhile by an earlier round's end
            pass
        self.other.append(self.start("devices", "approve", "--latest"))

    def blow(self):
        time.sleep(self.choose.random() * MOMENT_S)
        victims = self.choose.choice((("gateway",), ("node",), ("gateway", "node")))
        for name in victims:
            getattr(self, name).child.kill()
        for key, child in self.busy.items():
            out, _ = child.communicate(timeout=120)
            if child.returncode == 0:
                contains(out.decode(), f"done {key}")
                self.sure.add(key)
        for child in self.other:
            child.communicate(timeout=120)
        for name in victims:
            getattr(self, name).wait_exit()
        return victims

    def come_back(self, victims):
        if "gateway" in victims:
            self.gateway = self.home.gateway(port=self.port)
        if "node" in victims:
            self.node = self.box.node(self.port)
        wait_until(lambda: usable(self.home, self.port, "box"), "the node, still paired and approved")

    def ask_again(self):
        """With the same keys: what ran does not run again, what did not may."""
        for key in self.busy:
            done = self.home.cli(*self.argv(key), port=self.port, code=None)
            if done.returncode == 0:
                contains(done.out, f"done {key}")
                self.sure.add(key)

    def check_states(self):
        with open(self.ledger, encoding="ascii") as f:
            ran = [int(line) for line in f]
        equal(len(ran), len(set(ran)), f"commands that ran twice: {sorted(k for k in set(ran) if ran.count(k) > 1)}; runs")
        equal(self.sure - set(ran), set(), "answered, but never ran")
        for machine in (self.home, self.box):
            for base, _, names in os.walk(machine.state):
                for path in (os.path.join(base, name) for name in names):
                    check_file(path)


def check_file(path):
    try:
        with open(path, "rb") as f:
            head = f.read(16)
            text = head + f.read() if path.endswith(".json") else b""
    except FileNotFoundError:  # a temporary one that has just gone
        return
    if head == b"SQLite format 3\0":
        store = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
        try:
            equal(store.execute("PRAGMA integrity_check").fetchall(), [("ok",)], path)
        finally:
            store.close()
    elif path.endswith(".json"):
        try:
            json.loads(text)
        except ValueError as error:
            raise Failure(f"{path}: {error}: {text[:200]}") from None


def test_killed_again_and_again(test):
    print(f"KILLS_SEED={SEED}")
    campaign = Campaign(test, random.Random(SEED))
    end = time.monotonic() + MINUTES * 60
    counts = {}
    while sum(counts.values()) < FEW_ROUNDS or time.monotonic() < end:
        campaign.begin_work()
        victims = campaign.blow()
        campaign.come_back(victims)
        campaign.ask_again()
        campaign.check_states()
        what = " and ".join(victims)
        counts[what] = counts.get(what, 0) + 1
    print(f"{sum(counts.values())} kills ({', '.join(f'{n} of {what}' for what, n in sorted(counts.items()))}), {campaign.keys} commands, "
          f"{len(campaign.sure)} answered")
    equal(campaign.gateway.stop(), 0, "the gateway's exit code")
    equal(campaign.node.stop(), 0, "the node's exit code")


run_tests(globals())

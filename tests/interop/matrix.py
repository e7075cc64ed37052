"""One gateway of the matrix with every node host and every command line: matrix.py ours|2026.2.26|2026.9.6

A cell is a (gateway, node host, command line): the node pairs from scratch, and the command line approves, lists, describes,
renames, invokes, runs, is refused a notification, and removes. Cells of our command line also restart the node, and live
through a restart of the gateway. What cannot work by the peer's own rules is in RULES, STRANGERS and LACKING, and the test
fails when it works after all; the table in README.md says the same in words.

A start of a real program takes seconds (a node host of 2026.9.6 ten), so what can be shared is: the gateway by all cells, and
under our gateway the 2026.9.6 node host by its cells, where it asks anew by itself once it is removed; and with real node hosts
a real command line loads its code once for all its steps (one-process.mjs). With our node every step is a new process.
"""

import collections
import concurrent.futures

import our_node
import switches
import takeover
from hosts import *

KIND = {name: kind for kind, name in NAMES.items()}[sys.argv.pop(1)]

# Command lines that cannot speak with a gateway at all, and what they say.
STRANGERS = {("2", "9"): "protocol mismatch", ("9", "2"): "protocol mismatch"}
# (gateway, node, command line, step), None for any -> what the refusal says, and why.
RULES = {
    ("2", None, None, "rename"): ("unknown nodeId", "2026.2.26 renames only nodes of its old node.pair store"),
    (None, "9", "2", "run"): ("invalid system.run.prepare response", "2026.2.26 does not take the plan of 2026.9.6"),
}
# What a command line does not have at all, with what it says: tried once, where everything else works.
LACKING = {"2": [(["nodes", "remove", "--node", "any"], "unknown command")],
           "9": [(["nodes", "run", "--node", "any", "uname"], 'no command "run"'),
                 (["nodes", "invoke", "--node", "any", "--command", "system.run", "--params", "{}"], "reserved for shell execution")]}
table = collections.OrderedDict()


class Cell:
    def __init__(self, test, gateway, node_kind, cli, before):
        """A cell takes over the node of the cell before, when that node comes back by itself."""
        self.gateway, self.cli = gateway, cli
        self.key = (NAMES[node_kind], NAMES[cli.kind])
        self.goes_on = before is not None and gateway.kind == "ours" and node_kind == "9"
        self.node = before.node if self.goes_on else NodeHost(test, gateway, node_kind, f"box{node_kind}-by{cli.kind}")
        self.node_id = None
        table[self.key] = []

    def note(self, step, text="ok"):
        table[self.key].append(step if text == "ok" else f"{step}: {text}")

    def step(self, name, done, wanted=None):
        """The step's answer, which must be success, or the refusal that RULES expects."""
        here = (self.gateway.kind, self.node.kind, self.cli.kind, name)
        rule = next((value for key, value in RULES.items() if all(k in (None, h) for k, h in zip(key, here))), None)
        if rule:
            check(done.returncode != 0, f"{name}: works after all, although: {rule[1]}")
            contains(done.out + done.err, rule[0], name)
            self.note(name, f"refused ({rule[1]})")
            return None
        check(done.returncode == 0, f"{self.key} {name}: exit {done.returncode}\n{done.out}\n{done.err}")
        if wanted:
            contains(done.out, wanted, f"{self.key} {name}")
        self.note(name)
        return done

    def is_live(self):
        node = self.gateway.node(self.node_id)
        return node and node["connected"] and "system.which" in node["commands"] and node

    def pair(self):
        if not self.goes_on:
            self.node.start()
        request = self.node.wait(lambda: self.gateway.device_request(self.node.name), "its device request")
        self.node_id = request["deviceId"]
        self.step("approve device", self.cli.approve_device(request["requestId"]))
        self.node.approved()
        if self.gateway.kind != "2":
            # Ours may have opened the second gate already, when the node came back in time.
            def waits_or_live():
                return self.gateway.surface_request(self.node_id) or self.is_live()

            request = self.node.wait(waits_or_live, "its surface request")
            if "requestId" in request:
                self.step("approve surface", self.cli.approve_surface(request["requestId"]))
        self.node.wait(self.is_live, "to be usable")

    def use(self):
        self.step("list", self.cli.status(), self.node_id[:12])
        self.step("describe", self.cli.describe(self.node_id), "system.which")
        if self.step("rename", self.cli.rename(self.node_id, self.node.name + "-new")):
            equal(self.gateway.node(self.node_id)["displayName"], self.node.name + "-new", "displayName")
        done = self.step("invoke", self.cli.which(self.node_id), '"sh"')
        contains(done.out, "/sh", "system.which")
        self.run_a_command()
        self.notify()

    def run_a_command(self):
        if self.cli.kind == "9":
            self.note("run", "not offered (2026.9.6 has no `nodes run`)")
            return
        self.step("run", self.cli.run_command(self.node_id), "Linux")

    def notify(self):
        done = self.cli.notify(self.node_id)
        text = done.out + done.err
        check(done.returncode != 0, f"{self.key} notify worked on a machine without a desktop:\n{text}")
        # 2026.9.6 declares it where there is a D-Bus, and then fails for want of a desktop.
        check("NOTIFICATIONS_UNAVAILABLE" in text or
              ("system.notify" in text and re.search("not support|not declare|not allowed", text)),
              f"{self.key} notify: {text}")
        self.note("notify refused")

    def restart_node(self):
        """Comes back without a new approval; ours even without the shared token, on its device token alone."""
        self.node.stop()
        self.node.wait(lambda: not self.is_live(), "to be gone") if self.node.kind != "2" else None
        if self.node.kind == "ours":
            self.node.start(OPENCLAW_GATEWAY_TOKEN=None)
        else:
            self.node.start()
        self.back("its restart")
        self.note("node restart")

    def back(self, after):
        """Not only in the list: it works."""
        self.node.wait(self.is_live, f"to be back after {after}")
        contains(self.cli.which(self.node_id).out, "/sh", f"{self.key} system.which after {after}")

    def remove(self):
        self.step("remove", self.cli.remove(self.node_id))
        # Not kept alive any more: a 2026.2.26 node host that was shut out would only ask again.
        wait_until(lambda: not (self.gateway.node(self.node_id) or {}).get("paired"), f"{self.node.name} to be removed", 180, PAUSE)

    def end(self):
        if not (self.gateway.kind == "ours" and self.node.kind == "9"):
            self.node.stop()


def run_cells(test, gateway, node_kind, clis):
    """All command lines with one kind of node, one after the other; the last, of ours, stays for the gateway's restart."""
    cell = None
    for cli in clis:
        cell = Cell(test, gateway, node_kind, cli, cell)
        try:
            cell.pair()
            cell.use()
            if cli.kind == "ours":
                cell.restart_node()
            else:
                cell.remove()
                cell.end()
        except Exception as failure:
            raise Failure(f"{cell.key} after {table[cell.key]}: {failure}") from failure
    return cell


def strangers(test, gateway):
    for kind in ("2", "9"):
        text = STRANGERS.get((gateway.kind, kind))
        if text:
            done = CommandLine(test, gateway, kind).status()
            check(done.returncode != 0, f"the {NAMES[kind]} command line works with {NAMES[gateway.kind]} after all")
            contains(done.out + done.err, text)
        for args, text in LACKING[kind] if gateway.kind == "ours" else ():
            done = CommandLine(test, gateway, kind).run(*args)
            check(done.returncode != 0, f"the {NAMES[kind]} command line has `{' '.join(args)}` after all")
            contains(done.out + done.err, text, " ".join(args))


def test_every_node_and_command_line(test):
    gateway = Gateway(test, KIND)
    kinds = [kind for kind in ("2", "9", "ours") if (KIND, kind) not in STRANGERS]
    # With our node every step is a process of its own; with the real ones the steps of a real command line share one.
    alone = [CommandLine(test, gateway, kind) for kind in kinds]
    staying = [CommandLine(test, gateway, kind, stays=True) for kind in kinds]
    # Two at a time: a real command line takes a core for two seconds.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(run_cells, test, gateway, kind, alone if kind == "ours" else staying) for kind in ("9", "2", "ours")]
        jobs.append(pool.submit(strangers, test, gateway))
        concurrent.futures.wait(jobs)
    try:
        failures = [str(job.exception()) for job in jobs if job.exception()]
        check(not failures, "\n".join(failures))
        kept = [job.result() for job in jobs[:-1]]
        our_node.stale_device_token(next(cell for cell in kept if cell.node.kind == "ours"))
        our_node.wrong_shared_token(test, gateway)
        if KIND != "2":
            our_node.surface_grows(test, gateway)
        if KIND == "2":
            our_node.asks_before_it_runs(test, gateway)
            switches.comes_back(test, gateway)
        if KIND == "9":
            our_node.setup_code(test, gateway)
            our_node.link(test, gateway)
            switches.one_approval_for_all_times(test, gateway)
            our_node.sends_its_figures(gateway, next(cell for cell in kept if cell.node.kind == "ours"))
        gateway.stop()
        gateway.start((lambda: our_node.gateway_starting(test, gateway)) if KIND == "9" else None)
        for cell in kept:
            cell.back("the gateway's restart")
            cell.note("gateway restart")
        for cell in kept:
            cell.remove()
            cell.node.stop()
        gateway.stop()
        if KIND == "9":
            takeover.never_touched(test, gateway)
    finally:
        for cli in staying:
            cli.end()
        print(f"gateway {NAMES[KIND]}:")
        for (node, cli), steps in table.items():
            print(f"  node {node}, command line {cli}: {', '.join(steps)}")


run_tests(globals())

"""node.exec.* of openclaw.json: mistakes are refused where they are made, and one that gets into the file all the same never
leaves a running node with a weaker sandbox than its owner wrote down."""

from harness import *


class Scene:
    """A gateway and an approved node that runs anything."""

    def __init__(self, test, settings=None):
        self.home = test.machine("gw")
        self.port = self.home.gateway().port
        self.box = test.machine("box")
        self.box.approvals("full")
        self.box.config(settings or {})
        self.node = self.box.node(self.port)
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.port)
        wait_until(lambda: usable(self.home, self.port, "box"), "the approved node")

    def run(self, *argv, code=0):
        return self.home.cli("nodes", "run", "--node", "box", "--", *argv, port=self.port, code=code)

    def wait_refused(self):
        return wait_until(lambda: (done := self.run("true", code=None)).returncode != 0 and done, "a refusal")

    def wait_runs(self):
        wait_until(lambda: self.run("true", code=None).returncode == 0, "commands to run again")


def test_wrong_settings_of_a_node_are_refused_where_they_are_made(test):
    box = test.machine("box")
    os.makedirs(os.path.join(box.state, "identity"), exist_ok=True)
    box.config('{ node: { exec: { sandbox: "strict" } } } // mine\n')
    before = open(os.path.join(box.state, "openclaw.json"), encoding="utf-8").read()
    for key, value, text in (("limits.bogus", "3", "unknown key"), ("sandbx", "strict", "did you mean node.exec.sandbox?"),
                             ("limits.memory", "100MB", '"512M"'), ("limits.fileSize", "0", '"512M"'),
                             ("limits.cpuSeconds", "soon", "whole number"), ("sandbox", "bogus", "off|workspace|strict"),
                             ("workspace", '["/"]', "holds the keys"), ("readable", '["/no/such/place"]', "/no/such/place")):
        done = box.cli("config", "set", f"node.exec.{key}", value, code=1)
        contains(done.err, f"node.exec.{key}", "error")
        contains(done.err, text, "error")
        equal(open(os.path.join(box.state, "openclaw.json"), encoding="utf-8").read(), before, f"the file after {key}")
    for key, value in (("limits.memory", "100M"), ("limits.fileSize", "2g"), ("limits.memory", "104857600")):
        box.cli("config", "set", f"node.exec.{key}", value)
    contains(box.cli("config", "validate").out, "is valid", "verdict")
    for settings, key in (({"limits": {"memory": "100MB"}}, "node.exec.limits.memory"), ({"bogus": 1}, "node.exec.bogus"),
                          ({"sandbox": "strict", "writable": ["/"]}, "node.exec.writable")):
        box.config({"node": {"exec": settings}})
        contains(box.cli("config", "validate", code=1).out, key, "verdict")
        finding = [f for f in json.loads(box.cli("doctor", "--json", code=1).out)["checks"] if f["check"] == "sandbox"][0]
        equal(finding["level"], "fail")
        contains(finding["text"], key, "finding")
        contains(finding["fix"], "openclaw config validate", "fix")
        # A change elsewhere is made, and it is said that it does not count yet.
        contains(box.cli("config", "set", "node.exec.maxConcurrent", "2").err, "not taken over before", "warning")
    box.config({"node": {"exec": {"limits": {"bogus": 3}}}})
    box.cli("config", "unset", "node.exec.limits.bogus")
    contains(box.cli("config", "validate").out, "is valid", "verdict")


def test_a_running_node_with_wrong_settings_starts_nothing(test):
    scene = Scene(test)
    scene.run("true")
    for settings, key in (({"sandbox": "strict", "limits": {"bogus": 3}}, "node.exec.limits.bogus"),
                          ({"sandbox": "strict", "limits": {"memory": "100MB"}}, "node.exec.limits.memory"),
                          ({"sandbox": "strict", "workspace": ["/no/such/place"]}, "/no/such/place")):
        scene.box.config({"node": {"exec": settings}})
        refusal = scene.wait_refused().err
        contains(refusal, "SYSTEM_RUN_DENIED", "refusal")
        contains(refusal, key, "refusal")
        contains(refusal, "openclaw config validate", "refusal")
        report = json.loads(scene.box.cli("doctor", "--json", code=1).out)["checks"]
        contains([f for f in report if f["check"] == "sandbox"][0]["text"], "refuses commands", "finding")
        scene.box.config({})  # what runs already
        scene.wait_runs()
    scene.box.config("{ node: { exec: { sandbox: 'strict'\n")
    contains(scene.wait_refused().err, "line ", "refusal")
    scene.box.config({"node": {"exec": {"sandbox": "off", "maxConcurrent": 3}}})  # and something else
    scene.node.wait_for("took over the changed config")
    scene.wait_runs()


def test_mistakes_of_others_do_not_keep_a_wall_away(test):
    scene = Scene(test)
    scene.box.config({"gateway": {"port": "no port"}, "zebra": 1, "node": {"exec": {"maxConcurrent": 7, "sandbox": "workspace"}}})
    scene.node.wait_for("took over the changed config; sandbox: workspace")


def test_a_misspelt_sandbox_on_the_command_line_is_a_usage_error(test):
    scene = Scene(test)
    for machine in (scene.box, test.machine("other")):  # one whose node runs already, and one without
        done = machine.cli("node", "run", "--port", "1", "--sandbox", "bogus", code=2)
        contains(done.err, "--sandbox must be one of off|workspace|strict", "error")


def test_describe_says_which_sandbox_is_in_force(test):
    scene = Scene(test)

    def row(name):
        lines = scene.home.cli("nodes", "describe", "--node", "box", port=scene.port).out.splitlines()
        return " ".join(next((line for line in lines if name in line.split()), "").replace("│", " ").split())

    equal(row("Sandbox"), "Sandbox off")
    for mode in ("workspace", "strict"):
        scene.box.config({"node": {"exec": {"sandbox": mode}}})
        wait_until(lambda: row("Sandbox") == f"Sandbox {mode}", f"sandbox {mode}")
        check("sandbox" not in row("Perms"), "told twice")


def exec_finding(machine):
    report = json.loads(machine.cli("doctor", "--json", code=None).out)["checks"]
    return [f for f in report if f["check"] == "exec approvals"][0]


def test_doctor_tells_by_the_rules_what_runs_here(test):
    box = test.machine("box")
    with open(os.path.join(box.state, "node.json"), "w", encoding="utf-8") as f:
        json.dump({"version": 1, "gateway": {"host": "127.0.0.1", "port": 1}}, f)
    contains(exec_finding(box)["text"], "runs nothing for others: there is no exec-approvals.json", "without a file")
    for ask in ("off", "on-miss"):
        box.approvals("allowlist", ["/usr/bin/date", "/usr/bin/ls"], ask=ask)
        found = exec_finding(box)
        equal((found["level"], found["fix"] if "fix" in found else None), ("ok", None))
        contains(found["text"], "security is allowlist, 2 programs listed", "finding")
        equal("others are asked about" in found["text"], ask == "on-miss", found["text"])
    box.approvals("deny", ["/usr/bin/date"])
    found = exec_finding(box)
    equal((found["level"], found["fix"]), ("warn", "openclaw approvals security allowlist"))
    contains(found["text"], "runs nothing for others: security is deny", "finding")
    path = os.path.join(box.home, ".openclaw", "exec-approvals.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"version": 1, "defaults": {"security": "deny"}, "agents": {"ops": {"security": "full"}}}, f)
    found = exec_finding(box)
    equal(found["level"], "ok")
    contains(found["text"], "security is deny; agent ops: full", "finding")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"version": 1, "defaults": {"security": "ful"}}, f)
    found = exec_finding(box)
    equal(found["level"], "warn")
    contains(found["text"], '"security" must be', "finding")


def cells(machine):
    """Security and Ask of the row of the defaults."""
    line = next(line for line in machine.cli("approvals", "get").out.splitlines() if "(defaults)" in line)
    return line.replace("│", " ").split()[1:3]


def test_what_holds_is_shown_where_the_approvals_are_silent(test):
    box = test.machine("box")
    equal(cells(box), ["(deny)", "(on-miss)"], "without a file")
    box.config({"tools": {"exec": {"security": "allowlist", "ask": "off"}}})
    equal(cells(box), ["(allowlist)", "(off)"], "by openclaw.json")
    box.approvals("full", ask="always")
    equal(cells(box), ["full", "always"], "by the file")
    equal(box.cli_json("approvals", "get", "--json")["file"]["defaults"], {"security": "full", "ask": "always"}, "the file")


def test_a_file_of_approvals_that_is_wrong_is_named_with_the_place(test):
    box = test.machine("box")

    def refusal(text):
        path = os.path.join(test.dir, "wanted.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        from_file = box.cli("approvals", "set", "--file", path, code=1).err
        contains(from_file, path, "error")
        contains(box.cli("approvals", "set", "--stdin", stdin=text.encode(), code=1).err, "standard input", "error")
        return from_file

    contains(refusal('{\n  "version": 1\n  "defaults": {}\n}'), "line 3, column 3", "error")
    contains(refusal('{"defaults": {}}'), 'version is missing; write "version": 1', "error")
    contains(refusal('{"version": 2}'), 'write "version": 1', "error")
    contains(refusal("[]"), "must be one object { … }\n  fix: write it as openclaw approvals get --json shows it, under file", "error")
    contains(refusal('{"version": 1, "defaults": {"security": "ful"}}'), "/defaults/security", "error")
    check(not os.path.exists(os.path.join(box.home, ".openclaw", "exec-approvals.json")), "it was written")


run_tests(globals())

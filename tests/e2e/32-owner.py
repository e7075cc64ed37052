"""What the owner of a machine sets counts at once and stays: the rules file against writers at the same time, the node's
settings while it runs, entries of the list that can work, and being told what a command did not get."""

import fcntl

from harness import *


def rules(box):
    return box.cli_json("approvals", "get", "--json")["file"]


class Held:
    """The lock of the rules file, as a program that is changing it holds it."""

    def __init__(self, box):
        self.path = os.path.join(box.home, ".openclaw", "exec-approvals.json.lock")

    def __enter__(self):
        self.file = open(self.path, "w", encoding="ascii")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self.file.close()


def test_a_busy_node_never_undoes_the_owners_word(test):
    home, gateway, box, _ = paired_node(test, "allowlist", [os.path.realpath("/usr/bin/uname")])
    path = os.path.join(box.state, "exec-approvals.json")
    stop = threading.Event()
    ran = []

    def use():
        connection = Client(gateway.port)
        connection.connect()
        node = connection.ok("node.list")["nodes"][0]["nodeId"]
        while not stop.is_set():
            answer = connection.call("node.invoke", {"nodeId": node, "command": "system.run", "idempotencyKey": uuid.uuid4().hex,
                                                     "params": {"command": ["uname"]}})
            ran.append(answer.get("ok"))
        connection.close()

    user = threading.Thread(target=use)
    user.start()
    try:
        for i in range(12):
            word = ("deny", "allowlist")[i % 2]
            with open(path, encoding="utf-8") as f:  # so that every use is worth a note
                value = json.load(f)
            value["agents"]["*"]["allowlist"][0].pop("lastUsedAt", None)
            box.cli("approvals", "set", "--stdin", stdin=json.dumps(value).encode())
            seen = len(ran)
            wait_until(lambda: len(ran) > seen + 1, "commands")
            box.cli("approvals", "security", word)
            seen = len(ran)
            wait_until(lambda: len(ran) > seen + 2, "commands after that")
            equal(rules(box)["defaults"]["security"], word, f"the owner's word in round {i}")
    finally:
        stop.set()
        user.join()
    check(True in ran and False in ran, "the node both ran and refused")
    equal(os.stat(path + ".lock").st_mode & 0o777, 0o600, "mode of the lock")


def test_who_changes_the_rules_says_so(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    with Held(box):
        done = box.cli("approvals", "security", "deny", code=1)
        contains(done.err, "nothing was changed, try again", "error")
        contains(done.err, "exec-approvals.json.lock", "error")
        done = home.cli("approvals", "security", "deny", "--node", "box", code=1, port=gateway.port)
        contains(done.err, "being changed by another program", "error")
    equal(rules(box)["defaults"]["security"], "allowlist")
    home.cli("approvals", "security", "deny", "--node", "box", port=gateway.port)
    equal(rules(box)["defaults"]["security"], "deny")


def settings(box, **values):
    box.config({"node": {"exec": values}})


def test_a_running_node_takes_over_its_settings(test):
    home, gateway, box, node = paired_node(test)

    def start(*argv):
        return home.cli("nodes", "run", "--node", "box", "--background", "--", *argv, port=gateway.port, code=None)

    settings(box, maxConcurrent=1)
    node.wait_for("took over the changed config; sandbox: off")
    first = start("sleep", "600").out.strip()
    refused = start("true")
    contains(refused.err, "node busy", "refusal")
    contains(refused.err, "openclaw config set node.exec.maxConcurrent", "refusal")
    box.cli("config", "set", "node.exec.maxConcurrent", "2")
    wait_until(lambda: start("true").returncode == 0, "room for another command")
    home.cli("nodes", "runs", "kill", first, "--node", "box", port=gateway.port)
    settings(box, maxConcurrent=0)
    node.wait_for("no command starts until the config is right again: .*maxConcurrent")
    contains(start("true").err, "maxConcurrent", "refusal")


def test_sandboxes_change_for_later_commands(test):
    home, gateway, box, node = paired_node(test)
    doctor = lambda: [f for f in box.cli_json("doctor", "--json", code=None)["checks"] if f["check"] == "sandbox"][0]["text"]
    work = os.path.join(box.home, "work")
    os.makedirs(work)
    settings(box, sandbox="strict", workspace=[work])
    node.wait_for("took over the changed config; sandbox: strict in ")
    if "but this machine has" in node.output():
        print("this kernel cannot build a sandbox: not checked")
        return
    contains(node.output(), "no network", "what the node says")

    def run(*argv):
        return subprocess.Popen([BINARY, "nodes", "run", "--node", "box", "--json", "--", *argv],
                                env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)), stdout=subprocess.PIPE)

    def result(process):
        return json.loads(process.communicate()[0])["payload"]

    check("sandbox" in result(run("true")), "no sandbox around it")
    described = home.cli("nodes", "describe", "--node", "box", port=gateway.port).out
    contains(re.sub(r"[\s│]+", " ", described), "system.run.network not allowed", "description")
    long = run("sh", "-c", "touch begun; while [ ! -e go ]; do sleep 0.05; done")
    wait_until(lambda: os.path.exists(os.path.join(work, "begun")), "the command's start")
    settings(box, sandbox="strict", workspace=[work], readable=[box.home])
    node.wait_for("no command starts until the config is right again: node.exec.readable: .* holds the keys")
    settings(box, sandbox="off")
    node.wait_for("took over the changed config; sandbox: off")
    check("sandbox" not in result(run("true")), "still a sandbox")
    with open(os.path.join(work, "go"), "w", encoding="ascii"):
        pass
    contains(result(long)["sandbox"], "strict", "what stood around the command that began before")
    contains(doctor(), "off", "doctor")
    node.stop()
    contains(doctor(), "off", "doctor without a node")
    box.node(gateway.port, "--sandbox", "workspace", "--sandbox-workspace", work)
    wait_until(lambda: "by its command line; the config says: off" in doctor(), "doctor's word about the node that runs")
    contains(doctor(), "workspace in " + os.path.realpath(work), "doctor")


def test_the_config_is_not_in_the_workspace(test):
    box = test.machine("box")
    work = os.path.join(box.home, "work")
    os.makedirs(work)
    secret = os.path.join(work, "token")
    for name, text in (("token", "secret"), ("openclaw.json", json.dumps({"node": {"exec": {"sandbox": "strict"}}}))):
        with open(os.path.join(work, name), "w", encoding="ascii") as f:
            f.write(text)
    arguments = ("node", "run", "--port", "1", "--sandbox", "strict", "--sandbox-workspace", work)
    for more, env in ((["--token-file", secret], {}), ([], {"OPENCLAW_CONFIG_PATH": os.path.join(work, "openclaw.json")}),
                      ([], {"OPENCLAW_CONFIG_PATH": os.path.join(work, "none.json")})):
        contains(box.cli(*arguments, *more, env=env, code=1).err, "holds settings or secrets of this node", "error")
    box.config({"$include": os.path.join(work, "openclaw.json")})
    done = box.cli(*arguments, code=1)
    check("holds settings or secrets of this node" in done.err or "include" in done.err, done.err)


def test_entries_of_the_list_can_work(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    tools = os.path.join(box.home, "tools")
    os.makedirs(tools)
    real = os.path.realpath(shutil.which("uname"))
    os.symlink(real, os.path.join(tools, "link"))

    def add(machine, pattern, *more, code=0, port=None):
        return machine.cli("approvals", "allowlist", "add", pattern, *more, code=code, port=port)

    def entries():
        return [e["pattern"] for e in rules(box)["agents"].get("*", {}).get("allowlist", [])]

    for machine, more, port in ((box, [], None), (home, ["--node", "box"], gateway.port)):
        for pattern in ("uname", os.path.join(tools, "link")):
            contains(add(machine, pattern, *more, port=port).err, f"{pattern} is {real}", "note")
            equal(entries(), [real], "entries")
            equal(home.cli("nodes", "run", "--node", "box", "--", "uname", port=gateway.port).returncode, 0)
            machine.cli("approvals", "allowlist", "remove", real, *more, port=port)
        for pattern, text in (("no-such-program", "give the full path"), ("uname*", "begin it with /"), ("  ", "is needed"),
                              ("bash", "runs any other command"), ("/usr/bin/env", "runs any other command"),
                              ("/bin/sh", "fix: openclaw approvals allowlist add <path of the program that it runs>" +
                                          (" --node " if more else "\n"))):
            contains(add(machine, pattern, *more, code=1, port=port).err, text, f"reason for {pattern!r}")
        contains(add(machine, "/usr/bin/no-such-program", *more, port=port).err, "the entry counts once there is one", "warning")
        machine.cli("approvals", "allowlist", "remove", "/usr/bin/no-such-program", *more, port=port)
        add(machine, "/opt/tools/**", *more, port=port)
        machine.cli("approvals", "allowlist", "remove", "/opt/tools/**", *more, port=port)
        equal(entries(), [], "entries")
    contains(add(home, "uname", "--gateway", code=1, port=gateway.port).err, "give the full path", "reason")
    contains(add(box, tools).err, "is a directory", "warning")


def test_use_of_entries_for_everyone_is_noted(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.cli("approvals", "allowlist", "add", "uname")
    home.cli("nodes", "run", "--node", "box", "--", "uname", "-s", port=gateway.port)
    entry = rules(box)["agents"]["*"]["allowlist"][0]
    check(entry.get("lastUsedAt", 0) > 0, f"never used: {entry}")
    contains(entry["lastUsedCommand"], "uname -s")


def test_variables_that_are_not_passed_on_are_named(test):
    home, gateway, box, _ = paired_node(test, "allowlist", [os.path.realpath(shutil.which("uname"))])

    def run(*more):
        return home.cli("nodes", "run", "--node", "box", "--env", "WANTED_PATH=1", "--env", "LANG=C", *more, "--", "uname",
                        port=gateway.port)

    for done in (run(), run("--background")):
        contains(done.err, "the node did not pass on WANTED_PATH:", "note")
    equal(json.loads(run("--json").out)["payload"]["envDropped"], ["WANTED_PATH"])
    box.config({"node": {"exec": {"env": {"allow": ["WANTED_PATH"]}}}})
    wait_until(lambda: "pass on" not in run().err, "the owner's exception")


run_tests(globals())

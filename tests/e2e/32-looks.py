"""An approval is about the look that was made when it was asked for, and about every file that decides what runs."""

import mmap

from harness import *


def operator(gateway):
    client = Client(gateway.port)
    check(client.connect(mode="ui", client_id="openclaw-macos")["ok"], "connect")
    return client


def scoped(test, scene, *scopes):
    """A device that may do nothing else."""
    client = Client(scene.gateway.port)
    check(client.connect(mode="ui", client_id="openclaw-macos", identity=test.identity(), scopes=list(scopes))["ok"], "connect")
    return client


class Scene:
    """A node that asks, an agent that runs commands on it, a desk that approves them."""

    def __init__(self, test, ask="on-miss"):
        self.dir = os.path.realpath(test.dir)
        os.mkdir(os.path.join(self.dir, "bin"))
        before = os.environ["PATH"]
        os.environ["PATH"] = os.path.join(self.dir, "bin") + ":" + before
        try:
            self.home, self.gateway, self.box, self.process = paired_node(test, "allowlist")
        finally:
            os.environ["PATH"] = before
        self.box.approvals("allowlist", ask=ask)
        self.desk, self.agent = operator(self.gateway), operator(self.gateway)
        self.node = self.desk.ok("node.list", {})["nodes"][0]["nodeId"]
        self.marker = os.path.join(self.dir, "evil-ran")

    def write(self, name, text, mode=0o700):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def evil(self, name):
        return self.write(name, f"#!/bin/sh\ntouch {self.marker}\n")

    def benign(self, name):
        return self.write(name, "#!/bin/sh\necho benign\n")

    def invoke(self, command, params, client=None):
        return (client or self.agent).call("node.invoke", {
            "nodeId": self.node, "command": command, "params": params, "idempotencyKey": str(uuid.uuid4()),
            "timeoutMs": 20000})

    def look(self, argv, client=None, **more):
        answer = self.invoke("system.run.prepare", {"command": argv, "agentId": "main", "cwd": self.dir, **more}, client)
        check(answer["ok"], str(answer))
        return answer["payload"]["payload"]

    def request(self, argv, **more):
        name = str(uuid.uuid4())
        answer = self.agent.answer(self.agent.send("exec.approval.request", {
            "id": name, "command": "x", "commandArgv": argv, "host": "node", "nodeId": self.node, "agentId": "main",
            "cwd": self.dir, "twoPhase": True, **more}))
        check(answer["ok"], str(answer))
        return name

    def waiting(self, name):
        return next((a["request"] for a in self.desk.ok("exec.approval.list", {}) if a["id"] == name), None)

    def decide(self, name, decision="allow-once"):
        return self.desk.call("exec.approval.resolve", {"id": name, "decision": decision})

    def approve(self, name):
        answer = self.decide(name)
        check(answer["ok"], str(answer))
        return name

    def run(self, argv, name, **more):
        return self.invoke("system.run", {"command": argv, "agentId": "main", "cwd": self.dir, "runId": name,
                                          "approved": True, "approvalDecision": "allow-once", **more})

    def refused(self, argv, name, part="execution plan mismatch"):
        answer = self.run(argv, name)
        check(not answer["ok"], f"it ran: {answer}")
        contains(answer["error"]["message"], part)
        check(not os.path.exists(self.marker), "what nobody approved has run")

    def output(self, argv, name):
        answer = self.run(argv, name)
        check(answer["ok"], str(answer))
        return answer["payload"]["payload"]["stdout"]


def test_a_state_that_was_looked_at_before_the_request_is_not_approved(test):
    """Evil is looked at first, benign when it is asked for and approved, and evil is there again when it runs."""
    scene = Scene(test)
    argv = ["sh", scene.evil("x.sh")]
    scene.look(argv)
    scene.benign("x.sh")
    clock = time.monotonic()
    name = scene.request(argv)
    wait_until(lambda: time.monotonic() > clock + 0.3, "a person to look, who is not as fast as a program")
    scene.look(argv, scene.desk)  # the approver and their command line
    scene.look(argv, scene.desk)
    scene.approve(name)
    scene.evil("x.sh")
    scene.refused(argv, name)
    scene.benign("x.sh")
    equal(scene.output(argv, scene.approve(scene.request(argv))), "benign\n", "asked for anew")


def test_evil_when_asked_benign_when_read(test):
    """The mirror: the request finds evil, the approver reads benign."""
    scene = Scene(test)
    argv = ["sh", scene.evil("x.sh")]
    name = scene.request(argv)
    scene.benign("x.sh")
    scene.look(argv, scene.desk)
    event = scene.desk.event("exec.approval.resolved")
    equal((event["id"], event["decision"], event["cause"]), (name, "deny", "APPROVAL_CHANGED"))
    equal(event["resolvedBy"], "(the command changed)", "for clients that know no causes")
    contains(event["reason"], "execution plan mismatch")
    contains(scene.agent.call("exec.approval.waitDecision", {"id": name})["payload"]["reason"], "another state")
    check(not scene.decide(name)["ok"], "what was withdrawn cannot be approved")
    scene.evil("x.sh")
    scene.refused(argv, name)


def test_a_look_after_the_decision_counts_too(test):
    scene = Scene(test)
    argv = ["sh", scene.benign("x.sh")]
    name = scene.approve(scene.request(argv))
    scene.evil("x.sh")
    scene.look(argv, scene.desk)
    scene.benign("x.sh")
    scene.refused(argv, name)
    name = scene.approve(scene.request(argv))  # the node itself is not fooled by a try in between
    scene.evil("x.sh")
    contains(scene.invoke("system.run", {"command": argv, "agentId": "main", "cwd": scene.dir})["error"]["message"],
             "approval required")
    scene.benign("x.sh")
    scene.refused(argv, name, "was changed while the approval was asked for or waited")


def test_an_approver_whose_node_cannot_look_approves_nothing(test):
    """Whoever keeps the node from the last look must not get the approval for it."""
    scene = Scene(test)
    argv = ["sh", scene.evil("x.sh")]
    name = scene.request(argv)
    scene.benign("x.sh")
    scene.process.child.send_signal(signal.SIGSTOP)
    try:
        done = scene.home.cli("approvals", "approve", name, "--yes", port=scene.gateway.port, code=None)
    finally:
        scene.process.child.send_signal(signal.SIGCONT)
    check(done.returncode != 0, f"it was approved: {done.out}")
    contains(done.err, "nothing was approved: the node did not say whether its files are still the same")
    scene.evil("x.sh")
    scene.refused(argv, name, "approval required")


def test_an_approver_may_only_approve(test):
    """Whoever holds operator.approvals alone calls no node; the gateway has it look for them, whatever their client is."""
    scene = Scene(test)
    desk = scoped(test, scene, "operator.approvals")
    for method, more in (("exec.approval.resolve", {}), ("approval.resolve", {"kind": "exec"})):
        argv = ["sh", scene.benign("x.sh")]
        check(not scene.invoke("system.run.prepare", {"command": argv}, desk)["ok"], "it may call nodes")
        name = scene.request(argv)
        check(desk.call(method, {"id": name, "decision": "allow-once", **more})["ok"], "approved")
        equal(scene.output(argv, name), "benign\n")
        name = scene.request(argv)
        scene.evil("x.sh")
        error = desk.call(method, {"id": name, "decision": "allow-once", **more})["error"]
        equal(error["details"]["code"], "APPROVAL_CHANGED")
        contains(error["message"], "nothing was approved: its files have changed")
        scene.benign("x.sh")
        scene.refused(argv, name)
        name = scene.request(argv)
        scene.process.child.send_signal(signal.SIGSTOP)
        late = desk.send(method, {"id": name, "decision": "allow-once", **more})
        check(scene.desk.call(method, {"id": name, "decision": "deny", **more})["ok"], "turning it down needs no look")
        scene.process.child.send_signal(signal.SIGCONT)
        answer = desk.answer(late)
        check(not answer["ok"] or answer["payload"].get("applied") is False, f"decided twice: {answer}")
        scene.refused(argv, name, "approval")


def test_an_approver_that_leaves_decides_nothing(test):
    scene = Scene(test)
    argv = ["sh", scene.benign("x.sh")]
    name = scene.request(argv)
    desk = operator(scene.gateway)
    scene.process.child.send_signal(signal.SIGSTOP)
    desk.send("exec.approval.resolve", {"id": name, "decision": "allow-once"})
    desk.call("health", {})  # it has been read
    desk.close()
    scene.process.child.send_signal(signal.SIGCONT)
    scene.look(argv)  # what was sent before has been answered
    check(scene.waiting(name), "decided by somebody who is gone")
    equal(scene.output(argv, scene.approve(name)), "benign\n")


def test_what_is_shown_is_what_is_bound(test):
    scene = Scene(test)
    path = scene.benign("x.sh")
    name = scene.request(["sh", path])
    request = scene.waiting(name)
    equal((request["contentBound"], request["unbound"], request["look"]["bound"]), (True, [], [path]))
    equal(request["look"]["state"], scene.look(["sh", path])["approval"]["state"], "the very state")
    shown = scene.home.cli("approvals", "pending", port=scene.gateway.port).out
    contains(shown, f"bound to   {path}")
    callers = scene.invoke("system.run", {"command": ["sh", path], "agentId": "main", "cwd": scene.dir, "runId": name,
                                          "approved": True, "approvalDecision": "allow-once",
                                          "approvalLook": request["look"]["look"]})
    contains(callers["error"]["message"], "approval required")


def test_a_restarted_node_knows_no_look(test):
    scene = Scene(test)
    argv = ["sh", scene.benign("x.sh")]
    name = scene.approve(scene.request(argv))
    scene.process.stop()
    scene.box.node(scene.gateway.port)
    wait_until(lambda: usable(scene.home, scene.gateway.port, "box"), "the node again")
    scene.refused(argv, name, "did not look at")


# The words, and the file in them that is exchanged after the approval. None: nothing of it can be bound.
FORMS = [
    (["nice", "deploy"], "bin/deploy"),
    (["timeout", "20", "deploy"], "bin/deploy"),
    (["env", "deploy"], "bin/deploy"),
    (["env", "A=b", "deploy"], "bin/deploy"),
    (["nohup", "deploy"], "bin/deploy"),
    (["setsid", "-w", "deploy"], "bin/deploy"),
    (["xargs", "deploy"], "bin/deploy"),
    (["nice", "timeout", "20", "setsid", "-w", "deploy", "now"], "bin/deploy"),
    (["bash", "-lc", "./x.sh now"], "x.sh"),
    (["sh", "-c", "sh x.sh"], "x.sh"),
    (["bash", "-c", "cd . && ./x.sh"], "x.sh"),
    (["sh", "-c", "cd bin && ./deploy"], "bin/deploy"),
    (["sh", "-c", "true && nice deploy"], "bin/deploy"),
    (["bash", "-c", "sh -c 'sh -c ./x.sh'"], "x.sh"),
    (["env", "sh", "-c", "deploy"], "bin/deploy"),
    (["bash", "x.sh"], "x.sh"),
    (["bash", "deploy"], "bin/deploy"),
    (["bash", "-c", "--", "./x.sh now"], "x.sh"),
    (["sh", "-c", "-e", "./x.sh now"], "x.sh"),
    (["bash", "-co", "pipefail", "./x.sh now"], "x.sh"),
    (["xargs", "-E", "perl", "deploy"], "bin/deploy"),
    (["./by-line"], "own"),
]


def test_nothing_hides_what_runs(test):
    scene = Scene(test)
    scene.write("by-line", f"#!{scene.dir}/own\n")
    for argv, file in FORMS:
        scene.benign(file)
        name = scene.request(argv)
        request = scene.waiting(name)
        equal((request["contentBound"], request["unbound"]), (True, []), str(argv))
        contains(request["look"]["bound"], os.path.join(scene.dir, file), str(argv))
        scene.approve(name)
        scene.evil(file)
        scene.refused(argv, name)
        scene.benign(file)
        equal(scene.output(argv, scene.approve(scene.request(argv))), "benign\n", str(argv))


def test_a_decoy_does_not_use_up_what_is_read(test):
    """A write through shared memory changes no time of the file: only its content tells."""
    scene = Scene(test)
    scene.write("decoy", "")
    os.truncate(os.path.join(scene.dir, "decoy"), 16 << 20)
    path = scene.write("x.sh", "echo benign".ljust(200) + "\n")
    evil = f"touch {scene.marker}".ljust(200).encode()
    argv = ["sh", "-c", "sh x.sh now", "sh", "decoy"]
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[0:200] = b"echo benign".ljust(200)
        name = scene.request(argv)
        contains(scene.waiting(name)["unbound"][0], "decoy was not read")
        scene.approve(name)
        memory[0:200] = evil
        scene.refused(argv, name)


def node_program(scene):
    """node is not on every machine; what is bound does not depend on what it does."""
    scene.write("bin/node", '#!/bin/sh\nexec sh "$1/lib/run.js"\n')
    scene.write("app/package.json", '{"name": "app", "main": "lib/run"}')
    return ["node", "app"], "app/lib/run.js"


def test_the_main_file_of_a_package(test):
    scene = Scene(test)
    argv, file = node_program(scene)
    scene.benign(file)
    name = scene.approve(scene.request(argv))
    scene.evil(file)
    scene.refused(argv, name)
    scene.benign(file)
    equal(scene.output(argv, scene.approve(scene.request(argv))), "benign\n")
    scene.write("app/package.json", '{"name": "app", "main": "gone"}')
    equal(scene.waiting(scene.request(argv))["contentBound"], False)


UNBOUND = [
    (["python3", "-m", "mod"], "python3 -m can load any file by its name"),
    (["python3", "-c", "import mod"], "python3 -c can load any file by its name"),
    (["make"], "make decides itself which files it reads and runs"),
    (["npm", "run", "x"], "npm decides itself"),
    (["pip", "install", "."], "pip decides itself"),
    (["cargo", "run"], "cargo decides itself"),
    (["nice", "make"], "make decides itself"),
    (["sh", "-c", "true; make"], "make decides itself"),
    (["bash", "-c", "for i in 1; do ./x.sh; done"], "more than the node understands"),
    (["sh", "-c", "$(cat x)"], "more than the node understands"),
    (["sh", "-c", "cat x.sh | sh"], "takes its commands from its input"),
    (["env", "-C", "/", "sh", "x.sh"], "changes which files the command means"),
    (["env", "PATH=/tmp", "deploy"], "PATH changes which files the command means"),
    (["env", "PS4=$(./x.sh)", "bash", "-xc", "true"], "PS4 changes which files the command means"),
    (["bash", "-oc", "pipefail", "./x.sh"], "has options that are not understood"),
    (["sh", "pipe"], "is a pipe, whose content cannot be compared"),
    (["sh", "gone.sh"], "is no file now"),
    (["sh", "-c", "sh x.sh", "sh", "big"], "big was not read"),
    (["sh", "-c", "chdir bin && ./deploy"], "more than the node understands"),
    (["bash", "-c", "printf -v 'a[$(./x.sh)]' hi"], "may be the shell's own"),
    (["xargs", "-a", "list", "nice"], "-a changes which files the command means"),
]


def test_who_approves_is_told_what_is_not_bound(test):
    scene = Scene(test)
    for name in ("make", "npm", "pip", "cargo"):
        scene.benign(f"bin/{name}")
    scene.benign("x.sh")
    os.mkfifo(os.path.join(scene.dir, "pipe"))
    os.truncate(scene.write("big", ""), (16 << 20) + 1)
    for argv, reason in UNBOUND:
        name = scene.request(argv)
        request = scene.waiting(name)
        equal(request["contentBound"], False, str(argv))
        contains("\n".join(request["unbound"]), reason, str(argv))
        answer = scene.decide(name, "allow-always")
        contains(answer["error"]["message"], "content not bound", str(argv))
        equal(answer["error"]["details"]["code"], "APPROVAL_CONTENT_NOT_BOUND")
        check(scene.decide(name, "deny")["ok"], "it can be decided otherwise")
    name = scene.request(["make"])
    out = scene.home.cli("approvals", "pending", port=scene.gateway.port).out
    contains(out, "NOT BOUND")
    contains(out, "make decides itself which files it reads and runs")
    listed = scene.home.cli_json("approvals", "pending", "--json", port=scene.gateway.port)
    equal([a["request"]["contentBound"] for a in listed], [False])
    always = scene.home.cli("approvals", "approve", name, "--always", "--yes", port=scene.gateway.port, code=None)
    check(always.returncode != 0, "always is not offered")
    contains(always.err, "content not bound")
    equal(scene.output(["make"], scene.approve(name)), "benign\n", "once")


def test_watching_offers_always_only_for_what_is_bound(test):
    scene = Scene(test)
    scene.benign("bin/make")
    screen = Terminal(test, scene.home, scene.gateway.port, "approvals", "watch")
    name = scene.request(["make"])
    screen.wait_for("[o] allow once  [D] deny")
    contains(screen.text, "content not bound: what runs can change after you approve (make decides itself")
    screen.type("a\n")
    screen.wait_for("[o] allow once  [D] deny", 2)
    check(scene.waiting(name), "nothing was decided")
    screen.type("d\n")
    screen.wait_for("Approval resolved deny")
    scene.request(["uname"])
    screen.wait_for("[a] allow always")
    name = scene.request(["sh", scene.benign("x.sh")])
    screen.type("d\n")
    screen.wait_for("x.sh\r\n")
    scene.evil("x.sh")
    screen.type("o\n")
    screen.wait_for("its files have changed since it was asked for")
    scene.refused(["sh", os.path.join(scene.dir, "x.sh")], name)
    os.kill(screen.child.pid, signal.SIGINT)
    screen.end(130)


# Plain programs and the words that make them run something; the last one says whether a file is in them that can be bound.
TOLD = [
    (["tar", "cf", "/dev/null", "--checkpoint=1", "--checkpoint-action=exec=./x.sh", "data"], True),
    (["tar", "-I", "./x.sh", "-cf", "out.tar", "data"], True),
    (["tar", "--use-comp=./x.sh", "-cf", "out.tar", "data"], True),
    (["tar", "-cIf", "sh x", "out.tar", "data"], False),
    (["sort", "--compress-program=./x.sh", "-S", "1k", "data"], True),
    (["git", "-c", "alias.x=!./x.sh", "x"], True),
    (["git", "-c", "core.fsmonitor=./x.sh", "status"], True),
    (["git", "-c", "core.fsmonitor=x", "status"], False),
    (["zip", "-q", "o.zip", "data", "-T", "-TT", "./x.sh"], True),
    (["gcc", "-wrapper", "./x.sh", "x.c"], True),
    (["gcc", "-B./d/", "x.c"], False),
    (["wget", "--use-askpass=./x.sh", "http://127.0.0.1:1/"], True),
    (["nice", "tar", "-I", "./x.sh", "-cf", "out.tar", "data"], True),
    (["sh", "-c", "tar -I ./x.sh -cf out.tar data"], True),
    (["perl", "-n", "x.pl", "./x.sh|"], True),
    (["perl", "-p", "x.pl", "./x.sh|"], True),
    (["sh", "-c", "perl -n x.pl './x.sh|'"], True),
    (["any", "--some-option", "./x.sh"], True),
    (["any", "deploy"], False),
]


def test_a_plain_program_may_be_told_to_run_something(test):
    """Whoever approves it must not be told that everything is bound, nor be offered to allow it for ever."""
    scene = Scene(test)
    for name in ("any", "zip", "wget", "gcc"):  # these are not on every machine, and their words are what counts
        if not shutil.which(name):
            scene.benign(f"bin/{name}")
    scene.benign("bin/any")
    scene.benign("bin/deploy")
    scene.write("data", "x\n", 0o600)
    scene.write("x.pl", "print;\n", 0o600)
    for argv, has_file in TOLD:
        path = scene.benign("x.sh")
        name = scene.request(argv)
        request = scene.waiting(name)
        equal((request["contentBound"], request["look"]["wouldAllow"]), (False, []), str(argv))
        equal(scene.decide(name, "allow-always")["error"]["details"]["code"], "APPROVAL_CONTENT_NOT_BOUND", str(argv))
        if has_file:
            contains(request["look"]["bound"], path, str(argv))
            scene.approve(name)
            scene.evil("x.sh")
            scene.refused(argv, name)


def test_ordinary_uses_of_plain_programs_are_as_before(test):
    scene = Scene(test)
    data = scene.write("data", "x\n", 0o600)
    scene.benign("x.sh")
    for argv in (["ls", "-l", scene.dir], ["cat", "x.sh"], ["grep", "-E", "a|b", "x.sh"], ["git", "status"],
                 ["git", "log", "--oneline", "-n", "3"], ["tar", "-czf", "out.tgz", data], ["sort", "-n", data]):
        approval = scene.look(argv)["approval"]
        equal((approval["contentBound"], approval["unbound"], approval["bound"]), (True, [], []), str(argv))
        equal(approval["wouldAllow"], [os.path.realpath(shutil.which(argv[0]))], str(argv))


def test_what_reads_a_log_that_grows_can_be_approved(test):
    scene = Scene(test)
    scene.write("x.py", "print('read')\n", 0o600)
    log = scene.write("app.log", "benign\n", 0o600)
    for argv in (["sed", "-n", "1p", log], ["awk", "NR==1", log], ["python3", "x.py", log], ["sh", "-c", f"sed -n 1p {log}"],
                 ["perl", "-ne", "print if $. == 1", log], ["nice", "head", "-n", "1", log],
                 ["sh", "-c", f"head -n 1 {log} 2>/dev/null"]):
        name = scene.request(argv)
        for _ in range(2):  # when it is approved, and when it runs
            with open(log, "a", encoding="utf-8") as f:
                f.write("another line\n")
            if scene.waiting(name):
                scene.approve(name)
        equal(scene.output(argv, name), "read\n" if argv[0] == "python3" else "benign\n", str(argv))
    # what is run is bound all the same, whatever it is called
    scene.write("prog", "print('benign')\n", 0o600)
    for argv in (["python3", "prog", log], ["awk", "-f", "prog", log], ["sh", "prog"], ["python3", "x.py", "prog2"]):
        scene.write("prog2", "#!/bin/sh\n", 0o600)
        scene.write("prog", "print('benign')\n", 0o600)
        name = scene.approve(scene.request(argv))
        scene.write("prog", f"touch {scene.marker}\n", 0o600)
        scene.write("prog2", f"#!/bin/sh\ntouch {scene.marker}\n", 0o600)
        scene.refused(argv, name)


def test_thousands_of_words_are_not_looked_at(test):
    """Nothing is timed: what is not looked at cannot take long, and is told."""
    scene = Scene(test)
    scene.benign("x.sh")
    callers = [scoped(test, scene, "operator.read", "operator.write") for _ in range(5)]
    argv = ["sh", "x.sh", *(f"-w{i}={i}" for i in range(15000))]
    asked = [(caller, caller.send("node.invoke", {
        "nodeId": scene.node, "command": "system.run.prepare", "params": {"command": argv, "agentId": "main", "cwd": scene.dir},
        "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 20000})) for caller in callers[:4] for _ in range(3)]
    approval = scene.look(["sh", "x.sh"], callers[4])["approval"]
    equal((approval["contentBound"], approval["bound"]), (True, [os.path.join(scene.dir, "x.sh")]), "somebody else meanwhile")
    for caller, request in asked:
        answer = caller.answer(request)
        check(answer["ok"], str(answer)[:500])
        approval = answer["payload"]["payload"]["approval"]
        equal((approval["contentBound"], approval["wouldAllow"]), (False, []))
        contains("\n".join(approval["unbound"]), "the command has more words than the node looks at")
        equal(approval["bound"], [os.path.join(scene.dir, "x.sh")])


def prepare(scene, argv, client=None):
    return scene.invoke("system.run.prepare", {"command": argv, "agentId": "main"}, client)


def test_preparing_tells_nothing_where_nothing_runs(test):
    scene = Scene(test)
    scene.box.approvals("deny")
    pin = scene.write("pin", "1234", 0o600)
    answers = [prepare(scene, argv) for argv in (
        ["sh", pin], ["sh", pin + ".gone"], [pin], [pin + ".gone"], ["sh", "/proc/self/environ"], ["no-such-program"])]
    answers.append(scene.invoke("system.run.prepare", {"command": ["sh"], "cwd": pin + ".gone"}))
    for answer in answers:
        equal((answer["ok"], answer["error"]), (False, answers[0]["error"]), "one refusal for all")
    contains(answers[0]["error"]["message"], "SYSTEM_RUN_DISABLED: security=deny")
    denied = scene.home.cli("nodes", "run", "--node", "box", "--", "sh", pin, port=scene.gateway.port, code=None)
    contains(denied.err, "SYSTEM_RUN_DISABLED: security=deny", "the run itself is refused, and written down")


def test_a_denied_run_tells_nothing_of_the_workspace(test):
    """Where it would run is not looked at, in a sandbox neither."""
    scene = Scene(test)
    scene.box.approvals("deny")
    workspace = os.path.join(scene.dir, "work")
    os.makedirs(os.path.join(workspace, "there"))
    for mode in ("workspace", "strict"):
        scene.process.stop()
        scene.box.config({"node": {"exec": {"sandbox": mode, "workspace": [workspace]}}})
        scene.process = scene.box.node(scene.gateway.port)
        wait_until(lambda: usable(scene.home, scene.gateway.port, "box"), "the node again")
        for command in ("system.run", "system.run.prepare"):
            answers = [scene.invoke(command, {"command": ["true"], "cwd": cwd})
                       for cwd in ("there", "not-there", "/etc", os.path.join(workspace, "not-there"))]
            for answer in answers:
                equal((answer["ok"], answer["error"]), (False, answers[0]["error"]), f"one refusal of {command} for all")
            contains(answers[0]["error"]["message"], "SYSTEM_RUN_DISABLED: security=deny")


def test_a_pin_cannot_be_guessed_from_its_hash(test):
    scene = Scene(test)
    pin, copy = scene.write("pin", "1234", 0o600), scene.write("copy", "1234", 0o600)
    told = [prepare(scene, ["sh", path])["payload"]["payload"]["plan"]["mutableFileOperand"] for path in (pin, copy)]
    equal([t["path"] for t in told], [pin, copy])
    check(len({t["sha256"] for t in told}) == 2, "a copy of the guess has the same hash")
    check(hashlib.sha256(b"1234").hexdigest() not in json.dumps(told), "a plain hash")


def test_another_start_of_the_node_describes_the_same_file_by_another_hash(test):
    """The key is this process's own: what one tells of a file is no help with what another tells."""
    scene = Scene(test)
    pin = scene.write("pin", "1234", 0o600)

    def told():
        return prepare(scene, ["sh", pin])["payload"]["payload"]["plan"]["mutableFileOperand"]

    first = told()
    equal(told(), first, "the same process")
    scene.process.stop()
    scene.box.node(scene.gateway.port)
    wait_until(lambda: usable(scene.home, scene.gateway.port, "box"), "the node again")
    second = told()
    equal(second["path"], first["path"])
    check(second["sha256"] != first["sha256"], "the key is the same one again")


def test_preparing_describes_no_files_of_node_kernel_or_devices(test):
    scene = Scene(test)
    state = os.path.join(os.path.realpath(scene.box.home), ".openclaw")
    key = os.path.join(state, "identity", "device.json")
    check(os.path.exists(key), "the node's key")
    os.symlink(key, os.path.join(scene.dir, "link"))
    os.mkfifo(os.path.join(scene.dir, "fifo"))
    for word in (key, key + ".gone", os.path.join(scene.dir, "link"), "/proc/self/environ", "/proc/1/environ",
                 "/sys/kernel/notes", "/dev/zero", os.path.join(scene.dir, "fifo")):
        done = prepare(scene, ["sh", word])["payload"]["payload"]
        check("mutableFileOperand" not in done["plan"], f"{word}: {done}")
        equal(done["approval"]["bound"], [], word)
    gone, there = (prepare(scene, ["sh", word])["payload"]["payload"]["approval"]["unbound"] for word in (key + ".gone", key))
    equal([t.replace(".gone", "") for t in gone], there, "there or not")
    workspace = os.path.join(state, "workspace", "x.sh")
    scene.write(workspace, "echo hi\n")
    equal(prepare(scene, ["sh", workspace])["payload"]["payload"]["approval"]["bound"], [workspace])


def told(scene, client, command, params, word):
    """Everything that an answer says, without the word that was asked about."""
    answer = scene.invoke(command, {"agentId": "main", **params}, client)
    said = answer.get("error") or answer["payload"]["payload"]
    for key in ("look", "lookAt", "state"):  # keyed, and another one for other words
        said.get("approval", {}).pop(key, None)
    return json.dumps(said).replace(word, "WORD")


def questions(word):
    return [("system.run.prepare", {"command": [word]}), ("system.run", {"command": [word]}),
            ("system.run.prepare", {"command": ["sh", "-c", f"cd {word} && true"]}),
            ("system.run", {"command": ["sh", "-c", f"cd {word} && true"]}),
            ("system.run.prepare", {"command": [word, "-c", "true"]}),
            ("system.run.prepare", {"command": ["true"], "cwd": word})]


def test_where_nobody_is_asked_a_refusal_tells_nothing_about_files(test):
    scene = Scene(test, ask="off")
    client = scoped(test, scene, "operator.read", "operator.write")
    words = [scene.benign("prog"), scene.write("data", "x", 0o600), os.path.join(scene.dir, "gone"), os.path.join(scene.dir, "bin")]
    for i in range(len(questions(""))):
        answers = {told(scene, client, *questions(word)[i], word) for word in words}
        equal(len(answers), 1, str(answers))
    contains(scene.home.cli("nodes", "run", "--node", "box", "--", words[0], port=scene.gateway.port, code=None).err,
             "is not on the list", "the owner is told")


def test_nobody_learns_which_files_node_and_kernel_have(test):
    scene = Scene(test)
    client = scoped(test, scene, "operator.read", "operator.write")
    state = os.path.join(os.path.realpath(scene.box.home), ".openclaw")
    program = scene.benign(os.path.join(state, "identity", "prog"))
    pid = scene.process.child.pid
    for there, gone in ((program, program + ".gone"), (os.path.join(state, "identity"), os.path.join(state, "gone")),
                        (f"/proc/{pid}", "/proc/4194305"), (f"/proc/{pid}/exe", "/proc/4194305/exe")):
        for (command, params), (_, others) in zip(questions(there), questions(gone)):
            equal(told(scene, client, command, params, there), told(scene, client, command, others, gone), str(params))


class LargeFiles:
    """Sixty looks at a large file that one caller asks for at once. Of these the node keeps 16 besides the one that it makes."""

    ASKED, KEPT = 60, 16

    def __init__(self, scene, path):
        self.scene, self.served, self.refused = scene, 0, []
        self.open = {scene.agent.send("node.invoke", {
            "nodeId": scene.node, "command": "system.run.prepare", "params": {"command": ["sh", path]},
            "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 60000}) for _ in range(self.ASKED)}

    def read_until(self, is_enough):
        while not is_enough(self):
            self.note(self.scene.agent.ws.recv_json())

    def read_what_is_there(self):
        """All that the gateway has sent before it answers this."""
        marker = self.scene.agent.send("health", {})
        while self.note(self.scene.agent.ws.recv_json()) != marker:
            pass

    def note(self, frame):
        if frame.get("id") in self.open:
            self.open.remove(frame["id"])
            self.served += frame["ok"]
            self.refused += [] if frame["ok"] else [frame["error"]["message"]]
        return frame.get("id")


def test_sixty_large_files_of_one_caller_are_not_everybodys(test):
    """Nothing is timed: at a refusal 16 looks of the caller wait, and another caller's look does not wait for all of them."""
    scene = Scene(test)
    other = scoped(test, scene, "operator.read", "operator.write")
    big = scene.write("big", "")
    os.truncate(big, 15 << 20)
    before_other = []
    # A busy machine may make them all before the other one asks: then it has shown nothing.
    while len(before_other) < 10 and not any(count < LargeFiles.KEPT for count in before_other):
        asked = LargeFiles(scene, big)
        asked.read_until(lambda a: a.refused or not a.open)
        served = asked.served
        scene.look(["sh", big], other)
        asked.read_what_is_there()
        before_other.append(asked.served - served)
        asked.read_until(lambda a: not a.open)
        check(asked.refused, "none was refused: all of them waited")
        check(asked.served > LargeFiles.KEPT, f"only {asked.served} were looked at")
        for message in asked.refused:
            contains(message, "too many commands wait until the node has looked at their files")
            contains(message, f"of these {LargeFiles.KEPT} of yours")
    check(before_other[-1] < LargeFiles.KEPT, f"another caller's look waited for {before_other} of one caller's")


run_tests(globals())

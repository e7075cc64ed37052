"""What was approved is what runs: the files of a command, when they were looked at, how it may run, what "always" adds."""

from harness import *


def operator(gateway):
    client = Client(gateway.port)
    check(client.connect(mode="ui", client_id="openclaw-macos")["ok"], "connect")
    return client


class Scene:
    """A node that asks, an agent that runs commands on it, a desk that approves them."""

    def __init__(self, test, ask="on-miss"):
        self.home, self.gateway, self.box, _ = paired_node(test, "allowlist")
        self.box.approvals("allowlist", ask=ask)
        self.desk, self.agent = operator(self.gateway), operator(self.gateway)
        self.node = self.desk.ok("node.list", {})["nodes"][0]["nodeId"]
        self.dir = os.path.realpath(test.dir)

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def invoke(self, command, params):
        return self.agent.call("node.invoke", {"nodeId": self.node, "command": command, "params": params,
                                               "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 20000})

    def prepare(self, argv, **more):
        answer = self.invoke("system.run.prepare", {"command": argv, "agentId": "main", **more})
        check(answer["ok"], str(answer))
        return answer["payload"]["payload"]

    def request(self, argv, **more):
        name = str(uuid.uuid4())
        self.agent.answer(self.agent.send("exec.approval.request", {
            "id": name, "command": "x", "commandArgv": argv, "host": "node", "nodeId": self.node, "agentId": "main",
            "twoPhase": True, **more}))
        return name

    def approve(self, name, decision="allow-once"):
        self.desk.ok("exec.approval.resolve", {"id": name, "decision": decision})
        return name

    def run(self, argv, approval=None, **more):
        params = {"command": argv, "agentId": "main", **more}
        if approval:
            params.update(runId=approval, approved=True, approvalDecision="allow-once")
        return self.invoke("system.run", params)

    def output(self, *args, **more):
        answer = self.run(*args, **more)
        check(answer["ok"], str(answer))
        return answer["payload"]["payload"]["stdout"]

    def refused(self, part, *args, **more):
        answer = self.run(*args, **more)
        check(not answer["ok"], f"it ran: {answer}")
        contains(answer["error"]["message"], part)


def test_options_do_not_hide_a_script(test):
    scene = Scene(test)
    for options in ([], ["-e"], ["-p"], ["-m"], ["-ec", "exec bash \"$0\""]):
        path = scene.write("x.sh", "echo harmless\n")
        argv = ["bash", *options, path]
        scene.prepare(argv)
        name = scene.approve(scene.request(argv))
        scene.write("x.sh", "echo evil\n")
        scene.refused("execution plan mismatch", argv, name)
        scene.prepare(argv)
        equal(scene.output(argv, scene.approve(scene.request(argv))), "evil\n", "approved as it is now")


def test_every_file_is_bound(test):
    scene = Scene(test)
    argv = ["sh", scene.write("main.sh", '. "$1"\n'), scene.write("lib.sh", "echo harmless\n")]
    scene.prepare(argv)
    name = scene.approve(scene.request(argv))
    scene.write("lib.sh", "echo evil\n")
    scene.refused("lib.sh is not what was approved", argv, name)
    tool = os.path.join(scene.dir, "tool")
    shutil.copy(shutil.which("true"), tool)
    scene.prepare([tool])
    name = scene.approve(scene.request([tool]))
    shutil.copy(shutil.which("uname"), tool)
    scene.refused("tool is not what was approved", [tool], name)


def test_what_is_prepared_later_was_not_approved(test):
    """Whoever may prepare could otherwise exchange the script after the approval, with whatever plan they like."""
    scene = Scene(test)
    path = scene.write("x.sh", "echo harmless\n")
    argv = ["bash", path]
    equal(scene.output(argv, scene.approve(scene.request(argv))), "harmless\n", "the gateway had the node look")
    plan = {"version": 2, "argv": argv, "cwd": None, "rawCommand": f"bash {path}", "agentId": "main", "sessionKey": None}
    names = [scene.approve(scene.request(argv)), scene.approve(scene.request(argv, systemRunPlan=plan))]
    scene.write("x.sh", "echo evil\n")
    plan["mutableFileOperand"] = scene.prepare(argv)["plan"]["mutableFileOperand"]
    for name in names:
        scene.refused("execution plan mismatch", argv, name)
    scene.write("x.sh", "echo harmless\n")
    scene.refused("x.sh is not what was approved", argv, scene.approve(scene.request(argv, systemRunPlan=plan)))


def test_many_plans_do_not_hide_one(test):
    scene = Scene(test)
    argv = ["bash", scene.write("x.sh", "echo harmless\n")]
    scene.prepare(argv)
    name = scene.approve(scene.request(argv))
    for i in range(70):
        scene.prepare(["bash", "-c", str(i)], agentId=f"flood-{i % 2}")
    equal(scene.output(argv, name), "harmless\n")
    name = scene.approve(scene.request(argv))
    scene.write("x.sh", "echo evil\n")
    for i in range(300):
        scene.prepare(["bash", "-c", str(i)], agentId=f"flood-{i}")
    scene.refused("x.sh is not what was approved", argv, name)


def links(scene, name):
    """The link `name` in a directory of the node's PATH, and what makes it lead to another program."""
    path = os.path.join(scene.dir, "bin", name)

    def lead_to(program):
        os.symlink(os.path.realpath(shutil.which(program)), path + ".new")
        os.rename(path + ".new", path)

    return path, lead_to


def scene_with_bin(test):
    os.mkdir(os.path.join(os.path.realpath(test.dir), "bin"))
    before = os.environ["PATH"]
    os.environ["PATH"] = os.path.join(os.path.realpath(test.dir), "bin") + ":" + before
    try:
        scene = Scene(test)
    finally:
        os.environ["PATH"] = before
    project = os.path.join(scene.dir, "proj")
    os.mkdir(project)
    scene.write("proj/__main__.py", "print('harmless')\n")
    return scene, project


def test_which_program_is_approved_too(test):
    """Both are the system's; which one it is, is not."""
    scene, project = scene_with_bin(test)
    path, lead_to = links(scene, "x")
    echo = os.path.realpath(shutil.which("echo"))
    for word in ("x", path):
        argv = [word, project]
        lead_to("ls")
        scene.prepare(argv)
        equal(scene.output(argv, scene.approve(scene.request(argv))), "__main__.py\n")
        scene.prepare([echo, project])  # which is no approval of it
        scene.refused("approval required", argv)
        name = scene.request(argv)
        scene.approve(name)
        lead_to("echo")
        scene.refused(f'"{word}" is {echo} now, which is not the program that was approved', argv, name)
        scene.prepare(argv)
        equal(scene.output(argv, scene.approve(scene.request(argv))), project + "\n", "approved as it is now")
    path, lead_to = links(scene, "y")
    for word in ("y", path, "/usr/.." + path):
        lead_to("ls")
        name = scene.approve(scene.request([word]))
        lead_to("echo")
        scene.refused("which is not the program that was approved", [word], name)


def test_a_directory_with_a_program_in_it(test):
    scene, project = scene_with_bin(test)
    argv = ["python3", project]
    scene.prepare(argv)
    equal(scene.output(argv, scene.approve(scene.request(argv))), "harmless\n")
    name = scene.approve(scene.request(argv))
    scene.write("proj/__main__.py", "print('evil')\n")
    scene.refused("__main__.py is not what was approved", argv, name)


def test_a_try_is_as_good_as_preparing(test):
    scene = Scene(test)
    path = scene.write("x.sh", "echo one\n")
    scene.refused("approval required", ["sh", path])
    equal(scene.output(["sh", path], scene.approve(scene.request(["sh", path]))), "one\n")
    name = scene.approve(scene.request(["sh", path]))
    scene.write("x.sh", "echo two\n")
    scene.refused("execution plan mismatch", ["sh", path], name)


def test_the_person_at_the_node_sees_what_runs(test):
    scene = Scene(test)
    path = scene.write("x.sh", "echo harmless\n")
    server = socket.socket(socket.AF_UNIX)
    server.settimeout(DEADLINE)
    server.bind(os.path.join(scene.box.home, "prompt.sock"))
    os.chmod(server.getsockname(), 0o600)
    server.listen()
    file = os.path.join(scene.box.home, ".openclaw", "exec-approvals.json")
    content = json.load(open(file, encoding="utf-8"))
    content["socket"] = {"path": server.getsockname(), "token": "t" * 32}
    with open(file, "w", encoding="utf-8") as f:
        json.dump(content, f)

    def ask(argv, decision, meanwhile=lambda: None):
        request = scene.agent.send("node.invoke", {
            "nodeId": scene.node, "command": "system.run", "params": {"command": argv}, "idempotencyKey": str(uuid.uuid4()),
            "timeoutMs": 20000})
        peer, _ = server.accept()
        with peer, peer.makefile("rwb") as lines:
            asked = json.loads(lines.readline())
            meanwhile()
            lines.write(json.dumps({"type": "decision", "id": asked["id"], "decision": decision}).encode() + b"\n")
            lines.flush()
            return asked["request"], scene.agent.answer(request)

    asked, answer = ask(["bash", path], "allow-once")
    equal(answer["payload"]["payload"]["stdout"], "harmless\n")
    equal((asked["reason"], asked["resolvedPath"], asked["wouldAllow"]),
          ("bash can run any other command, so no list allows it", os.path.realpath(shutil.which("bash")), []))
    _, answer = ask(["bash", path], "allow-once", lambda: scene.write("x.sh", "echo evil\n"))
    contains(answer["error"]["message"], "x.sh is not what was approved")
    path, lead_to = links(scene, "x")
    os.mkdir(os.path.dirname(path))
    echo = os.path.realpath(shutil.which("echo"))
    lead_to("ls")
    asked, answer = ask([path, scene.dir], "allow-once", lambda: lead_to("echo"))
    equal(asked["resolvedPath"], os.path.realpath(shutil.which("ls")))
    contains(answer["error"]["message"], f"is {echo} now, which is not the program that was approved")
    uname = os.path.realpath(shutil.which("uname"))
    asked, answer = ask(["uname"], "allow-always")
    equal((asked["wouldAllow"], answer["payload"]["payload"]["remembered"]), ([uname], [uname]))
    server.close()
    check(scene.run(["uname"])["ok"], "it is on the list now")


def test_always_adds_what_was_told(test):
    scene = Scene(test)
    uname = os.path.realpath(shutil.which("uname"))
    approval = scene.prepare(["uname"])["approval"]
    for seal in ("look", "lookAt", "state"):
        check(len(approval.pop(seal)) >= 64, seal)
    equal(approval,
          {"security": "allowlist", "ask": "on-miss", "required": True, "resolvedPath": uname, "nodeCwd": os.path.realpath(test.dir),
           "wouldAllowFor": "main", "reason": f"{uname} is not on the list", "wouldAllow": [uname],
           "contentBound": True, "bound": [], "unbound": []})
    scene.refused(f'"always" would allow {uname}, with any arguments', ["uname", "-s"])
    scene.refused('"always" would allow nothing from then on', ["bash", "-i"])
    id_, argv = os.path.realpath(shutil.which("id")), ["id"]
    done = scene.run(argv, scene.approve(scene.request(argv), "allow-always"))["payload"]["payload"]
    equal(done["remembered"], [id_])
    check("remembered" not in scene.run(argv)["payload"]["payload"], "nobody said always")
    tool = scene.write("tool", "#!/bin/sh\n")
    os.chmod(tool, 0o777)
    equal(scene.prepare([tool])["approval"]["wouldAllow"], [])
    name = scene.approve(scene.request([tool]), "allow-always")
    os.chmod(tool, 0o755)
    equal(scene.run([tool], name)["payload"]["payload"]["remembered"], [], "it could be added by now, but nobody knew")


def test_how_it_may_run_is_approved_too(test):
    scene = Scene(test)
    argv, tty = ["uname"], {"columns": 80, "rows": 24}

    def approve(run=None):
        more = {} if run is None else {"run": run}
        name = scene.request(argv, **more)
        shown = next(a for a in scene.desk.ok("exec.approval.list", {}) if a["id"] == name)["request"]
        event = scene.desk.event("exec.approval.requested")
        equal((event["id"], event["request"]), (name, shown))
        return shown.get("run"), scene.approve(name)

    shown, name = approve()
    equal(shown, None)
    scene.refused("not approved to run in the background", argv, name, background=True)
    scene.refused("not approved to have a terminal", argv, name, tty=tty)
    equal(scene.output(argv, name, timeoutMs=90000), "Linux\n", "a refusal does not use it up")
    shown, name = approve({"background": True, "tty": True, "timeoutMs": 5000})
    equal(shown, {"background": True, "tty": True, "timeoutMs": 5000})
    for limit in ({}, {"timeoutMs": 5001}, {"timeoutMs": 0}):
        scene.refused("not approved to run that long", argv, name, background=True, **limit)
    check("handle" in scene.run(argv, name, background=True, timeoutMs=5000)["payload"]["payload"], "in the background")
    shown, name = approve({"tty": True})
    scene.refused("in the background", argv, name, tty=tty, background=True)
    equal(scene.output(argv, name, tty=tty).strip(), "Linux")
    answer = scene.agent.call("exec.approval.request", {"command": "x", "run": {"background": "yes"}})
    contains(answer["error"]["message"], "at /run/background: must be boolean")


def test_where_nothing_is_asked_nothing_is_in_the_way(test):
    scene = Scene(test)
    scene.box.approvals("full", ask="off")
    folder, link = os.path.join(scene.dir, "folder"), os.path.join(scene.dir, "link")
    os.mkdir(folder)
    os.symlink(folder, link)
    equal(scene.prepare(["pwd", "-P"], cwd=link)["plan"]["cwd"], link)
    equal(scene.home.cli("nodes", "run", "--cwd", link, "--", "pwd", "-P", port=scene.gateway.port).out, folder + "\n")
    equal(scene.prepare(["./gone"], cwd=link)["approval"]["reason"], "security is full: everything runs here")
    scene.box.approvals("full", ask="always")
    answer = scene.invoke("system.run.prepare", {"command": ["pwd"], "cwd": link})
    contains(answer["error"]["message"], "approval requires canonical cwd")


def test_input_ends_with_full_security(test):
    scene = Scene(test)
    scene.box.approvals("full", ask="off")
    handle = scene.run(["cat"], background=True)["payload"]["payload"]["handle"]

    def write():
        return scene.invoke("system.runs.write", {"handle": handle, "data": "x\n"})

    check(write()["ok"], "input")
    for rules in ({"security": "allowlist"}, {"security": "deny"}, {"security": "full", "ask": "always"}):
        scene.box.approvals(**rules)
        contains(write()["error"]["message"], "input needs security=full")
    scene.box.approvals("full", ask="off")
    check(write()["ok"], "input again")
    check(scene.invoke("system.runs.kill", {"handle": handle})["ok"], "kill")


def test_behind_walls_the_directory_is_part_of_it(test):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.approvals("allowlist", ask="on-miss")
    work = os.path.join(os.path.realpath(box.home), "work")
    os.makedirs(work)
    box.config({"node": {"exec": {"sandbox": "workspace", "sandboxFallback": "allow", "workspace": [work]}}})
    box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the approved node")
    scene = Scene.__new__(Scene)
    scene.desk, scene.agent, scene.dir = operator(gateway), operator(gateway), work
    scene.node = scene.desk.ok("node.list", {})["nodes"][0]["nodeId"]
    scene.write("x.sh", "echo harmless\n")
    argv = ["sh", "x.sh"]
    plan = scene.prepare(argv)["plan"]
    equal(plan["cwd"], work)
    name = scene.approve(scene.request(argv, systemRunPlan=plan))
    equal(scene.output(argv, name), "harmless\n")
    name = scene.approve(scene.request(argv, systemRunPlan=plan))
    scene.write("x.sh", "echo evil\n")
    scene.refused("execution plan mismatch", argv, name)
    answer = scene.invoke("system.run.prepare", {"command": argv, "cwd": "/"})
    contains(answer["error"]["message"], "is no directory of the workspace")


run_tests(globals())

"""Gateway and node as services of a real systemd: install, ready, watchdog, restart, stop, uninstall."""

import manager
from harness import *

manager.enter()

GATEWAY, NODE = "openclaw-gateway.service", "openclaw-node.service"
# As they are but for the waits, which people have time for and tests have not.
SHORT = "[Service]\nRestartSec=100ms\nWatchdogSec=1\nTimeoutAbortSec=500ms\n"
# systemd's word for how each run ended.
ENDS = "ExecStopPost=/bin/sh -c 'echo $SERVICE_RESULT >> %h/ends'\n"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def desk(test, name="desk"):
    return manager.Manager(test.machine(name))


def files_of(m):
    """Everything in the manager's folder that has our name."""
    return sorted(f for folder, _, names in os.walk(m.units) for f in names if "openclaw" in folder + f)


def mode_of(path):
    return os.stat(path).st_mode & 0o777


def test_a_life(test):
    m, port = desk(test), free_port()
    state = m.machine.state
    m.machine.approvals("full")
    m.drop_in(NODE, SHORT + ENDS)

    said = m.cli("gateway", "install", "--port", str(port))
    contains(said.out, f"Installed {GATEWAY}: running, pid ", "install")
    contains(said.out, f"listening on ws://127.0.0.1:{port}", "what the gateway tells systemd")
    contains(said.err, "loginctl enable-linger", "hint")
    equal(m.show(GATEWAY, "ActiveState"), "active")
    told = m.cli_json("gateway", "status", port=port)
    equal((told["ok"], told["service"]["runtime"]["status"], told["service"]["loaded"]), (True, "running", True))

    done = m.cli_json("node", "install", "--host", "127.0.0.1", "--port", str(port), "--display-name", "the 50% \"box\" $HOME")
    equal((done["ok"], done["result"], done["service"]["unit"]), (True, "installed", NODE))
    first = m.show(NODE, "MainPID")
    equal(done["service"]["runtime"]["pid"], int(first))
    m.cli("nodes", "approve", "--yes", port=port)
    name = "the 50% \"box\" $HOME"
    wait_until(lambda: usable(m.machine, port, name), "a node that can be used")
    wait_until(lambda: "connected to ws://" in m.show(NODE, "StatusText"), "the status of a connected node")

    # Nothing that a command could speak to systemd or the gateway with.
    seen = m.cli("nodes", "run", "--node", name, "--", "/usr/bin/env", port=port).out
    check(not re.search(r"NOTIFY_SOCKET|WATCHDOG_|TOKEN", seen), f"a command sees too much:\n{seen}")
    contains(seen, "PATH=" + os.environ["PATH"].split(":")[0], "the owner's PATH")

    # Secrets are in one file, and nowhere else.
    for unit, file in ((GATEWAY, "service-gateway.env"), (NODE, "service-node.env")):
        path = os.path.join(state, file)
        equal(mode_of(path), 0o600, f"mode of {file}")
        with open(path, encoding="utf-8") as f:
            contains(f.read(), f'OPENCLAW_GATEWAY_TOKEN="{TOKEN}"', file)
        with open(os.path.join(m.units, unit), encoding="utf-8") as f:
            check(TOKEN not in f.read(), f"{unit} holds the token")
        check(TOKEN not in m.ask("show", unit), "systemctl show tells the token")
        with open(f"/proc/{m.show(unit, 'MainPID')}/cmdline", "rb") as f:
            check(TOKEN.encode() not in f.read(), "the token is in argv")

    # To do it again changes nothing; to do it with other words does.
    again = ["node", "install", "--host", "127.0.0.1", "--port", str(port), "--display-name"]
    equal(m.cli_json(*again, name)["result"], "already-installed")
    equal(m.show(NODE, "MainPID"), first, "pid")
    equal(m.cli_json(*again, "box", env={"OPENCLAW_GATEWAY_TOKEN": None})["result"], "installed")
    second = m.pid_after(NODE, first)
    wait_until(lambda: usable(m.machine, port, "box"), "the node by its new name, with the token it was given before")

    # It comes back when it is killed, and when it hangs.
    os.kill(int(second), signal.SIGKILL)
    third = m.pid_after(NODE, second)
    equal(m.show(NODE, "NRestarts"), "1", "restarts")
    os.kill(int(third), signal.SIGSTOP)
    fourth = m.pid_after(NODE, third)
    equal(m.show(NODE, "NRestarts"), "2", "restarts")
    with open(os.path.join(m.machine.home, "ends"), encoding="ascii") as f:
        equal(f.read().split(), ["success", "signal", "watchdog"], "ends")
    wait_until(lambda: usable(m.machine, port, "box"), "the node that came back")

    contains(m.cli("node", "stop").out, f"{NODE}: stopped, enabled", "stop")
    equal((m.show(NODE, "ActiveState"), m.show(NODE, "Result")), ("inactive", "success"))
    stopped = m.cli_json("node", "status")
    equal((stopped["running"], stopped["service"]["runtime"]["status"]), (False, "stopped"))
    contains(m.cli("node", "status").out, "start it: openclaw node start", "status")
    equal(m.cli_json("node", "start")["result"], "started")
    fifth = m.pid_after(NODE, fourth)
    equal(m.cli_json("node", "restart")["result"], "restarted")
    m.pid_after(NODE, fifth)
    contains(m.cli("node", "status").out, f"Service: {NODE}: running, pid ", "status")
    m.cli("gateway", "stop")
    down = m.cli("gateway", "status", port=port, code=1)
    contains(down.err, "openclaw gateway start", "fix")

    # They start with the next session by themselves.
    m.stop()
    m.start()
    m.pid_after(NODE, None)
    m.pid_after(GATEWAY, None)
    wait_until(lambda: usable(m.machine, port, "box"), "the node after a reboot")

    pids = [m.show(u, "MainPID") for u in (GATEWAY, NODE)]
    equal(m.cli_json("node", "uninstall")["result"], "uninstalled")
    equal(m.cli_json("gateway", "uninstall")["result"], "uninstalled")
    equal(files_of(m), ["test.conf"], "files; the drop-in is its owner's")
    check(not [f for f in os.listdir(state) if f.startswith("service-")], "secrets are left")
    check(not any(os.path.exists(f"/proc/{pid}") for pid in pids), "a process is left")
    equal([m.show(u, "LoadState") for u in (GATEWAY,)], ["not-found"])
    equal(m.cli_json("node", "uninstall")["result"], "not-installed")
    contains(m.cli("node", "start", code=1).err, "openclaw node install", "fix")
    m.stop()


# How exposed systemd-analyze finds them, in tenths (100 is worst): not more than this. A node's commands are its owner's business, so
# its unit takes nothing away (cli/service/unit_text.c).
EXPOSED = {GATEWAY: 78, NODE: 96}


def test_what_systemd_says_of_the_units(test):
    m = desk(test)
    m.cli("gateway", "install", "--port", str(free_port()))
    m.cli("node", "install", "--port", "1")
    for unit, limit in EXPOSED.items():
        path = os.path.join(m.units, unit)
        said = subprocess.run(["systemd-analyze", "--user", "--man=no", "verify", path], env=m.env(), capture_output=True, text=True, check=False)
        equal((said.returncode, said.stdout + said.stderr), (0, ""), f"systemd-analyze verify {unit}")
        told = subprocess.run(["systemd-analyze", "security", "--offline=yes", f"--threshold={limit}", "--no-pager", path], env=m.env(),
                              capture_output=True, text=True, check=False)
        equal(told.returncode, 0, f"more exposed than {limit}: {told.stdout[-300:]}{told.stderr}")
    for group in ("gateway", "node"):
        m.cli(group, "uninstall")
    m.stop()


def test_odd_places(test):
    """Blanks, quotes, specifiers, variables and patterns in every path that stands in a unit."""
    m, port = desk(test), free_port()
    folder = os.path.join(test.dir, "odd %h $HOME [x]* ;#")
    state = os.path.join(folder, "state 'a' \"b\" \\n %n")
    os.makedirs(state)
    binary = os.path.join(folder, "openclaw")
    shutil.copy(BINARY, binary)
    env = m.env(OPENCLAW_STATE_DIR=state, OPENCLAW_GATEWAY_TOKEN="a$b\"c\\d`e%f g")
    done = subprocess.run([binary, "gateway", "install", "--port", str(port), "--json"], env=env, capture_output=True, check=False)
    equal(done.returncode, 0, f"install: {done.stderr.decode()}\n{m.process.output()[-2000:]}")
    service = json.loads(done.stdout)["service"]
    check(re.fullmatch(r"openclaw-gateway-[0-9a-f]{8}\.service", service["unit"]), f"a name of its own: {service['unit']}")
    equal(service["command"]["programArguments"], [binary, "gateway", "run", f"--port={port}"])
    # The one thing that systemd cannot do is said.
    worse = os.path.join(state, "openclaw")
    shutil.copy(BINARY, worse)
    refused = subprocess.run([worse, "node", "install"], env=env, capture_output=True, check=False)
    equal(refused.returncode, 1)
    contains(refused.stderr.decode(), "quotes or backslashes in its path", "reason")
    # The secret arrived as it is: who knows it gets in.
    ok = subprocess.run([binary, "gateway", "status", "--json"], env=dict(env, OPENCLAW_GATEWAY_PORT=str(port)),
                        capture_output=True, check=False)
    equal((ok.returncode, json.loads(ok.stdout)["ok"]), (0, True))

    # A program that moved is found by doctor, by its new name.
    os.rename(binary, binary + "2")
    findings = json.loads(subprocess.run([binary + "2", "doctor", "--json"], env=dict(env, OPENCLAW_GATEWAY_PORT=str(port)),
                                         capture_output=True, check=False).stdout)["checks"]
    moved = [f for f in findings if f["check"] == "service" and f["level"] == "fail"]
    equal(len(moved), 1, f"findings: {findings}")
    contains(moved[0]["text"], "which is not there any more", "finding")
    equal(moved[0]["fix"], "openclaw gateway install")
    equal(subprocess.run([binary + "2", "gateway", "uninstall"], env=env, check=False, capture_output=True).returncode, 0)
    equal(files_of(m), [])
    m.stop()


def test_words_and_secrets_do_not_become_settings_of_the_unit(test):
    """Whoever can make an owner paste a name or a token gets a name or a token, and nothing else into the unit."""
    m = desk(test)
    trap = os.path.join(test.dir, "trap")
    for name in (f"x\nExecStartPre=/bin/touch {trap}\n", f"x\\\nExecStartPre=/bin/touch {trap}", f'x" ; /bin/touch {trap} ; "',
                 "%h %% $$ ${HOME} \\x41 \\", "tab\t\x0b\x1b[2J\u202e\r"):
        m.cli("node", "install", "--port", "1", "--display-name", name)
        with open(f"/proc/{m.show(NODE, 'MainPID')}/cmdline", "rb") as f:
            equal(f.read().split(b"\0")[3:-1], [b"--port=1", b"--display-name=" + name.encode()], "words of the service")
        equal(m.show(NODE, "ExecStartPre"), "", "what else is started")
    for token in ("a\"b'c", "#x;y\\", "$(id)`id`${HOME}%h", " blanks "):
        m.cli("node", "install", "--port", "1", env={"OPENCLAW_GATEWAY_TOKEN": token})
        with open(f"/proc/{m.show(NODE, 'MainPID')}/environ", "rb") as f:
            check(b"OPENCLAW_GATEWAY_TOKEN=" + token.encode() in f.read().split(b"\0"), f"{token!r} arrived as something else")
    check(not os.path.exists(trap), "a word was executed")

    # What cannot be held whole is refused, and what was there stays.
    with open(os.path.join(m.units, NODE), "rb") as unit, open(os.path.join(m.machine.state, "service-node.env"), "rb") as secrets:
        before = unit.read(), secrets.read()
    contains(m.cli("node", "install", "--port", "1", "--display-name", "n" * 70000, code=1).err, "too long for a unit", "reason")
    contains(m.cli("node", "install", "--port", "1", env={"OPENCLAW_GATEWAY_TOKEN": "t" * 70000}, code=1).err, "65536 bytes", "reason")
    done = subprocess.run([BINARY, "node", "install", "--port", "1", "--display-name", b"\xff"], env=m.env(), capture_output=True, check=False)
    equal(done.returncode, 1)
    contains(done.stderr.decode(), "not UTF-8", "reason")
    with open(os.path.join(m.units, NODE), "rb") as unit, open(os.path.join(m.machine.state, "service-node.env"), "rb") as secrets:
        equal((unit.read(), secrets.read()), before, "files of the service")
    m.stop()


def test_units_of_others(test):
    m = desk(test)
    os.makedirs(m.units, exist_ok=True)
    path = os.path.join(m.units, NODE)
    with open(path, "w", encoding="utf-8") as f:
        f.write("[Service]\nExecStart=/bin/true\n")
    for verb in ("install", "uninstall"):
        refused = m.cli("node", verb, code=1)
        contains(refused.err, f"fix: openclaw node {verb} --force", "fix")
    with open(path, encoding="utf-8") as f:
        contains(f.read(), "ExecStart=/bin/true", "the unit")
    check(not os.path.exists(os.path.join(m.machine.state, "service-node.env")), "a refused install wrote secrets")
    equal(m.cli_json("node", "install", "--force", "--port", "1")["result"], "installed")
    contains(m.show(NODE, "StatusText"), "not connected to ws://127.0.0.1:1", "a node that retries is ready")
    m.cli("node", "uninstall")
    os.symlink("/dev/null", path)  # systemctl mask
    contains(m.cli("node", "install", code=1).err, "--force", "fix")
    m.stop()


def test_one_paste(test):
    """A setup code, by stdin, and no token: the service pairs with it, and the code does not stay for ever."""
    home = test.machine("gw")
    gateway = home.gateway()
    code = home.cli_json("devices", "join-code", "--json", port=gateway.port)["setupCode"]
    m = desk(test, "box")
    bare = {"OPENCLAW_GATEWAY_TOKEN": None}
    m.cli("node", "install", "--pair", "-", "--display-name", "box", stdin=code.encode(), env=bare)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node that was never approved by hand")
    secrets = os.path.join(m.machine.state, "service-node.env")
    equal(mode_of(secrets), 0o600)
    with open(secrets, encoding="utf-8") as f:
        contains(f.read(), code, "secrets")
    m.cli("node", "restart")
    equal(m.cli_json("node", "install", "--display-name", "box", env=bare)["environmentFile"], None)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node without the code")
    contains(m.cli("node", "install", "--pair", "x", "--host", "there", code=2).err, "leave out --host", "usage")

    # One by hand is in the way of the service, and that is what install says.
    m.cli("node", "stop")
    box = m.machine.node(gateway.port)
    box.wait_for("connected to")
    refused = m.cli("node", "install", "--verbose", env=bare, code=1)
    contains(refused.err, "another node", "reason")
    box.stop()
    m.stop()


def test_what_does_not_start(test):
    m, port = desk(test), free_port()
    m.cli("gateway", "install", "--port", str(port))
    refused = m.cli("node", "install", "--port", str(port), env={"OPENCLAW_GATEWAY_TOKEN": "wrong"}, code=1)
    contains(refused.err, f"{NODE} is installed, but does not start: cannot connect to ws://127.0.0.1:{port}", "reason")
    contains(refused.err, f"fix: journalctl --user -u {NODE}", "fix")
    check("wrong" not in refused.err, "the token is shown")
    findings = [f for f in m.cli_json("doctor", port=port, code=1)["checks"] if f["check"] == "service"]
    contains(json.dumps(findings), "is about to be started again", "doctor")
    # The right token mends it.
    equal(m.cli_json("node", "install", "--port", str(port))["result"], "installed")
    # A config that cannot be read stops an install before anything is written.
    m.cli("gateway", "uninstall")
    m.machine.config("{ gateway: ")
    contains(m.cli("gateway", "install", code=1).err, "openclaw config validate", "fix")
    equal([f for f in files_of(m) if "gateway" in f], [])
    m.stop()


def test_the_journal(test):
    """Lines arrive with their priority, and without a second time."""
    Process(test, "journald", ["/lib/systemd/systemd-journald"], dict(os.environ))
    wait_until(lambda: os.path.exists("/run/systemd/journal/stdout"), "journald")
    m = desk(test)
    m.machine.config({"nonsense": 1})
    m.cli("node", "install", "--port", "1")

    def lines():
        out = subprocess.run(["journalctl", "-D", "/run/log/journal", "-o", "json", "--no-pager"], capture_output=True, check=False)
        return [(e["PRIORITY"], e["MESSAGE"]) for e in map(json.loads, out.stdout.splitlines()) if e.get("_EXE") == os.path.realpath(BINARY)]

    wait_until(lambda: any(p == "6" and text.startswith("not connected to ws://127.0.0.1:1") for p, text in lines()), "a status")
    warnings = [text for p, text in lines() if p == "4"]
    check(warnings and all(text.startswith("warn node.config ") for text in warnings), f"warnings: {warnings}")
    m.cli("node", "uninstall")
    m.stop()


def test_no_manager(test):
    box = test.machine("box")
    env = {"XDG_RUNTIME_DIR": os.path.join(test.dir, "none"), "DBUS_SESSION_BUS_ADDRESS": None, "XDG_CONFIG_HOME": None}
    refused = box.cli("gateway", "install", env=env, code=1)
    contains(refused.err, "cannot be asked", "reason")
    contains(refused.err, "openclaw gateway run", "fix")
    nowhere = os.path.join(test.dir, "empty")
    os.makedirs(nowhere)
    told = box.cli_json("node", "install", "--json", env={**env, "PATH": nowhere}, code=1)
    contains(told["error"]["message"], "has no systemd", "reason")
    check(not os.path.exists(os.path.join(box.home, ".config")), "something was written")
    equal(box.cli_json("node", "status", "--json", env=env)["service"]["installed"], False)


run_tests(globals())

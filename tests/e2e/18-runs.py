"""Live output, Ctrl-C, background runs, terminals: what a node's runs can do beyond one answer at the end."""

import hashlib
import pty
import select
import termios

from harness import *


def start(test, home, gateway, *args, **popen):
    """nodes run with its streams apart; the caller reads them."""
    return subprocess.Popen([BINARY, "nodes", "run", *args], env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=test.dir, **popen)


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # the second: it went while we read
        return True


def lines_of(path, count):
    def look():
        try:
            with open(path, encoding="ascii") as f:
                lines = f.read().splitlines(keepends=True)
        except FileNotFoundError:
            return None
        return lines if len(lines) >= count and lines[-1].endswith("\n") else None

    return wait_until(look, f"{count} lines in {path}")


# A tree that tries to get away: own session, parents gone, environment cleared.
ESCAPE = """env -i setsid bash -c '(while kill -0 $$ 2>/dev/null; do :; done; echo $BASHPID >> {marker}; exec -c /bin/sleep 1000) &'
sleep 1000 & echo $! >> {marker}
echo $$ >> {marker}
"""


def test_output_comes_as_it_is_written(test):
    home, gateway, box, _ = paired_node(test)
    fifo = os.path.join(test.dir, "fifo")
    os.mkfifo(fifo)
    run = start(test, home, gateway, "--", "sh", "-c", f"echo first; echo apart >&2; read x < {fifo}; echo $x; exit 7")
    equal(run.stdout.readline(), b"first\n")  # while the command still waits
    equal(run.stderr.readline(), b"apart\n")
    with open(fifo, "w", encoding="ascii") as f:
        f.write("second\n")
    out, err = run.communicate(timeout=DEADLINE)
    equal((out, err, run.returncode), (b"second\n", b"", 7))


def test_every_byte_arrives(test):
    home, gateway, box, _ = paired_node(test)
    path = os.path.join(test.dir, "bytes")
    with open(path, "wb") as f:
        f.write(os.urandom(300000) + "ä€😀\0".encode() * 20000)
    done = home.cli("nodes", "run", "--", "cat", path, port=gateway.port)
    with open(path, "rb") as f:
        check(done.stdout == f.read(), "the bytes differ")


def test_ctrl_c_ends_the_tree_on_the_node(test):
    home, gateway, box, _ = paired_node(test)
    marker = os.path.join(test.dir, "pids")
    run = start(test, home, gateway, "--", "sh", "-c", ESCAPE.format(marker=marker) + "echo ready; wait")
    equal(run.stdout.readline(), b"ready\n")
    pids = [int(line) for line in lines_of(marker, 3)]
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=DEADLINE)
    equal(run.returncode, 130)
    check(all(is_gone(pid) for pid in pids), "the answer came before the tree was gone")


def test_a_timeout_reaches_what_has_escaped(test):
    home, gateway, box, _ = paired_node(test)
    marker = os.path.join(test.dir, "pids")
    done = home.cli("nodes", "run", "--command-timeout", "5000", "--", "sh", "-c", ESCAPE.format(marker=marker) + "wait",
                    port=gateway.port, code=124)
    contains(done.err, "timed out")
    check(all(is_gone(int(line)) for line in lines_of(marker, 3)), "something is left")


def test_a_reader_that_leaves_ends_the_command(test):
    home, gateway, box, _ = paired_node(test)
    marker = os.path.join(test.dir, "pid")
    run = start(test, home, gateway, "--", "sh", "-c", f"echo $$ > {marker}; exec yes")
    equal(run.stdout.read(2), b"y\n")
    pid = int(lines_of(marker, 1)[0])
    run.stdout.close()
    run.wait(DEADLINE)
    wait_until(lambda: is_gone(pid), "the command to end")
    run.stderr.close()


def test_a_hundred_megabytes_leave_no_trace(test):
    home, gateway, box, node = paired_node(test)
    size = 100 * 1000 * 1000
    run = start(test, home, gateway, "--", "sh", "-c", f"yes 0123456789abcdef | head -c {size}")
    total, digest = 0, hashlib.sha256()
    while True:
        piece = run.stdout.read(1 << 16)
        if not piece:
            break
        total += len(piece)
        digest.update(piece)
    run.communicate(timeout=DEADLINE)
    equal((total, run.returncode), (size, 0))
    line, want = b"0123456789abcdef\n", hashlib.sha256()
    block = line * 10000
    for _ in range(size // len(block)):
        want.update(block)
    want.update((line * 10000)[:size % len(block)])
    equal(digest.hexdigest(), want.hexdigest(), "content")
    if "asan" not in BINARY:
        peak = node.memory_kb("VmHWM")
        check(peak < 20 * 1024, f"the node's peak is {peak} kB")
        peak = gateway.memory_kb("VmHWM")
        check(peak < 20 * 1024, f"the gateway's peak is {peak} kB")


def test_a_reader_that_waits_makes_the_command_wait(test):
    home, gateway, box, node = paired_node(test)
    marker = os.path.join(test.dir, "written")
    # One line to the marker for each megabyte that the pipe has taken.
    script = f"i=0; while [ $i -lt 64 ]; do head -c 1000000 /dev/zero || exit; i=$((i+1)); echo $i >> {marker}; done; echo done >> {marker}"
    run = start(test, home, gateway, "--", "sh", "-c", script)

    def writer_is_blocked():
        """Every process below the node sleeps, and the marker stands still meanwhile."""
        before = os.path.getsize(marker) if os.path.exists(marker) else 0
        states = [status for status in tree_states(node.child.pid) if status != "Z"]
        after = os.path.getsize(marker) if os.path.exists(marker) else 0
        return before == after and after > 0 and all(s == "S" for s in states)

    streak = 0
    end = time.monotonic() + DEADLINE
    while streak < 25 and time.monotonic() < end:
        streak = streak + 1 if writer_is_blocked() else 0
        time.sleep(0.02)
    check("done" not in open(marker, encoding="ascii").read(), "the command ran to its end though nobody read")
    total = 0
    while True:
        piece = run.stdout.read(1 << 16)
        if not piece:
            break
        total += len(piece)
    run.communicate(timeout=DEADLINE)
    equal((total, run.returncode), (64 * 1000000, 0))


def tree_states(root):
    parents, states = {}, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="latin-1") as f:
                    rest = f.read().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents[int(name)], states[int(name)] = int(rest[1]), rest[0]
    below = [root]
    for pid in below:
        below += [child for child, parent in parents.items() if parent == pid]
    return [states[pid] for pid in below[1:]]


def test_background_runs(test):
    home, gateway, box, _ = paired_node(test)

    def runs(*args, code=0):
        return home.cli("nodes", "runs", *args, port=gateway.port, code=code)

    equal(runs("list").out, "No runs.\n")
    handle = home.cli("nodes", "run", "--background", "--", "sh", "-c",
                      "echo one; echo two >&2; read x; echo got $x; read y || echo end; exit 9", port=gateway.port).out.strip()
    listed = home.cli_json("nodes", "runs", "list", "--json", port=gateway.port)["runs"]
    equal([(r["handle"], r["state"]) for r in listed], [(handle, "running")])
    wait_until(lambda: runs("log", handle).out == "one\ntwo\n", "both streams in order")
    runs("write", handle, "a", "b")
    home.cli("nodes", "runs", "write", handle, "--eof", stdin=b"", port=gateway.port)
    equal(runs("log", "--follow", handle).out, "one\ntwo\ngot a b\nend\n")
    done = runs("poll", "--wait", handle, code=9)
    contains(done.out, "ended")
    contains(runs("write", handle, "x", code=1).err, "the run has ended")
    contains(runs("log", "no-such", code=1).err, "no run has this handle")


def test_killing_a_background_run_takes_its_tree(test):
    home, gateway, box, _ = paired_node(test)
    marker = os.path.join(test.dir, "pids")
    handle = home.cli("nodes", "run", "--background", "--", "sh", "-c", ESCAPE.format(marker=marker) + "wait",
                      port=gateway.port).out.strip()
    pids = [int(line) for line in lines_of(marker, 3)]
    done = home.cli_json("nodes", "runs", "kill", handle, "--json", port=gateway.port)
    equal((done["run"]["state"], done["run"]["signal"]), ("killed", 9))
    check(all(is_gone(pid) for pid in pids), "the answer came before the tree was gone")
    home.cli("nodes", "runs", "poll", "--wait", handle, port=gateway.port, code=137)


def test_background_runs_end_with_the_node(test):
    home, gateway, box, node = paired_node(test)
    marker = os.path.join(test.dir, "pids")
    home.cli("nodes", "run", "--background", "--", "sh", "-c", ESCAPE.format(marker=marker) + "wait", port=gateway.port)
    pids = [int(line) for line in lines_of(marker, 3)]
    node.stop()
    wait_until(lambda: all(is_gone(pid) for pid in pids), "the run to end with its node")


def test_input_needs_full_security(test):
    cat = os.path.realpath(shutil.which("cat"))
    home, gateway, box, _ = paired_node(test, "allowlist", [cat, os.path.realpath(shutil.which("sleep"))])
    sleep = home.cli("nodes", "run", "--background", "--", "sleep", "1000", port=gateway.port).out.strip()
    contains(home.cli("nodes", "runs", "write", sleep, "x", port=gateway.port, code=1).err, "security=full")
    handle = home.cli("nodes", "run", "--background", "--", "cat", port=gateway.port).out.strip()
    home.cli("nodes", "runs", "poll", "--wait", handle, port=gateway.port)  # its input was empty from the start


def test_only_so_many_at_a_time(test):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.approvals()
    box.config({"node": {"exec": {"maxConcurrent": 2}}})
    box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node")
    handles = [home.cli("nodes", "run", "--background", "--", "sleep", "1000", port=gateway.port).out.strip() for _ in range(2)]
    contains(home.cli("nodes", "run", "--", "true", port=gateway.port, code=1).err, "node.exec.maxConcurrent")
    home.cli("nodes", "runs", "kill", handles[0], port=gateway.port)
    home.cli("nodes", "run", "--", "true", port=gateway.port)


class Terminal:
    """nodes run --tty on a terminal of ours."""

    def __init__(self, test, home, gateway, *args):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(BINARY, [BINARY, "nodes", "run", "--tty", *args],
                      home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port), TERM="vt100"))
        termios.tcsetwinsize(self.fd, (31, 117)) if hasattr(termios, "tcsetwinsize") else resize(self.fd, 31, 117)
        self.seen = b""

    def expect(self, text):
        end = time.monotonic() + DEADLINE
        while text not in self.seen:
            check(time.monotonic() < end, f"no {text!r} in {self.seen!r}")
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    break
        check(text in self.seen, f"no {text!r} in {self.seen!r}")

    def type(self, text):
        os.write(self.fd, text)

    def code(self):
        end = time.monotonic() + DEADLINE
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            check(time.monotonic() < end, f"it did not end: {self.seen!r}")
            if select.select([self.fd], [], [], 0.02)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    pass


def resize(fd, rows, columns):
    import fcntl
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def test_a_terminal_for_people(test):
    home, gateway, box, _ = paired_node(test)
    t = Terminal(test, home, gateway, "--", "sh", "-c", "tty; echo $TERM; echo ready; PS1='next> ' exec sh")
    t.expect(b"/dev/pts/")
    t.expect(b"vt100")
    t.expect(b"ready")
    resize(t.fd, 44, 99)
    os.kill(t.pid, signal.SIGWINCH)
    t.type(b"while [ \"$(stty size)\" != '44 99' ]; do :; done; echo re''sized\r")
    t.expect(b"resized")
    t.type(b"sh -c 'echo slee\"\"ping; exec sleep 1000'\r")
    t.expect(b"sleeping")
    t.seen = b""
    t.type(b"\x03")  # Ctrl-C goes to the program there
    t.expect(b"next> ")
    t.type(b"exit 6\r")
    equal(t.code(), 6)


def test_leaving_a_terminal_ends_the_program(test):
    home, gateway, box, _ = paired_node(test)
    marker = os.path.join(test.dir, "pid")
    t = Terminal(test, home, gateway, "--", "sh", "-c", f"echo $$ > {marker}; echo ready; exec sleep 1000")
    t.expect(b"ready")
    t.type(b"\x1d")
    equal(t.code(), 143)
    check(is_gone(int(lines_of(marker, 1)[0])), "it still runs")


def test_a_terminal_without_people(test):
    home, gateway, box, _ = paired_node(test)
    done = home.cli("nodes", "run", "--tty", "--", "sh", "-c", "test -t 1 && echo yes; exit 4", port=gateway.port, code=4)
    equal(done.stdout, b"yes\r\n")


def test_the_run_may_take_longer_than_the_default(test):
    """A caller that says how long the program may take has said how long it waits."""
    home = test.machine("gw")
    gateway = home.gateway()
    identity = test.identity()
    node = Client(gateway.port)
    node.connect(role="node", identity=identity, commands=["system.run"], caps=["system"])
    node.close()
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    node = Client(gateway.port)
    check(node.connect(role="node", identity=identity, commands=["system.run"], caps=["system"])["ok"], "connect")
    operator = Client(gateway.port)
    operator.connect()
    for run_ms, invoke_ms, want in ((60000, None, 65000), (1000, None, 30000), (60000, 40000, 40000), (None, None, 30000)):
        params = {"nodeId": identity.device_id, "command": "system.run", "idempotencyKey": str(uuid.uuid4()),
                  "params": {"command": ["true"]}}
        if run_ms:
            params["params"]["timeoutMs"] = run_ms
        if invoke_ms:
            params["timeoutMs"] = invoke_ms
        operator.send("node.invoke", params)
        equal(node.event("node.invoke.request")["timeoutMs"], want, f"timeout for {run_ms}, {invoke_ms}")


def test_a_run_whose_caller_reads_nothing_can_be_killed(test):
    home, gateway, box, _ = paired_node(test)
    deaf, desk = Client(gateway.port), Client(gateway.port)
    check(deaf.connect()["ok"] and desk.connect()["ok"], "connect")
    node_id = desk.ok("node.list")["nodes"][0]["nodeId"]

    def invoke(command, **params):
        return desk.ok("node.invoke", {"nodeId": node_id, "command": command, "params": params, "timeoutMs": 60000,
                                       "idempotencyKey": str(uuid.uuid4())})["payload"]

    deaf.send("node.invoke", {"nodeId": node_id, "command": "system.run", "idempotencyKey": "k", "timeoutMs": 600000,
                              "params": {"command": ["yes"], "live": True, "handle": "hh"}})
    wait_until(lambda: [r for r in invoke("system.runs.list")["runs"] if r["handle"] == "hh"], "the run")
    invoke("system.runs.kill", handle="hh")
    wait_until(lambda: not [r for r in invoke("system.runs.list")["runs"] if r.get("state") == "running"], "its end")


def test_a_background_run_that_does_not_start(test):
    home, gateway, box, _ = paired_node(test)
    contains(home.cli("nodes", "run", "--background", "--", "nosuch", port=gateway.port, code=127).err, "spawn nosuch ENOENT")
    home.cli("nodes", "run", "--background", "--json", "--", "nosuch", port=gateway.port, code=127)
    first = home.cli("nodes", "run", "--background", "--", "sleep", "1000", port=gateway.port).out.strip()
    second = home.cli("nodes", "run", "--background", "--tty", "--", "sleep", "1000", port=gateway.port).out.strip()
    equal(len(first), len(second), "length of handles")


def test_invoke_waits_as_long_as_the_command_may_take(test):
    home = test.machine("gw")
    gateway = home.gateway()
    identity = test.identity()
    fake = Client(gateway.port)
    fake.connect(role="node", identity=identity, commands=["device.info"], caps=["device"])
    fake.close()
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    fake = Client(gateway.port)
    check(fake.connect(role="node", identity=identity, commands=["device.info"], caps=["device"])["ok"], "connect")
    for params, want in (("{}", 15000), ('{"timeoutMs":35000}', 40000), ('{"timeoutMs":1000}', 15000)):
        caller = subprocess.Popen([BINARY, "nodes", "invoke", "--node", identity.device_id, "--command", "device.info",
                                   "--params", params], env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        request = fake.event("node.invoke.request")
        equal(request["timeoutMs"], want, params)
        fake.ok("node.invoke.result", {"id": request["id"], "nodeId": identity.device_id, "ok": True})
        caller.communicate(timeout=DEADLINE)


def test_nothing_shown_can_hide(test):
    home, gateway, box, _ = paired_node(test)
    desk = Client(gateway.port)
    check(desk.connect()["ok"], "connect")
    node_id = desk.ok("node.list")["nodes"][0]["nodeId"]

    def invoke(name, **params):
        return desk.ok("node.invoke", {"nodeId": node_id, "command": name, "params": params,
                                       "idempotencyKey": str(uuid.uuid4())})["payload"]

    invoke("system.run", command=["sh", "-c", "read x #\r\x1b[2K\u202eharmless"], background=True)
    equal(invoke("system.runs.list")["runs"][0]["command"], r"sh -c $'read x #\r\x1b[2K\u202eharmless'")
    path = os.path.join(box.state, "exec-approvals.json")
    rules = {"version": 1, "defaults": {"security": "allowlist", "ask": "off"},
             "agents": {"main": {"allowlist": [{"pattern": os.path.realpath(shutil.which("printf"))}]}}}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(rules, f)
    invoke("system.run", command=["printf", "\x1b[2Kx"])
    with open(path, encoding="utf-8") as f:
        equal(json.load(f)["agents"]["main"]["allowlist"][0]["lastUsedCommand"], r"printf $'\x1b[2Kx'")


run_tests(globals())

"""Standard input of `nodes run`: what is piped into the command line reaches the program on the node, to its end."""

import hashlib

from harness import *

INPUT_NOTE = "standard input"


def start(test, home, gateway, *args, **popen):
    return subprocess.Popen([BINARY, "nodes", "run", *args], env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)),
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=test.dir, **popen)


def test_what_is_piped_in_is_read_there(test):
    home, gateway, box, _ = paired_node(test)
    done = home.cli("nodes", "run", "--", "cat", stdin=b"hello\n", port=gateway.port)
    equal((done.out, done.err), ("hello\n", ""))
    done = home.cli("nodes", "run", "--", "sh", "-s", "one", stdin=b"echo $1; exit 3\n", port=gateway.port, code=3)
    equal(done.out, "one\n", "a program on standard input")
    answer = home.cli_json("nodes", "run", "--json", "--", "wc", "-c", stdin=b"12345", port=gateway.port)
    equal(answer["payload"]["stdout"].strip(), "5", "with --json")
    bytes_in = bytes(range(256)) * 1000
    equal(home.cli("nodes", "run", "--", "cat", stdin=bytes_in, port=gateway.port).stdout, bytes_in, "every byte")
    path = os.path.join(test.dir, "file")
    with open(path, "wb") as f:
        f.write(bytes_in)
    with open(path, "rb") as f:
        run = subprocess.run([BINARY, "nodes", "run", "--", "sha256sum"], stdin=f, capture_output=True, timeout=DEADLINE, check=False,
                             env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    contains(run.stdout.decode(), hashlib.sha256(bytes_in).hexdigest(), "a file, which cannot be waited for")


def test_it_can_be_switched_off(test):
    home, gateway, box, _ = paired_node(test)
    done = home.cli("nodes", "run", "--no-stdin", "--", "cat", stdin=b"hello\n", port=gateway.port)
    equal((done.out, done.err), ("", ""))
    home.cli("nodes", "run", "--stdin", "--no-stdin", "--", "cat", port=gateway.port, code=2)
    home.cli("nodes", "run", "-i", "--background", "--", "cat", port=gateway.port, code=2)
    equal(home.cli("nodes", "run", "--", "cat", port=gateway.port).out, "", "nothing there is the end of it")
    equal(home.cli("nodes", "run", "-i", "--", "cat", stdin=b"", port=gateway.port).out, "", "asked for, and empty")


def test_it_comes_as_it_is_written(test):
    home, gateway, box, _ = paired_node(test)
    run = start(test, home, gateway, "--", "sh", "-c", 'read a; echo "got $a"; read b; echo "got $b"; cat')
    for word in (b"one", b"two"):
        run.stdin.write(word + b"\n")
        run.stdin.flush()
        equal(run.stdout.readline(), b"got " + word + b"\n")
    out, err = run.communicate(b"three", timeout=DEADLINE)
    equal((out, err, run.returncode), (b"three", b"", 0))


def test_a_program_that_ends_first_ends_the_command_line(test):
    home, gateway, box, _ = paired_node(test)
    run = start(test, home, gateway, "--", "sh", "-c", "head -n1; exit 5")
    run.stdin.write(b"first\n")
    run.stdin.flush()
    equal(run.wait(DEADLINE), 5, "exit code, with our standard input open")
    equal(run.stdout.read(), b"first\n")
    run.stdin.close()
    endless = start(test, home, gateway, "--", "sh", "-c", "exec <&-; echo closed")
    try:
        for _ in range(200):
            endless.stdin.write(b"x" * 65536)
    except BrokenPipeError:
        pass
    equal(endless.wait(DEADLINE), 0)
    equal((endless.stdout.read(), endless.stderr.read()), (b"closed\n", b""))


def test_a_hundred_megabytes_in(test):
    home, gateway, box, node = paired_node(test)
    block, count = os.urandom(1000000), 100
    run = start(test, home, gateway, "--", "sha256sum")
    want = hashlib.sha256()
    for _ in range(count):
        run.stdin.write(block)
        want.update(block)
    with open(f"/proc/{run.pid}/status", encoding="ascii") as f:
        peaks = {"the command line": int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))}
    out, err = run.communicate(timeout=DEADLINE)
    equal((out.split()[0].decode(), run.returncode), (want.hexdigest(), 0), err)
    if "asan" not in BINARY:
        peaks.update(node=node.memory_kb("VmHWM"), gateway=gateway.memory_kb("VmHWM"))
        for who, peak in peaks.items():
            check(peak < 24 * 1024, f"the peak of {who} is {peak} kB")


def test_who_does_not_read_is_in_nobodys_way(test):
    home, gateway, box, node = paired_node(test)
    fifo = os.path.join(test.dir, "fifo")
    os.mkfifo(fifo)
    idle = [start(test, home, gateway, "--", "sh", "-c", f"read x < {fifo}; cat | wc -c") for _ in range(3)]
    for run in idle:
        os.set_blocking(run.stdin.fileno(), False)
    for run in idle:  # until nobody takes any more: the pipe here, the node's buffer and the pipe there are full
        sent = 0

        def is_full():
            nonlocal sent
            try:
                sent += os.write(run.stdin.fileno(), b"x" * 65536)
                return False
            except BlockingIOError:
                return sent > 262144

        wait_until(is_full, "a reader that reads no more")
        run.sent = sent
        equal(home.cli("nodes", "run", "--", "cat", stdin=b"others\n", port=gateway.port).out, "others\n")
    with open(fifo, "w", encoding="ascii") as f:
        f.write("go\n" * len(idle))
        f.flush()
        for run in idle:
            os.set_blocking(run.stdin.fileno(), True)
            out, err = run.communicate(timeout=DEADLINE)
            equal((int(out), err), (run.sent, b""), "what was sent")
    if "asan" not in BINARY:
        check(node.memory_kb("VmHWM") < 24 * 1024, "the node's memory")


def test_a_listed_program_reads_and_a_shell_is_no_such(test):
    home, gateway, box, _ = paired_node(test, "allowlist", ["/usr/bin/wc"])
    equal(home.cli("nodes", "run", "--", "wc", "-c", stdin=b"123", port=gateway.port).out.strip(), "3")
    box.approvals("allowlist", ["/bin/sh", "/usr/bin/dash", "/usr/bin/bash", "/usr/bin/python3*"])
    for program in (("sh",), ("bash", "-s"), ("python3", "-"), ("xargs", "wc")):
        done = home.cli("nodes", "run", "--", *program, stdin=b"touch x\n", port=gateway.port, code=1)
        contains(done.err, "no list allows it", " ".join(program))


def test_an_approval_says_that_input_comes(test):
    home, gateway, box, _ = paired_node(test)
    box.approvals("allowlist", ask="on-miss")
    run = start(test, home, gateway, "--", "cat")
    pending = wait_until(lambda: home.cli_json("approvals", "pending", "--json", port=gateway.port), "the question")
    request = pending[0]["request"]
    equal((request["run"]["stdin"], request["contentBound"]), (True, False))
    check(any(INPUT_NOTE in reason for reason in request["unbound"]), f"unbound: {request['unbound']}")
    shown = home.cli("approvals", "pending", port=gateway.port).out
    contains(shown, "standard input")
    contains(shown, "NOT BOUND")
    home.cli("approvals", "approve", "--always", "--yes", pending[0]["id"], port=gateway.port, code=1)
    home.cli("approvals", "approve", "--yes", pending[0]["id"], port=gateway.port)
    out, err = run.communicate(b"approved\n", timeout=DEADLINE)
    equal((out, run.returncode), (b"approved\n", 0), err)
    row = home.cli_json("approvals", "history", "--json", port=gateway.port)["items"]
    check(any(item.get("stdin") for item in row), f"the audit: {row}")


def test_an_approval_without_input_is_for_a_run_without(test):
    home, gateway, box, _ = paired_node(test)
    box.approvals("allowlist", ask="on-miss")
    run = start(test, home, gateway, "--no-stdin", "--", "cat")
    pending = wait_until(lambda: home.cli_json("approvals", "pending", "--json", port=gateway.port), "the question")
    check("stdin" not in pending[0]["request"]["run"], f"asked: {pending[0]['request']['run']}")
    home.cli("approvals", "approve", "--yes", pending[0]["id"], port=gateway.port)
    out, err = run.communicate(b"", timeout=DEADLINE)
    equal((out, run.returncode), (b"", 0), err)


def test_a_piece_that_is_sent_twice_is_read_once(test):
    home, gateway, box, _ = paired_node(test)
    node_id = home.cli_json("nodes", "describe", "box", "--json", port=gateway.port)["nodeId"]
    run = start(test, home, gateway, "--", "cat")
    run.stdin.write(b"abc")
    run.stdin.flush()
    equal(run.stdout.read(3), b"abc")
    handle = home.cli_json("nodes", "runs", "list", "--json", port=gateway.port)["runs"][0]["handle"]

    def write(**params):
        return home.cli_json("gateway", "call", "node.invoke", "--json", "--params", json.dumps(
            {"nodeId": node_id, "command": "system.runs.write", "params": {"handle": handle, **params}, "timeoutMs": 20000,
             "idempotencyKey": os.urandom(8).hex()}), port=gateway.port, code=None)

    equal(write(data="abcde", at=0)["payload"]["taken"], 5, "of which three are known")
    equal(run.stdout.read(2), b"de")
    contains(json.dumps(write(data="x", at=9)), "missing")
    equal(write(data="bcde", at=1)["payload"]["taken"], 4, "all of it known")
    write(data="f", at=5, eof=True)
    out, err = run.communicate(timeout=DEADLINE)
    equal((out, run.returncode), (b"f", 0), err)


run_tests(globals())

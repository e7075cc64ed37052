"""What a command leaves running when it ends, what counts and who can end it, and the order of what it writes."""

from harness import *


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def node_with(test, settings):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.approvals()
    box.config({"node": {"exec": settings}})
    node = box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node")
    return home, gateway, node


def daemon(test, name="pid"):
    """A script that starts a daemon as daemons do it, and ends when that is up; and where the daemon's number will be."""
    path = os.path.join(test.dir, name)
    return f"(setsid sh -c 'echo $$ > {path}; exec sleep 1000' > /dev/null 2>&1 < /dev/null &); until [ -s {path} ]; do :; done", path


def number(path):
    with open(path, encoding="ascii") as f:
        return int(f.read())


def runs(home, gateway):
    return home.cli_json("nodes", "runs", "list", "--json", port=gateway.port)["runs"]


def test_it_is_killed_and_the_caller_is_told(test):
    home, gateway, _ = node_with(test, {})
    script, path = daemon(test)
    done = home.cli("nodes", "run", "--", "sh", "-c", script + "; echo up; exit 3", port=gateway.port, code=3)
    equal(done.out, "up\n")
    check(is_gone(number(path)), "the answer came before it was gone")
    contains(done.err, "node.exec.leftBehind")
    contains(done.err, "--background")
    equal(runs(home, gateway), [])
    answer = home.cli_json("nodes", "run", "--json", "--", "sh", "-c", daemon(test, "second")[0], port=gateway.port)
    equal(answer["payload"]["leftBehind"], "killed")
    answer = home.cli_json("nodes", "run", "--json", "--", "true", port=gateway.port)
    check("leftBehind" not in answer["payload"], "nothing was left")


def test_a_background_run_keeps_it_and_counts(test):
    home, gateway, node = node_with(test, {"maxConcurrent": 2})
    script, path = daemon(test)
    first = home.cli("nodes", "run", "--background", "--", "sh", "-c", script + "; exit 3", port=gateway.port).out.strip()
    home.cli("nodes", "runs", "poll", "--wait", first, port=gateway.port, code=3)  # the program's end is its end for those who wait
    script, other = daemon(test, "other")
    second = home.cli("nodes", "run", "--background", "--", "sh", "-c", script, port=gateway.port).out.strip()
    home.cli("nodes", "runs", "poll", "--wait", second, port=gateway.port)
    equal({run["handle"]: run["state"] for run in runs(home, gateway)}, {first: "left-behind", second: "left-behind"})
    contains(home.cli("nodes", "run", "--", "true", port=gateway.port, code=1).err, "node.exec.maxConcurrent")
    home.cli("nodes", "runs", "kill", first, port=gateway.port)
    check(is_gone(number(path)), "the answer came before it was gone")
    home.cli("nodes", "run", "--", "true", port=gateway.port)
    equal({run["handle"]: run["state"] for run in runs(home, gateway)}, {second: "left-behind", first: "ended"})
    node.child.kill()
    wait_until(lambda: is_gone(number(other)), "it to end with the node")


def test_what_it_writes_goes_on_in_the_log(test):
    home, gateway, _ = node_with(test, {})
    fifo = os.path.join(test.dir, "fifo")
    os.mkfifo(fifo)
    handle = home.cli("nodes", "run", "--background", "--", "sh", "-c", f"(setsid sh -c 'read x < {fifo}; echo $x' &); echo early",
                      port=gateway.port).out.strip()
    home.cli("nodes", "runs", "poll", "--wait", handle, port=gateway.port)
    follow = subprocess.Popen([BINARY, "nodes", "runs", "log", "--follow", handle], stdout=subprocess.PIPE,
                              env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)), stdin=subprocess.DEVNULL)
    equal(follow.stdout.readline(), b"early\n")
    with open(fifo, "w", encoding="ascii") as f:
        f.write("late\n")
    equal(follow.communicate(timeout=DEADLINE)[0], b"late\n")


def test_it_may_be_kept(test):
    home, gateway, node = node_with(test, {"leftBehind": "keep", "maxConcurrent": 1})
    script, path = daemon(test)
    done = home.cli("nodes", "run", "--", "sh", "-c", script, port=gateway.port)
    contains(done.err, "nodes runs kill")
    check(not is_gone(number(path)), "it was killed")
    contains(home.cli("nodes", "run", "--", "true", port=gateway.port, code=1).err, "node.exec.maxConcurrent")
    (run,) = runs(home, gateway)
    equal((run["state"], run["exitCode"], run["background"]), ("left-behind", 0, False))
    contains(done.err, run["handle"])
    home.cli("nodes", "runs", "kill", run["handle"], port=gateway.port)
    check(is_gone(number(path)), "the answer came before it was gone")
    equal(runs(home, gateway), [])
    script, path = daemon(test, "third")
    home.cli("nodes", "run", "--", "sh", "-c", script, port=gateway.port)
    node.stop()
    check(not is_gone(number(path)), "it went with the node")
    os.kill(number(path), signal.SIGKILL)


def test_many_of_them_do_not_cost_the_node_its_descriptors(test):
    home, gateway, node = node_with(test, {})
    count = lambda: len(os.listdir(f"/proc/{node.child.pid}/fd"))
    home.cli("nodes", "run", "--", "true", port=gateway.port)
    before = count()
    for i in range(5):
        home.cli("nodes", "run", "--", "sh", "-c", daemon(test, f"pid{i}")[0], port=gateway.port)
    wait_until(lambda: count() <= before, "the descriptors")


def test_both_streams_come_in_the_order_they_were_written(test):
    """Without a pause between two writes, through the gateway, to one terminal or file."""
    home, gateway, _ = node_with(test, {})
    script = "i=0; while [ $i -lt 500 ]; do if [ $((i*7/5%2)) = 0 ]; then echo $i; else echo $i >&2; fi; i=$((i+1)); done"
    wanted = "".join(f"{i}\n" for i in range(500)).encode()
    both = subprocess.run([BINARY, "nodes", "run", "--", "sh", "-c", script], env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE * 2, check=True)
    check(both.stdout == wanted, f"out of order: {both.stdout!r}")
    handle = home.cli("nodes", "run", "--background", "--", "sh", "-c", script, port=gateway.port).out.strip()
    home.cli("nodes", "runs", "poll", "--wait", handle, port=gateway.port)
    log = home.cli("nodes", "runs", "log", handle, port=gateway.port)
    check(log.stdout == wanted, f"out of order: {log.stdout!r}")


run_tests(globals())

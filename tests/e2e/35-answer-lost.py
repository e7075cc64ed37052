"""The answer to a run is lost with the gateway. It is asked for again by its key, and where that cannot be, nobody is told to
run it twice."""

from harness import *


def start(test, home, port, *words):
    return subprocess.Popen([BINARY, *words], env=home.env(OPENCLAW_GATEWAY_PORT=str(port)), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=test.dir)


def script(test, more=""):
    """Says that it runs, and ends when the test says a word."""
    fifo = os.path.join(test.dir, "fifo")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    return f"echo run >> {test.dir}/runs; echo ready; read x < {fifo}; echo $x; {more}"


def say(test, word):
    with open(os.path.join(test.dir, "fifo"), "w", encoding="ascii") as f:
        f.write(word + "\n")


def runs(test):
    with open(os.path.join(test.dir, "runs"), encoding="ascii") as f:
        return f.read().count("run")


def wait_running(test):
    path = os.path.join(test.dir, "runs")
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the command")


def ended(child):
    out, err = child.communicate(timeout=2 * DEADLINE)
    return out.decode(), err.decode(), child.returncode


def fetched_when_it_is_back(test, signo):
    """Killed or told to stop: the run goes on, and its caller gets the rest of its output and its exit code."""
    home, gateway, _, _ = paired_node(test)
    run_it = start(test, home, gateway.port, "nodes", "run", "--node", "box", "--", "sh", "-c",
                   script(test, "echo bad >&2; exit 7"))
    equal(run_it.stdout.readline(), b"ready\n")
    gateway.stop(signo)
    home.gateway(port=gateway.port)
    say(test, "the answer")
    out, err, code = ended(run_it)
    equal((out, code), ("the answer\n", 7), err)
    contains(err, "asking for its result")
    contains(err, "\nbad\n")
    equal(runs(test), 1, "runs")


def test_the_result_is_fetched_when_a_killed_gateway_is_back(test):
    fetched_when_it_is_back(test, signal.SIGKILL)


def test_the_result_is_fetched_when_a_stopped_gateway_is_back(test):
    fetched_when_it_is_back(test, signal.SIGTERM)


def test_an_end_that_nobody_heard_of_is_fetched_too(test):
    home, gateway, _, _ = paired_node(test)
    run_it = start(test, home, gateway.port, "nodes", "run", "--node", "box", "--json", "--", "sh", "-c",
                   script(test, f"touch {test.dir}/over; exit 3"))
    wait_running(test)
    gateway.stop(signal.SIGKILL)
    say(test, "x")
    wait_until(lambda: os.path.exists(os.path.join(test.dir, "over")), "its end")
    home.gateway(port=gateway.port)
    out, err, code = ended(run_it)
    equal(code, 3, err)
    equal(json.loads(out)["payload"]["stdout"], "ready\nx\n")
    equal(runs(test), 1, "runs")


def not_told_to_run_it_twice(test, signo):
    home, gateway, _, _ = paired_node(test)
    run_it = start(test, home, gateway.port, "nodes", "run", "--node", "box", "--reconnect", "0", "--json", "--", "sh",
                   "-c", script(test))
    wait_running(test)
    gateway.stop(signo)
    out, err, code = ended(run_it)
    error = json.loads(out)["error"]
    equal((code, error["code"]), (1, "OUTCOME_UNKNOWN"))
    contains(error["message"], "whether the command finished is unknown, last seen 20")
    contains(error["fix"], "openclaw approvals history")
    contains(error["fix"], "openclaw nodes runs list")
    check("try again" not in out + err, f"told to try again: {err}")
    say(test, "x")


def test_nobody_is_told_to_run_it_twice_when_the_gateway_stops(test):
    not_told_to_run_it_twice(test, signal.SIGTERM)


def test_nobody_is_told_to_run_it_twice_when_the_gateway_is_killed(test):
    not_told_to_run_it_twice(test, signal.SIGKILL)


def test_an_invoke_names_the_key_that_fetches_its_result(test):
    home, gateway, _, _ = paired_node(test)
    words = ["nodes", "invoke", "--node", "box", "--command", "system.run", "--invoke-timeout", "60000", "--params",
             json.dumps({"command": ["sh", "-c", script(test)]})]
    first = start(test, home, gateway.port, *words)
    wait_running(test)
    gateway.stop(signal.SIGKILL)
    _, err, code = ended(first)
    equal(code, 1)
    contains(err, "whether the command finished is unknown, last seen 20")
    key = re.search(r"the same call with --idempotency-key (\S+) fetches its result", err).group(1)
    gateway = home.gateway(port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node")
    again = start(test, home, gateway.port, *words, "--idempotency-key", key)
    say(test, "the answer")
    out, err, code = ended(again)
    equal(code, 0, err)
    equal(json.loads(out)["payload"]["stdout"], "ready\nthe answer\n")
    equal(runs(test), 1, "runs")


run_tests(globals())

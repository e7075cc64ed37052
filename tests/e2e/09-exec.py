"""system.run on a real node: limits, timeouts, process trees, environment, allowlist."""

from harness import *


def invoke(home, port, **run):
    done = home.cli("nodes", "invoke", "--node", "box", "--command", "system.run", "--params", json.dumps(run),
                    "--invoke-timeout", "20000", port=port, code=None)
    if done.returncode:
        return done.err
    return json.loads(done.out)["payload"]


def test_a_timeout_kills_the_whole_tree(test):
    home, gateway, box, _ = paired_node(test)
    marker = os.path.join(test.dir, "pids")
    script = f"sleep 1000 & echo $! >> {marker}; setsid sleep 1000 & echo $! >> {marker}; echo $$ >> {marker}; echo ready; wait"
    result = invoke(home, gateway.port, command=["sh", "-c", script], timeoutMs=1500)
    equal(result["timedOut"], True)
    equal(result["success"], False)
    check("exitCode" not in result or result["exitCode"] is None, "no exit code")
    contains(result["stdout"], "ready")
    pids = [int(line) for line in open(marker, encoding="ascii")]
    equal(len(pids), 3, "processes")

    def gone():
        left = []
        for pid in pids:
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                    if f.read().rsplit(")", 1)[1].split()[0] != "Z":
                        left.append(pid)
            except FileNotFoundError:
                pass
        return not left

    wait_until(gone, "every process of the tree to be gone")


def test_output_is_capped(test):
    home, gateway, box, _ = paired_node(test)
    result = invoke(home, gateway.port, command=["sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x"])
    check(len(result["stdout"]) < 210000, "the cap")
    contains(result["stdout"][-40:], "... (truncated)")
    equal(result["exitCode"], 0)


def test_broken_utf8_is_repaired(test):
    home, gateway, box, _ = paired_node(test)
    result = invoke(home, gateway.port, command=["printf", r"a\377b"])
    equal(result["stdout"], "a\ufffdb")


def test_spawn_failures_are_results(test):
    home, gateway, box, _ = paired_node(test)
    result = invoke(home, gateway.port, command=["/no/such/program"])
    equal(result["error"], "spawn /no/such/program ENOENT")
    equal(result["success"], False)
    result = invoke(home, gateway.port, command=["true"], cwd="/no/such/dir")
    contains(result["error"], "ENOENT")


def test_the_environment_is_filtered(test):
    home, gateway, box, _ = paired_node(test)
    result = invoke(home, gateway.port, command=["env"],
                    env={"FOO": "bar", "PATH": "/evil", "LD_PRELOAD": "/evil.so", "BASH_ENV": "/evil", "NODE_OPTIONS": "x",
                         "GIT_SSH_COMMAND": "evil", "bad-name": "x"})
    lines = result["stdout"].splitlines()
    check("FOO=bar" in lines, "FOO")
    for name in ("LD_PRELOAD", "BASH_ENV", "NODE_OPTIONS", "GIT_SSH_COMMAND", "bad-name"):
        check(not [l for l in lines if l.startswith(name + "=")], f"{name} reached the command")
    check("PATH=/evil" not in lines, "PATH came from the caller")
    check(TOKEN not in result["stdout"], "the gateway token reached the command")


def test_standard_input_is_empty(test):
    home, gateway, box, _ = paired_node(test)
    equal(invoke(home, gateway.port, command=["cat"])["stdout"], "")


def test_the_allowlist_is_about_real_paths(test):
    printf = os.path.realpath(shutil.which("printf"))
    shell = os.path.realpath(shutil.which("sh"))
    link = os.path.join(test.dir, "printf")
    os.symlink(shutil.which("id"), link)
    home, gateway, box, _ = paired_node(test, "allowlist", [printf, shell, link + "-gone"])
    equal(invoke(home, gateway.port, command=["printf", "ok"])["stdout"], "ok")
    for command in (["env", "printf", "ok"], [shell, "-c", "printf ok"], ["sh", "-lc", "printf o && printf k"]):
        equal(invoke(home, gateway.port, command=command)["stdout"], "ok", f"{command}")
    for command in ([link], ["id"], ["sh", "-c", "id"], [shell, "-c", "printf hi; id"], [shell, "script"], ["env", "A=b", "printf", "hi"],
                    ["sh", "-c", "printf $(id)"], ["sh", "-c", "printf hi > file"]):
        answer = invoke(home, gateway.port, command=command)
        contains(str(answer), "SYSTEM_RUN_DENIED", f"{command}")


def test_prepare_and_which(test):
    home, gateway, box, _ = paired_node(test)
    done = home.cli_json("nodes", "invoke", "--node", "box", "--command", "system.run.prepare", "--params",
                         json.dumps({"command": ["echo", "a b"], "agentId": "main"}), port=gateway.port)["payload"]
    equal(done["cmdText"], 'echo "a b"')
    equal(done["plan"]["version"], 2)
    equal(done["plan"]["argv"], ["echo", "a b"])
    equal(done["plan"]["agentId"], "main")
    box.approvals("deny")
    done = home.cli_json("nodes", "invoke", "--node", "box", "--command", "system.which", "--params",
                         json.dumps({"bins": ["sh", "no-such-bin", "a/b"]}), port=gateway.port)["payload"]
    equal(list(done["bins"]), ["sh"])


def test_parallel_commands_do_not_wait_for_each_other(test):
    home, gateway, box, _ = paired_node(test)
    fifo = os.path.join(test.dir, "fifo")
    os.mkfifo(fifo)
    reader = Process(test, "reader", [BINARY, "nodes", "run", "--node", "box", "--", "cat", fifo],
                     home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    home.cli("nodes", "run", "--node", "box", "--", "sh", "-c", f"echo through > {fifo}", port=gateway.port)
    equal(reader.wait_exit(), 0)
    contains(reader.output(), "through")


def test_a_key_does_not_run_again_after_both_restarts(test):
    home, gateway, box, node = paired_node(test)
    marker = os.path.join(test.dir, "runs")

    def once():
        return home.cli("nodes", "invoke", "--node", "box", "--command", "system.run", "--idempotency-key", "once", "--params",
                        json.dumps({"command": ["sh", "-c", f"echo x >> {marker}"]}), port=gateway.port, code=None)

    equal(once().returncode, 0)
    port = gateway.port
    gateway.stop()
    node.stop()
    gateway = home.gateway(port=port)
    box.node(port)
    wait_until(lambda: usable(home, port, "box"), "both again")
    contains(once().err, "already", "the refusal")
    equal(open(marker, encoding="ascii").read(), "x\n", "runs")


run_tests(globals())

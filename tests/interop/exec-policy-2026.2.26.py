"""The same commands under the same list for our node and the node host of 2026.2.26. Where the verdicts differ, DIFFERENT says
why; a difference that is not listed fails the test, and so does a listed one that is none any more."""

import uuid

from peers import *

SCRIPT = "it never allows a script by its list; ours reads it and judges what it runs, like 2026.9.6"
REAL = "it compares the path before links are resolved, so that a link decides; ours compares the real file"
CARRIER = "ours never allows a program by a list that runs whatever it is told"
FLAGS = "it knows no flags without values for filters; ours knows the harmless ones"

# (agent, command): agents have a list each, see policies().
CASES = [
    ("exact", ["zgit"]), ("exact", ["zgit", "status", ""]), ("exact", ["{bin}/zgit"]), ("exact", ["{bin}/../bin/zgit"]),
    ("exact", ["other"]), ("exact", ["{bin}/other"]), ("exact", ["gone"]), ("exact", ["./bin/zgit"]), ("exact", ["./zgit"]),
    ("exact", ["nice", "zgit"]), ("exact", ["nice", "-n", "5", "zgit"]), ("exact", ["nice", "-5", "zgit"]), ("exact", ["nice", "other"]),
    ("exact", ["timeout", "5", "zgit"]), ("exact", ["timeout", "--signal=KILL", "5", "zgit"]), ("exact", ["timeout", "5", "other"]),
    ("exact", ["timeout", "--unknown", "5", "zgit"]), ("exact", ["nohup", "zgit"]), ("exact", ["stdbuf", "-o", "L", "zgit"]),
    ("exact", ["env", "zgit"]), ("exact", ["env", "A=b", "zgit"]), ("exact", ["env", "-i", "zgit"]), ("exact", ["env", "-u", "A", "zgit"]),
    ("exact", ["env", "-S", "zgit"]), ("exact", ["env", "-iS", "zgit"]), ("exact", ["env", "other"]),
    ("exact", ["nice", "timeout", "5", "nohup", "zgit"]), ("exact", ["env", "env", "env", "env", "env", "zgit"]),
    ("exact", ["setsid", "zgit"]), ("exact", ["ionice", "zgit"]), ("exact", ["chrt", "-o", "0", "zgit"]), ("exact", ["taskset", "1", "zgit"]),
    ("exact", ["xargs", "zgit"]), ("exact", ["find", ".", "-maxdepth", "0", "-exec", "zgit", ";"]),
    ("exact", ["sh", "{bin}/zgit"]), ("exact", ["bash", "-s"]), ("exact", ["python3", "-c", "1"]),
    ("exact", ["sh", "-c", "zgit"]), ("exact", ["/bin/sh", "-lc", "zgit status && zgit log"]), ("exact", ["bash", "-c", "zgit | wc"]),
    ("exact", ["nice", "sh", "-c", "zgit"]), ("exact", ["sh", "-c", "zgit; other"]), ("exact", ["sh", "-c", "zgit $(other)"]),
    ("exact", ["sh", "-c", "zgit > out"]), ("exact", ["sh", "-c", "zgit &"]), ("exact", ["sh", "-c", "A=b zgit"]),
    ("exact", ["sh", "-c", "zgit\nother"]), ("exact", ["env", "A=b", "sh", "-c", "zgit"]), ("exact", ["fish", "-c", "zgit"]),
    ("exact", ["alias"]), ("link", ["alias"]), ("link", ["zgit"]),
    ("glob", ["zgit"]), ("glob", ["other"]), ("glob", ["{bin}/deep/er/tool"]), ("glob", ["{bin}/deep/tool"]),
    ("name", ["zgit"]), ("case", ["zgit"]), ("dot", ["zgit"]), ("star", ["zgit"]), ("star", ["other"]), ("star", ["gone"]),
    ("star", ["env", "A=b", "zgit"]), ("star", ["sh", "-c", "zgit"]), ("star", ["python3", "-c", "1"]),
    ("python", ["python3", "-c", "1"]), ("none", ["zgit"]), ("none", ["head", "-n", "5"]), ("none", ["head", "/etc/passwd"]),
    ("none", ["tr", "a", "b"]), ("none", ["tr", "[a]", "b"]), ("none", ["wc"]), ("none", ["wc", "-l"]), ("none", ["uniq", "-c"]),
    ("none", ["cut", "-d:", "-f1"]), ("none", ["sort"]), ("none", ["tail", "-f"]), ("none", ["wc", "--files0-from=x"]),
    ("none", ["cut", "-f1", "*"]), ("shared", ["{bin}/deep/tool"]), ("shared", ["other"]),
]

GONE = "it blames the list for what cannot be found; ours says that it is not there"
DIFFERENT = {
    ("exact", "alias"): REAL, ("link", "alias"): REAL, ("exact", "{bin}/../bin/zgit"): REAL,
    ("exact", "sh -c zgit"): SCRIPT, ("exact", "/bin/sh -lc zgit status && zgit log"): SCRIPT, ("exact", "bash -c zgit | wc"): SCRIPT,
    ("exact", "nice sh -c zgit"): SCRIPT, ("star", "sh -c zgit"): SCRIPT,
    ("case", "zgit"): "it ignores case; file names on Linux do not",
    ("dot", "zgit"): "its patterns are regular expressions by mistake, so a dot is any character",
    ("exact", "gone"): GONE, ("exact", "./zgit"): GONE,
    ("star", "python3 -c 1"): CARRIER, ("python", "python3 -c 1"): CARRIER,
    ("none", "wc -l"): FLAGS, ("none", "uniq -c"): FLAGS,
    ("none", "tr [a] b"): "no shell sees the words of ours, so a pattern is only text",
}
if not shutil.which("fish"):
    DIFFERENT[("exact", "fish -c zgit")] = GONE


def policies(bin_dir, python):
    def agent(*patterns):
        return {"allowlist": [{"pattern": p} for p in patterns]}

    return {"version": 1, "defaults": {"security": "allowlist", "ask": "off"}, "agents": {
        "*": agent(bin_dir + "/deep/tool"), "exact": agent(bin_dir + "/zgit"), "link": agent(bin_dir + "/alias"),
        "glob": agent(bin_dir + "/zg?t", bin_dir + "/deep/**/tool"), "name": agent("zgit"), "case": agent(bin_dir.upper() + "/ZGIT"),
        "dot": agent(bin_dir + "/zg.t"), "star": agent("*"), "python": agent(python, "/usr/bin/python3"), "none": agent(),
        "shared": agent()}}


def programs(test):
    """A directory on PATH whose programs do nothing. Their names are new: 2026.2.26 puts the system's directories in front."""
    bin_dir = os.path.join(os.path.realpath(test.dir), "bin")
    os.makedirs(os.path.join(bin_dir, "deep", "er"))
    for name in ("zgit", "other", "deep/tool", "deep/er/tool"):
        shutil.copy("/bin/true", os.path.join(bin_dir, name))
    os.symlink("zgit", os.path.join(bin_dir, "alias"))
    return bin_dir


def verdict(desk, node, agent, argv, cwd):
    answer = desk.call("node.invoke", {"nodeId": node, "command": "system.run", "idempotencyKey": str(uuid.uuid4()),
                                       "params": {"command": argv, "agentId": agent, "cwd": cwd, "timeoutMs": 20000}})
    if answer["ok"]:
        return "is not there" if "ENOENT" in str(answer["payload"]["payload"].get("error")) else "runs"
    message = answer["error"]["message"]
    return "misses" if "allowlist miss" in message else f"says {message}"


def test_verdicts(test):
    bin_dir = programs(test)
    os.environ["PATH"] = bin_dir + ":" + os.environ["PATH"]
    file = policies(bin_dir, os.path.realpath(shutil.which("python3")))
    home = test.machine("gw")
    gateway = home.gateway()
    theirs, ours = Peer(test, "2", "theirs"), test.machine("ours")
    ours.approvals()
    for folder in (os.path.join(theirs.state, "home", ".openclaw"), os.path.join(ours.home, ".openclaw")):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "exec-approvals.json"), "w", encoding="utf-8") as f:
            json.dump(file, f)
    theirs.node(gateway.port)
    ours.node(gateway.port)
    for _ in range(2):
        wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "a node's request", 90)
        request = home.cli_json("nodes", "pending", "--json", port=gateway.port)[0]["requestId"]
        home.cli("nodes", "approve", request, "--yes", port=gateway.port)
        # An approved device is gone from the list once its commands are approved, too.
        wait_until(lambda: request not in str(home.cli_json("nodes", "pending", "--json", port=gateway.port)), "the approval")
    nodes = {name: wait_until(lambda name=name: usable(home, gateway.port, name), name, 60)[0]["nodeId"]
             for name in ("theirs", "ours")}
    desk = Client(gateway.port)
    check(desk.connect()["ok"], "connect")
    bad, seen = [], set()
    for agent, words in CASES:
        argv = [w.replace("{bin}", bin_dir) for w in words]
        key = (agent, " ".join(words))
        got = {name: verdict(desk, node, agent, argv, os.path.dirname(bin_dir)) for name, node in nodes.items()}
        if (got["ours"] != got["theirs"]) != (key in DIFFERENT):
            bad.append(f"{key}: ours {got['ours']}, theirs {got['theirs']}")
        seen.add(key)
    check(not bad, "\n".join(bad))
    equal(set(DIFFERENT) - seen, set())
    print(f"{len(CASES)} commands, {len(DIFFERENT)} intended differences")


run_tests(globals())

"""Exec approvals with 2026.2.26: its command line edits the files of our node and gateway, and runs what we approve.
Our `nodes run` at its gateway is in the matrix."""

import threading

from peers import *


def approver(gateway, decision):
    """An operator that decides everything it is asked; ends with the connection."""
    client = Client(gateway.port)
    check(client.connect(mode="ui", client_id="openclaw-macos")["ok"], "connect")

    def decide():
        try:
            while True:
                asked = client.event("exec.approval.requested")
                client.ok("exec.approval.resolve", {"id": asked["id"], "decision": decision})
        except (Closed, OSError, Failure):
            pass

    threading.Thread(target=decide, daemon=True).start()
    return client


def test_its_command_line_edits_our_files(test):
    home, gateway, box, _ = paired_node(test, "deny", afar=True)
    user = Peer(test, "2", "user")
    uname = os.path.realpath(shutil.which("uname"))
    shown = user.cli_json("approvals", "get", "--node", "box", "--json", port=gateway.port)
    equal(shown["file"]["defaults"]["security"], "deny")
    wanted = os.path.join(test.dir, "wanted.json")
    with open(wanted, "w", encoding="utf-8") as f:
        json.dump({"version": 1, "defaults": {"security": "allowlist", "ask": "off"}, "agents": {}}, f)
    contains(user.cli("approvals", "set", "--node", "box", "--file", wanted, port=gateway.port).out, "Allowlist")
    contains(user.cli("approvals", "allowlist", "add", "--node", "box", uname, port=gateway.port).out, uname)
    contains(user.cli("approvals", "allowlist", "add", "--node", "box", uname, port=gateway.port).out, "Already allowlisted")
    home.cli("nodes", "run", "--node", "box", "--", "uname", port=gateway.port)
    user.cli("approvals", "allowlist", "remove", "--node", "box", uname, port=gateway.port)
    home.cli("nodes", "run", "--node", "box", "--", "uname", port=gateway.port, code=1)
    contains(user.cli("approvals", "get", "--gateway", port=gateway.port).out, "exec-approvals.json")
    contains(user.cli("approvals", "allowlist", "add", "--gateway", uname, port=gateway.port).out, uname)


def test_its_nodes_run(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    user = Peer(test, "2", "user")
    decider = approver(gateway, "allow-once")
    done = user.cli("nodes", "run", "--node", "box", "echo", "hello there", port=gateway.port)
    contains(done.out, "hello there")
    done = user.cli("nodes", "run", "--node", "box", "--raw", "uname -s; exit 3", port=gateway.port, code=None)
    contains(done.out, "Linux")
    contains(done.out + done.err, "3")
    decider.close()
    decider = approver(gateway, "deny")
    done = user.cli("nodes", "run", "--node", "box", "echo", "hello there", port=gateway.port, code=1)
    contains(done.out + done.err, "denied")
    decider.close()


def test_our_gateway_reaches_the_file_of_its_node_host(test):
    home = test.machine("gw")
    gateway = home.gateway()
    Peer(test, "2", "realbox").node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the real node's request", 90)
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    node = wait_until(lambda: usable(home, gateway.port, "realbox"), "the real node", 60)[0]["nodeId"]
    desk = Client(gateway.port)
    desk.connect()
    before = desk.ok("exec.approvals.node.get", {"nodeId": node})
    file = {**before["file"], "defaults": {"security": "full", "ask": "off"}}
    after = desk.ok("exec.approvals.node.set", {"nodeId": node, "file": file, "baseHash": before["hash"]})
    equal(after["file"]["defaults"]["security"], "full")
    home.cli("nodes", "run", "--node", "realbox", "--", "uname", port=gateway.port)


run_tests(globals())

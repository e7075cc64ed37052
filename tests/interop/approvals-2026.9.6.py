"""Exec approvals with 2026.9.6: its command line shows our node's file, and decides what waits on our gateway."""

from peers import *


def test_its_command_line_decides(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    user = Peer(test, "9", "user")
    shown = user.cli_json("approvals", "get", "--node", "box", "--json", port=gateway.port)
    equal(shown["file"]["defaults"]["security"], "allowlist")
    desk = Client(gateway.port)
    check(desk.connect()["ok"], "connect")
    request = desk.send("exec.approval.request", {"command": "ls -l", "id": "wish-1"})
    desk.event("exec.approval.requested")
    contains(user.cli("approvals", "pending", port=gateway.port).out, "ls -l")
    contains(user.cli("approvals", "resolve", "wish-1", "allow-once", port=gateway.port).out, "allow-once")
    equal(desk.answer(request)["payload"]["decision"], "allow-once")


run_tests(globals())

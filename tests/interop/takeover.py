"""Our gateway in the state directory of 2026.9.6: it works there, and touches nothing of what it finds."""

from hosts import *


def digest(root):
    """Every file below root with its bytes."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, root)] = hashlib.sha256(f.read()).hexdigest()
    return found


def owner_of(test, peer):
    """Our binary in the home of a real peer."""
    machine = test.machine("owner")
    machine.state = peer.state
    machine.home = os.path.join(peer.state, "home")
    return machine


def never_touched(test, gateway):
    """After a whole matrix its SQLite state has seen devices, nodes, approvals and removals. The gateway has been stopped."""
    sqlite = os.path.join(gateway.home.state, "state")
    check(os.path.exists(os.path.join(sqlite, "openclaw.sqlite")), f"no SQLite state: {os.listdir(gateway.home.state)}")
    before = digest(sqlite)
    owner = owner_of(test, gateway.home)
    ours = owner.gateway(port=gateway.port)
    owner.cli_json("devices", "list", "--json", port=gateway.port)
    contains(owner.cli("doctor", port=gateway.port, code=None).out, "openclaw.sqlite")
    ours.stop()
    equal(digest(sqlite), before, "files of the 2026.9.6 state")

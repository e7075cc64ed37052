"""Who may run what on a machine is decided at that machine: a gateway changes it only if the owner has switched that on there, or
if it is the owner's own."""
import json
import os
import socket
import threading

from harness import BINARY, Process, check, contains, equal, paired_node, run_tests, usable, wait_until


def rules(machine):
    with open(os.path.join(machine.home, ".openclaw", "exec-approvals.json"), encoding="utf-8") as f:
        return json.load(f)


def test_an_administrator_elsewhere_does_not_change_them(test):
    home, gateway, box, _ = paired_node(test, "deny", afar=False)
    refused = home.cli("approvals", "security", "full", "--node", "box", code=1, port=gateway.port)
    contains(refused.err, "APPROVALS_DISABLED")
    contains(refused.err, "fix: on the node run: openclaw node enable approvals (gate: local switch)")
    equal(rules(box)["defaults"]["security"], "deny")
    contains(home.cli("approvals", "get", "--node", "box", port=gateway.port).out, "deny")  # reading stays allowed
    # What a refusal tells to do must help: at the machine, where it says so.
    refused = home.cli("nodes", "run", "--node", "box", "--", "uname", code=1, port=gateway.port)
    contains(refused.err, "fix: on the node run: openclaw approvals security allowlist")
    described = home.cli_json("nodes", "describe", "--node", "box", "--json", port=gateway.port)
    equal(described["switches"]["approvals"], {"on": False, "cause": "SWITCHED_OFF", "gate": "local switch", "subject": "approvals",
                                               "remedy": "enable-switch",
                                               "fix": "on the node run: openclaw node enable approvals"})
    equal(box.cli_json("node", "status", "--json")["switches"]["approvals"]["on"], False)


def test_the_owner_switches_it_on_and_off_at_the_machine(test):
    home, gateway, box, _ = paired_node(test, "deny", afar=False)

    def described():
        return home.cli_json("nodes", "describe", "--node", "box", "--json", port=gateway.port)

    contains(box.cli("node", "enable", "approvals").out, "may change which programs run here")
    wait_until(lambda: described()["switches"]["approvals"]["on"], "the switch at the gateway")
    check(usable(home, gateway.port, "box"), "nothing new had to be approved")
    home.cli("approvals", "security", "full", "--node", "box", port=gateway.port)
    equal(rules(box)["defaults"]["security"], "full")
    box.cli("node", "disable", "approvals")
    home.cli("approvals", "security", "deny", "--node", "box", code=1, port=gateway.port)
    equal(rules(box)["defaults"]["security"], "full")


def own_node(test, machine, port):
    machine.node(port, name="box")
    wait_until(lambda: machine.cli_json("nodes", "pending", "--json", port=port), "the node's request")
    machine.cli("nodes", "approve", "--yes", port=port)
    wait_until(lambda: usable(machine, port, "box"), "the approved node")


def test_the_owners_own_gateway_needs_no_switch(test):
    home = test.machine("home")  # one user, one machine, one state directory: as scripts/quickstart has it
    home.approvals("deny")
    gateway = home.gateway()
    own_node(test, home, gateway.port)
    wait_until(lambda: home.cli_json("nodes", "describe", "--node", "box", "--json", port=gateway.port)
               ["switches"]["approvals"]["on"], "a node that knows its own gateway")
    home.cli("approvals", "security", "full", "--node", "box", port=gateway.port)
    equal(rules(home)["defaults"]["security"], "full")


class Tunnel:
    """What ssh -L is: a port of this user on loopback that leads to a gateway somewhere else."""

    def __init__(self, target, place=("127.0.0.1", 0)):
        self.target = target
        self.listener = socket.create_server(place)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(a, b), daemon=True).start()

    @staticmethod
    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        sink.close()


def through_a_tunnel(test, start, meanwhile=lambda tunnel: None):
    """start gives the tunnel to the gateway at this port, and the node that uses it."""
    away, home = test.machine("away"), test.machine("home")
    gateway = away.gateway()
    home.approvals("deny")
    tunnel = start(home, gateway.port)
    wait_until(lambda: away.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    away.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(away, gateway.port, "box"), "the approved node")
    meanwhile(tunnel)
    refused = away.cli("approvals", "security", "full", "--node", "box", code=1, port=gateway.port)
    contains(refused.err, "APPROVALS_DISABLED")
    equal(rules(home)["defaults"]["security"], "deny")


def test_a_tunnel_to_another_gateway_is_not_the_owners_own(test):
    def start(home, target):
        home.gateway()  # its own gateway runs, too, on another port
        home.node(Tunnel(target).port, name="box")

    through_a_tunnel(test, start)


def test_a_tunnel_at_the_own_gateways_port_on_another_loopback_address(test):
    def start(home, target):
        port = home.gateway().port
        Tunnel(target, ("127.0.0.2", port))
        Process(test, "node-box", [BINARY, "node", "run", "--host", "127.0.0.2", "--port", str(port), "--display-name", "box"],
                home.env())

    through_a_tunnel(test, start)


def test_a_tunnel_that_was_there_before_the_own_gateway_took_the_port(test):
    machines = []

    def start(home, target):
        machines.append(home)
        tunnel = Tunnel(target)
        home.node(tunnel.port, name="box")
        return tunnel

    def own_gateway_comes_back(tunnel):
        tunnel.listener.shutdown(socket.SHUT_RDWR)  # who is connected stays
        tunnel.listener.close()
        machines[0].gateway(port=tunnel.port)

    through_a_tunnel(test, start, own_gateway_comes_back)


run_tests(globals())

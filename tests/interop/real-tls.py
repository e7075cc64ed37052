"""TLS with the real OpenClaw: its node hosts pin our gateway's certificate, our node pins its gateway's."""

import hashlib
import ssl

from peers import *

FINGERPRINT = r"tls fingerprint \(sha256\): ([0-9A-F:]{95})"


def pinned_node(peer, port, pin):
    return Process(peer.test, f"real-node-{peer.version}",
                   [NODE, PROGRAM[peer.version], "node", "run", "--host", "127.0.0.1", "--port", str(port), "--tls",
                    "--tls-fingerprint", pin, "--display-name", peer.name], peer.env())


def joins_with_the_pin(test, version):
    home = test.machine("gw")
    home.config({"gateway": {"tls": {"enabled": True}}})
    gateway = home.gateway()
    pin = gateway.wait_for(FINGERPRINT).group(1)
    wrong = pinned_node(Peer(test, version, "strict"), gateway.port, "00" * 32) if version == "2" else None
    pinned_node(Peer(test, version, "realbox"), gateway.port, pin)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the real node's request", 120, 0.1)
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "realbox"), "the real node", 60, 0.1)
    which = home.cli_json("nodes", "invoke", "--node", "realbox", "--command", "system.which", "--params", '{"bins":["sh"]}',
                          port=gateway.port)
    check(which["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {which}")
    if wrong:
        wait_until(lambda: "fingerprint mismatch" in wrong.output(), "its words about a wrong pin", 180)


def test_2026_2_26_node_host(test):
    joins_with_the_pin(test, "2")


def test_2026_9_6_node_host(test):
    joins_with_the_pin(test, "9")


def our_node_under_its_gateway(test, version):
    gateway = Peer(test, version, "realgw").gateway(free_port(), tls={"enabled": True})

    def certificate():
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            with context.wrap_socket(socket.create_connection(("127.0.0.1", gateway.port), 5)) as s:
                return s.getpeercert(True)
        except OSError:
            return None

    pin = hashlib.sha256(wait_until(certificate, "its certificate", 180, 0.1)).hexdigest()
    strict = test.machine("strict").node(gateway.port, "--tls-fingerprint", "00" * 32)
    strict.wait_for("gateway tls fingerprint mismatch")
    lax = test.machine("lax").node(gateway.port, "--tls")
    lax.wait_for("no authority vouches for it, and no pin is given")
    # Its gateway pairs a node of the same machine silently.
    node = test.machine("box").node(gateway.port, "--tls-fingerprint", "sha256:" + pin)
    wait_until(lambda: f"connected to wss://127.0.0.1:{gateway.port}" in node.output().replace("not connected", ""),
               "our node under the real gateway", 180, 0.1)


def test_our_node_under_2026_2_26(test):
    our_node_under_its_gateway(test, "2")


def test_our_node_under_2026_9_6(test):
    our_node_under_its_gateway(test, "9")


run_tests(globals())

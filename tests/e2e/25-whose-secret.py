"""A secret or a proof that is for one gateway is not for another: shared tokens, device tokens, signed challenges."""

import base64
import hashlib
import json
import os
import re
import socket
import ssl
import subprocess
import threading

from harness import (BINARY, TOKEN, Closed, Process, WebSocket, check, contains, equal, run_tests, usable, wait_until)
from tap import Tap

NO_TOKEN = {"OPENCLAW_GATEWAY_TOKEN": None}
OWN = "own-gateway-secret-0123456789abcdef0123"
PINNED = {"gateway": {"tls": {"enabled": True}}}


class Scripted:
    """A gateway that does with every connection what script(connection, number) does."""

    def __init__(self, script, context=None):
        self.script, self.context, self.count = script, context, 0
        self.connects, self.problems = [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self._serve, args=(client, self.count), daemon=True).start()

    def _serve(self, client, number):
        try:
            if self.context:
                client = self.context.wrap_socket(client, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head:
                data = client.recv(4096)
                if not data:
                    return
                head += data
            key = re.search(rb"(?i)sec-websocket-key: (\S+)", head).group(1)
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            client.sendall(b"HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept
                           + b"\r\n\r\n")
            self.script(Connection(client), number)
        except (OSError, Closed, ssl.SSLError):
            pass
        finally:
            client.close()


class Connection:
    def __init__(self, sock):
        self.sock, self.data = sock, b""

    def send(self, value):
        data = json.dumps(value).encode()
        length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + len(data).to_bytes(2, "big")
        self.sock.sendall(b"\x81" + length + data)

    def receive(self):
        """The next message as text; raises Closed."""
        while True:
            frame = Tap._frame(self.data)
            if frame:
                self.data = self.data[frame[0]:]
                if frame[1] & 15 == 1:
                    return frame[2].decode()
                if frame[1] & 15 == 8:
                    raise Closed(int.from_bytes(frame[2][:2], "big"), frame[2][2:].decode())
                continue
            more = self.sock.recv(65536)
            if not more:
                raise Closed(1006, "")
            self.data += more

    def challenge(self, nonce="n-1", ts=None):
        import time
        self.send({"type": "event", "event": "connect.challenge",
                   "payload": {"nonce": nonce, "ts": int(time.time() * 1000) if ts is None else ts}})


def stored(box):
    with open(os.path.join(box.state, "identity", "device-auth.json"), encoding="utf-8") as f:
        return json.load(f)


def tokens_in(box):
    return {entry["token"] for entry in stored(box)["tokens"].values()}


def secure_gateway(test, name):
    home = test.machine(name)
    home.config(PINNED)
    gateway = home.gateway()
    gateway.pin = re.sub(":", "", gateway.wait_for(r"tls fingerprint \(sha256\): ([0-9A-F:]{95})").group(1)).lower()
    return home, gateway


def unverified(sock):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(sock)


def paired_by_code(test, home, gateway, box, *flags):
    code = home.cli_json("devices", "join-code", *flags, "--json", port=gateway.port)["setupCode"]
    node = Process(test, "node-box", [BINARY, "node", "run", "--display-name", "box", "--pair", code], box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "box"), "the node, paired by its code")
    return node


def test_a_node_tells_no_other_gateway_the_secret_of_its_own_machine(test):
    home = test.machine("gw")
    gateway = home.gateway()
    tap = Tap(gateway.port)
    box = test.machine("box")
    box.config({"gateway": {"auth": {"token": OWN}}})
    node = paired_by_code(test, home, gateway, box, "--public-url", f"ws://127.0.0.1:{tap.port}")
    node.stop()
    Process(test, "node-again", [BINARY, "node", "run"], box.env(**NO_TOKEN))
    wait_until(lambda: len(tap.requests("connect")) > 1, "the second connect")
    check(OWN not in json.dumps(tap.said), "the gateway was told the secret of another")
    wait_until(lambda: usable(home, gateway.port, "box"), "the node by its own token")


def test_the_command_line_tells_no_other_gateway_the_secret_of_its_own_machine(test):
    home = test.machine("gw")
    gateway = home.gateway()
    tap = Tap(gateway.port)
    desk = test.machine("desk")
    desk.config({"gateway": {"mode": "remote", "auth": {"token": OWN, "password": OWN},
                             "remote": {"url": f"ws://127.0.0.1:{tap.port}"}}})
    desk.cli("nodes", "status", env=NO_TOKEN, code=None)
    check(tap.requests("connect"), "nothing was said")
    check(OWN not in json.dumps(tap.said), "the gateway was told the secret of another")


def test_a_gateway_gets_no_device_token_of_another(test):
    home, a = secure_gateway(test, "a")
    box = test.machine("box")
    box.approvals("full")
    paired_by_code(test, home, a, box).stop()
    secrets = tokens_in(box)
    equal(len(secrets), 1, "tokens")

    def script(connection, number):
        """Says hello without a token and hangs up, again and again."""
        connection.challenge()
        request = json.loads(connection.receive())
        b.connects.append(request)
        connection.send({"type": "res", "id": request["id"], "ok": True, "payload": {"type": "hello-ok", "protocol": 4}})

    b = Scripted(script)
    node = Process(test, "node-at-b", [BINARY, "node", "run", "--host", "127.0.0.1", "--port", str(b.port), "--no-tls"],
                   box.env(**NO_TOKEN))
    wait_until(lambda: len(b.connects) > 1, "the node to come back")
    node.stop()
    said = json.dumps(b.connects)
    check(not [s for s in secrets if s in said], "b got the token of a")
    equal(tokens_in(box), secrets, "what is kept for a")
    # a's token still opens a.
    node = Process(test, "node-at-a", [BINARY, "node", "run", "--host", "127.0.0.1", "--port", str(a.port),
                                       "--tls-fingerprint", a.pin], box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, a.port, "box"), "the node, back at a")


def test_tokens_of_an_older_version_stay_with_their_gateway(test):
    """Without a name beside it a token belongs to the gateway that node.json named before."""
    home, a = secure_gateway(test, "a")
    box = test.machine("box")
    box.approvals("full")
    paired_by_code(test, home, a, box).stop()
    kept = stored(box)
    equal(list(kept["tokens"]), ["node"], "members, as the reference reads them")
    equal(kept["tokens"]["node"]["role"], "node")
    equal(kept["tokens"]["node"].pop("gateway"), "sha256:" + a.pin)
    secret = kept["tokens"]["node"]["token"]
    with open(os.path.join(box.state, "identity", "device-auth.json"), "w", encoding="utf-8") as f:
        json.dump(kept, f)

    def script(connection, number):
        connection.challenge()
        request = json.loads(connection.receive())
        b.connects.append(request)

    b = Scripted(script)
    node = Process(test, "node-at-b", [BINARY, "node", "run", "--host", "127.0.0.1", "--port", str(b.port), "--no-tls"],
                   box.env(**NO_TOKEN))
    wait_until(lambda: b.connects, "the node at b")
    node.stop()
    check(secret not in json.dumps(b.connects), "b got the token of a")
    Process(test, "node-at-a", [BINARY, "node", "run", "--host", "127.0.0.1", "--port", str(a.port), "--tls-fingerprint", a.pin],
            box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, a.port, "box"), "the node, back at a")


def relay(test, a, context=None):
    """B: passes a's challenge on to whoever comes, and the answer on to a."""
    b = None

    def script(connection, number):
        to_a = WebSocket(a.port, wrap=unverified)
        challenge = to_a.recv_json()
        connection.send(challenge)
        try:
            answer = connection.receive()
        except Closed as closed:
            b.problems.append(closed.reason)
            return
        b.connects.append(answer)
        to_a.send_text(answer)
        b.problems.append(to_a.recv_text())

    b = Scripted(script, context)
    return b


def refuses_to_sign(test, a, home, box, b, *flags):
    node = Process(test, "node-at-b", [BINARY, "node", "run", "--host", "127.0.0.1", "--port", str(b.port), *flags], box.env())
    wait_until(lambda: b.problems, "the end of the relayed handshake")
    check(not b.connects, f"the node signed the challenge of a for b; a said: {b.problems}")
    node.wait_for("one of another gateway")
    node.stop()
    check(not usable(home, a.port, "box"), "b is logged in at a as the node")


def test_a_challenge_that_is_passed_on_is_not_signed(test):
    """Both gateways have the same shared token, which the node's owner gave for b: even so b is not let in at a."""
    home, a = secure_gateway(test, "a")
    box = test.machine("box")
    box.approvals("full")
    paired_by_code(test, home, a, box).stop()
    wait_until(lambda: not usable(home, a.port, "box"), "the node to be gone from a")
    refuses_to_sign(test, a, home, box, relay(test, a), "--no-tls")
    # The same when b has TLS, and the node has b's pin.
    cert, key = os.path.join(test.dir, "b.pem"), os.path.join(test.dir, "b.key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                    "-out", cert, "-subj", "/CN=b", "-days", "2"], check=True, capture_output=True)
    der = ssl.PEM_cert_to_DER_cert(open(cert, encoding="ascii").read())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    refuses_to_sign(test, a, home, box, relay(test, a, context), "--tls-fingerprint", hashlib.sha256(der).hexdigest())


def test_a_proxy_of_the_owner_may_end_tls(test):
    """Behind gateway.trustedProxies the certificate that clients see is the proxy's."""
    for trusted in ([], ["127.0.0.1"]):
        home = test.machine(f"gw-{len(trusted)}")
        home.config({"gateway": {"tls": {"enabled": True}, "trustedProxies": trusted}})
        gateway = home.gateway()
        ws = WebSocket(gateway.port, headers=["X-Forwarded-For: 192.0.2.7"], wrap=unverified)
        nonce = ws.recv_json()["payload"]["nonce"]
        equal(".tls-" in nonce, not trusted, f"pin in the challenge behind {trusted}")
        ws.close()


if __name__ == "__main__":
    run_tests(globals())

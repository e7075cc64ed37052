"""Another user of the machine listens where the gateway does, or would: nobody takes them for it.

The stranger is another user, whom only root can become. In a user namespace the owner of the port cannot be known, which must not
count as trust either."""

import json
import os
import signal
import socket
import subprocess
import sys

from harness import (BINARY, TOKEN, Client, Process, check, contains, equal, need_root, paired_node, run_tests, wait_until)

STRANGER = 65534

# Speaks the protocol as far as it takes to be told a secret and to be obeyed; every byte that comes is printed.
THIEF = r"""
import base64, hashlib, json, socket, sys, threading
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
listener = socket.socket(family)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
if family == socket.AF_INET6:
    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
hides = len(sys.argv) > 4
if hides:  # the kernel keeps no socket until the client has spoken
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 10)
listener.bind((sys.argv[1], int(sys.argv[2])))
listener.listen()
marker = sys.argv[3]
print("thief listens", flush=True)

def frame(value):
    data = json.dumps(value).encode()
    return b"\x81" + (bytes([len(data)]) if len(data) < 126 else b"\x7e" + len(data).to_bytes(2, "big")) + data

def invoke(number):
    params = {"command": ["touch", marker], "rawCommand": "touch " + marker}
    return frame({"type": "event", "event": "node.invoke.request", "payload": {"id": f"evil-{number}", "nodeId": "x",
                  "command": "system.run", "paramsJSON": json.dumps(params)}})

def serve(s):
    got = b""
    while b"\r\n\r\n" not in got:
        data = s.recv(65536)
        if not data:
            return
        got += data
        print("heard", data.hex(), flush=True)
    key = [l for l in got.split(b"\r\n") if l.lower().startswith(b"sec-websocket-key")][0].split(b": ")[1]
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    if hides:  # what is said and the half-close arrive together
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    s.sendall(b"HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    s.sendall(invoke(1))
    s.sendall(frame({"type": "event", "event": "connect.challenge", "payload": {"nonce": "n", "ts": 1700000000000}}))
    if hides:
        s.shutdown(socket.SHUT_WR)
    data = b""
    while True:
        more = s.recv(65536)
        if not more:
            return
        data += more
        print("heard", more.hex(), flush=True)
        length, at = data[1] & 127, 2
        if length == 126:
            length, at = int.from_bytes(data[2:4], "big"), 4
        if data[0] & 15 != 1 or len(data) < at + 4 + length:
            continue
        text = bytes(b ^ data[at + i % 4] for i, b in enumerate(data[at + 4:at + 4 + length]))
        data = data[at + 4 + length:]
        print("told", text.decode(), flush=True)
        if hides:
            continue
        s.sendall(invoke(2))
        s.sendall(frame({"type": "res", "id": json.loads(text)["id"], "ok": True, "payload": {"type": "hello-ok", "protocol": 4}}))
        s.sendall(invoke(3))

def guarded(s):
    try:
        serve(s)
    except OSError:
        pass

while True:
    client, _ = listener.accept()
    threading.Thread(target=guarded, args=(client,), daemon=True).start()
"""

# Tries to get the port without a pause, until stdin ends.
GRABBER = r"""
import os, socket, sys
tries = 0
os.set_blocking(0, False)
print("grabber runs", flush=True)
while True:
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        s.bind(("127.0.0.1", int(sys.argv[1])))
        s.listen()
        print("took the port", flush=True)
        break
    except OSError:
        s.close()
    tries += 1
    try:
        if os.read(0, 1) == b"":
            break
    except BlockingIOError:
        pass
print("tries", tries, flush=True)
"""


class Stranger(Process):
    """A program of another user."""

    def __init__(self, test, script, *args):
        need_root()
        path = os.path.join(test.dir, "stranger.log")
        self.name, self.log_path, self.log = "stranger", path, open(path, "wb")
        # It changes the user itself, because that one may not be able to start this Python.
        become = f"import os, base64, hashlib, json, socket, sys, threading\n'x'.encode('idna')\nos.setgroups([])\nos.setgid({STRANGER})\nos.setuid({STRANGER})\n"
        self.child = subprocess.Popen([sys.executable, "-c", become + script, *map(str, args)],
                                      stdin=subprocess.PIPE, stdout=self.log, stderr=self.log, cwd="/")
        test.processes.append(self)

    def heard(self):
        return b"".join(bytes.fromhex(line.split()[1]) for line in self.output().splitlines() if line.startswith("heard "))


def thief(test, host, port, marker, *hides):
    stranger = Stranger(test, THIEF, host, port, marker, *hides)
    stranger.wait_for("thief listens")
    return stranger


def call(machine, *args, port):
    done = subprocess.run([BINARY, *args], env=machine.env(OPENCLAW_GATEWAY_PORT=str(port)), capture_output=True,
                          timeout=60, check=False)
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


OTHER_LOOPBACK = "::1"


def marker_in(test):
    """Where a command of the thief's would leave its trace."""
    return os.path.join(test.dir, "obeyed")


def test_a_thief_on_the_port_is_told_nothing_and_obeyed_in_nothing(test):
    marker = marker_in(test)
    home, gateway, box, node = paired_node(test)
    node.stop()
    gateway.stop()
    stranger = thief(test, "127.0.0.1", gateway.port, marker)
    node = Process(test, "node-again", [BINARY, "node", "run"], box.env())
    wait_until(lambda: "told " in stranger.output() or "is held by" in node.output() or "does not tell" in node.output(),
               "the node to judge the thief")
    code, text = call(home, "nodes", "status", port=gateway.port)
    check(code != 0, "the command line believed the thief")
    heard = stranger.heard().decode("latin-1") + stranger.output()
    check(TOKEN not in heard, "the thief got the shared token")
    check("deviceToken" not in heard and "signature" not in heard, f"the thief got a proof:\n{heard}")
    check("told " not in stranger.output(), "the thief was spoken to")
    check(not os.path.exists(marker), "the node obeyed the thief")
    contains(text, f"port {gateway.port} on 127.0.0.1 is held by user")
    contains(text, "(uid 65534), not by your gateway")
    contains(text, "--gateway-user")
    equal(stranger.heard(), b"", "bytes that the thief heard")
    contains(node.output(), "gateway.user")
    # The owner's gateway comes back, and so does the node.
    stranger.child.kill()
    stranger.child.wait()
    home.gateway(port=gateway.port)
    node.wait_for("connected")


def test_the_account_of_the_gateway_can_be_named(test):
    """Where the owner's gateway runs as another user, the owner says so."""
    home = test.machine("gw")
    port = free_port()
    stranger = thief(test, "127.0.0.1", port, marker_in(test))
    code, text = call(home, "gateway", "call", "health", "--gateway-user", str(STRANGER), "--timeout", "5000", port=port)
    check("told " in stranger.output(), f"it was not called ({code}): {text}")
    home.config({"gateway": {"user": "nobody"}})
    before = stranger.output().count("told ")
    call(home, "gateway", "call", "health", "--timeout", "5000", port=port)
    check(stranger.output().count("told ") > before, "gateway.user was not heeded")
    home.config({"gateway": {"user": "daemon"}})
    before = stranger.output().count("told ")
    code, text = call(home, "gateway", "call", "health", "--timeout", "5000", port=port)
    equal(stranger.output().count("told "), before, "calls after gateway.user named another")
    contains(text, "is held by")


def test_a_thief_on_the_other_loopback_address_is_told_nothing(test):
    home = test.machine("gw")
    token = os.path.join(test.dir, "token")
    with open(token, "w", encoding="ascii") as f:
        f.write(TOKEN)
    port = free_port()
    stranger = thief(test, OTHER_LOOPBACK, port, marker_in(test))
    place = f"[{OTHER_LOOPBACK}]:{port}"
    code, text = call(home, "gateway", "call", "health", "--url", f"ws://{place}", "--token-file", token, port=port)
    check(code != 0, "the command line believed the thief")
    check("held by" in text or "does not tell" in text, text)
    check("told " not in stranger.output(), "the thief was spoken to")
    # The link to a setup code is a secret, too.
    code, text = call(home, "node", "run", "--pair", f"http://{place}/j/{'x' * 22}", port=port)
    check(code != 0, "the link was followed")
    check("the link is not followed" in text, text)
    check(b"/j/" not in stranger.heard(), "the thief got the link")


def own_address():
    """An address of this machine that is not loopback; one of loopback's others where it has none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.3"
        return s.getsockname()[0]


def test_a_thief_on_an_address_of_this_machine_is_told_nothing(test):
    home = test.machine("gw")
    token = os.path.join(test.dir, "token")
    with open(token, "w", encoding="ascii") as f:
        f.write(TOKEN)
    port, address = free_port(), own_address()
    stranger = thief(test, address, port, marker_in(test))
    done = subprocess.run([BINARY, "gateway", "call", "health", "--url", f"ws://{address}:{port}", "--token-file", token],
                          env=home.env(OPENCLAW_ALLOW_INSECURE_PRIVATE_WS="1"), capture_output=True, timeout=60, check=False)
    contains(done.stderr.decode(), f"port {port} on {address} is held by user")
    equal(stranger.heard(), b"", "bytes that the thief heard")


def test_a_thief_who_hides_from_the_kernels_lists_is_told_nothing(test):
    """Neither while it has not accepted nor after it has closed its half does it pass for another machine."""
    home = test.machine("gw")
    token = os.path.join(test.dir, "token")
    with open(token, "w", encoding="ascii") as f:
        f.write(TOKEN)
    for address in (own_address(), "127.0.0.1"):
        port = free_port()
        stranger = thief(test, address, port, marker_in(test), "hides")
        argv = [BINARY, "gateway", "call", "health", "--url", f"ws://{address}:{port}", "--token-file", token, "--timeout", "5000"]
        done = subprocess.run(argv, env=home.env(OPENCLAW_ALLOW_INSECURE_PRIVATE_WS="1"), capture_output=True, timeout=60,
                              check=False)
        check(done.returncode != 0, "the command line believed the thief")
        contains(done.stderr.decode(), f"port {port} on {address} is held by user")
        equal(stranger.heard(), b"", "bytes that the thief heard")
        check(TOKEN not in stranger.output(), "the thief got the shared token")
        stranger.child.kill()
        stranger.child.wait()


def test_a_gateway_does_not_start_beside_a_stranger_on_its_port(test):
    home = test.machine("gw")
    cases = [(held, flags) for held in ("127.0.0.1", OTHER_LOOPBACK) for flags in ([], ["--bind", "lan"])]
    for number, (held, flags) in enumerate(cases):
        port = free_port()
        stranger = thief(test, held, port, marker_in(test))
        done = home.cli("gateway", "run", "--port", str(port), *flags, code=1)
        contains(done.err, "(uid 65534) holds that port", f"case {number}")
        contains(done.err, "--port", f"case {number}")
        stranger.child.kill()
        stranger.child.wait()


def test_nobody_gets_the_port_while_the_gateway_restarts(test):
    home, gateway, _, node = paired_node(test)
    grabber = Stranger(test, GRABBER, gateway.port)
    grabber.wait_for("grabber runs")
    for round_number in range(3):
        served = gateway.output().count("listening on ")
        met = node.output().count("connected")
        gateway.child.send_signal(signal.SIGUSR1)
        wait_until(lambda: gateway.output().count("listening on ") > served or gateway.child.poll() is not None
                   or "took the port" in grabber.output(), f"restart {round_number}")
        check("took the port" not in grabber.output(), "the port was taken during a restart")
        wait_until(lambda: node.output().count("connected") > met, "the node to come back")
    # The same when the addresses change: the new ones are open before the old are closed.
    for bind in ("lan", "loopback"):
        served = gateway.output().count("listening on ")
        home.config({"gateway": {"bind": bind}})
        wait_until(lambda: gateway.output().count("listening on ") > served or gateway.child.poll() is not None
                   or "took the port" in grabber.output(), f"bind {bind}")
        check("took the port" not in grabber.output(), f"the port was taken on the way to {bind}")
        check(gateway.child.poll() is None, f"the gateway ended:\n{gateway.output()}")
        want = "00000000" if bind == "lan" else "0100007F"
        wait_until(lambda: listening(gateway.port) == {want}, f"to listen on {want} alone, not {listening(gateway.port)}")
    grabber.child.stdin.close()
    tries = int(grabber.wait_for(r"tries (\d+)").group(1))
    check(tries > 100, f"the grabber hardly tried: {tries}")


def listening(port):
    with open("/proc/net/tcp", encoding="ascii") as lines:
        rows = [line.split() for line in lines][1:]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}


# Many connections of its own, then requests whose sender has closed its half already when they are read, and some whose sender has
# left: nobody holds their end, so the kernel names nobody.
HALF_CLOSER = r"""
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
crowd = [(socket.create_connection(listener.getsockname()), listener.accept()) for _ in range(400)]
print("crowd stands", flush=True)
sys.stdin.readline()
port = int(sys.argv[1])
def ask():
    s = socket.create_connection(("127.0.0.1", port))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    s.sendall(b"GET /__openclaw__/canvas/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\n\r\n")
    return s
for _ in range(20):
    ask().close()
for _ in range(20):
    s = ask()
    s.shutdown(socket.SHUT_WR)
    print("answer", s.recv(100)[:12].decode(), flush=True)
print("all asked", flush=True)
sys.stdin.readline()
"""


def bytes_read(process):
    with open(f"/proc/{process.child.pid}/io", encoding="ascii") as f:
        return int(f.readline().split()[1])  # rchar


def test_nobody_makes_the_gateway_read_the_list_of_all_connections(test):
    gateway = test.machine("gw").gateway()
    stranger = Stranger(test, HALF_CLOSER, gateway.port)
    stranger.wait_for("crowd stands")
    before = bytes_read(gateway)
    stranger.child.stdin.write(b"go\n")
    stranger.child.stdin.flush()
    stranger.wait_for("all asked")
    contains(stranger.output(), "answer HTTP/1.1 401")
    grown = bytes_read(gateway) - before
    check(grown < 64 * 1024, f"the gateway read {grown} bytes for 40 small requests")  # the list has more than 100 KiB


# Guesses the password: how it goes, in one word per try.
GUESSER = r"""
import base64, json, os, socket, sys
def exact(s, n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            raise OSError("closed")
        data += more
    return data
def receive(s):
    n = exact(s, 2)[1]
    n = int.from_bytes(exact(s, 2), "big") if n == 126 else n
    return exact(s, n)
def try_it(number):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + base64.b64encode(os.urandom(16)) + b"\r\n\r\n")
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += exact(s, 1)
    if b" 101 " not in head:
        return head.split()[1].decode()
    receive(s)
    params = json.loads(sys.argv[2])
    params["auth"] = {"password": f"guess{number}"}
    data = json.dumps({"type": "req", "id": "1", "method": "connect", "params": params}).encode()
    s.sendall(b"\x81\xfe" + len(data).to_bytes(2, "big") + bytes(4) + data)
    return json.loads(receive(s))["error"]["details"]["code"]
for number in range(30):
    print("guess", try_it(number), flush=True)
print("link", flush=True)
for number in range(30):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    s.sendall(b"GET /j/%022d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % number)
    print("link", s.recv(100).split()[1].decode(), flush=True)
print("done", flush=True)
"""


def test_another_user_guesses_no_faster_than_one_from_elsewhere(test):
    home = test.machine("gw")
    home.config({"gateway": {"auth": {"mode": "password", "password": "sunshine1"}}})
    gateway = home.gateway(env={"OPENCLAW_GATEWAY_TOKEN": None})
    client = Client(gateway.port)
    params = client.connect_params(token=None)
    stranger = Stranger(test, GUESSER, gateway.port, json.dumps(params))
    stranger.wait_for("done")
    guesses = [line.split()[1] for line in stranger.output().splitlines() if line.startswith("guess ")]
    equal(len(guesses), 30, "guesses")
    heard = guesses.count("AUTH_PASSWORD_MISMATCH")
    check(heard <= 10, f"{heard} of 30 wrong passwords were tried: {guesses}")
    links = [line.split()[1] for line in stranger.output().splitlines() if line.startswith("link ")]
    equal(len(links), 30, "links")
    check(links.count("404") <= 10, f"{links.count('404')} of 30 wrong links were tried: {links}")
    # The owner, at the same address, is neither slowed down nor locked out.
    for number in range(15):
        params["auth"] = {"password": f"typo{number}"}
        equal(Client(gateway.port).call("connect", params)["error"]["details"]["code"], "AUTH_PASSWORD_MISMATCH")
    params["auth"] = {"password": "sunshine1"}
    check(client.call("connect", params)["ok"], "the owner is locked out")


def test_who_cannot_be_known_is_not_trusted(test):
    """In a user namespace without numbers everybody is 'nobody', the owner and strangers alike."""
    home = test.machine("gw")
    gateway = home.gateway()
    done = subprocess.run(["unshare", "-U", BINARY, "gateway", "call", "health"],
                          env=home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)), capture_output=True, timeout=60, check=False)
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    check(done.returncode != 0, text)
    contains(text, "does not tell who listens")
    contains(text, "gateway.tls.enabled")


if __name__ == "__main__":
    run_tests(globals())

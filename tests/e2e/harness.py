"""What the end-to-end tests share: private machines, the built binary, a raw WebSocket client, a fake node.

Python's standard library only; Ed25519 signatures come from the openssl command. Everything listens on loopback. A test is
a module of functions named test_*; run_tests(globals()) runs them, each in its own temporary directory, and exits non-zero
when one fails. Waiting is always for a condition with a generous deadline, never for a time.
"""

import base64
import hashlib
import json
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid

BINARY = os.environ.get("OPENCLAW_BIN", "openclaw")
TOKEN = "e2e-token-0123456789abcdef0123456789abcdef"
WEBSOCKETS = os.environ.get("OPENCLAW_WEBSOCKETS", "wslay")  # whose frames the binary has
DEADLINE = float(os.environ.get("OPENCLAW_TEST_DEADLINE", "30"))
ALL_SCOPES = ["operator.admin", "operator.read", "operator.write", "operator.approvals", "operator.pairing"]


class Failure(AssertionError):
    pass


def is_lax(what):
    """The library behind lib/net/frames lets this pass: tests/laxity.txt."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "laxity.txt"), encoding="utf-8") as lines:
        return f"{WEBSOCKETS}: {what}" in lines.read().splitlines()


def check(condition, text):
    if not condition:
        raise Failure(text)


def equal(got, wanted, what="value"):
    check(got == wanted, f"{what}: got {got!r}, wanted {wanted!r}")


def contains(text, part, what="text"):
    check(part in text, f"{what} does not contain {part!r}:\n{text}")


def need(condition, what):
    """What the build makes and scripts/deps test installs is there. A test that cannot run has failed."""
    check(condition, f"cannot run: {what} (scripts/deps test)")


def need_root():
    """There is another user of the machine to be. Only root can become one; for anybody else such a test has failed."""
    check(os.geteuid() == 0, "cannot run: it takes another user of this machine, and only root can become one (sudo)")


def runs(pid, program):
    """Whether this process is the program, and not what a canvas program leaves behind to start another one."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            return os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(program) and f.read() != "openclaw-starts\n"
    except OSError:
        return False


def wait_until(probe, what, deadline=None, pause=0.02):
    """Calls probe until it gives something true, and returns that."""
    end = time.monotonic() + (deadline or DEADLINE)
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"timed out waiting for {what}")
        time.sleep(pause)


class Process:
    """A program of ours with its output in a file; stopped by pid when the test ends."""

    def __init__(self, test, name, argv, env):
        self.name = name
        self.log_path = os.path.join(test.dir, f"{name}-{uuid.uuid4().hex[:6]}.log")
        self.log = open(self.log_path, "wb")
        self.child = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                      cwd=test.dir)
        test.processes.append(self)

    def output(self):
        with open(self.log_path, "rb") as f:
            return f.read().decode("utf-8", "replace")

    def wait_for(self, pattern, what=None):
        def look():
            match = re.search(pattern, self.output())
            if not match and self.child.poll() is not None:
                match = re.search(pattern, self.output())
                if not match:
                    raise Failure(f"{self.name} ended with {self.child.returncode} before {what or pattern!r}:\n{self.output()}")
            return match

        try:
            return wait_until(look, what or f"{pattern!r} from {self.name}")
        except Failure as failure:
            raise Failure(f"{failure}\n--- {self.name} said:\n{self.output()}") from None

    def wait_exit(self):
        try:
            return self.child.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} did not end:\n{self.output()}") from None

    def stop(self, signo=signal.SIGTERM):
        if self.child.poll() is None:
            self.child.send_signal(signo)
        return self.wait_exit()

    def memory_kb(self, field="VmRSS"):
        with open(f"/proc/{self.child.pid}/status", encoding="ascii") as lines:
            for line in lines:
                if line.startswith(field + ":"):
                    return int(line.split()[1])
        raise Failure(f"no {field}")


class Machine:
    """A home of its own: state, config and approvals of one gateway, node or command line user."""

    def __init__(self, test, name):
        self.test = test
        self.name = name
        self.home = os.path.join(test.dir, name)
        self.state = os.path.join(self.home, ".openclaw")
        os.makedirs(self.state, mode=0o700, exist_ok=True)

    def env(self, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith("OPENCLAW_")}
        env.update(HOME=self.home, OPENCLAW_HOME=self.home, OPENCLAW_STATE_DIR=self.state, NO_COLOR="1",
                   OPENCLAW_GATEWAY_TOKEN=TOKEN,
                   DBUS_SESSION_BUS_ADDRESS="disabled:")  # the desktop of whoever runs the tests is left alone
        for key, value in more.items():
            if value is None:
                env.pop(key, None)
            else:
                env[key] = value
        return env

    def config(self, value):
        text = value if isinstance(value, str) else json.dumps(value)
        with open(os.path.join(self.state, "openclaw.json"), "w", encoding="utf-8") as f:
            f.write(text)

    def approvals(self, security="full", allowlist=(), ask="off"):
        value = {"version": 1, "defaults": {"security": security, "ask": ask},
                 "agents": {"*": {"allowlist": [{"pattern": p} for p in allowlist]}}}
        with open(os.path.join(self.home, ".openclaw", "exec-approvals.json"), "w", encoding="utf-8") as f:
            json.dump(value, f)

    def switches(self, **on):
        """What the owner has switched on at this machine, as openclaw node enable keeps it."""
        with open(os.path.join(self.state, "consent.json"), "w", encoding="utf-8") as f:
            json.dump({"version": 1, **on}, f)

    def gateway(self, *flags, port=0, env=None):
        gateway = Process(self.test, f"gateway-{self.name}", [BINARY, "gateway", "run", "--port", str(port), *flags],
                          self.env(**(env or {})))
        match = gateway.wait_for(r"listening on wss?://[^\s:]+:(\d+)", "the gateway's port")
        gateway.port = int(match.group(1))
        return gateway

    def node(self, port, *flags, name=None, env=None):
        return Process(self.test, f"node-{self.name}",
                       [BINARY, "node", "run", "--host", "127.0.0.1", "--port", str(port), "--display-name",
                        name or self.name, *flags], self.env(**(env or {})))

    def cli(self, *args, port=None, env=None, stdin=None, code=0):
        """Runs the command line; code is the exit status it must have (None: any)."""
        more = dict(env or {})
        if port is not None:
            more["OPENCLAW_GATEWAY_PORT"] = str(port)
        given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        done = subprocess.run([BINARY, *args], env=self.env(**more), **given, capture_output=True, timeout=DEADLINE * 2,
                              cwd=self.test.dir, check=False)
        done.out = done.stdout.decode("utf-8", "replace")
        done.err = done.stderr.decode("utf-8", "replace")
        if code is not None and done.returncode != code:
            raise Failure(f"openclaw {' '.join(args)} ended with {done.returncode}, wanted {code}\n"
                          f"stdout: {done.out}\nstderr: {done.err}")
        return done

    def cli_json(self, *args, **kw):
        done = self.cli(*args, **kw)
        try:
            return json.loads(done.out)
        except ValueError:
            raise Failure(f"openclaw {' '.join(args)} did not print one JSON document:\n{done.out}") from None


class Terminal:
    """The command line on a terminal of its own."""

    def __init__(self, test, machine, port, *args):
        self.master, slave = pty.openpty()
        self.child = subprocess.Popen([BINARY, *args], env=machine.env(OPENCLAW_GATEWAY_PORT=str(port)), stdin=slave,
                                      stdout=slave, stderr=slave, cwd=test.dir, start_new_session=True)
        os.close(slave)
        os.set_blocking(self.master, False)
        self.text = ""

    def wait_for(self, part, count=1):
        def look():
            try:
                self.text += os.read(self.master, 65536).decode("utf-8", "replace")
            except (BlockingIOError, OSError):
                pass
            return self.text.count(part) >= count

        try:
            wait_until(look, f"{part!r} on the terminal")
        except Failure as failure:
            raise Failure(f"{failure}\n{self.text}") from None

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self, code):
        equal(self.child.wait(DEADLINE), code, "exit code")
        os.close(self.master)


class Closed(Exception):
    def __init__(self, code, reason):
        super().__init__(f"closed {code} {reason!r}")
        self.code, self.reason = code, reason


class WebSocket:
    """RFC 6455 client, raw enough to misbehave."""

    def __init__(self, port, host_header=None, headers=(), path="/", wrap=None):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        if wrap:
            self.sock = wrap(self.sock)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host_header or f'127.0.0.1:{port}'}", "Upgrade: websocket",
                 "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *headers, "", ""]
        self.sock.sendall("\r\n".join(lines).encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            data = self.sock.recv(4096)
            check(data, f"connection ended during the upgrade: {self.buffer!r}")
            self.buffer += data
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.head = head.decode("latin-1")
        self.status = int(self.head.split()[1])
        if self.status == 101:
            want = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            contains(self.head, want, "Sec-WebSocket-Accept")

    def send_frame(self, opcode, data, fin=True, rsv=0, mask=True, announce=None):
        length = len(data) if announce is None else announce
        head = bytes([(0x80 if fin else 0) | rsv | opcode])
        bit = 0x80 if mask else 0
        if length < 126:
            head += bytes([bit | length])
        elif length < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", length)
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", length)
        if mask:
            key = os.urandom(4)
            head += key
            if data:
                whole = (key * (len(data) // 4 + 1))[:len(data)]
                data = (int.from_bytes(data, "big") ^ int.from_bytes(whole, "big")).to_bytes(len(data), "big")
        self.sock.sendall(head + data)

    def send_text(self, text):
        self.send_frame(1, text if isinstance(text, bytes) else text.encode())

    def send_json(self, value):
        self.send_text(json.dumps(value))

    def _exactly(self, n):
        parts, have = [self.buffer], len(self.buffer)
        while have < n:
            try:
                data = self.sock.recv(min(1 << 20, max(4096, n - have)))
            except ConnectionError:
                data = b""
            if not data:
                raise Closed(1006, "")
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self.buffer = whole[n:]
        return whole[:n]

    def recv_frame(self):
        first, second = self._exactly(2)
        check(not second & 0x80, "a server frame must not be masked")
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self._exactly(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._exactly(8))[0]
        return first & 0x80, first & 0x0F, self._exactly(length)

    def recv_text(self):
        parts = []
        while True:
            fin, opcode, data = self.recv_frame()
            if opcode == 8:
                code = struct.unpack(">H", data[:2])[0] if len(data) >= 2 else 1005
                raise Closed(code, data[2:].decode())
            if opcode == 9:
                self.send_frame(10, data)
                continue
            if opcode == 10:
                continue
            parts.append(data)
            if fin:
                return b"".join(parts).decode()

    def recv_json(self):
        return json.loads(self.recv_text())

    def expect_close(self):
        """Reads until the other side closes; gives (code, reason, frames read)."""
        seen = []
        while True:
            try:
                seen.append(self.recv_json())
            except Closed as closed:
                return closed.code, closed.reason, seen

    def close(self):
        self.sock.close()


class Identity:
    """An Ed25519 device key; the private half lives in a file for the openssl command."""

    def __init__(self, test):
        self.path = os.path.join(test.dir, f"key-{uuid.uuid4().hex[:8]}.pem")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.path], check=True, capture_output=True)
        der = subprocess.run(["openssl", "pkey", "-in", self.path, "-pubout", "-outform", "DER"], check=True,
                             capture_output=True).stdout
        raw = der[-32:]
        self.public_key = base64.urlsafe_b64encode(raw).decode().rstrip("=")
        self.device_id = hashlib.sha256(raw).hexdigest()

    def sign(self, text):
        message = f"{self.path}.{uuid.uuid4().hex}.msg"  # tests may sign in several threads
        with open(message, "wb") as f:
            f.write(text.encode())
        signature = subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", self.path, "-rawin", "-in", message],
                                   check=True, capture_output=True).stdout
        return base64.urlsafe_b64encode(signature).decode().rstrip("=")


class Client:
    """A protocol client: challenge, connect, requests. Frames that are not the awaited answer are kept in `events`."""

    def __init__(self, port, host_header=None, headers=()):
        self.ws = WebSocket(port, host_header, headers)
        equal(self.ws.status, 101, "upgrade status")
        challenge = self.ws.recv_json()
        equal(challenge["event"], "connect.challenge")
        self.nonce, self.ts = challenge["payload"]["nonce"], challenge["payload"]["ts"]
        self.events = []

    def connect_params(self, role="operator", scopes=ALL_SCOPES, token=TOKEN, identity=None, mode=None, client_id=None,
                       min_protocol=3, max_protocol=4, commands=(), caps=(), signed_at=None, nonce=None, sign_with=None,
                       **more):
        if role == "node":
            scopes = []
        mode = mode or ("node" if role == "node" else "cli")
        client_id = client_id or ("node-host" if role == "node" else "cli")
        params = {"minProtocol": min_protocol, "maxProtocol": max_protocol, "role": role, "scopes": list(scopes),
                  "caps": list(caps), "commands": list(commands),
                  "client": {"id": client_id, "version": "e2e", "platform": "linux", "mode": mode, "displayName": "e2e " + role}}
        if token is not None:
            params["auth"] = {"token": token}
        if identity:
            at = self.ts if signed_at is None else signed_at
            nonce = self.nonce if nonce is None else nonce
            text = "|".join(["v3", identity.device_id, client_id, mode, role, ",".join(scopes), str(at), token or "", nonce,
                             "linux", ""])
            params["device"] = {"id": identity.device_id, "publicKey": identity.public_key, "signedAt": at, "nonce": nonce,
                                "signature": (sign_with or identity).sign(text)}
        params.update(more)
        return params

    def connect(self, **kw):
        return self.call("connect", self.connect_params(**kw))

    def send(self, method, params=None):
        request = str(uuid.uuid4())
        frame = {"type": "req", "id": request, "method": method}
        if params is not None:
            frame["params"] = params
        self.ws.send_json(frame)
        return request

    def answer(self, request):
        while True:
            frame = self.ws.recv_json()
            if frame.get("type") == "res" and frame.get("id") == request:
                return frame
            self.events.append(frame)

    def call(self, method, params=None):
        return self.answer(self.send(method, params))

    def ok(self, method, params=None):
        answer = self.call(method, params)
        check(answer["ok"], f"{method} failed: {answer.get('error')}")
        return answer.get("payload")

    def event(self, name):
        """The next event of this name, kept or still to come within the deadline."""
        end = time.monotonic() + DEADLINE
        for i, frame in enumerate(self.events):
            if frame.get("event") == name:
                return self.events.pop(i)["payload"]
        while True:
            frame = self.ws.recv_json()
            if frame.get("event") == name:
                return frame["payload"]
            self.events.append(frame)
            check(time.monotonic() < end, f"timed out waiting for event {name}")

    def close(self):
        self.ws.close()


class HostProxy:
    """A TCP proxy that makes a loopback client look remote, by changing the Host header of the upgrade."""

    def __init__(self, target, host="gateway.lan"):
        self.target, self.host = target, host
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        head = b""
        while b"\r\n\r\n" not in head:
            data = client.recv(4096)
            if not data:
                break
            head += data
        server.sendall(re.sub(rb"(?im)^Host: [^\r]*", b"Host: " + self.host.encode(), head, count=1))
        threading.Thread(target=self._pump, args=(server, client), daemon=True).start()
        self._pump(client, server)

    @staticmethod
    def _pump(source, sink):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                sink.sendall(data)
        except OSError:
            pass
        for sock in (source, sink):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


class Test:
    def __init__(self, name):
        # Short path: it may come to hold sockets one day.
        self.dir = tempfile.mkdtemp(prefix="oc-")
        self.name = name
        self.processes = []
        self.failed = False

    def machine(self, name):
        return Machine(self, name)

    def identity(self):
        return Identity(self)

    def finish(self):
        for process in reversed(self.processes):
            if process.child.poll() is None:
                process.child.terminate()
                try:
                    process.child.wait(10)
                except subprocess.TimeoutExpired:
                    process.child.kill()
                    process.child.wait()
            process.log.close()
            text = process.output()
            if "Sanitizer" in text or "runtime error:" in text:
                print(f"--- {process.name} reported:\n{text}")
                self.failed = True
            elif self.failed:
                print(f"--- {process.name} said:\n{text}")
        shutil.rmtree(self.dir, ignore_errors=True)


def paired_node(test, security="full", allowlist=(), afar=True):
    """A gateway and an approved, connected node; gives (gateway machine, gateway, node machine, node). afar: its rules may
    be changed through the gateway."""
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.approvals(security, allowlist)
    box.switches(approvals=afar)
    node = box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the approved node")
    return home, gateway, box, node


def pair_many(home, count):
    """Devices as 2026.2.26 keeps them; the gateway takes them over on its first start."""
    devices = {}
    for i in range(count):
        raw = hashlib.sha256(f"node {i}".encode()).digest()
        device = hashlib.sha256(raw).hexdigest()
        devices[device] = {"deviceId": device, "publicKey": base64.urlsafe_b64encode(raw).decode().rstrip("="),
                           "displayName": f"machine {i}", "platform": "linux", "clientId": "node-host", "clientMode": "node",
                           "role": "node", "roles": ["node"], "scopes": [], "createdAtMs": 1, "approvedAtMs": 1,
                           "tokens": {"node": {"token": f"token-{i}", "role": "node", "scopes": [], "createdAtMs": 1}}}
    os.makedirs(os.path.join(home.state, "devices"))
    with open(os.path.join(home.state, "devices", "paired.json"), "w", encoding="utf-8") as f:
        json.dump(devices, f)


def usable(machine, port, name, command="system.run"):
    nodes = machine.cli_json("nodes", "status", "--json", port=port)["nodes"]
    return [n for n in nodes if n.get("displayName") == name and n["connected"] and command in n["commands"]]


def run_tests(names):
    tests = [(name, value) for name, value in names.items() if name.startswith("test_") and callable(value)]
    wanted = sys.argv[1:]
    bad = 0
    for name, function in tests:
        if wanted and name not in wanted:
            continue
        test = Test(name)
        try:
            function(test)
        except (Failure, Exception) as failure:  # pylint: disable=broad-except
            test.failed = True
            kind = "" if isinstance(failure, Failure) else traceback.format_exc()
            print(f"FAILED {name}: {failure}\n{kind}")
        test.finish()
        bad += test.failed
        if not test.failed:
            print(f"ok {name}")
    sys.exit(1 if bad else 0)

"""RFC 6455, both ways: every case runs against the gateway's echo endpoint and against our client.

The echo endpoint and the echo client exist in test builds only (OC_TEST_ECHO); without them this file fails. A case
gets a function that opens a fresh connection, speaks first, and knows nothing of which side it is on.

It covers the ground of the Autobahn test suite, which needs Python 2 and is in neither Debian nor npm. Its groups, and the
cases here: 1 framing - sizes, chopped; 2 pings - pings; 3 reserved bits; 4 opcodes - reserved_opcodes; 5 fragmentation -
fragments, control_frames_in_between, fragmented_control_frames; 6 UTF-8 - good_text, bad_text*; 7 closing - close_*,
nothing_counts_after_a_close, large_and_a_close_behind; 9 limits - sixteen_megabytes, large_in_fragments, chopped,
thousand_round_trips, oversize; 10 - large_in_fragments. 12 and 13 are compression, which we never negotiate.
"""

import base64
import hashlib
import os
import socket
import struct
import subprocess
import sys

from harness import DEADLINE, Closed, WebSocket, check, contains, equal, is_lax, need, run_tests

CLIENT = os.environ.get("OPENCLAW_ECHO_CLIENT")
CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NAMES = {TEXT: "text", BINARY: "binary", PONG: "pong", PING: "ping"}
MAX_MESSAGE = 25 * 1024 * 1024
EURO, FACE = "€".encode(), "\U0001f642".encode()

need(CLIENT, "built without OC_TEST_ECHO")


class Peer:
    """What a case sees: frames out as raw as it likes, whole messages in."""

    def send(self, opcode, data=b"", fin=True, rsv=0, mask=None, announce=None):
        self.send_frame(opcode, data, fin=fin, rsv=rsv, mask=self.masks if mask is None else mask, announce=announce)

    def raw(self, data):
        self.sock.sendall(data)

    def frame(self, opcode, data=b"", fin=True):
        """The bytes of one valid frame, with an all-zero mask where a mask is due."""
        head = bytes([(0x80 if fin else 0) | opcode])
        bit = 0x80 if self.masks else 0
        if len(data) < 126:
            head += bytes([bit | len(data)])
        elif len(data) < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", len(data))
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", len(data))
        return head + (b"\0\0\0\0" if self.masks else b"") + data

    def get(self):
        """The next message as (kind, bytes); raises Closed at a close frame."""
        kind, parts = None, []
        while True:
            fin, opcode, data = self.recv_frame()
            if opcode == CLOSE:
                self.close_body = data
                raise Closed(struct.unpack(">H", data[:2])[0] if data else 1005, data[2:].decode())
            if opcode in (PING, PONG):
                check(fin, "a fragmented control frame")
                return NAMES[opcode], data
            check((opcode == CONT) == (kind is not None), f"opcode {opcode} in the wrong place")
            kind = kind or NAMES[opcode]
            parts.append(data)
            if fin:
                return kind, b"".join(parts)

    def echo(self, opcode, data):
        equal(self.get(), (NAMES[opcode], data), "echo")

    def fails(self, code, what):
        try:
            got = self.get()
        except Closed as closed:
            equal(closed.code, code, what)
        else:
            check(False, f"{what}: got {str(got)[:100]} instead of a close with {code}")
        self.ended(what)

    def fails_unless(self, lax, code, what, kind="text"):
        """Where the library is lax it is answered like anything else."""
        if is_lax(lax):
            equal(self.get()[0], kind, what)
            self.ended(what)
        else:
            self.fails(code, what)

    def fails_at_once(self, code, what):
        """In the middle of a frame; a library may want to see more of it."""
        if not self.masks and is_lax("late-client"):
            self.raw(b"x" * 4096)
        self.fails(code, what)

    def ended(self, what):
        """After a goodbye the other side goes away by itself."""
        try:
            self.send(CLOSE, struct.pack(">H", 1000))
            while self.sock.recv(65536):
                pass
        except ConnectionError:
            pass
        except socket.timeout:
            check(False, f"{what}: the connection stayed open")
        self.done()


class ToServer(Peer, WebSocket):
    masks = True

    def __init__(self, port):
        WebSocket.__init__(self, port, path="/__test__/ws-echo")
        equal(self.status, 101, "upgrade status")

    def done(self):
        self.close()


class ToClient(Peer, WebSocket):
    """Plays the server; the other side is one run of ws_echo_client."""
    masks = False

    def __init__(self, listener, early=b""):
        self.child = subprocess.Popen([CLIENT, str(listener.getsockname()[1])], stdout=subprocess.PIPE)
        self.sock, _ = listener.accept()
        self.sock.settimeout(DEADLINE)
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            data = self.sock.recv(4096)
            check(data, "the client went away during the upgrade")
            self.buffer += data
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        key = next(line.split(b":", 1)[1].strip() for line in head.split(b"\r\n")
                   if line.lower().startswith(b"sec-websocket-key:"))
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        self.raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n" + early)

    def recv_frame(self):
        first, second = self._exactly(2)
        check(second & 0x80, "a client frame must be masked")
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self._exactly(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._exactly(8))[0]
        key = self._exactly(4)
        data = self._exactly(length)
        whole = (key * (length // 4 + 1))[:length]
        data = (int.from_bytes(data, "big") ^ int.from_bytes(whole, "big")).to_bytes(length, "big")
        return first & 0x80, first & 0x0F, data

    def done(self):
        self.close()
        out, _ = self.child.communicate(timeout=DEADLINE)
        self.said = out.decode("utf-8", "replace")
        equal(self.child.returncode, 0, f"the echo client ({self.said})")


# The cases.


def case_sizes(peer):
    p = peer()
    for opcode, unit in ((TEXT, b"*"), (BINARY, b"\xfe")):
        for size in (0, 1, 125, 126, 127, 128, 65535, 65536, 65537, 1 << 20):
            p.send(opcode, unit * size)
            p.echo(opcode, unit * size)
    p.send(CLOSE, struct.pack(">H", 1000))
    p.fails(1000, "a plain goodbye")


def case_pings(peer):
    p = peer()
    for size in (0, 1, 125):
        p.send(PING, b"\xff" * size)
        equal(p.get(), ("pong", b"\xff" * size))
    p.raw(b"".join(p.frame(PING, bytes([i])) for i in range(10)))
    for i in range(10):
        equal(p.get(), ("pong", bytes([i])), "every ping is answered")
    p.send(PONG, b"nobody asked")
    p.send(PONG)
    p.send(TEXT, b"still here")
    p.echo(TEXT, b"still here")
    for size in (126, 127, 65536):
        bad = peer()
        bad.send(PING, b"x" * size)
        bad.fails(1002, f"a ping of {size} bytes")
    for opcode in (PING, PONG, CLOSE):
        bad = peer()
        bad.send(opcode, b"", fin=False)
        bad.fails(1002, "a fragmented control frame")
    p.ended("pings")


def case_reserved_bits(peer):
    for rsv in (0x10, 0x20, 0x40, 0x50, 0x70):
        for opcode, data in ((TEXT, b"a"), (BINARY, b"a"), (PING, b""), (CLOSE, struct.pack(">H", 1000))):
            p = peer()
            p.send(opcode, data, rsv=rsv)
            p.fails(1002, f"reserved bits {rsv:#x} with opcode {opcode}")
    p = peer()
    p.send(TEXT, b"a", fin=False)
    p.send(CONT, b"b", rsv=0x40)
    p.fails(1002, "reserved bits in a continuation")


def case_reserved_opcodes(peer):
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        for data in (b"", b"x"):
            p = peer()
            p.send(TEXT, b"before")
            p.echo(TEXT, b"before")
            p.send(opcode, data)
            p.send(PING)
            p.fails(1002, f"opcode {opcode}")


def case_fragments(peer):
    p = peer()
    for opcode in (TEXT, BINARY):
        for parts in ((b"a", b"b"), (b"", b"", b""), (b"", b"x", b""), tuple(b"%d" % (i % 10) for i in range(50))):
            for i, part in enumerate(parts):
                p.send(CONT if i else opcode, part, fin=i == len(parts) - 1)
            p.echo(opcode, b"".join(parts))
    p.ended("fragments")
    for name, frames in {
        "a continuation of nothing": ((CONT, b"a", True),),
        "an unfinished continuation of nothing": ((CONT, b"a", False),),
        "a second start": ((TEXT, b"a", False), (TEXT, b"b", True)),
        "another kind in between": ((TEXT, b"a", False), (BINARY, b"b", False)),
        "a continuation after the end": ((TEXT, b"a", False), (CONT, b"b", True), (CONT, b"c", True)),
    }.items():
        bad = peer()
        for opcode, data, fin in frames:
            bad.send(opcode, data, fin=fin)
        if name.endswith("after the end"):
            bad.echo(TEXT, b"ab")
        bad.fails(1002, name)


def case_control_frames_in_between(peer):
    p = peer()
    p.send(TEXT, b"one", fin=False)
    for i in range(5):
        p.send(PING, b"%d" % i)
        equal(p.get(), ("pong", b"%d" % i), "a ping inside a message")
        p.send(CONT, b".", fin=False)
    p.send(PONG, b"")
    p.send(CONT, b"two")
    p.echo(TEXT, b"one.....two")
    p.send(TEXT, b"never finished", fin=False)
    p.send(CLOSE, struct.pack(">H", 1001))
    p.fails(1001, "a close inside a message")
    p = peer()  # in the middle of a character
    p.send(TEXT, EURO[:1], fin=False)
    p.send(PING, b"\xff")
    equal(p.get(), ("pong", b"\xff"))
    p.send(CONT, EURO[1:])
    p.echo(TEXT, EURO)
    p.ended("in between")


def case_close_codes(peer):
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999):
        p = peer()
        p.send(CLOSE, struct.pack(">H", code) + "gr\u00fc\u00df".encode())
        p.fails(code, f"close {code}")
    for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535):
        p = peer()
        p.send(CLOSE, struct.pack(">H", code))
        p.fails(1002, f"close {code}")


def case_close_bodies(peer):
    p = peer()
    p.send(CLOSE)
    p.fails(1005, "an empty close is answered with an empty one")
    equal(p.close_body, b"", "its body")
    for body, code in ((b"\x03", 1002), (struct.pack(">H", 1000) + b"x" * 123, 1000),
                       (struct.pack(">H", 1000) + b"x" * 124, 1002), (struct.pack(">H", 1000) + b"\xce\xba\xe1\xbd", 1007),
                       (struct.pack(">H", 1000) + b"\xff", 1007), (struct.pack(">H", 1000) + b"a\0b", 1000)):
        p = peer()
        p.send(CLOSE, body)
        p.fails(code, f"a close with {body[:12]!r}…")


def case_nothing_counts_after_a_close(peer):
    p = peer()
    p.raw(p.frame(CLOSE, struct.pack(">H", 1000)) + p.frame(TEXT, b"late") + p.frame(PING, b"late") +
          p.frame(CLOSE, struct.pack(">H", 1001)) + b"\xff" * 50)
    p.fails(1000, "the first close")


# Bad bytes, each with what is in front of it being fine (Kuhn's stress test, and the edges of every range).
BAD_UTF8 = [b"\x80", b"\xbf", b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\xaf", b"\xf0\x8f\xbf\xbf",
            b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80",
            b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80", b"\xfe", b"\xff", b"\xc3(", b"\xe2(\xa1", b"\xe2\x82(",
            b"\xf0(\x8c\xbc", b"\xf0\x90(\xbc", b"\xf0\x28\x8c\x28"]
GOOD_UTF8 = [b"\0", b"\x7f", b"\xc2\x80", b"\xdf\xbf", b"\xe0\xa0\x80", b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbd",
             b"\xef\xbf\xbf", b"\xf0\x90\x80\x80", b"\xf4\x8f\xbf\xbf", "κόσμε".encode(), FACE * 3]


def case_good_text(peer):
    p = peer()
    for good in GOOD_UTF8:
        p.send(TEXT, good)
        p.echo(TEXT, good)
        for cut in range(len(good) + 1):
            p.send(TEXT, good[:cut], fin=False)
            p.send(CONT, good[cut:])
            p.echo(TEXT, good)
        for i in range(len(good)):
            p.send(CONT if i else TEXT, good[i:i + 1], fin=i == len(good) - 1)
        p.echo(TEXT, good)
    for bad in BAD_UTF8:
        p.send(BINARY, bad)
        p.echo(BINARY, bad)
    p.ended("good text")


def case_bad_text(peer):
    for bad in BAD_UTF8:
        p = peer()
        p.send(TEXT, b"ok " + bad + b" ok")
        p.fails(1007, f"{bad!r}")


def case_bad_text_at_every_position(peer):
    text = b"ab" + EURO + FACE + b"z"
    for at in range(len(text) + 1):
        p = peer()
        p.send(TEXT, text[:at] + b"\xff" + text[at:])
        p.fails(1007, f"0xff at {at}")
    for at in range(1, len(text)):
        if text[at] & 0xC0 == 0x80:  # the message ends inside a character
            p = peer()
            p.send(TEXT, text[:at])
            p.fails(1007, f"cut at {at}")


def case_bad_text_across_fragments(peer):
    bad = "κό".encode() + b"\xed\xa0\x80" + b"x"
    for cut in range(len(bad) + 1):
        p = peer()
        p.send(TEXT, bad[:cut], fin=False)
        p.send(CONT, bad[cut:])
        p.fails(1007, f"cut at {cut}")
    p = peer()  # known as soon as it is seen, not only at the end
    p.send(TEXT, b"fine \xf4\x90", fin=False)
    p.fails(1007, "a hopeless beginning")
    p = peer()
    p.send(TEXT, EURO[:2], fin=False)
    p.send(CONT, b"")
    p.fails(1007, "an empty end behind half a character")


def case_masks(peer):
    p = peer()
    p.send(TEXT, b"wrong way", mask=not p.masks)
    p.fails_unless("masks", 1002, "masking the wrong way")
    p = peer()
    p.send(TEXT, b"right way")
    p.echo(TEXT, b"right way")
    p.send(PING, b"", mask=not p.masks)
    p.fails_unless("masks", 1002, "masking a ping the wrong way", kind="pong")


def case_lengths(peer):
    mask_bit = 0x80 if peer.masks else 0
    key = b"\0\0\0\0" if peer.masks else b""
    for name, head in {
        "125 in two bytes": bytes([0x81, mask_bit | 126, 0, 125]) + key + b"x" * 125,
        "5 in eight bytes": bytes([0x81, mask_bit | 127]) + struct.pack(">Q", 5) + key + b"x" * 5,
        "65535 in eight bytes": bytes([0x81, mask_bit | 127]) + struct.pack(">Q", 65535) + key + b"x" * 65535,
    }.items():
        p = peer()
        p.raw(head)
        p.fails_unless("lengths", 1002, name)
    p = peer()
    p.raw(bytes([0x81, mask_bit | 127]) + struct.pack(">Q", 1 << 63) + key)
    p.fails(1002, "a length with its top bit set")


def case_oversize(peer):
    for announce in (MAX_MESSAGE + 1, 1 << 40, (1 << 63) - 1):
        p = peer()
        p.send(BINARY, b"x", announce=announce)
        p.fails_at_once(1009, f"a frame of {announce} bytes")
    p = peer()
    p.send(BINARY, b"x" * 1000, fin=False)
    p.send(CONT, b"x", announce=MAX_MESSAGE - 999)
    p.fails_at_once(1009, "fragments that add up")
    p = peer()
    p.send(BINARY, b"\xfe" * (4 << 20))
    p.echo(BINARY, b"\xfe" * (4 << 20))
    p.ended("four megabytes")


def case_dribble(peer):
    p = peer()
    p.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    script = (p.frame(TEXT, "slowly €".encode()) + p.frame(PING, b"hm") + p.frame(TEXT, b"a" * 126, fin=False) +
              p.frame(PING) + p.frame(CONT, FACE) + p.frame(CLOSE, struct.pack(">H", 4321) + b"done"))
    for i in range(len(script)):
        p.raw(script[i:i + 1])
    seen = [p.get() for _ in range(4)]
    equal([m for m in seen if m[0] == "text"], [("text", "slowly €".encode()), ("text", b"a" * 126 + FACE)])
    equal([m for m in seen if m[0] == "pong"], [("pong", b"hm"), ("pong", b"")])
    p.fails(4321, "the close, byte by byte")


def case_all_at_once(peer):
    p = peer()
    p.raw(b"".join(p.frame(TEXT, b"%d" % i) for i in range(500)) + p.frame(CLOSE, struct.pack(">H", 1000)))
    for i in range(500):
        p.echo(TEXT, b"%d" % i)
    p.fails(1000, "the close behind them")
    p = peer()
    p.raw(p.frame(TEXT, b"last words") + p.frame(PING, b"?") + p.frame(7))
    seen = {p.get(), p.get()}
    equal(seen, {("text", b"last words"), ("pong", b"?")}, "answers before a failure")
    p.fails(1002, "the failure behind them")


def case_chopped(peer):
    """One frame in many pieces, as slow networks deliver it."""
    p = peer()
    p.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for opcode, data, piece in ((TEXT, b"*" * 65536, 997), (BINARY, b"\xfe" * 65536, 997), (TEXT, EURO * 350000, 1300),
                                (BINARY, b"\xfe" * (1 << 20), 2048)):
        frame = p.frame(opcode, data)
        for at in range(0, len(frame), piece):
            p.raw(frame[at:at + piece])
        p.echo(opcode, data)
    p.ended("chopped")


def case_large_in_fragments(peer):
    p = peer()
    for opcode, unit in ((TEXT, EURO), (BINARY, b"\xfe")):
        data = (unit * ((4 << 20) // len(unit) + 1))[:4 << 20]
        data = data[:len(data) - len(data) % len(unit)]
        for piece in (4096, 65536, 1 << 20):  # characters fall across the pieces
            for at in range(0, len(data), piece):
                p.send(CONT if at else opcode, data[at:at + piece], fin=at + piece >= len(data))
            p.echo(opcode, data)
    p.ended("large in fragments")


def case_sixteen_megabytes(peer):
    p = peer()
    for opcode, data in ((TEXT, b"*" * (16 << 20)), (BINARY, b"\xfe" * (16 << 20))):
        p.send(opcode, data)
        p.echo(opcode, data)
    p.ended("sixteen megabytes")


def case_thousand_round_trips(peer):
    p = peer()
    for size in (0, 16, 1024):
        for opcode in (TEXT, BINARY):
            for _ in range(500):
                p.send(opcode, b"y" * size)
                p.echo(opcode, b"y" * size)
    p.ended("round trips")


def case_large_and_a_close_behind(peer):
    """A long answer may be left out in favour of the goodbye, but the goodbye is clean and never in the middle of one."""
    p = peer()
    p.raw(p.frame(TEXT, b"*" * 262144) + p.frame(CLOSE, struct.pack(">H", 1000)) + p.frame(PING, b"late"))
    try:
        p.echo(TEXT, b"*" * 262144)
    except Closed as closed:
        equal(closed.code, 1000, "the close behind it")
        p.ended("the close behind it")
    else:
        p.fails(1000, "the close behind it")


def case_bad_text_inside_one_frame(peer):
    """The frame is not over yet, and never will be: what is bad already is enough."""
    for good, bad in (("\u03ba\u1f79\u03c3\u03bc\u03b5".encode(), b"\xf4\x90\x80\x80"), (b"", b"\xc0"), (FACE, b"\xed\xa0")):
        p = peer()
        frame = p.frame(TEXT, good + bad + b"edited")
        p.raw(frame[:len(frame) - 6])
        p.fails_at_once(1007, f"{bad!r} in an unfinished frame")


def case_fragmented_control_frames(peer):
    for opcode in (PING, PONG):
        p = peer()
        p.send(opcode, b"first", fin=False)
        p.send(CONT, b"last")
        p.fails(1002, "a control frame in two parts")
    p = peer()
    p.send(TEXT, b"a", fin=False)
    p.send(PING, b"first", fin=False)
    p.send(CONT, b"b")
    p.fails(1002, "a control frame in two parts inside a message")


def case_torn_connections(peer):
    for data in (b"", b"\x81", b"\x81\xfe", b"\x81\xfe\x00"):
        p = peer()
        p.raw(data)
        p.sock.shutdown(socket.SHUT_WR)
        while p.sock.recv(4096):
            pass
        p.done()


# Both sides.


def server_side(test, case):
    gateway = test.machine("gw").gateway()

    def peer():
        return ToServer(gateway.port)

    peer.masks = True
    case(peer)
    check(gateway.child.poll() is None, "the gateway is gone")


def client_side(test, case):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(DEADLINE)

        def peer():
            return ToClient(listener)

        peer.masks = False
        case(peer)


def add_tests(scope):
    for name, case in [(n[5:], f) for n, f in scope.items() if n.startswith("case_")]:
        scope["test_server_" + name] = lambda test, case=case: server_side(test, case)
        scope["test_client_" + name] = lambda test, case=case: client_side(test, case)


def test_frames_right_behind_the_upgrade(test):
    """Data may share a packet with the end of the handshake, either way."""
    gateway = test.machine("gw").gateway()
    key = base64.b64encode(os.urandom(16)).decode()
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE) as s:
        s.sendall(f"GET /__test__/ws-echo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode() + b"\x81\x82\0\0\0\0hi")
        seen = b""
        while not seen.endswith(b"\x81\x02hi"):
            data = s.recv(4096)
            check(data, f"no echo: {seen!r}")
            seen += data
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(DEADLINE)
        p = ToClient(listener, early=b"\x81\x02hi")
        p.echo(TEXT, b"hi")
        p.ended("early")


def test_no_extension_and_no_protocol_is_taken(test):
    gateway = test.machine("gw").gateway()
    ws = WebSocket(gateway.port, path="/__test__/ws-echo",
                   headers=("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
                            "Sec-WebSocket-Protocol: chat, superchat"))
    equal(ws.status, 101)
    check("extensions" not in ws.head.lower() and "sec-websocket-protocol" not in ws.head.lower(), ws.head)


def test_the_gateways_own_path_is_not_an_echo(test):
    gateway = test.machine("gw").gateway()
    for path in ("/", "/__test__/ws-echo/", "/__test__/", "/x/__test__/ws-echo", "/any/prefix?and=query"):
        contains(WebSocket(gateway.port, path=path).recv_text(), "connect.challenge", path)


def test_what_a_client_accepts_as_an_upgrade(test):
    good = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {}\r\n"
    bad = [good.replace("101", "200"), good.replace("websocket", "other"), good.replace("Connection: Upgrade\r\n", ""),
           good.replace("{}", "AAAA"), good + "Sec-WebSocket-Extensions: permessage-deflate\r\n",
           good + "Sec-WebSocket-Protocol: chat\r\n", "HTTP/1.1 400 Bad\r\n", "nonsense\r\n", ""]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(DEADLINE)
        for answer in bad:
            child = subprocess.Popen([CLIENT, str(listener.getsockname()[1])], stdout=subprocess.PIPE)
            s, _ = listener.accept()
            request = b""
            while b"\r\n\r\n" not in request:
                request += s.recv(4096)
            key = next(line.split(b":", 1)[1].strip() for line in request.split(b"\r\n")
                       if line.lower().startswith(b"sec-websocket-key:"))
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()
            s.sendall((answer.format(accept) + "\r\n").encode() if answer else b"")
            s.close()
            out, _ = child.communicate(timeout=DEADLINE)
            equal(child.returncode, 1, f"{answer!r}: {out!r}")
            contains(out.decode(), "failed ", answer)


add_tests(globals())
run_tests(globals())

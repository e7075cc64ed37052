"""gateway.tls: the certificate the gateway makes for itself, pins, and what clients say when something does not fit."""

import hashlib
import http.client
import json
import os
import re
import socket
import ssl
import stat
import subprocess

from harness import (BINARY, DEADLINE, TOKEN, Process, WebSocket, check, contains, equal, run_tests, usable, wait_until)

TLS = {"gateway": {"tls": {"enabled": True}}}
FINGERPRINT = r"tls fingerprint \(sha256\): ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})"


def secure_gateway(test, name="gw", config=None, **kw):
    home = test.machine(name)
    home.config(config or TLS)
    gateway = home.gateway(**kw)
    gateway.pin = gateway.wait_for(FINGERPRINT).group(1)
    return home, gateway


def files(home):
    folder = os.path.join(home.state, "gateway", "tls")
    return os.path.join(folder, "gateway-cert.pem"), os.path.join(folder, "gateway-key.pem")


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def token_file(test):
    path = os.path.join(test.dir, "token")
    with open(path, "w", encoding="ascii") as f:
        f.write(TOKEN + "\n")
    return path


def fails_to_start(test, name, config, prepare=None):
    home = test.machine(name)
    home.config(config)
    if prepare:
        prepare(home)
    return home, home.cli("gateway", "run", "--port", "0", code=1).err


def test_the_first_start_makes_a_certificate(test):
    home, gateway = secure_gateway(test)
    cert, key = files(home)
    equal(mode(cert), 0o600, "certificate mode")
    equal(mode(key), 0o600, "key mode")
    equal(mode(os.path.dirname(key)), 0o700, "folder mode")
    contains(gateway.output(), "listening on wss://127.0.0.1:")
    text = subprocess.run(["openssl", "x509", "-in", cert, "-noout", "-text", "-fingerprint", "-sha256"], check=True,
                          capture_output=True).stdout.decode()
    contains(text, "CN = openclaw-gateway")
    contains(text, "DNS:localhost")
    contains(text, "IP Address:127.0.0.1")
    contains(text, "IP Address:0:0:0:0:0:0:0:1")
    contains(text, "ASN1 OID: prime256v1")
    contains(text, "Fingerprint=" + gateway.pin)
    subprocess.run(["openssl", "x509", "-in", cert, "-noout", "-checkend", str(3640 * 86400)], check=True,
                   capture_output=True)
    before = [open(p, "rb").read() for p in (cert, key)]
    gateway.stop()
    again = home.gateway()
    equal(again.wait_for(FINGERPRINT).group(1), gateway.pin, "fingerprint after a restart")
    equal([open(p, "rb").read() for p in (cert, key)], before, "the files after a restart")
    check("PRIVATE" not in gateway.output(), "the key was printed")


def test_openssl_and_https_see_it(test):
    home, gateway = secure_gateway(test)
    cert, _ = files(home)
    done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{gateway.port}", "-CAfile", cert,
                           "-verify_return_error", "-verify_ip", "127.0.0.1"], input=b"Q\n", capture_output=True,
                          timeout=DEADLINE, check=False)
    contains(done.stdout.decode(), "Verify return code: 0 (ok)")
    check(re.search(r"TLSv1\.[23]", done.stdout.decode()), "an old TLS version")
    old = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{gateway.port}", "-tls1_1", "-cipher",
                          "ALL@SECLEVEL=0"], input=b"Q\n", capture_output=True, timeout=DEADLINE, check=False)
    check(old.returncode != 0, "TLS 1.1 was accepted")
    context = ssl.create_default_context(cafile=cert)
    for name in ("127.0.0.1", "localhost"):
        request = http.client.HTTPSConnection(name, gateway.port, context=context, timeout=DEADLINE)
        request.request("GET", "/healthz")
        answer = request.getresponse()
        equal(answer.status, 200)
        equal(json.loads(answer.read())["status"], "live")
    ws = WebSocket(gateway.port, wrap=lambda s: context.wrap_socket(s, server_hostname="localhost"))
    equal(hashlib.sha256(ws.sock.getpeercert(True)).hexdigest().upper(), gateway.pin.replace(":", ""))
    equal(ws.recv_json()["event"], "connect.challenge")


def test_commands_on_the_gateways_machine_just_work(test):
    home, gateway = secure_gateway(test)
    status = home.cli_json("gateway", "status", "--json", port=gateway.port)
    equal(status["url"], f"wss://127.0.0.1:{gateway.port}")
    equal(status["tlsFingerprint"], gateway.pin)
    check(status["tls"], "tls is not reported")
    contains(home.cli("gateway", "status", port=gateway.port).out, gateway.pin)


def test_a_node_with_the_pin(test):
    home, gateway = secure_gateway(test)
    box = test.machine("box")
    box.approvals("full")
    for spelling in (gateway.pin, "sha256:" + gateway.pin.replace(":", "").lower()):
        node = box.node(gateway.port, "--tls-fingerprint", spelling)
        node.wait_for(rf"connect\w* to wss://127.0.0.1:{gateway.port}")
        if spelling == gateway.pin:
            wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
            home.cli("nodes", "approve", "--yes", port=gateway.port)
        wait_until(lambda: usable(home, gateway.port, "box"), "the node over TLS")
        equal(home.cli("nodes", "run", "--node", "box", "--", "echo", "sealed", port=gateway.port).out, "sealed\n")
        node.stop()
    node = box.node(gateway.port)  # the pin was kept with that gateway
    wait_until(lambda: usable(home, gateway.port, "box"), "the node with the kept pin")


def test_a_node_on_the_gateways_machine_needs_no_flags(test):
    home, gateway = secure_gateway(test)
    alone = Process(test, "node-local", [BINARY, "node", "run", "--display-name", "here"],
                    home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    alone.wait_for(rf"wss://127.0.0.1:{gateway.port}")
    alone.wait_for("waiting for approval of this node's commands|connected to")


def test_a_wrong_pin_is_refused_before_anything_is_said(test):
    home, gateway = secure_gateway(test)
    wrong = "00" * 32
    node = test.machine("box").node(gateway.port, "--tls-fingerprint", wrong)
    node.wait_for("gateway tls fingerprint mismatch")
    node.wait_for("fix: if the gateway's certificate was replaced on purpose: .*openclaw devices join-code")
    done = home.cli("gateway", "status", "--url", f"wss://127.0.0.1:{gateway.port}", "--token-file", token_file(test),
                    "--tls-fingerprint", wrong, code=1)
    contains(done.err, "gateway tls fingerprint mismatch")
    contains(done.err, "use the new fingerprint")
    check("refused ip=" not in gateway.output(), "the client said something before it checked the certificate")


def test_no_pin_and_no_authority(test):
    home, gateway = secure_gateway(test)
    node = test.machine("box").node(gateway.port, "--tls")
    node.wait_for("no authority vouches for it, and no pin is given")
    node.wait_for("fix: .*openclaw devices join-code.*openclaw node run --pair -")
    url = f"wss://127.0.0.1:{gateway.port}"
    done = home.cli("gateway", "status", "--url", url, "--token-file", token_file(test), code=1)
    contains(done.err, "no authority vouches for it, and no pin is given")
    contains(done.err, "--tls-fingerprint <sha256>")
    # The certificate is good for these names: an authority the client trusts will do as well.
    cert, _ = files(home)
    status = home.cli_json("gateway", "status", "--json", "--url", url, "--token-file", token_file(test),
                           env={"SSL_CERT_FILE": cert})
    check(status["tls"] and "tlsFingerprint" not in status, "by authority")


def test_a_replaced_certificate(test):
    home, gateway = secure_gateway(test)
    box = test.machine("box")
    box.node(gateway.port, "--tls-fingerprint", gateway.pin).wait_for("waiting for approval|connected to")
    far = test.machine("far")
    far.config({"gateway": {"mode": "remote", "remote": {"url": f"wss://127.0.0.1:{gateway.port}", "token": TOKEN,
                                                         "tlsFingerprint": gateway.pin}}})
    equal(far.cli_json("gateway", "status", "--json")["tlsFingerprint"], gateway.pin)
    gateway.stop()
    for path in files(home):
        os.unlink(path)
    again = home.gateway(port=gateway.port)
    check(again.wait_for(FINGERPRINT).group(1) != gateway.pin, "the fingerprint is the same")
    contains(far.cli("gateway", "status", code=1).err, "gateway tls fingerprint mismatch")
    wait_until(lambda: "gateway tls fingerprint mismatch" in test.processes[1].output(), "the node's words")
    home.cli("gateway", "status", port=gateway.port)


def test_a_pin_needs_tls(test):
    home, gateway = secure_gateway(test)
    done = home.cli("gateway", "status", "--url", f"ws://127.0.0.1:{gateway.port}", "--token-file", token_file(test),
                    "--tls-fingerprint", gateway.pin, code=1)
    contains(done.err, "gateway tls fingerprint requires wss:// gateway url")


def test_one_side_with_tls(test):
    home, gateway = secure_gateway(test)
    done = home.cli("gateway", "status", "--url", f"ws://127.0.0.1:{gateway.port}", "--token-file", token_file(test), code=1)
    contains(done.err, "the gateway speaks TLS on that port now")
    contains(done.err, "use wss:// with its pin")
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while piece := s.recv(4096):
            answer += piece
    check(answer.startswith(b"HTTP/1.1 426 ") and b"\r\nUpgrade: TLS/1.2, HTTP/1.1\r\n" in answer, f"{answer}")
    contains(answer.decode(), "this port speaks TLS")
    plain = test.machine("plain")
    open_gateway = plain.gateway()
    done = home.cli("gateway", "status", "--url", f"wss://127.0.0.1:{open_gateway.port}", "--token-file", token_file(test),
                    code=1)
    contains(done.err, "does not speak TLS")
    contains(done.err, "use ws://")


def test_ones_own_certificate(test):
    folder = test.dir
    cert, key = os.path.join(folder, "my.pem"), os.path.join(folder, "my-key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=mine",
                    "-keyout", key, "-out", cert], check=True, capture_output=True)
    os.chmod(key, 0o644)
    config = {"gateway": {"tls": {"enabled": True, "certPath": cert, "keyPath": key, "caPath": cert}}}
    home, gateway = secure_gateway(test, config=config)
    contains(gateway.output(), f"chmod 600 {key}")
    check(not os.path.exists(files(home)[0]), "a pair was made although one was given")
    equal(home.cli_json("gateway", "status", "--json", port=gateway.port)["tlsFingerprint"], gateway.pin)


def make_pair(folder, name):
    cert, key = os.path.join(folder, name + ".pem"), os.path.join(folder, name + "-key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={name}",
                    "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key


def served_pin(port):
    der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", port)))
    return ":".join(f"{b:02X}" for b in hashlib.sha256(der).digest())


def test_a_renewed_certificate_is_taken_over(test):
    cert, key = make_pair(test.dir, "first")
    config = {"gateway": {"tls": {"enabled": True, "certPath": cert, "keyPath": key}}}
    home, gateway = secure_gateway(test, config=config)
    context = ssl.create_default_context(cafile=cert)
    context.check_hostname = False
    open_before = WebSocket(gateway.port, wrap=context.wrap_socket)
    equal(open_before.recv_json()["event"], "connect.challenge")
    pid = gateway.child.pid

    # Half of a pair, then rubbish: what is in use stays.
    new_cert, new_key = make_pair(test.dir, "second")
    os.replace(new_cert, cert)
    gateway.wait_for("keeping the certificate that is in use: .* cannot be used")
    equal(served_pin(gateway.port), gateway.pin, "while the pair does not fit")
    os.unlink(cert)
    wait_until(lambda: gateway.output().count("keeping the certificate") > 1, "the warning about the missing file")
    equal(served_pin(gateway.port), gateway.pin, "while the certificate is missing")
    check(not os.path.exists(cert), "a certificate was made in place of the owner's")

    third, third_key = make_pair(test.dir, "third")
    os.replace(third_key, key)
    os.replace(third, cert)
    wait_until(lambda: served_pin(gateway.port) != gateway.pin, "the new certificate")
    shown = wait_until(lambda: [m for m in re.findall(FINGERPRINT, gateway.output()) if m != gateway.pin], "its fingerprint")
    equal(served_pin(gateway.port), shown[-1])
    equal(home.cli_json("gateway", "status", "--json", port=gateway.port)["tlsFingerprint"], shown[-1])
    equal(gateway.child.pid, pid)
    open_before.send_json({"type": "req", "id": "1", "method": "health"})
    contains(open_before.recv_json()["error"]["message"], "first request must be connect", "a connection from before")
    os.unlink(new_key)


def test_pairs_that_cannot_be_used(test):
    def only_cert(home):
        os.makedirs(os.path.dirname(files(home)[0]), mode=0o700)
        with open(files(home)[0], "w", encoding="ascii") as f:
            f.write("not a certificate\n")

    def damaged(home):
        only_cert(home)
        with open(files(home)[1], "w", encoding="ascii") as f:
            f.write("not a key\n")

    home, err = fails_to_start(test, "half", TLS, only_cert)
    contains(err, "gateway-cert.pem is there, but")
    contains(err, "gateway-key.pem is not")
    home, err = fails_to_start(test, "damaged", TLS, damaged)
    contains(err, "gateway-cert.pem")
    contains(err, "move both away")
    equal(open(files(home)[0], encoding="ascii").read(), "not a certificate\n", "what was there")

    one, first = secure_gateway(test, "one")
    two, second = secure_gateway(test, "two")
    first.stop()
    second.stop()
    os.replace(files(two)[1], files(one)[1])
    done = one.cli("gateway", "run", "--port", "0", code=1)
    contains(done.err, "gateway-key.pem")
    contains(done.err, "key values mismatch")

    off = {"gateway": {"tls": {"enabled": True, "autoGenerate": False}}}
    home, err = fails_to_start(test, "off", off)
    contains(err, "autoGenerate is false")
    check(not os.path.exists(files(home)[0]), "a pair was made")
    authority = {"gateway": {"tls": {"enabled": True, "caPath": os.path.join(test.dir, "nowhere.pem")}}}
    err = fails_to_start(test, "authority", authority)[1]
    contains(err, "nowhere.pem")
    contains(err, "openclaw config unset gateway.tls.caPath")
    check("move both away" not in err, "a fix for another file")


def test_a_silent_or_wrong_tls_client_is_dropped(test):
    config = {"gateway": {"tls": {"enabled": True}, "handshakeTimeoutMs": 400}}
    _, gateway = secure_gateway(test, config=config)
    for first in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00", os.urandom(300)):
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE) as s:
            try:
                s.sendall(first)  # on a busy machine it may be dropped before
                while s.recv(4096):  # an alert may come
                    pass
            except ConnectionError:
                pass


run_tests(globals())

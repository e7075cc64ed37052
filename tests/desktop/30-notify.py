"""Notifications on a real desktop: dunst on Xvfb and a private bus, what it showed read back from it; and every way it can fail."""

import signal
import socket

from session import *
from harness import *

def notify(home, port, code=0, **params):
    return home.cli("nodes", "invoke", "--node", "box", "--command", "system.notify", "--params", json.dumps(params), port=port,
                    code=code)


def node_on(test, desktop, ready="system.notify", **env):
    """A gateway, and a node that lives on that desktop."""
    home, box = test.machine("gw"), test.machine("box")
    home.config({"gateway": {"nodes": {"allowCommands": getattr(test, "allowed", [])}}})
    gateway = home.gateway()
    with open(os.path.join(box.state, "consent.json"), "w", encoding="utf-8") as f:
        json.dump({"version": 1, **getattr(test, "switches", {})}, f)
    box.approvals(*getattr(test, "rules", ("full",)))
    node = box.node(gateway.port, env={**desktop.env, **env})
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box", ready), "the approved node")
    return home, gateway, box, node


def shown(dunst):
    """What dunst has printed: a list of {field: text}."""
    found = []
    for block in re.findall(r"(?ms)^\{\n(.*?)^\}", dunst.output()):
        fields = dict(re.findall(r"(?ms)^\t(\w+): (.*?)(?=^\t\w+[ \w]*: |\Z)", block))
        found.append({k: v.strip().strip("'") for k, v in fields.items()})
    return found


def wait_shown(dunst, count):
    return wait_until(lambda: len(shown(dunst)) >= count and shown(dunst), f"{count} notifications")


def test_it_is_shown(test):
    desktop = Desktop(test)
    dunst = desktop.notifications()
    home, gateway, _, _ = node_on(test, desktop)
    notify(home, gateway.port, title="Tea", body="is <b>ready</b> & hot\nnow", priority="timeSensitive", sound="Glass",
           delivery="overlay")
    last = wait_shown(dunst, 1)[-1]
    equal(last["appname"], "OpenClaw")
    equal(last["summary"], "Tea")
    equal(last["body"], "is &lt;b&gt;ready&lt;/b&gt; &amp; hot\nnow", "escaped because dunst reads markup")
    equal(last["urgency"], "CRITICAL")
    equal(last["timeout"], "900000", "it stays for a quarter of an hour, not for ever")
    equal(last["transient"], "1", "an overlay is not kept")
    equal(last["actions"], "{}", "an agent gives no buttons")
    notify(home, gateway.port, title="", body="only a body", priority="passive")
    last = wait_shown(dunst, 2)[-1]
    equal((last["summary"], last["body"], last["urgency"]), ("OpenClaw", "only a body", "LOW"))
    notify(home, gateway.port, title="plain\x1b[31m\ntitle", body="x" * 5000)
    last = wait_shown(dunst, 3)[-1]
    equal((last["summary"], last["urgency"], last["transient"]), ("plain[31m title", "NORMAL", "0"))
    equal(len(last["body"]), 2001, "a long text has an end")


def test_the_same_again_takes_its_place(test):
    desktop = Desktop(test)
    dunst = desktop.notifications()
    home, gateway, _, _ = node_on(test, desktop)
    for _ in range(3):
        notify(home, gateway.port, title="Build", body="failed", priority="timeSensitive")
    notify(home, gateway.port, title="Build", body="passed", priority="timeSensitive")
    ids = [n["id"] for n in wait_shown(dunst, 4)]
    equal(len(set(ids[:3])), 1, f"one notification ({ids})")
    check(ids[3] != ids[0], "other words are another one")
    equal(desktop.displayed(), 2, "on the screen")
    # A new daemon's numbers are others' notifications.
    dunst.stop()
    desktop.running.pop("dunst")
    dunst = desktop.notifications()
    desktop.dunst_call("org.freedesktop.Notifications.Notify", "someone", "0", "", "Their own", "", "[]", "{}", "0")
    notify(home, gateway.port, title="Build", body="failed")
    equal(desktop.displayed(), 2, "nobody else's was replaced")


def test_bad_input(test):
    desktop = Desktop(test)
    desktop.notifications()
    home, gateway, _, _ = node_on(test, desktop)
    for params, text in [({}, "INVALID_REQUEST: empty notification"), ({"title": " ", "body": "\n"}, "empty notification"),
                         ({"title": 7}, "title must be text"), ({"title": "x", "priority": "urgent"},
                                                                "priority must be passive, active or timeSensitive"),
                         ({"title": "x", "delivery": "mail"}, "delivery must be system, overlay or auto")]:
        contains(notify(home, gateway.port, code=None, **params).err, text)
        contains(desktop.run(os.path.join(BUILT, "openclaw-desktop"), "notify", json.dumps(params), code=1), text)
    notify(home, gateway.port, title="still there", sound="", priority="", delivery="")


def refusal(home, port):
    """The helper's own words: after 4 s the node would kill it and say so, long before D-Bus gives up after 25 s."""
    return notify(home, port, code=None, title="x").err


def test_a_desktop_that_shows_nothing(test):
    desktop = Desktop(test)
    home, gateway, _, _ = node_on(test, desktop)
    text = refusal(home, gateway.port)
    contains(text, "NOTIFICATIONS_UNAVAILABLE: there is no desktop session", "no bus")
    bus = desktop.bare_bus()
    text = refusal(home, gateway.port)
    contains(text, "nothing shows notifications in this session", "no daemon")
    contains(text, "dunst", "what helps")
    bus.stop()
    listener = socket.socket(socket.AF_UNIX)  # a bus that accepts and says nothing
    if os.path.exists(f"{desktop.runtime}/bus"):
        os.unlink(f"{desktop.runtime}/bus")
    listener.bind(f"{desktop.runtime}/bus")
    listener.listen(5)
    text = refusal(home, gateway.port)
    contains(text, "the bus does not answer")
    listener.close()
    os.unlink(f"{desktop.runtime}/bus")
    desktop.running.pop("bus")
    dunst = desktop.notifications()
    dunst.child.send_signal(signal.SIGSTOP)  # a daemon that hangs
    try:
        text = refusal(home, gateway.port)
    finally:
        dunst.child.send_signal(signal.SIGCONT)
    contains(text, f"does not answer: process {dunst.child.pid} (dunst)")
    notify(home, gateway.port, title="and now")


def test_a_daemon_that_hangs_over_one_notification(test):
    """libnotify would wait for 25 s; the watchdog ends that, with and without buttons."""
    desktop = Desktop(test)
    desktop.bus()
    hanging = desktop.start("notifyhang", [os.path.join(BUILT, "notifyhang")])
    desktop.wait_for_name("org.freedesktop.Notifications")
    home, gateway, _, _ = node_on(test, desktop)
    wanted = f"does not answer: process {hanging.child.pid} (notifyhang)"
    contains(refusal(home, gateway.port), wanted)
    asked = {"title": "x", "actions": [{"key": "yes", "label": "Yes"}]}
    contains(desktop.run(os.path.join(BUILT, "openclaw-desktop"), "notify", json.dumps(asked), code=1), wanted)


def test_as_a_service_that_was_told_nothing(test):
    desktop = Desktop(test)
    dunst = desktop.notifications()
    home, gateway, _, _ = node_on(test, desktop, DBUS_SESSION_BUS_ADDRESS=None, DISPLAY=None)
    notify(home, gateway.port, title="from a service")
    equal(wait_shown(dunst, 1)[-1]["summary"], "from a service")


def ask_for(home, port, argv, timeout_ms="40000", **more):
    """A command that needs somebody's yes, on its way."""
    return subprocess.Popen([BINARY, "nodes", "invoke", "--node", "box", "--command", "system.run", "--params",
                             json.dumps({"command": argv, "agentId": "cook", **more}), "--invoke-timeout", timeout_ms],
                            env=home.env(OPENCLAW_GATEWAY_PORT=str(port)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def outcome(child):
    try:
        return child.communicate(timeout=DEADLINE * 2)[0].decode()
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def test_a_command_is_allowed_by_a_button(test):
    test.rules = ("allowlist", (), "on-miss")
    desktop = Desktop(test)
    dunst = desktop.notifications()
    home, gateway, _, _ = node_on(test, desktop)
    marker = os.path.join(test.dir, "made & <i>it")
    child = ask_for(home, gateway.port, ["touch", marker])
    asked = wait_shown(dunst, 1)[-1]
    equal(asked["summary"], "Run this command?")
    contains(asked["body"], "made &amp; &lt;i&gt;it", "the exact command")
    contains(asked["body"], "for agent cook")
    contains(asked["body"], f"127.0.0.1:{gateway.port}")
    contains(asked["actions"], "allow-once")
    check(not os.path.exists(marker), "it waits")
    read = time.monotonic() + 1.2
    wait_until(lambda: time.monotonic() > read, "a person to read it")
    desktop.press("Allow once")
    contains(outcome(child), '"exitCode": 0')
    check(os.path.exists(marker), "it ran")
    wait_until(lambda: desktop.displayed() == 0, "the question to go away")
    # The yes was for once.
    child = ask_for(home, gateway.port, ["touch", marker + "2"])
    wait_shown(dunst, 2)
    desktop.press("Deny")
    contains(outcome(child), "user denied")
    child = ask_for(home, gateway.port, ["touch", marker + "2"])
    wait_shown(dunst, 3)
    desktop.dunst_call("org.dunstproject.cmd0.NotificationCloseLast")
    contains(outcome(child), "user denied")
    check(not os.path.exists(marker + "2"), "closed means no")


def test_a_yes_that_comes_too_soon(test):
    test.rules = ("allowlist", (), "on-miss")
    desktop = Desktop(test)
    dunst = desktop.notifications()
    home, gateway, _, node = node_on(test, desktop)
    marker = os.path.join(test.dir, "marker")
    child = ask_for(home, gateway.port, ["touch", marker])
    wait_shown(dunst, 1)
    desktop.press("Allow once")  # by a machine, at once
    node.wait_for("a yes in the first second of a question does not count", "the node to doubt it")
    contains(outcome(child), "SYSTEM_RUN_DENIED")
    check(not os.path.exists(marker), "it ran")


def test_too_many(test):
    desktop = Desktop(test)
    desktop.notifications()
    home, gateway, _, _ = node_on(test, desktop)
    caller = Client(gateway.port)
    check(caller.connect()["ok"], "connect")
    node_id = home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"][0]["nodeId"]
    said = [caller.send("node.invoke", {"nodeId": node_id, "command": "system.notify", "params": {"title": f"n{i}"},
                                        "timeoutMs": 60000, "idempotencyKey": f"k{i}"}) for i in range(24)]
    frames = {}
    while len(frames) < len(said):
        frame = caller.ws.recv_json()
        if frame.get("type") == "res":
            frames[frame["id"]] = frame
    refused = [frames[i] for i in said if not frames[i]["ok"]]
    equal(len(refused), 4, "refused")
    contains(json.dumps(refused), "too many notifications: 20 in 10 s are shown; try again in")


def test_a_question_that_nobody_answers(test):
    test.rules = ("allowlist", (), "on-miss")
    desktop = Desktop(test)
    dunst = desktop.notifications()
    home, gateway, _, _ = node_on(test, desktop)
    child = ask_for(home, gateway.port, ["touch", os.path.join(test.dir, "never")])
    wait_shown(dunst, 1)
    contains(outcome(child), "SYSTEM_RUN_DENIED")
    check(not os.path.exists(os.path.join(test.dir, "never")), "silence means no")
    wait_until(lambda: desktop.displayed() == 0, "the question to go away")
    # When nobody waits for the answer any more, the question is taken back.
    monitor = desktop.start("monitor", ["dbus-monitor", "--session", "interface='org.freedesktop.Notifications'"])
    monitor.wait_for("NameAcquired|NameLost", "the monitor")
    child = ask_for(home, gateway.port, ["touch", os.path.join(test.dir, "never")], "8000")
    wait_shown(dunst, 2)
    contains(outcome(child).lower(), "time")
    monitor.wait_for("member=CloseNotification", "the question to be taken back")
    # One that cannot be shown whole is not asked.
    child = ask_for(home, gateway.port, ["echo", "x" * 400])
    contains(outcome(child), "SYSTEM_RUN_DENIED")
    deep = os.path.join(test.dir, "d" * 200, "e" * 200)
    os.makedirs(deep)
    child = ask_for(home, gateway.port, ["touch", "here"], cwd=deep)
    contains(outcome(child), "SYSTEM_RUN_DENIED")
    equal(len(shown(dunst)), 2, "questions")


def test_a_picture_is_announced(test):
    need(os.path.exists(os.path.join(BUILT, "openclaw-media")), "openclaw-media is not built")
    desktop = Desktop(test)
    desktop.pipewire()
    desktop.camera("cam.front", "Front camera")
    dunst = desktop.notifications()
    test.switches, test.allowed = {"camera": True}, ["camera.snap"]
    home, gateway, _, _ = node_on(test, desktop, "camera.snap")
    home.cli("nodes", "invoke", "--node", "box", "--command", "camera.snap", "--params", '{"delayMs":0}', port=gateway.port)
    last = wait_shown(dunst, 1)[-1]
    equal(last["summary"], "OpenClaw: camera")
    equal((last["urgency"], last["timeout"]), ("NORMAL", "10000"), "told without alarm, and gone by itself")
    contains(last["body"], "openclaw node disable camera")
    contains(last["body"], f"127.0.0.1:{gateway.port}")


need(os.path.exists(os.path.join(BUILT, "openclaw-desktop")), "openclaw-desktop is not built")
run_tests(globals())

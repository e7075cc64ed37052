"""The walks of docs/ARCHITECTURE.md are true: the programs pass those functions of those files, in that order."""

from canvas_world import FORM, HELPER, World
from tracer import *


def below(pid):
    """All processes that come of this one."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        children = [int(child) for child in f.read().split()]
    return children + [further for child in children for further in below(child)]


def traced(test, steps, **pids):
    tracers = {name: Tracer(test, name, steps[name], pid=pid) for name, pid in pids.items()}
    for tracer in tracers.values():
        tracer.ready()
    return tracers


def command_line(test, steps, home, port, *args):
    return Tracer(test, "cli", steps["cli"], argv=[BINARY, *args], env=home.env(OPENCLAW_GATEWAY_PORT=str(port))).ready()


def compare(steps, tracers):
    for name, tracer in tracers.items():
        tracer.expect(steps[name])
        tracer.detach()


def test_one_command(test):
    home, gateway, box, node = paired_node(test)
    steps = walk("Walk: one command")
    equal(sorted(steps), ["cli", "gateway", "node"], "processes")
    tracers = traced(test, steps, gateway=gateway.child.pid, node=node.child.pid)
    cli = command_line(test, steps, home, gateway.port, "nodes", "run", "--node", "box", "--", "sh", "-c", "echo out; sleep 1; exit 3")
    cli.wait_exit()
    contains(cli.output(), "exited with code 03", "the command's exit code is ours")
    compare(steps, {"cli": cli, **tracers})


def test_one_push_and_a_press(test):
    world = World(test)
    steps = walk("Walk: one push and a press")
    equal(sorted(steps), ["canvas", "cli", "gateway", "node"], "processes")
    (canvas,) = [pid for pid in below(world.node.child.pid) if runs(pid, HELPER)]
    form = os.path.join(test.dir, "form.jsonl")
    with open(form, "w", encoding="utf-8") as f:
        f.write(FORM)
    agent = Process(test, "agent", [BINARY, "nodes", "requests", "--count", "1"],
                    world.home.env(OPENCLAW_GATEWAY_PORT=str(world.port)))
    agent.wait_for("Waiting for requests")
    tracers = traced(test, steps, gateway=world.gateway.child.pid, node=world.node.child.pid, canvas=canvas)
    cli = command_line(test, steps, world.home, world.port, "nodes", "canvas", "a2ui", "push", "--jsonl", form, "--node", "box")
    cli.wait_exit()
    for key in ("Tab", "Tab", "Enter"):
        world.home.cli("nodes", "invoke", "--node", "box", "--command", "canvas.input", "--params", json.dumps({"key": key}),
                       port=world.port)
    equal(agent.wait_exit(), 0, "somebody heard of the press")
    contains(agent.output(), "CANVAS_A2UI action=order")
    compare(steps, {"cli": cli, **tracers})


def test_a_walk_that_is_wrong_is_noticed(test):
    home, gateway, _, _ = paired_node(test)
    places = ["gateway/methods/node_list.c:gw_method_node_list", "gateway/methods/methods.c:gw_method_call"]
    tracer = Tracer(test, "gateway", places, pid=gateway.child.pid).ready()
    home.cli("nodes", "status", port=gateway.port)
    wait_until(lambda: tracer.follows(places[:1]), "a pass")
    check(not tracer.follows(["gateway/methods/node_invoke.c:gw_method_node_invoke"]), "what was not passed")
    tracer.detach()
    away = Tracer(test, "elsewhere", ["gateway/methods/node_pair.c:gw_method_node_list"], pid=gateway.child.pid)
    try:
        away.ready()
    except Failure as failure:
        contains(str(failure), "not defined in")
    else:
        check(False, "a function in another file was found")


run_tests(globals())

"""The walk of a picture in docs/ARCHITECTURE.md is true: with a camera of our own on a real PipeWire, the programs pass those functions of
those files, in that order."""

from session import *
from tracer import *
from world import World


def test_one_picture(test):
    desktop = Desktop(test)
    desktop.pipewire()
    desktop.camera("cam.front", "Front camera", 640, 480, 30, 0)
    world = World(test, desktop, "camera", ["camera.snap"])
    steps = walk("Walk: one picture")
    equal(sorted(steps), ["cli", "gateway", "media", "node"], "processes")
    in_sources(steps["media"])  # the helper lives too shortly to be traced
    tracers = {name: Tracer(test, name, steps[name], pid=process.child.pid)
               for name, process in (("gateway", world.gateway), ("node", world.node))}
    for tracer in tracers.values():
        tracer.ready()
    cli = Tracer(test, "cli", steps["cli"], argv=[BINARY, "nodes", "camera", "snap", "--node", "box", "--facing", "front"],
                 env=world.home.env(OPENCLAW_GATEWAY_PORT=str(world.gateway.port), TMPDIR=world.tmp)).ready()
    cli.wait_exit()
    contains(cli.output(), "exited normally", "a picture")
    for name, tracer in (("cli", cli), *tracers.items()):
        tracer.expect(steps[name])
        tracer.detach()


run_tests(globals())

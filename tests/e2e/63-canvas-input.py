"""What agents send that they should not, and what `canvas render` and `canvas check` say: by the command line, without a node."""

from harness import *

HELPER = os.path.join(os.path.dirname(os.path.realpath(BINARY)), "openclaw-canvas")
BEGIN = {"beginRendering": {"surfaceId": "s", "root": "root"}}
SENTENCE = "the rest is shown"


def component(ident, kind, **props):
    return {"id": ident, "component": {kind: props}}


def text(name, words):
    return component(name, "Text", text={"literalString": words})


def column(*children, name="root"):
    return component(name, "Column", children={"explicitList": list(children)})


def update(*components):
    return {"surfaceUpdate": {"surfaceId": "s", "components": list(components)}}


def data(path, *contents):
    return {"dataModelUpdate": {"surfaceId": "s", **({"path": path} if path else {}), "contents": list(contents)}}


def jsonl(*messages):
    return "\n".join(m if isinstance(m, str) else json.dumps(m) for m in messages).encode()


class Me:
    def __init__(self, test):
        self.home, self.out = test.machine("me"), os.path.join(test.dir, "x.png")

    def layout(self, *messages, args=()):
        return self.home.cli_json("canvas", "render", "-", "--dump", "layout", *args, stdin=jsonl(*messages))

    def shown(self, *messages, args=()):
        """Type and text of what is seen on the surface, and the diagnostics' codes."""
        found = self.layout(*messages, args=args)
        items = found["surfaces"][0]["items"] if found["surfaces"] else []
        return [(i["id"], i["text"]) for i in items], {d["code"] for d in found["diagnostics"]}

    def refused(self, *messages):
        """The lines of complaint; nothing else happens."""
        for args in (("render", "-", "--out", self.out), ("render", "-", "--dump", "layout"), ("check", "-")):
            done = self.home.cli("canvas", *args, stdin=jsonl(*messages), code=1)
            equal(done.out, "", "stdout")
            check(not os.path.exists(self.out), "a picture of a refused push")
        return done.err.splitlines()


def test_refused_as_a_whole_with_the_lines(test):
    me = Me(test)
    good = update(column("a"), text("a", "a"))
    for bad in ("{", "[1]", '"text"', "7", "null", {}, {"what": {}}, {**good, **BEGIN}, {"createSurface": {}},
                {"updateComponents": {}}, {"updateDataModel": {}}, {"version": "v0.9", **good}):
        lines = me.refused(good, "", bad, BEGIN, bad)
        equal([re.search(r"\bline (\d+): ", line).group(1) for line in lines], ["3", "5"], f"lines of complaint about {bad}")
    contains(me.refused("")[0], "no JSONL messages found")
    contains(me.refused(json.dumps(good)[:-1] + "\0}")[0], "line 1: ")


def test_lines_of_any_kind(test):
    me = Me(test)
    wanted = ([("root", ""), ("a", "a")], set())
    lines = [json.dumps(update(column("a"), text("a", "a"))), json.dumps(BEGIN)]
    for whole in ("\n".join(lines), "\r\n".join(lines) + "\r\n", "\n\n" + "\n \n\t\n".join(lines) + "\n\n"):
        equal(me.shown(whole), wanted, repr(whole[-20:]))
    equal(me.shown(*reversed(lines)), wanted, "the other way round")


def test_graphs(test):
    me = Me(test)
    for name, components in {
            "itself": [column("root", "t")],
            "a circle": [column("a", "t"), column("b", name="a"), column("a", name="b")]}.items():
        items, codes = me.shown(update(*components, text("t", SENTENCE)), BEGIN)
        contains(items, ("t", SENTENCE), name)
        contains(codes, "cycle", name)
    items, codes = me.shown(update(column("a", "a", "b"), column("a", name="b"), text("a", "a")), BEGIN)
    equal((items, codes), ([("root", ""), ("a", "a"), ("a", "a"), ("b", ""), ("a", "a")], set()), "one child of many")
    items, codes = me.shown(update(column("gone", "t"), text("t", SENTENCE), text("orphan", "o")), BEGIN)
    equal(items, [("root", ""), ("t", SENTENCE)], "a child that is not there")
    contains(codes, "missing-child", "codes")
    items, codes = me.shown(update(column("late", "t"), text("t", "t")), BEGIN, update(text("late", "l")))
    equal((items, codes), ([("root", ""), ("late", "l"), ("t", "t")], set()), "a late child")
    equal(me.shown(BEGIN)[0], [], "no root")
    equal(me.shown(update(text("root", "1"), text("root", "2")), BEGIN), ([("root", "2")], {"duplicate-id"}), "twice")
    equal(me.shown(update(text("root", "r"))), ([], set()), "nobody said beginRendering")
    gone = {"deleteSurface": {"surfaceId": "s"}}
    equal(me.layout(gone, update(text("root", "r")), BEGIN, gone, gone), {"surfaces": [], "diagnostics": []}, "deleted twice")


def test_components_that_are_wrong(test):
    me = Me(test)
    for odd in ({"id": "x", "component": {"Blink": {}}}, {"id": "x", "component": {}}, {"id": "x", "component": "Text"},
                {"id": "x"}, component("x", "Text", text=7), component("x", "Image", url={"literalNumber": 1}, fit="wild"),
                component("x", "Slider", value={"literalString": "NaN"}, minValue="a", maxValue=1e308),
                component("x", "Column", children=[]), component("x", "Tabs", tabItems={}),
                component("x", "MultipleChoice", selections=1, options=[1, None, {}]), component("x", "Button", child=1, action=[]),
                component("x", "TextField", label=[], validationRegexp="(" * 50), component("x", "DateTimeInput", value={}),
                component("x", "Modal", entryPointChild=[], contentChild={}), component("x", "Icon", name={"path": 5})):
        items, codes = me.shown(update(column("x", "t"), odd, text("t", SENTENCE)), BEGIN)
        equal(items[-1], ("t", SENTENCE), f"beside {odd}")
        check(codes, f"nothing is said about {odd}")
    both = {"id": "root", "component": {"Text": {"text": {"literalString": "first"}}, "Divider": {}}}
    equal(me.shown(update(both), BEGIN)[0], [("root", "first")], "two kinds")
    boxes = me.layout(update(component("root", "Row", children={"explicitList": ["a", "b"]}), {**component("a", "Divider"), "weight": -3},
                             {**text("b", "b"), "weight": 1e308}), BEGIN)["surfaces"][0]["items"]
    check(all(0 <= i["w"] <= 800 for i in boxes), boxes)


def test_strings_and_numbers(test):
    me = Me(test)
    odd = '{"surfaceUpdate":{"surfaceId":"s","components":[{"id":"root","component":{"Text":{"text":{"literalString":"%s"}}}}]}}'
    equal(me.shown(odd % "a\\u0000b\\ud800c\\udc00", BEGIN)[0], [("root", "a\ufffdb\ufffdc\ufffd")], "what is no character")
    path = "/" + "/".join("p" * 1000)
    found = me.home.cli_json("canvas", "render", "-", "--dump", "data", stdin=jsonl(
        update(component("root", "Text", text={"path": path})), BEGIN,
        data(None, {"key": "n", "valueNumber": 1e21}, {"key": "", "valueString": "x"}, {"key": "/", "valueString": "y"},
             {"key": "list", "valueString": "[1, {\"a\": null}]"})))
    equal(found, {"surfaces": [{"id": "s", "data": {"n": 1e21, "list": [1, {"a": None}]}}]}, "data")
    me.shown(update(component("root", "Text", text={"path": path})), BEGIN, data(path, {"key": "k", "valueString": "v"}))
    equal(me.shown(update(component("root", "Text", text={"path": "/n"})), BEGIN, data(None, {"key": "n", "valueNumber": 1e21}))[0],
          [("root", "1e+21")], "a large number")


def test_huge_ones_are_drawn(test):
    me = Me(test)
    many = [f"t{i}" for i in range(3000)]
    items, codes = me.shown(update(column(*many), *(text(name, name) for name in many)), BEGIN)
    equal((len(items), codes), (3001, set()), "siblings")
    rows = json.dumps([{"n": i} for i in range(10000)])
    items, codes = me.shown(
        update(component("root", "List", children={"template": {"componentId": "t", "dataBinding": "/rows"}}),
               component("t", "Text", text={"path": "n"})), data(None, {"key": "rows", "valueString": rows}), BEGIN)
    equal((len(items), items[-1], codes), (10001, ("t:9999", "9999"), set()), "instances")
    deep = [column("t", f"c{i + 1}", name="root" if i == 0 else f"c{i}") for i in range(400)]
    items, codes = me.shown(update(*deep, text("t", SENTENCE)), BEGIN)
    check(items.count(("t", SENTENCE)) >= 254, f"{len(items)} deep")
    contains(codes, "too-deep", "codes")
    for words in ("word " * 20000, "W" * 20000, "*" * 20000, "> " * 5000 + "x", "[" * 20000, "- " * 5000):
        items, _ = me.shown(update(column("a", "t"), text("a", words), text("t", SENTENCE)), BEGIN)
        equal(items[-1], ("t", SENTENCE), "after " + words[:10])
    me.home.cli("canvas", "render", "-", "--out", me.out, stdin=jsonl(update(text("root", "word " * 20000)), BEGIN))
    os.remove(me.out)
    contains(me.refused(jsonl(BEGIN).decode() + "\n" * (16 << 20))[0], "bytes")
    contains(me.refused('{"surfaceUpdate":' * 100 + "1" + "}" * 100)[0], "line 1: ")


def test_activate(test):
    me = Me(test)
    form = jsonl(
        update(column("tabs", "modal", "agree", "go", "list"),
               component("tabs", "Tabs", tabItems=[{"title": {"literalString": "A"}, "child": "a"},
                                                   {"title": {"literalString": "B"}, "child": "b"}]),
               text("a", "first"), text("b", "second"),
               component("modal", "Modal", entryPointChild="open", contentChild="inside"),
               component("open", "Button", child="open-label", action={"name": "opened"}), text("open-label", "Open"),
               text("inside", "in the dialog"),
               component("agree", "CheckBox", label={"literalString": "Agree"}, value={"path": "/agree"}),
               component("go", "Button", child="go-label", action={"name": "go", "context": [
                   {"key": "agree", "value": {"path": "/agree"}}, {"key": "zero", "value": {"literalNumber": 0}},
                   {"key": "none", "value": {"path": "/none"}}, {"key": "rows", "value": {"path": "/rows"}}]}),
               text("go-label", "Go"),
               component("list", "List", children={"template": {"componentId": "pick", "dataBinding": "/rows"}}),
               component("pick", "Button", child="pick-label", action={"name": "pick", "context": [
                   {"key": "n", "value": {"path": "n"}}]}),
               component("pick-label", "Text", text={"path": "n"})),
        data(None, {"key": "agree", "valueBoolean": False}, {"key": "rows", "valueString": '[{"n":1},{"n":2}]'}), BEGIN)

    def run(*args, code=0):
        return me.home.cli("canvas", "render", "-", *args, stdin=form, code=code)

    def shown(*args):
        done = json.loads(run("--dump", "layout", *args).out)
        equal(sorted(done), ["diagnostics", "surfaces"], "members")
        return {i["id"]: i["text"] for i in done["surfaces"][0]["items"]}

    action = json.loads(run("--activate", "go").out)
    equal(list(action), ["userAction"], "members")
    action = action["userAction"]
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", action.pop("timestamp")), "timestamp")
    check(action.pop("id"), "id")
    equal(action, {"name": "go", "surfaceId": "s", "sourceComponentId": "go",
                   "context": {"agree": False, "zero": 0, "none": None, "rows": [{"n": 1}, {"n": 2}]}}, "action")
    action = json.loads(run("--activate", "agree", "--activate", "go").out)["userAction"]
    equal(action["context"]["agree"], True, "after the check box")
    action = json.loads(run("--activate", "pick:1").out)["userAction"]
    equal((action["sourceComponentId"], action["context"]), ("pick:1", {"n": 2}), "in a template")
    plain = shown()
    check("b" not in plain and "inside" not in plain and "pick:0" in plain, plain)
    for name in ("tabs", "b"):
        after = shown("--activate", name)
        check("a" not in after and after["b"] == "second", after)
    for name in ("modal", "open"):
        equal(shown("--activate", name)["inside"], "in the dialog", name)
    equal(json.loads(run("--activate", "agree", "--dump", "data").out)["surfaces"][0]["data"]["agree"], True, "data")
    equal(json.loads(run("--activate", "open").out)["userAction"]["name"], "opened", "the entry's own action")
    equal(run("--activate", "agree").out, "", "a check box sends nothing")
    for name, why in (("nobody", "there is no component 'nobody' to activate"), ("inside", "'inside' is not shown now, so it cannot be activated"),
                      ("pick", "'pick' is in a template; name one of its instances: pick:0, pick:1")):
        done = run("--activate", name, code=1)
        equal((done.out, done.err), ("", why + "\n"), name)


def test_exit_codes(test):
    me = Me(test)
    good = jsonl(update(column("gone")), BEGIN)
    said = me.home.cli("canvas", "check", "-", stdin=good)
    contains(said.out, "line 1: ")
    contains(said.out, "s/root: ")
    contains(said.out, "1 diagnostic\n")
    contains(me.home.cli("canvas", "render", "-", "--out", me.out, stdin=good).err, "(missing-child)")
    equal(me.home.cli("canvas", "check", "-", stdin=jsonl(update(text("root", "r")), BEGIN)).out, "1 surface, 0 diagnostics\n")
    for args in (["render", "-"], ["render"], ["check"], ["render", "-", "--dump", "all"], ["render", "-", "--width", "x", "--out", "y"],
                 ["render", "-", "--scale", "9", "--out", "y"]):
        me.home.cli("canvas", *args, stdin=good, code=2)
    contains(me.home.cli("canvas", "render", "-", "--out", "/no/where/x.png", stdin=good, code=1).err, "/no/where/x.png: ")


need(os.path.exists(HELPER), "openclaw-canvas is not built")
run_tests(globals())

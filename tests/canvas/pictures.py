"""What is drawn for every file of data/ and every state of states/: pictures.py PROGRAM [--update] [--keep FOLDER].

Display lists are compared exactly with goldens/NAME.dl, small pictures with goldens/NAME.png within a tolerance; a second run
gives the same bytes; every diagnostic is one that is explained in EXPLAINED, and every explained one is seen. --update writes
the files anew: look at them before they are committed. --keep leaves the pictures in full size in a folder, to be looked at.

The lists have every text with its font, its place and the width where it is cut, to a hundredth of a pixel: a shifted or cut
text is seen there. The pictures only show that a list is painted, so they can be small."""

import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import pngs
import states
import wire

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDENS = os.path.join(HERE, "goldens")
THEMES = ("default", "openclaw")
DARK = {"catalog/buttons", "catalog/card", "catalog/inputs", "catalog/media", "catalog/multiple-choice", "catalog/text-markdown",
        "samples/restaurant_finder__booking_form", "states/choices,open", "states/dates,open", "states/modal,open",
        "states/styles", "states/tabs", "states/text-fields"}  # also in default-dark
SMALL = 0.2  # of a pixel: a committed picture's for each of the page
STEPS_SIZE = 480, 700
LOADING_SIZE = 160, 240
MAX_BYTES = 1500000  # of all of them
DIAGNOSTIC = re.compile(r"(?:line \d+: )?(?:note|warning|error): .* \(([a-z-]+)\)")
PICTURE = re.compile(r'"https?://[^"]*(?:\.(?:jpe?g|png|gif|webp|svg)|unsplash|picsum|lh3|placeholder)[^"]*"')

# file → code → why it is right that it is there.
UNKNOWN = "a component of the agent's own catalogue, which no other client draws either"
NO_FONT = "the tests' fonts are Liberation only; with the fonts the note names there is none"
NO_URL = "the agent sends an empty address, or one that is only a place holder"
EXPLAINED = {
    "examples/basic/04_weather-current": {"missing-glyphs": NO_FONT},
    "examples/basic/05_product-card": {"missing-glyphs": NO_FONT},
    "samples/custom-components-example__contact_card": {"image-failed": NO_URL},
    "samples/custom-components-example__floor_plan": {"unknown-component": UNKNOWN},
    "samples/custom-components-example__multi_surface": {"unknown-component": UNKNOWN},
    "samples/custom-components-example__org_chart": {"unknown-component": UNKNOWN},
    "samples/restaurant_finder__booking_form": {
        "image-failed": NO_URL, "unknown-property": "DateTimeInput has no label in v0.8, and is labelled by what it asks for"},
    "samples/restaurant_finder__confirmation": {"image-failed": NO_URL},
    "samples/restaurant_finder__single_column_list": {"no-data": "the agent binds a title that it never sends"},
    "samples/restaurant_finder__two_column_list": {
        "image-failed": NO_URL, "no-data": "the agent's list is a map with other keys than its paths have",
        "unknown-property": "Image has no width in v0.8"},
    "samples/rizzcharts__rizzcharts_catalog__chart": {"unknown-component": UNKNOWN},
    "samples/rizzcharts__rizzcharts_catalog__map": {"unknown-component": UNKNOWN},
}
# styles.font of these is Roboto or Arial.
for sample in (
        "custom-components-example__action_confirmation",
        "custom-components-example__contact_list",
        "gemini_enterprise__agent_engine__action_confirmation",
        "gemini_enterprise__agent_engine__contact_list",
        "restaurant_finder__booking_form",
        "restaurant_finder__confirmation",
        "restaurant_finder__single_column_list",
        "restaurant_finder__two_column_list",
        "rizzcharts__standard_catalog__chart",
        "rizzcharts__standard_catalog__map",
):
    EXPLAINED.setdefault("samples/" + sample, {})["missing-font"] = NO_FONT


class Run:
    """One picture: its name, its file, its options."""

    def __init__(self, name, path, theme, width=480, options=(), fonts="fonts.conf", exact=True, explained=None):
        self.name, self.path, self.theme, self.width = name, path, theme, width
        self.options, self.fonts, self.exact = list(options), fonts, exact
        self.explained = explained or {}
        self.golden = os.path.join(GOLDENS, f"{re.sub('[/,]', '-', name)}.{theme}")

    def draw(self, program, folder, small=True):
        """The display list, the picture, the diagnostics' codes."""
        out = os.path.join(folder, os.path.basename(self.golden) + (".png" if small else ".large.png"))
        run = subprocess.run(
            [program, "render", self.path, "--width", str(self.width), "--theme", self.theme, "--dump", "list", "--out", out,
             *(["--max-width", str(round(self.width * SMALL))] if small else []), *self.options],
            capture_output=True, text=True, timeout=100, check=False,
            env={**os.environ, "FONTCONFIG_FILE": os.path.join(HERE, self.fonts), "TZ": "UTC", "LC_ALL": "C"})
        if run.returncode != 0:
            raise RuntimeError(f"{self.name}: exit code {run.returncode}: {run.stderr}")
        with open(out, "rb") as file:
            return run.stdout, file.read(), run.stderr


def with_pictures(path, folder, url):
    """A copy whose pictures need no network."""
    with open(path, encoding="utf-8") as file:
        text = PICTURE.sub(lambda _: json.dumps(url), file.read())
    copy = os.path.join(folder, os.path.relpath(path, HERE).replace("/", "-"))
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace("test:picture", url))
    return copy


def themes_of(name):
    return THEMES + (("default-dark",) if name in DARK else ())


def all_runs(folder):
    url = pngs.pattern(640, 400)
    runs = []
    data = os.path.join(HERE, "data")
    for path in sorted(glob.glob(os.path.join(data, "**", "*.jsonl"), recursive=True)):
        name = os.path.relpath(path, data)[:-len(".jsonl")]
        copy = with_pictures(path, folder, url)
        runs += [Run(name, copy, theme, explained=EXPLAINED.get(name)) for theme in themes_of(name)]
    for name, file, options in states.STATES:
        copy = with_pictures(os.path.join(HERE, "states", file), folder, url)
        for theme in themes_of("states/" + name):
            runs.append(Run("states/" + name, copy, theme, **options))
    return runs


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def difference(expected, got):
    """Where the first lines differ, for people."""
    old, new = (expected or "").splitlines(), got.splitlines()
    for number in range(max(len(old), len(new))):
        before, after = ("".join(lines[number:number + 1]) for lines in (old, new))
        if before != after:
            return f"line {number + 1} was '{before}', is '{after}'"
    return "line ends"


def check(run, program, folder):
    """What is wrong with one, a list of lines."""
    shown, picture, notes = run.draw(program, folder)
    problems = []
    if run.draw(program, folder)[:2] != (shown, picture):
        problems.append("a second run gives something else")
    codes = set(DIAGNOSTIC.findall(notes))
    problems += [f"not explained: {line}" for line in notes.splitlines()
                 if not set(DIAGNOSTIC.findall(line)) & set(run.explained) and not line.endswith("' sends no action")]
    problems += [f"explained, but not seen: {code}" for code in run.explained if code not in codes]
    expected = read(run.golden + ".dl")
    if run.exact and (expected is None or expected.decode() != shown):
        problems.append("display list: " + difference(expected and expected.decode(), shown))
    expected = read(run.golden + ".png")
    far = "there is none yet" if expected is None else pngs.compare(expected, picture)
    if far:
        problems.append(f"picture: {far}")
    return [f"{run.name} in {run.theme}: {line}" for line in problems]


def update(run, program, folder):
    shown, picture, _ = run.draw(program, folder)
    os.makedirs(GOLDENS, exist_ok=True)
    if run.exact:
        with open(run.golden + ".dl", "w", encoding="utf-8") as file:
            file.write(shown)
    old = read(run.golden + ".png")
    if old is None or pngs.compare(old, picture):
        with open(run.golden + ".png", "wb") as file:
            file.write(pngs.shrink(picture))
    return []


def take_steps(name, program, folder):
    """Before and after, and small; without steps as it is while pictures are on their way."""
    file, steps = states.STEPS[name]
    with wire.Canvas(program, os.path.join(HERE, "fonts.conf")) as canvas:
        canvas.show(os.path.join(folder, f"states-{file}.jsonl"), *(STEPS_SIZE if steps else LOADING_SIZE))  # all_runs wrote it
        if not steps:
            return None, canvas.look()
        before = canvas.picture(round(STEPS_SIZE[0] * SMALL))
        for step in steps:
            canvas.do(step)
        return before, canvas.picture(round(STEPS_SIZE[0] * SMALL))


def draw_steps(name, program, folder):
    """Twice, in two processes."""
    (before, first), (_, second) = (take_steps(name, program, folder) for _ in range(2))
    if before == first:
        raise RuntimeError(f"{name}: it looks as before")
    return first, second


def check_steps(name, program, folder, is_update):
    first, second = draw_steps(name, program, folder)
    path = os.path.join(GOLDENS, name + ".png")
    expected = read(path)
    if is_update and (expected is None or pngs.compare(expected, first)):
        with open(path, "wb") as file:
            file.write(pngs.shrink(first))
        expected = read(path)
    far = "there is none yet" if expected is None else pngs.compare(expected, first)
    return ([f"{name}: picture: {far}"] if far else []) + ([f"{name}: a second run gives something else"] if first != second else [])


def keep_steps(name, program, folder, keep):
    file, steps = states.STEPS[name]
    with wire.Canvas(program, os.path.join(HERE, "fonts.conf")) as canvas:
        canvas.show(os.path.join(folder, f"states-{file}.jsonl"), *STEPS_SIZE)
        for step in steps:
            canvas.do(step)
        with open(os.path.join(keep, name + ".png"), "wb") as out:
            out.write(canvas.look())
    return []


def leftovers(runs):
    """Files that no run looks at."""
    wanted = {run.golden + end for run in runs for end in (".dl", ".png") if end == ".png" or run.exact}
    wanted |= {os.path.join(GOLDENS, name + ".png") for name in states.STEPS}
    return sorted(set(glob.glob(os.path.join(GOLDENS, "*"))) - wanted)


def each(runs, work):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [line for lines in pool.map(work, runs) for line in lines]


def main():
    program, options = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        runs = all_runs(folder)
        if "--keep" in options:
            keep = options[options.index("--keep") + 1]
            each(runs, lambda run: run.draw(program, keep, small=False) and [])
            each(states.STEPS, lambda name: keep_steps(name, program, folder, keep))
            return 0
        if "--update" in options:
            each(runs, lambda run: update(run, program, folder))
            for path in leftovers(runs):
                os.remove(path)
        problems = each(runs, lambda run: check(run, program, folder))
        problems += each(states.STEPS, lambda name: check_steps(name, program, folder, "--update" in options))
    problems += [f"{path} is of no use" for path in leftovers(runs)]
    size = sum(os.path.getsize(path) for path in glob.glob(os.path.join(GOLDENS, "*.png")))
    if size > MAX_BYTES:
        problems.append(f"the pictures have {size} bytes together, more than {MAX_BYTES}")
    for line in problems:
        print(line)
    print(f"{len(runs) + len(states.STEPS)} pictures of {len({run.path for run in runs})} files, {size} bytes")
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())

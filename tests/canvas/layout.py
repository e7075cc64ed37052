"""Our layout of every file in data/ against a browser's (reference/): layout.py PROGRAM. Boxes agree within 1 px, or the file is
listed below with the reason; then at least every component must be there."""

import base64
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1.0

# Where we are better than the reference on purpose. A file that agrees must not be listed.
DIFFERS = {
    "catalog/divider.jsonl": "a vertical Divider stands upright",
    "catalog/image-hints.jsonl": "usageHint gives pictures their size",
    "catalog/image-in-row.jsonl": "usageHint gives pictures their size",
    "catalog/inputs.jsonl": "longText has lines, Slider and DateTimeInput their label",
    "catalog/media.jsonl": "AudioPlayer shows its description",
    "catalog/multiple-choice.jsonl": "literalArray is shown",
    "catalog/styles-primary.jsonl": "the label of a primary Button",
    "catalog/tabs.jsonl": "the content of a tab does not touch the line below the titles",
    "catalog/text-markdown.jsonl": "margins of lists, quotes and code",
    "examples/basic/04_weather-current.jsonl": "the tests' fonts have no emoji",
    "examples/basic/05_product-card.jsonl": "the tests' fonts have no stars",
    "examples/basic/08_user-profile.jsonl": "avatar is 40 px",
    "examples/basic/11_purchase-complete.jsonl": "a Divider is seen in a centred Column",
    "examples/basic/12_chat-message.jsonl": "avatar is 40 px",
    "examples/basic/14_sports-player.jsonl": "a Divider is seen in a centred Column",
    "examples/basic/23_step-counter.jsonl": "a Divider is seen in a centred Column",
    "examples/basic/25_contact-card.jsonl": "avatar is 40 px",
    "samples/custom-components-example__action_confirmation.jsonl": "a dialog without entry opens at once",
    "samples/custom-components-example__contact_card.jsonl": "avatar is 40 px",
    "samples/custom-components-example__multi_surface.jsonl": "avatar is 40 px",
    "samples/gemini_enterprise__agent_engine__action_confirmation.jsonl": "a dialog without entry opens at once",
    "samples/gemini_enterprise__agent_engine__contact_card.jsonl": "avatar is 40 px",
    "samples/restaurant_finder__booking_form.jsonl": "a picture without address keeps its place",
    "samples/restaurant_finder__confirmation.jsonl": "a picture without address keeps its place",
    "samples/restaurant_finder__two_column_list.jsonl": "a picture without address keeps its place",
    "samples/rizzcharts__standard_catalog__chart.jsonl": "paths in templates reach the root",
}
PICTURE = re.compile(r'"https?://[^"]*(?:\.(?:jpe?g|png|gif|webp|svg)|unsplash|picsum|lh3|placeholder)[^"]*"')


def picture(width, height):
    """A data: URL of an empty PNG."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(height * (1 + 3 * width)))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(png).decode()


def lay_out(program, name, width, url):
    with open(os.path.join(HERE, "data", name), encoding="utf-8") as file:
        text = PICTURE.sub(lambda _: json.dumps(url), file.read())
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as copy:
        copy.write(text)
        copy.flush()
        run = subprocess.run(
            [program, "render", copy.name, "--width", str(width), "--theme", "default", "--dump", "layout"],
            capture_output=True, text=True, timeout=100, check=True,
            env={**os.environ, "FONTCONFIG_FILE": os.path.join(HERE, "fonts.conf"), "LC_ALL": "C"})
    boxes = {}
    for surface in json.loads(run.stdout)["surfaces"]:
        for item in surface["items"]:
            boxes.setdefault(item["id"], []).append(item)
    return boxes


def compare(name, width, expected, boxes):
    """What is wrong, one line each; and whether everything agrees."""
    problems, agrees = [], True
    for kind, ident, *box in expected:
        ours = boxes.get(ident)
        if not ours:
            problems.append(f"{name} at {width}: {kind} {ident} is not there")
            agrees = False
            continue
        item = ours.pop(0)
        for key, value in zip("xywh", box):
            if abs(item[key] - value) > TOLERANCE:
                agrees = False
                if name not in DIFFERS:
                    problems.append(f"{name} at {width}: {kind} {ident}: {key} is {item[key]}, in a browser {value}")
    agrees = agrees and not any(boxes.values())
    if any(boxes.values()) and name not in DIFFERS:
        problems.append(f"{name} at {width}: more than in a browser: {[i for i, left in boxes.items() if left]}")
    return problems, agrees


def main():
    program, url = sys.argv[1], picture(640, 400)
    problems, agreeing, runs = [], {}, []
    for width in (480, 800):
        with open(os.path.join(HERE, "reference", f"layout-{width}.json"), encoding="utf-8") as file:
            runs += [(name, width, expected) for name, expected in json.load(file).items()]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        layouts = pool.map(lambda run: lay_out(program, run[0], run[1], url), runs)
        for (name, width, expected), boxes in zip(runs, layouts):
            found, agrees = compare(name, width, expected, boxes)
            problems += found
            agreeing[name] = agreeing.get(name, True) and agrees
    problems += [f"{name} agrees now: do not list it" for name in DIFFERS if agreeing.get(name)]
    problems += [f"{name} is listed but not measured" for name in DIFFERS if name not in agreeing]
    for line in problems:
        print(line)
    print(f"{sum(agreeing.values())} of {len(agreeing)} files agree with a browser, {len(DIFFERS)} differ on purpose")
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())

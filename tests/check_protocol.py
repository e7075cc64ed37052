"""Checks docs/PROTOCOL.md against the code, and what comments cite against docs/.

- Its tables are what scripts/protocol-tables makes of the .def files and headers now.
- Every method, event, node command and code of an error is explained outside those tables, too.
- Every document that anything in the tree names is there, with the heading after '#'.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.abspath(sys.argv[1])
READ = (".c", ".h", ".def", ".py", ".mjs", ".md", ".txt", ".cmake", ".js", ".1")
TABLE = re.compile(r"<!-- table: .*? -->.*?<!-- end -->", re.S)
# A file name that ends in .md, with a heading or not. Not part of an address on the net.
CITED = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[A-Za-z][\w-]*\.md)(?!\w)(#[\w-]+)?")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def anchors(text):
    """As GitHub makes them: lower case, spaces to '-', everything else but letters, digits, '_' and '-' gone."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    return {"#" + re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in re.findall(r"^#+ +(.+?)\s*$", text, re.M)}


def explained(faults):
    text = TABLE.sub("", read("docs/PROTOCOL.md"))
    words = set()
    for spelt in re.findall(r"`([^`\n]+)`", text):
        words.update(re.findall(r"[\w.-]+", spelt))
    tables = {
        "method": ("gateway/methods/methods.def", r'^GW_METHOD\("([^"]+)"'),
        "event": ("gateway/conn/events.def", r'^GW_EVENT\(\w+, "([^"]+)"'),
        "event of a node": ("lib/protocol/connect.h", r'^#define OC_EVENT_NAME_\w+ "([^"]+)"'),
        "wire code": ("lib/protocol/errors.h", r'^#define OC_WIRE_\w+ "([^"]+)"'),
    }
    for kind, (path, row) in tables.items():
        names = re.findall(row, read(path), re.M)
        if len(names) < 3:
            faults.append(f"{path}: no rows found")
        faults += [f"docs/PROTOCOL.md: the {kind} {name} is not explained" for name in names if name not in words]
    # What is gathered from the sources: the tables have it, and the text must, too.
    for kind in ("node-commands", "details-codes"):
        (table,) = re.findall(rf"<!-- table: {kind} -->.*?<!-- end -->", read("docs/PROTOCOL.md"), re.S)
        names = re.findall(r"^\| `([\w.]+)` \|", table, re.M)
        faults += [f"docs/PROTOCOL.md: {name} of {kind} is not explained" for name in names if name not in words]


def texts():
    """What we wrote, without what is built and without data of others."""
    for place, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in ("build", "data", "corpus", "__pycache__") and not f.startswith(".")]
        yield from (os.path.relpath(os.path.join(place, name), ROOT) for name in names if name.endswith(READ))


def cited(faults):
    files = list(texts())
    documents = {path: anchors(read(path)) for path in files if path.endswith(".md")}
    for path in files:
        for name, heading in CITED.findall(read(path)):
            near = os.path.normpath(os.path.join(os.path.dirname(path), name))
            document = next((d for d in (name, near, "docs/" + name) if d in documents), None)
            if not document:
                faults.append(f"{path}: there is no {name}")
            elif heading and heading not in documents[document]:
                faults.append(f"{path}: {document} has no {heading}")
        if path in documents:
            faults += [f"{path}: no heading {heading}" for heading in re.findall(r"\]\((#[\w-]+)\)", read(path))
                       if heading not in documents[path]]


def main():
    faults = []
    done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "protocol-tables"), "--check"], check=False,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        faults.append(done.stderr.strip())
    explained(faults)
    cited(faults)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


sys.exit(main())

"""Checks the table of docs/CANVAS.md: it has every code that canvas/ can tell, and none that it cannot."""

import os
import re
import sys

TELLS = re.compile(r"\b(?:cv_diags_add|cv_build_tell|WARN|TELL)\(((?:[^;]|\n)*?);")
CODE = re.compile(r'"([a-z]+(?:-[a-z]+)+|cycle)"')
# What `canvas check` says of a push that was refused, and that there were more.
NOT_OF_A_SURFACE = {"refused", "more"}


def told(root):
    codes = set()
    for base, _, names in os.walk(os.path.join(root, "canvas")):
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(base, name), encoding="utf-8") as source:
                    for call in TELLS.finditer(source.read()):
                        codes.update(CODE.findall(call.group(1)))
    return codes - NOT_OF_A_SURFACE


def listed(root):
    with open(os.path.join(root, "docs", "CANVAS.md"), encoding="utf-8") as text:
        part = text.read().split("\n## Diagnostics\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {code for row in rows for code in re.findall(r"`([^`]+)`", row)}


def main():
    root = sys.argv[1]
    codes, table = told(root), listed(root)
    for code in sorted(codes - table):
        print(f"docs/CANVAS.md does not list the diagnostic '{code}'")
    for code in sorted(table - codes):
        print(f"docs/CANVAS.md lists '{code}', which nothing tells")
    print(f"{len(codes)} diagnostics")
    return 1 if codes != table or not codes else 0


if __name__ == "__main__":
    sys.exit(main())

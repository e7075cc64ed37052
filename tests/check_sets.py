"""A set of characters is asked with oc_is_one_of (lib/base/one_of.h): strchr finds the NUL behind the set, too. strchr is for one character
that is written down, and for the few who need the place in the set and have looked at the character before."""

import os
import re
import sys

FOLDERS = ("lib", "platform", "canvas", "gateway", "node", "cli")
MAY_LOOK = {"lib/base/one_of.h", "lib/config/config_path.c", "lib/config/size.c", "lib/json/json5.c", "lib/json/json_escape.c",
            "node/argv/exec_argv.c"}
CALL = re.compile(r"\bstrr?chr\(")
LITERAL = re.compile(r"'(\\.|[^'\\])+'\s*$")


def last_argument(text, begin):
    """Of the call whose parenthesis opens before begin."""
    depth, at, start, quote = 1, begin, begin, None
    while depth > 0 and at < len(text):
        c = text[at]
        if c == "\\":
            at += 1
        elif quote:
            quote = None if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c == "," and depth == 1:
            start = at + 1
        at += 1
    return text[start:at - 1]


def check(root):
    problems, files = [], 0
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(base, name), root)
                if not name.endswith((".c", ".h")) or path in MAY_LOOK:
                    continue
                files += 1
                with open(os.path.join(root, path), encoding="utf-8") as f:
                    text = f.read()
                problems += [f"{path}:{text.count(chr(10), 0, m.start()) + 1}: a character that may be NUL; use oc_is_one_of"
                             for m in CALL.finditer(text) if not LITERAL.search(last_argument(text, m.end()))]
    return problems, files


if __name__ == "__main__":
    found, count = check(sys.argv[1])
    for problem in found:
        print(problem)
    print(f"{count} files, {len(found)} problems")
    sys.exit(1 if found or count == 0 else 0)

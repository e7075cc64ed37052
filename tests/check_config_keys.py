"""Checks lib/config/config_keys.def against the code: a setting that is not FOREIGN is read somewhere, and what is read is a setting.

Reads are found by their shape, oc_json_get*(<section>, "key") and oc_json_path(<config>, "a.b"), where a section is such an
expression itself or a variable that was given one. A key that comes in a variable counts for every text of that folder.
"""

import os
import re
import sys

# Read in passing: a node looks at the exec policy of one agent, the rest of the section is the agents'.
FOREIGN_BUT_READ = {"agents.list"}
# Rows that programs use as a whole, or tell other programs about.
READ_AS_A_WHOLE = {"env.*", "tools.exec.safeBinProfiles.*"}
# Sections that functions of a file get as a parameter.
PARAMETERS = {"node/sandbox/sandbox_config.c": {"exec": "node.exec", "limits": "node.exec.limits"}}

ROW = re.compile(r'^OC_KEY\("([^"]+)",\s*\w+,\s*([A-Z| ]+),', re.M)
ROOT = re.compile(r"^(?:\w+(?:->|\.))*config$")
CALL = re.compile(r"\boc_json_(path|get|get_str|get_int|get_ms|get_num|clamp_int|get_bool|get_strv)\(")
ASSIGN = re.compile(r"\*?\b(\w+)\s*=\s*(?:[^=;,]*\?\s*)?(?=oc_json_(?:path|get)\()")


def arguments(text, at):
    """The arguments of the call whose bracket opens before at, and where it ends."""
    depth, start, found = 1, at, []
    quoted = False
    while depth and at < len(text):
        c = text[at]
        if c == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (c == "(") - (c == ")")
            if (c == "," and depth == 1) or depth == 0:
                found.append(text[start:at].strip())
                start = at + 1
        at += 1
    return found, at


class Source:
    def __init__(self, text, parameters):
        self.variables, self.reads = dict(parameters), set()
        for match in re.finditer(r"(?P<assign>" + ASSIGN.pattern + r")|(?P<call>" + CALL.pattern + r")|^\}", text, re.M):
            if match.group(0) == "}":
                self.variables = dict(parameters)  # the end of a function
            elif match.group("call"):
                self.read(match.group(0), text, match.end())
            else:
                name = match.group(2)
                call = CALL.match(text, match.end())
                self.variables[name] = self.read(call.group(0), text, call.end()) if call else None

    def section(self, expression):
        call = CALL.match(expression)
        if call:
            return self.read(call.group(0), expression, call.end())
        if ROOT.match(expression):
            return ""
        return self.variables.get(expression)

    def read(self, call, text, at):
        args, _ = arguments(text, at)
        if len(args) < 2:
            return None
        parent = self.section(args[0])
        if parent is None:
            return None
        literal = re.fullmatch(r'"([^"]*)"', args[1])
        path = (parent + "." if parent else "") + (literal.group(1) if literal else "*")
        self.reads.add(path)
        return path


def main():
    root = sys.argv[1]
    with open(os.path.join(root, "lib", "config", "config_keys.def"), encoding="utf-8") as f:
        rows = {path: flags for path, flags in ROW.findall(f.read())}
    reads, texts = {}, {}
    for folder in ("lib", "gateway", "node", "cli"):
        texts[folder] = ""
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in (n for n in sorted(names) if n.endswith(".c")):
                with open(os.path.join(where, name), encoding="utf-8") as f:
                    text = f.read()
                texts[folder] += text
                here = os.path.relpath(os.path.join(where, name), root)
                for path in Source(text, PARAMETERS.get(here, {})).reads:
                    reads.setdefault(path, (folder, here))

    def is_read(path):
        if path in reads or any(f'"{path}"' in text for text in texts.values()):
            return True
        parent, leaf = path.rsplit(".", 1) if "." in path else ("", path)
        there = reads.get((parent + "." if parent else "") + "*")
        return there is not None and f'"{leaf}"' in texts[there[0]]

    def row_of(path):
        if path in rows:
            return rows[path]
        parts = path.split(".")
        return next((rows[".".join(parts[:i]) + ".*"] for i in range(len(parts), 0, -1) if ".".join(parts[:i]) + ".*" in rows),
                    None)

    bad = [f"{path}: no code reads it; mark it FOREIGN or delete the row" for path, flags in rows.items()
           if "FOREIGN" not in flags and path not in READ_AS_A_WHOLE and not is_read(path)]
    for path, (_, where) in sorted(reads.items()):
        if "*" in path or any(row.startswith(path + ".") for row in rows):
            continue  # a key in a variable, or a section
        flags = row_of(path)
        if flags is None:
            bad.append(f"{where} reads {path}: no such row in lib/config/config_keys.def")
        elif "FOREIGN" in flags and path not in FOREIGN_BUT_READ:
            bad.append(f"{where} reads {path}: its row says FOREIGN")
    found = len([p for p in reads if p in rows])
    if found < 20:
        bad.append(f"only {found} settings were seen being read: this check no longer understands the code")
    for line in bad:
        print(line)
    return 1 if bad else 0


sys.exit(main())

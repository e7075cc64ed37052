"""Checks that nothing acts on the words of an error. Who needs to know why something failed looks at its code and grounds
(lib/base/grounds.h); texts of peers that send none are read in one file, those of libraries in another, and gate and fix are put
into a sentence in a third."""

import os
import re
import sys

FOLDERS = ("lib", "platform", "canvas", "gateway", "node", "cli")

FOREIGN = "lib/protocol/foreign_errors.c"
LIBRARIES = "platform/linux/media/gst_errors.c"
# The one that makes the sentence.
SENTENCE = "lib/text/fix.c"


COMPARES = re.compile(r"\b(strstr|strcasestr|strcmp|strncmp|strcasecmp|strncasecmp|memmem|strcspn|strspn|strpbrk|sscanf|"
                      r"oc_streq|oc_starts_with|oc_ends_with|g_strcmp0|g_str_equal|g_str_has_prefix|g_str_has_suffix|g_strrstr|"
                      r"g_strstr_len|g_ascii_strcasecmp|g_ascii_strncasecmp)\s*\(")
FAILS = re.compile(r"\boc_fail\w*\s*\(")
MADE = re.compile(r"\b(\w+)\s*=[^=]")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# A command of ours in a text is a fix: it belongs into the grounds, where the edge prints it.
OUR_COMMAND = re.compile(r"openclaw (approvals|canvas|config|devices|doctor|gateway|nodes?|qr)\b")
# Where a text has one all the same, and why.
FIX_IN_TEXT = {
    "cli/options.c": "how a command is called: printed as its usage, which has no fix",
    "gateway/pairing/join_codes.c": "two ways out, and which is right depends on the network",
    "gateway/settings/tls_setup.c": "is shown as an issue of the config, which has no fix",
}
# Whose texts get their code in front where they are answered (os_media_fail).
CODE_IN_FRONT = "platform/linux/media/"
CODED = re.compile(r"[A-Z][A-Z_]+: ")
# A text of an error: err->text, a GError's problem->message, reply->message, end.close_reason, a->node_message, and a plain
# `message`, `error`, `why` or `fix`.
TEXT = re.compile(r"^\s*((err|error|problem|why|end|reply|answer|refusal|lost|said|a|r|e|v)\s*(->|\.)\s*text"
                  r"|\w+\s*(->|\.)\s*(message|close_reason|error|error_text|error_message|node_message|fix)"
                  r"|oc_json_get_str\([^\"]*\"(message|error|errorMessage|fix)\"\)"
                  r"|message|error|error_message|error_text|close_reason|why|fix)(\s*\+.*)?\s*$")
# Looking for something in a text is acting on its words, whatever is looked for.
SEARCHES = re.compile(r"\b(strstr|strcasestr|memmem|oc_starts_with|oc_ends_with|g_strrstr|g_strstr_len)\s*\($")
LITERAL = re.compile(r'"|\b[A-Z][A-Z0-9_]{2,}\b')
# A sentence that only lib/text/fix.c makes.
GATE_AND_FIX = re.compile(r'"[^"\n]*(gate: [^")\n]*;|[;(] ?fix: )[^"\n]*"')


def call_at(text, start):
    """The arguments of the call whose parenthesis opens at start - 1."""
    depth, args, last, quoted = 1, [], start, False
    for at in range(start, len(text)):
        c = text[at]
        if quoted:
            quoted = c != '"' or text[at - 1] == "\\"
        elif c == '"':
            quoted = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return [*args, text[last:at]]
        elif c == "," and depth == 1:
            args.append(text[last:at])
            last = at + 1
    return args


def without_comments(text):
    """Blanks in their place, so that lines stay where they are."""
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)


def fails_with_command(text):
    """Where an error fails with a command of ours: in its own strings, or in a text that was put together for it before."""
    made = [(m.group(1), m.end(), text.find("\n}", m.end())) for m in MADE.finditer(text)
            if OUR_COMMAND.search("".join(STRING.findall(text[m.end():text.find(";\n", m.end())])))]
    for match in FAILS.finditer(text):
        args = ",".join(call_at(text, match.end()))
        if (OUR_COMMAND.search("".join(STRING.findall(args))) or
                any(start < match.start() < end and re.search(rf"\b{name}\b", args) for name, start, end in made)):
            yield match.start()


def problems_of(path, text):
    text = without_comments(text)
    if path not in (FOREIGN, LIBRARIES, SENTENCE):
        for match in COMPARES.finditer(text):
            args = call_at(text, match.end())
            is_search = SEARCHES.search(match.group(0)) and args and TEXT.search(args[0])
            if is_search or any(TEXT.search(arg) for arg in args) and any(LITERAL.search(arg) for arg in args):
                line = text.count("\n", 0, match.start()) + 1
                yield (f"{path}:{line}: acts on the words of an error: look at its code or grounds, or read foreign texts in "
                       f"{FOREIGN} or {LIBRARIES}")
    if path not in FIX_IN_TEXT:
        for start in fails_with_command(text):
            line = text.count("\n", 0, start) + 1
            yield f"{path}:{line}: a fix in the text of an error: name a remedy, {SENTENCE} has its words"
    if path.startswith(CODE_IN_FRONT):
        for match in FAILS.finditer(text):
            if any(CODED.match(said) for said in STRING.findall(",".join(call_at(text, match.end())))):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: a text with its code in front: people would read that twice"
    if path not in (FOREIGN, SENTENCE):
        for match in GATE_AND_FIX.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: writes gate or fix into a text: give the error grounds, {SENTENCE} makes the sentence"


def check(root):
    problems, files, seen = [], 0, set()
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.relpath(os.path.join(base, name), root)
                    with open(os.path.join(root, path), encoding="utf-8") as source:
                        problems += problems_of(path, source.read())
                    seen.add(path)
                    files += 1
    problems += [f"{path} is in the table and not in the tree" for path in sorted({FOREIGN, LIBRARIES, SENTENCE, *FIX_IN_TEXT} - seen)]
    return problems, files


def own_test():
    """Each of these has to be found, and the last ones not."""
    wrong = ('if (strstr(err->text, "timed out")) {', 'oc_starts_with(reply->message, "missing scope: ")', 'strstr(message, FIX_MARK)',
             'oc_streq(end->close_reason,\n        "replaced by")', 'size_t n = strcspn(err.text, ":");',
             'bool is_busy = strcasestr(problem->message, "busy");', 'g_str_has_prefix(error->message, "no such")',
             'bool is_named = !*url || strstr(error, url);', 'strstr(d->fix, "openclaw")',
             'oc_starts_with(oc_json_get_str(reply, "message"), "no ")',
             'oc_fail(err, OC_E_UNAVAILABLE,\n "too many: see "\n "openclaw devices list")',
             'char *fix = is_x ? oc_strfmt("; allow it: openclaw config "\n "set %s", x) : oc_strdup("");\n'
             'oc_fail(err, OC_E_DENIED, "not fetched%s",\n fix);\n}\n',
             'oc_strfmt("no (gate: x; fix: %s)", fix)', 'f("no; fix: y")')
    right = ('oc_streq(a->message, a->node_message)', '/* strstr(err->text, "x") */', 'oc_streq(code, "DENIED")',
             'cli_note("  fix: %s", cli->fix)', 'strcmp(name, "text")')
    wrong = [("x.c", line) for line in wrong] + [
        (CODE_IN_FRONT + "x.c", 'return oc_fail(err, OC_E_IO,\n        "UNAVAILABLE: no memory");')]
    right = [("x.c", line) for line in right] + [
        ("x.c", 'oc_fail_wire(err, OC_E_INVALID, "INVALID_REQUEST", "INVALID_REQUEST: %s", why)'),
        (CODE_IN_FRONT + "x.c", 'oc_fail_wire(err, OC_E_IO, "UNAVAILABLE", "GStreamer: %s", text)')]
    return ([f"does not find: {line}" for path, line in wrong if not list(problems_of(path, line))] +
            [f"finds what is right: {line}" for path, line in right if list(problems_of(path, line))])


if __name__ == "__main__":
    found, count = check(sys.argv[1])
    found += own_test()
    for problem in found:
        print(problem)
    print(f"{count} files, {len(found)} problems")
    sys.exit(1 if found or count == 0 else 0)

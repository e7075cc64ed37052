"""Checks names: a part's prefix on all that its headers offer, a use for each of them, no tag for two things or for a function,
static functions that grep finds, and none of the words that docs/GLOSSARY.md gives up. check_names.py <root>"""

import collections
import os
import re
import subprocess
import sys

PREFIX = {"lib": "oc_", "gateway": "gw_", "node": "nd_", "canvas": "cv_", "cli": "cli_", "platform": "os_"}

# Names without the prefix, and why.
MAY_BE_NAMED = {
    **dict.fromkeys(("oc_list_for_each", "oc_list_for_each_safe", "oc_list_first", "oc_json_for_each_member", "oc_new", "oc_new_array",
                     "oc_take"), "used as a statement or function, so it is written like one"),
}

# Tags of more than one file, and why.
MAY_BE_SHARED = {
    **dict.fromkeys(("cv_decoding", "cv_text", "cv_texts", "oc_frame_reader", "oc_poller"), "two of one kind; the build takes one"),
    "params": "what a request may have, in each file of gateway/methods",
}

# Words of docs/GLOSSARY.md's right column that were names once; and names that have one of them all the same, with why.
GIVEN_UP = {"contain", "confine", "confined", "walls", "walled", "untold", "journal", "books"}
MAY_HAVE_WORD = {
    **dict.fromkeys(("CV_FIT_CONTAIN", "fit_contain", "avatar_contain"), "object-fit of CSS"),
    **dict.fromkeys(("oc_log_follow_journal", "has_journal", "a_line_for_the_journal_has_a_priority"), "systemd's"),
    "journal": "SQLite's",
}

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
# A comment with these words, and what it stands in front of.
FOR_TESTS = re.compile(r"/\*(?:[^*]|\*(?!/))*\b[Ff]or[ *\n]+tests\b(?:[^*]|\*(?!/))*\*/([^;{]*)")
GUARD = re.compile(r"#ifndef (\w+)\n#define \1\n")
TAG = re.compile(r"\b(?:struct|enum|union)\s+(\w+)\s*\{")
# Before its name a declaration can have one of these.
ATTRIBUTE = re.compile(r"\b(?:__attribute__|_Alignas|OC_[A-Z_]+)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")
CALLED = re.compile(r"\b(\w+)\s*\(")
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*")
# The words in TwoWords, two_words and TWO_WORDS.
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def code_of(text):
    """Without comments and what is between quotes."""
    return NOT_CODE.sub(" ", text)


def declarations_of(code):
    """Those of a file, without what is in braces."""
    depth, kept = 0, []
    for piece in re.split(r"([{}])", DIRECTIVE.sub("", code)):
        if piece in ("{", "}"):
            depth += 1 if piece == "{" else -1
            kept.append("{};" if piece == "}" and depth == 0 else "")
        elif depth == 0:
            kept.append(piece)
    return [declaration.strip() for declaration in "".join(kept).split(";")]


def functions_of(declarations):
    """The functions among them, with whether each is static."""
    for declaration in declarations:
        declaration = ATTRIBUTE.sub("", declaration)
        called = CALLED.search(declaration.split("=")[0])
        # A name before a "(*" is the type of a variable.
        if called and not declaration.startswith("typedef") and not declaration[called.end():].startswith("*"):
            yield called[1], bool(re.match(r"static\b", declaration))


def macros_of(code):
    guard = GUARD.search(code)
    return [name for name in MACRO.findall(code) if not guard or name != guard[1]]


class Names:
    """What has been seen, in how many files, and what is wrong with it."""

    def __init__(self):
        self.problems, self.exceptions, self.tags = [], set(), {}
        self.offered = {}  # functions and macros of headers, and where
        self.made, self.seen = collections.Counter(), collections.Counter()  # how often declared or defined; how often in all
        self.used = collections.Counter()  # how often outside tests
        self.for_tests = set()  # names whose comment says so
        self.counts = dict.fromkeys(("headers", "names in them", "tags", "static functions", "identifiers"), 0)

    def refuse(self, path, name, why, exceptions):
        if name in exceptions:
            self.exceptions.add(name)
        else:
            self.problems.append(f"{path}: {name} {why}")

    def check_header(self, path, text, code, declarations):
        prefix = PREFIX[path.split("/")[0]]
        names = [(name, prefix) for name, _ in functions_of(declarations)]
        names += [(name, prefix) for name in TAG.findall(code)]
        names += [(name, prefix.upper()) for name in macros_of(code)]
        for name, want in names:
            if not name.startswith(want) or (want.isupper() and not name.isupper()):
                self.refuse(path, name, f"should begin with {want}" + (" and be in capitals" if want.isupper() else ""), MAY_BE_NAMED)
        self.offered.update((name, path) for name, _ in functions_of(declarations))
        self.offered.update((name, path) for name in macros_of(code))
        self.for_tests.update(name for comment in FOR_TESTS.findall(text) for name in IDENTIFIER.findall(comment))
        self.counts["headers"] += 1
        self.counts["names in them"] += len(names)

    def check_ours(self, path, text, code):
        declarations = declarations_of(code)
        self.used.update(IDENTIFIER.findall(code))
        if path.endswith(".h"):
            self.check_header(path, text, code, declarations)
        for tag in TAG.findall(code):
            if tag in self.tags:
                self.refuse(path, tag, f"is a tag of {self.tags[tag]} already", MAY_BE_SHARED)
            self.tags.setdefault(tag, path)
        self.counts["tags"] = len(self.tags)
        self.made.update(MACRO.findall(code))
        for name, is_static in functions_of(declarations):
            self.made[name] += 1
            self.counts["static functions"] += is_static
            if is_static and "_" not in name and name != "main":
                self.refuse(path, name, "is a static function of one word: what does it do to what?", ())

    def check(self, path, text):
        code = code_of(text)
        if path.split("/")[0] in PREFIX:
            self.check_ours(path, text, code)
        self.seen.update(IDENTIFIER.findall(code))
        identifiers = set(IDENTIFIER.findall(code))
        self.counts["identifiers"] += len(identifiers)
        for name in sorted(identifiers):
            if not GIVEN_UP.isdisjoint(part.lower() for part in PARTS.findall(name)):
                self.refuse(path, name, "has a word for which docs/GLOSSARY.md has another", MAY_HAVE_WORD)

    def check_tags(self):
        """`struct nd_a nd_a(void)` is legal, and nobody finds one of the two."""
        self.problems += [f"{path}: {name} is a function and a tag of {self.tags[name]}" for name, path in self.offered.items()
                          if name in self.tags]

    def check_uses(self):
        """A use is in another file, macro or inline function; what only tests use says so: "for tests"."""
        for name, path in self.offered.items():
            if self.seen[name] <= self.made[name]:
                self.problems.append(f"{path}: {name} is used nowhere")
            elif self.used[name] <= self.made[name] and name not in self.for_tests:
                self.problems.append(f"{path}: {name} is used by tests alone, and its comment does not say so")

    def check_exceptions(self):
        unused = {*MAY_BE_NAMED, *MAY_BE_SHARED, *MAY_HAVE_WORD} - self.exceptions
        self.problems += [f"{name} is an exception and needs none" for name in sorted(unused)]


def problems_in(files, with_uses=False):
    names = Names()
    for path, text in files.items():
        names.check(path, text)
    if with_uses:
        names.check_uses()
    names.check_tags()
    return len(names.problems)


def own_test():
    """Known answers: a search that finds nothing proves nothing."""
    assert not problems_in({"node/a.h": """#ifndef NODE_A_H
#define NODE_A_H
/* struct gw_in_comment { int a; }; void walls(void); */
#define ND_A(x) \\
    gw_b(x)
struct nd_a {
    int (*gw_c)(int a);
};
typedef void (*any_type)(int a);
OC_PRINTF(1, 2) const char *nd_b(const char *text, struct oc_list *l) OC_MUST_USE;
static inline int nd_c(void) {
    return gw_d("walls");
}
#endif"""})
    for wrong in ("void gw_a(void);", "static inline int a(void) { return 0; }", "struct oc_a { int b; };", "enum a { ND_B };",
                  "#define GW_A 1", "#define nd_a 1", "OC_PRINTF(1, 2) void oc_a(int b);"):
        assert problems_in({"node/a.h": wrong}), wrong
        assert not problems_in({"tests/a.h": wrong}), wrong
    assert problems_in({"lib/a.c": "struct a { int b; };", "node/b.c": "enum a { B };"}) == 1
    assert not problems_in({"lib/a.c": "struct a { int b; };", "node/b.c": "struct a;", "tests/c.c": "struct a { int b; };"})
    assert problems_in({"lib/a.h": "struct oc_a { int b; };\nstruct oc_a oc_a(void);"}) == 1
    assert problems_in({"cli/a.c": "static void run(void) {\n}\n"}) == 1
    assert not problems_in({"cli/a.c": "static void a_run(void) {\n    run();\n}\nstatic int (*const table[])(void) = { run(1) };\n"
                                    "static int main(void) {\n}\n"})
    for name in ("put_up_walls", "untold", "OS_CONTAIN_ALL", "isConfine", "gw_books_open"):
        assert problems_in({"tests/a.c": f"int {name};"}) == 1, name
    assert not problems_in({"tests/a.c": "int container, OC_CONTAINER, wallsocket;"})
    offered = {"node/a.h": "#define ND_A 1 /* ND_A */\nint nd_b(void);\nstatic inline int nd_c(void) { return 0; }",
               "node/a.c": 'int nd_b(void) {\n    return "nd_b nd_c ND_A"[0];\n}\n'}
    assert problems_in(offered, with_uses=True) == 3
    used = "int b(void) {\n    return nd_b() + nd_c() + ND_A;\n}\n"
    assert not problems_in({**offered, "node/b.c": used}, with_uses=True)
    assert problems_in({**offered, "tests/b.c": used}, with_uses=True) == 3
    marked = offered["node/a.h"].replace("int nd_b", "/* Counts. For\n * tests. */\nint nd_b")
    assert problems_in({**offered, "node/a.h": marked, "tests/b.c": used}, with_uses=True) == 2


def main(root):
    names = Names()
    paths = subprocess.run(["git", "-C", root, "ls-files", "-c", "-o", "--exclude-standard", "--", "*.c", "*.h", "*.m", "*.def"],
                           check=True, capture_output=True, text=True).stdout.split()
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as f:
            names.check(path, f.read())
    names.check_tags()
    names.check_uses()
    names.check_exceptions()
    counted = ", ".join(f"{count} {what}" for what, count in names.counts.items())
    print("\n".join([*names.problems, f"{counted}: {len(names.problems)} problems"]))
    return not names.problems and all(names.counts.values())


if __name__ == "__main__":
    own_test()
    sys.exit(0 if main(sys.argv[1]) else 1)

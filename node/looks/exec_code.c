#include "node/looks/exec_code.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "node/argv/paths/exec_path.h"

#include <string.h>

/* Sources of interpreters, libraries, archives that are run or installed as they are, and what
 * builds read. */
static const char *const endings[] = { "apk", "appimage", "awk", "ash", "bash", "bat",
    "bash_profile", "bashrc", "bc", "bin", "bundle", "cgi", "cjs", "class", "clj", "cmake", "cmd",
    "coffee", "com", "command", "csh", "cts", "dart", "deb", "desktop", "dll", "dylib", "ear",
    "egg", "el", "elc", "erl", "exe", "ex", "exp", "exs", "fish", "gawk", "gdb", "gem", "go", "gp",
    "gradle", "groovy", "hs", "jar", "jl", "jnlp", "js", "jsx", "ko", "ksh", "kts", "lisp", "lua",
    "luac", "m4", "mak", "mjs", "mk", "ml", "mts", "nix", "node", "nse", "nu", "o", "p6", "phar",
    "php", "pl", "plugin", "plx", "pm", "profile", "ps1", "psm1", "pth", "py", "pyc", "pyo", "pyw",
    "pyz", "r", "rake", "rb", "rbw", "rc", "rexx", "rkt", "rpm", "run", "scala", "scm", "scpt",
    "sed", "service", "sh", "snap", "so", "sql", "swift", "t", "tcl", "tk", "ts", "tsx", "vbs",
    "vim", "war", "wasm", "whl", "wsf", "xpi", "zsh", "zshrc", NULL };

static const char *const names[] = { "__main__.py", "build", "cmakelists.txt", "configure",
    "dockerfile", "gemfile", "gnumakefile", "jenkinsfile", "justfile", "makefile", "package.json",
    "pom.xml", "rakefile", "vagrantfile", NULL };

static const struct {
    const char *bytes;
    size_t len;
} heads[] = {
    { "#!", 2 }, { "\177ELF", 4 }, { "MZ", 2 },
    { "\312\376\272\276", 4 }, /* Java, and Mach-O for several machines */
    { "\317\372\355\376", 4 }, /* Mach-O */
    { "\316\372\355\376", 4 }, { "\0asm", 4 }, { "!<arch>", 7 },
    { "BC\300\336", 4 }, /* LLVM's bitcode, which lli runs */
};

/* libx.so.1.2 ends with .so, too. */
static bool is_library(const char *name) {
    const char *at = strstr(name, ".so.");
    return at && strspn(at + 4, "0123456789.") == strlen(at + 4);
}

bool nd_exec_is_code_name(const char *path) {
    OC_AUTO_FREE char *name = oc_strdup(nd_path_name(path));
    oc_ascii_lower(name);
    const char *dot = strrchr(name, '.');
    return (dot && oc_str_in(dot + 1, endings)) || is_library(name) || oc_str_in(name, names);
}

bool nd_exec_is_code(const char *path, const struct stat *st, const struct nd_exec_reading *how) {
    char head[8];
    if ((st->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0 || nd_exec_is_code_name(path)) {
        return true;
    }
    size_t n = nd_exec_read_head(path, how, head, sizeof(head));
    for (size_t i = 0; i < OC_COUNT(heads); i++) {
        if (n >= heads[i].len && memcmp(head, heads[i].bytes, heads[i].len) == 0) {
            return true;
        }
    }
    return false;
}

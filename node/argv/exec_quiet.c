#include "node/argv/exec_quiet.h"

#include "lib/base/str.h"
#include "node/argv/paths/exec_path.h"

#include <stddef.h>

/* From their manuals: no option of theirs starts a program or loads code. Not sort, split, install,
 * env … */
static const char *const quiet[] = { "[", "b2sum", "base32", "base64", "basename", "basenc",
    "bzip2", "cal", "cat", "chgrp", "chmod", "chown", "cksum", "cmp", "column", "comm", "cp",
    "csplit", "cut", "date", "dd", "df", "diff", "dir", "dirname", "du", "echo", "egrep", "expand",
    "expr", "factor", "false", "fgrep", "file", "fmt", "fold", "free", "grep", "groups", "gzip",
    "head", "hexdump", "hostid", "hostname", "id", "join", "jq", "kill", "link", "ln", "logname",
    "look", "ls", "lsblk", "md5sum", "mkdir", "mkfifo", "mknod", "mktemp", "mv", "nl", "nproc",
    "numfmt", "od", "paste", "pathchk", "pgrep", "pidof", "pinky", "pr", "printenv", "printf", "ps",
    "ptx", "pwd", "readlink", "realpath", "rev", "rm", "rmdir", "seq", "sha1sum", "sha224sum",
    "sha256sum", "sha384sum", "sha512sum", "shred", "shuf", "sleep", "stat", "stty", "sum", "sync",
    "tac", "tail", "tee", "test", "touch", "tr", "true", "truncate", "tsort", "tty", "uname",
    "unexpand", "uniq", "unlink", "uptime", "users", "vdir", "wc", "whereis", "which",
    "which.debianutils", "who", "whoami", "xxd", "xz", "yes", NULL };

/* Of these, the ones that write no file and change none, whatever their options. Not uniq, xxd and
 * ptx, which may have the name of their output as a word, not cp, dd, tee, mv, ln, rm, chmod … */
static const char *const idle[] = { "[", "b2sum", "base32", "base64", "basename", "basenc", "cal",
    "cat", "cksum", "cmp", "column", "comm", "cut", "df", "diff", "dir", "dirname", "du", "echo",
    "egrep", "expand", "expr", "factor", "false", "fgrep", "fmt", "fold", "free", "grep", "groups",
    "head", "hexdump", "hostid", "id", "join", "jq", "logname", "ls", "lsblk", "md5sum", "nl",
    "nproc", "numfmt", "od", "paste", "pathchk", "pgrep", "pidof", "printenv", "printf", "ps",
    "pwd", "readlink", "realpath", "rev", "seq", "sha1sum", "sha224sum", "sha256sum", "sha384sum",
    "sha512sum", "sleep", "stat", "sum", "tac", "tail", "test", "tr", "true", "tsort", "tty",
    "uname", "unexpand", "uptime", "users", "vdir", "wc", "whereis", "which", "which.debianutils",
    "who", "whoami", "yes", NULL };

bool nd_exec_runs_nothing(const char *real) {
    return oc_str_in(nd_path_name(real), quiet);
}

bool nd_exec_writes_nothing(const char *real) {
    return oc_str_in(nd_path_name(real), idle);
}

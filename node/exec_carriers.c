/* The list is about what a program is for. Ordinary tools that can also be talked into starting
 * something (git, tar) are not on it: whoever allows them by path knows them. */
#include "node/exec_carriers.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char *const names[] = { /* sorted, lower case, without version */
    "aa-exec", "abduco", "ansible*", "ant", "apptainer", "arch", "ash", "at", "autossh", "awk",
    "bash", "batch", "bazel", "bazelisk", "bmake", "bosh", "bpftrace", "buck2", "buildah", "bun",
    "bundle", "bundler", "bunx", "busybox", "bwrap", "byobu", "cabal", "caffeinate", "capsh",
    "cargo", "catatonit", "catchsegv", "cgexec", "chef-client", "choom", "chpst", "chronic",
    "chroot", "chrt", "clisp", "clj", "clojure", "clush", "cmake", "cmd", "composer", "conda",
    "corepack", "coreutils", "cpulimit", "crictl", "crontab", "crun", "crystal", "csh", "ctest",
    "ctr", "d8", "daemon", "daemonize", "dart", "dash", "dbus-launch", "dbus-run-session", "dc",
    "deno", "distrobox", "doas", "docker", "docker-compose", "dotnet", "dtach", "dub", "duckdb",
    "dumb-init", "eatmydata", "ecl", "ed", "elixir", "elvish", "emacs", "emacsclient", "entr",
    "env", "envdir", "envuidgid", "erl", "es", "escript", "ex", "exec", "expect", "fab",
    "fakechroot", "fakeroot", "faketime", "fd", "fdfind", "find", "firejail", "fish", "flatpak",
    "flock", "ftp", "gawk", "gdb", "gem", "gforth", "ghc", "ghci", "git-shell", "gjs", "gmake",
    "gnome-terminal", "gnuplot", "go", "goawk", "gosu", "gradle", "gradlew", "groovy", "gsed",
    "gst", "gtimeout", "guile", "guix", "gvim", "hatch", "hush", "hx", "iex", "incus", "invoke",
    "ion", "ionice", "irb", "java", "javaw", "jjs", "js", "jshell", "julia", "just", "k3s", "kak",
    "konsole", "kotlin", "kotlinc", "ksh", "kubectl", "launchctl", "ld-linux*", "ld-musl*",
    "ld.so", "ld64.so*", "lein", "less", "lftp", "linux32", "linux64", "lksh", "lldb", "login",
    "ltrace", "lua*", "lxc", "lxc-attach", "lxc-execute", "m4", "machinectl", "make", "mamba",
    "man", "mariadb", "mawk", "maxima", "meson", "micro", "micromamba", "mill", "mix", "mksh",
    "mongo", "mongosh", "mono", "more", "mosh", "most", "mvn", "mvnw", "mysql", "nano", "nawk",
    "nc", "ncat", "nerdctl", "netcat", "newgrp", "nice", "nim", "ninja", "nix", "nix-build",
    "nix-shell", "node", "nodejs", "nohup", "nox", "npm", "npx", "nsenter", "nu", "numactl",
    "nushell", "nvim", "ocaml", "octave", "oil", "open", "openclaw", "original-awk", "osascript",
    "osh", "packer", "parallel", "pdksh", "pdsh", "perf", "perl*", "php*", "pico", "pip",
    "pipenv", "pipx", "pkexec", "pnpm", "pnpx", "podman", "poetry", "posh", "powershell",
    "prlimit", "proot", "proxychains*", "psql", "pssh", "pulumi", "puppet", "pwsh", "pypy*",
    "pytest", "python*", "qjs", "r", "racket", "rake", "raku", "rbash", "rc", "rdmd", "rebar3",
    "red", "remsh", "rexec", "rksh", "rlwrap", "rscript", "rsh", "rsync", "ruby*", "run-parts",
    "run0", "runc", "runcon", "runghc", "runhaskell", "runsv", "runuser", "rustup", "rview",
    "rvim", "rzsh", "s6-*", "salt*", "samu", "sandbox-exec", "sbase-box", "sbcl", "sbt", "scala",
    "scons", "scp", "screen", "script", "scsh", "sed", "sem", "setarch", "setpriv", "setsid",
    "setuidgid", "sftp", "sg", "sh", "singularity", "slogin", "snap", "socat", "softlimit",
    "sqlite", "sqlite3", "ssed", "ssh", "ssh-agent", "sshfs", "sshpass", "stack",
    "start-stop-daemon", "startx", "stdbuf", "strace", "su", "su-exec", "sudo", "sudoedit", "svc",
    "swift", "swipl", "systemd-cat", "systemd-inhibit", "systemd-nspawn", "systemd-run", "task",
    "taskset", "tcc", "tclsh*", "tcsh", "telnet", "terraform", "time", "timeout", "tini", "tmux",
    "tofu", "toolbox", "torify", "torsocks", "tox", "toybox", "ts", "ts-node", "tsx", "ubase-box",
    "uname26", "unbuffer", "unshare", "utop", "uv", "uvx", "vagrant", "valgrind", "vi", "view",
    "vim", "vim.*", "vimdiff", "watch", "wine", "wine64", "wish*", "xargs", "xdg-open", "xdotool",
    "xinit", "xonsh", "xterm", "xvfb-run", "yarn", "yarnpkg", "yash", "ysh", "zellij", "zig",
    "zsh",
};
/* clang-format on */

const char *const *oc_exec_carriers(size_t *ret_count) {
    *ret_count = OC_COUNT(names);
    return names;
}

static int by_name(const void *key, const void *row) {
    return strcmp(key, *(const char *const *)row);
}

static bool is_listed(const char *name) {
    return bsearch(name, names, OC_COUNT(names), sizeof(names[0]), by_name) != NULL;
}

static bool matches_prefix(const char *name) {
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        size_t len = strlen(names[i]);
        if (names[i][len - 1] == '*' && strncmp(name, names[i], len - 1) == 0) {
            return true;
        }
    }
    return false;
}

bool oc_exec_is_carrier(const char *name) {
    char plain[64];
    size_t len = strlen(name);
    if (len >= sizeof(plain)) {
        return false;
    }
    memcpy(plain, name, len + 1);
    oc_ascii_lower(plain);
    if (len > 4 && oc_ends_with(plain, ".exe")) {
        plain[len -= 4] = '\0';
    }
    if (is_listed(plain) || matches_prefix(plain)) {
        return true;
    }
    /* bash-5.2, node18, vim.basic is listed as it is */
    while (len > 0 && strchr("0123456789.-_", plain[len - 1])) {
        plain[--len] = '\0';
    }
    return len > 0 && is_listed(plain);
}

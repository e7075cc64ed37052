/* The list is about what a program is for. Ordinary tools that can also be made to start
 * something (git, tar) are not on it: whoever allows them by path knows them. */
#include "node/argv/exec_carriers.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char *const names[] = { /* sorted, lower case, without version */
    "aa-exec", "abduco", "aclocal", "agetty", "alacritty", "ansible*", "ant", "apptainer", "arch",
    "asdf", "ash", "at", "autoconf", "autoheader", "autom4te", "automake", "autoreconf", "autossh",
    "awk", "bash", "bash-*", "batch", "bats", "bazel", "bazelisk", "bear", "bison", "bmake", "bosh",
    "bpftrace", "bpython", "bsd-csh", "buck2", "bugpoint", "buildah", "bun", "bundle", "bundler",
    "bunx", "busybox", "busybox-*", "bwrap", "byobu", "bzless", "bzmore", "cabal", "caffeinate",
    "capsh", "cargo", "catatonit", "catchsegv", "ccache", "ccmake", "cgexec", "chef-client",
    "choom", "chpst", "chronic", "chroot", "chrt", "clang-repl", "clisp", "clj", "clojure", "clush",
    "cmake", "cmake-gui", "cmd", "cobcrun", "colima", "composer", "conda", "corepack", "coreutils",
    "coverage", "cpack", "cpan*", "cpulimit", "crictl", "crontab", "crun", "crystal", "csh",
    "csh-*", "ctest", "ctr", "d8", "daemon", "daemonize", "dart", "dash", "dash-*", "dbclient",
    "dbus-launch", "dbus-run-session", "dc", "debconf", "debconf-apt-progress", "debugfs",
    "debuild", "deno", "direnv", "distrobox", "doas", "docker", "docker-compose", "dotnet",
    "dpkg-architecture", "dpkg-buildpackage", "dropbear", "dsh", "dtach", "dub", "duckdb",
    "dumb-init", "eatmydata", "ecl", "ed", "elixir", "elvish", "emacs*", "enosys", "entr", "env",
    "envdir", "envuidgid", "erb", "erl", "es", "escript", "ex", "exec", "exo-open", "expect", "fab",
    "fakechroot", "fakeroot*", "faketime", "fd", "fdfind", "find", "firejail", "fish", "fish-*",
    "flatpak", "flock", "fnm", "foot", "foreman", "forever", "fppkg", "fstab-decode", "ftp",
    "gamemoderun", "gapplication", "gawk", "gdb", "gdb-*", "gdbserver", "gdbtui", "gem", "getty",
    "gforth", "ghc", "ghci", "ghostscript", "gio", "git-shell", "gjs", "gmake", "gnatmake",
    "gnome-terminal", "gnroff", "gnuplot", "go", "goawk", "gosu", "gp-collect-app", "gpg-agent",
    "gpg-connect-agent", "gpic", "gprofng", "gradle", "gradlew", "grap", "groff", "groovy", "grunt",
    "gs", "gsed", "gst", "gst-inspect-1.0", "gtester", "gtimeout", "gtk-launch", "gtroff", "guile",
    "guix", "gulp", "gvim", "gvim-*", "hatch", "heaptrack", "helix", "honcho", "hush", "hx",
    "hyperfine", "iex", "ifne", "ifpc", "incus", "inetd", "instantfpc", "intercept-build", "invoke",
    "ion", "ionice", "ipython", "irb", "java", "javaw", "jdb", "jed", "jest", "jexec", "jjs", "joe",
    "jrunscript", "js", "jsc", "jshell", "julia", "jupyter*", "just", "k3s", "kak", "kde-open",
    "kgx", "kitty", "konsole", "kotlin", "kotlinc", "kpt", "ksh", "ksh-*", "kstart", "kubectl",
    "kvm", "latex", "latexmk", "launchctl", "lckdo", "ld-linux*", "ld-musl*", "ld.so", "ld64.so*",
    "lein", "less", "lf", "lftp", "libtool", "lima", "limactl", "linux32", "linux64", "lksh",
    "lldb", "lli", "llvm-exegesis", "llvm-jitlink", "llvm-reduce", "llvm-rtdyld", "login",
    "logsave", "ltrace", "lua*", "luit", "lxc", "lxc-attach", "lxc-execute", "lxterm", "lxterminal",
    "lzless", "lzmore", "m4", "machinectl", "make", "make-first-existing-target", "mako-render",
    "mamba", "man", "mariadb", "mate-terminal", "mawk", "maxima", "mc", "mcedit", "memusage",
    "meson", "micro", "micromamba", "mill", "minijail0", "mise", "mispipe", "mix", "mksh", "mksh-*",
    "mmroff", "mocha", "mongo", "mongosh", "mono", "more", "mosh", "most", "mount.fuse",
    "mount.fuse3", "mpiexec", "mpiexec.*", "mpirun", "msgexec", "msgfilter", "mutter", "mvn",
    "mvndebug", "mvnw", "mysql", "nano", "nawk", "nc", "ncat", "nerdctl", "netcat", "newgrp",
    "nice", "nim", "ninja", "nix", "nix-build", "nix-shell", "nnn", "node", "nodejs", "nodemon",
    "nohup", "not", "nox", "npm", "npx", "npx-cli.js", "nq", "nroff", "nsenter", "nsjail", "nu",
    "numactl", "nushell", "nvim", "nvim-*", "ocaml", "octave", "oil", "open", "openbox",
    "openbox-session", "openclaw", "optirun", "original-awk", "orterun", "osascript", "osh",
    "overmind", "packer", "padsp", "parallel", "pasuspender", "pbuilder", "pdb", "pdb3", "pdflatex",
    "pdfmom", "pdfroff", "pdftex", "pdksh", "pdsh", "pee", "perf", "perl*", "pg_buildext",
    "pg_virtualenv", "pg_wrapper", "pgbench", "php*", "pic", "pico", "pip", "pipenv", "pipesz",
    "pipewire", "pipx", "pixi", "pkexec", "pm2", "pnpm", "pnpx", "podman", "poetry", "posh",
    "powershell", "prime-run", "primusrun", "prlimit", "proot", "prove", "proxychains*", "prterun",
    "pry", "psql", "pssh", "ptpython", "ptyxis", "pulumi", "puppet", "pwsh", "pydoc*", "pyenv",
    "pygmentize", "pypy*", "pytest", "python*", "qemu", "qemu-*", "qjs", "qterminal", "r", "racket",
    "rackup", "rake", "raku", "ranger", "rbash", "rbenv", "rc", "rdmd", "rebar3", "red", "reflex",
    "regina", "remsh", "rexec", "rexx", "rksh", "rlwrap", "rr", "rscript", "rsh", "rspec", "rsync",
    "ruby*", "run-mailcap", "run-parts", "run0", "runc", "runcon", "runghc", "runhaskell", "runsv",
    "runsvdir", "runuser", "rush", "rust-script", "rustup", "rview", "rvim", "rxvt*", "rzsh",
    "s6-*", "salt*", "samu", "sandbox-exec", "sash", "sash-*", "sbase-box", "sbcl", "sbt", "sbuild",
    "scala", "scalar", "scan-build", "scan-build-py", "schroot", "scons", "scp", "screen", "script",
    "scriptlive", "scsh", "sed", "sem", "sensible-*", "setarch", "setlock", "setpriv", "setsid",
    "setuidgid", "sftp", "sg", "sh", "singularity", "slogin", "snap", "socat", "softlimit",
    "sotruss", "sphinx-build", "split", "sqlite", "sqlite3", "srun", "ssed", "ssh", "ssh-agent",
    "ssh-argv0", "ssh-copy-id", "sshfs", "sshpass", "stack", "start-stop-daemon", "startx",
    "stdbuf", "strace", "stunnel*", "su", "su-exec", "sudo", "sudoedit", "sulogin", "supervisord",
    "svc", "sway", "swift", "swipl", "switch_root", "systemd-cat", "systemd-inhibit",
    "systemd-nspawn", "systemd-run", "systemd-socket-activate", "task", "taskset", "tcc", "tclkit",
    "tclsh*", "tcpserver", "tcpsvd", "tcsh", "tcsh-*", "telnet", "terminator", "terraform", "tex",
    "texi2dvi", "tilix", "time", "timeout", "tini", "tmux", "tofu", "toolbox", "torify", "torsocks",
    "tox", "toybox", "troff", "ts", "ts-node", "tsp", "tsx", "ubase-box", "uclampset", "udpsvd",
    "uftrace", "umockdev-run", "umockdev-wrapper", "uname26", "unbuffer", "unshare", "urxvt*",
    "utop", "uv", "uvx", "uxterm", "vagrant", "valgrind*", "vglrun", "vi", "vidir", "view", "vifm",
    "vim", "vim-*", "vim.*", "vimdiff", "vimtutor", "vipe", "volta", "watch", "watchexec", "weston",
    "weston-terminal", "wezterm", "wine", "wine64", "wireplumber", "wish*", "wpexec", "wsl",
    "x-terminal-emulator", "x11docker", "xargs", "xdg-open", "xdotool", "xelatex", "xetex",
    "xfce4-terminal", "xinetd", "xinit", "xonsh", "xterm", "xtrace", "xvfb-run", "xzless", "xzmore",
    "yarn", "yarnpkg", "yash", "ysh", "zellij", "zig", "zless", "zmore", "zsh", "zsh-*", "zstdless",
    "zutty",
};
/* clang-format on */

const char *const *nd_exec_carriers(size_t *ret_count) {
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

bool nd_exec_is_carrier(const char *name) {
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
    /* x86_64-linux-gnu-gnatmake-12 */
    const char *triplet = strstr(plain, "-linux-gnu");
    const char *tool = triplet ? strchr(triplet + strlen("-linux-gnu"), '-') : NULL;
    if (tool && tool[1]) {
        memmove(plain, tool + 1, strlen(tool + 1) + 1);
        len = strlen(plain);
        if (is_listed(plain) || matches_prefix(plain)) {
            return true;
        }
    }
    /* bash-5.2, node18, vim.basic is listed as it is */
    while (len > 0 && oc_is_one_of(plain[len - 1], "0123456789.-_")) {
        plain[--len] = '\0';
    }
    return len > 0 && is_listed(plain);
}

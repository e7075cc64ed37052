#include "node/argv/exec_carriers.h"

#include "lib/base/mem.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void sorted_and_lower_case(void **state) {
    (void)state;
    size_t count;
    const char *const *names = nd_exec_carriers(&count);
    assert_true(count > 100);
    for (size_t i = 0; i < count; i++) {
        for (const char *c = names[i]; *c; c++) {
            assert_false(isupper((unsigned char)*c));
        }
        if (i > 0 && strcmp(names[i - 1], names[i]) >= 0) {
            fail_msg("%s must come before %s", names[i], names[i - 1]);
        }
    }
}

static void carriers(void **state) {
    (void)state;
    static const char *const yes[] = { "sh", "bash", "dash", "zsh", "ksh", "fish", "busybox",
        "toybox", "coreutils", "python", "python3", "python3.11", "Python3", "python3-dbg", "pypy3",
        "perl", "perl5.36.0", "ruby3.1", "node", "node18", "nodejs", "deno", "bun", "lua5.4",
        "luajit", "php8.2", "tclsh8.6", "awk", "gawk", "mawk", "sed", "env", "nice", "nohup",
        "timeout", "stdbuf", "xargs", "find", "sudo", "doas", "su", "ssh", "setsid", "ionice",
        "chrt", "taskset", "flock", "watch", "time", "script", "expect", "vim", "vim.basic", "nvim",
        "emacs", "gdb", "strace", "make", "docker", "kubectl", "systemd-run", "tmux", "screen",
        "socat", "nc", "rsync", "ld-linux-x86-64.so.2", "bash-5.2", "cmd.exe", "pwsh", "java",
        "npx", "parallel", "unshare", "nsenter", "chroot", "openclaw", "logsave", "fakeroot-sysv",
        "fakeroot-tcp", "dpkg-architecture", "split", "systemd-socket-activate", "uclampset",
        "scriptlive", "pipesz", "enosys", "debconf", "run-mailcap", "sensible-editor",
        "sensible-pager", "mpirun", "mpiexec", "mpiexec.openmpi", "emacs-gtk", "emacs-nox",
        "emacsclient.emacs", "bash-static", "bsd-csh", "sash", "gdb-multiarch", "hyperfine",
        "watchexec", "dbclient", "ssh-argv0", "zsh-static", "busybox-static", "vim-nox", "urxvt",
        "kitty", "schroot", "umockdev-run", "umockdev-wrapper", "scan-build", "scan-build-14",
        "lli", "lli-14", "not-14", "ccache", "gtester", "prove", "rexx", "pg_wrapper",
        "fstab-decode", "cpack", "ctest", "ccmake", "cpan", "cpan5.36-x86_64-linux-gnu", "pydoc3",
        "pydoc3.11", "mako-render", "groff", "troff", "pic", "valgrind.bin", "gdbtui", "gdbserver",
        "pygmentize", "make-first-existing-target", "qemu-system-x86_64", "qemu-aarch64-static",
        "kvm", "luit", "ifpc-3.2.2", "gst-inspect-1.0", "npx-cli.js",
        "x86_64-linux-gnu-gnatmake-12", "aarch64-linux-gnu-gp-collect-app" };
    static const char *const no[] = { "ls", "cat", "uname", "id", "date", "git", "tar", "curl",
        "jq", "grep", "printf", "true", "base64", "md5sum", "7z", "shasum", "sha256sum", "shred",
        "bashful", "bashbug", "logger", "ssh-keygen", "gdbus", "splitdiff", "fakeshell", "envoy",
        "finder", "nodeinfo", "3.11", "", "-", "x86_64-linux-gnu-objdump", "x86_64-linux-gnu-" };
    for (size_t i = 0; i < OC_COUNT(yes); i++) {
        if (!nd_exec_is_carrier(yes[i])) {
            fail_msg("%s runs other commands", yes[i]);
        }
    }
    for (size_t i = 0; i < OC_COUNT(no); i++) {
        if (nd_exec_is_carrier(no[i])) {
            fail_msg("%s is an ordinary program", no[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_and_lower_case),
        cmocka_unit_test(carriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

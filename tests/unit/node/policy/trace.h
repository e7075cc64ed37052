/* Runs a command and sees every program that it or a descendant of it executes, by ptrace: no
 * privileges are needed, and nothing can hide from it. */
#ifndef TESTS_UNIT_NODE_POLICY_TRACE_H
#define TESTS_UNIT_NODE_POLICY_TRACE_H

#include "lib/base/str.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

struct oc_trace {
    struct oc_strv programs; /* "<file> <argument>|<argument>|", in order of execution */
    int exit_code;           /* of the command itself; -1: killed */
};

static inline void oc_trace_finish(struct oc_trace *t) {
    oc_strv_finish(&t->programs);
}

static inline void oc_trace_note(struct oc_trace *t, pid_t pid) {
    char link[64], file[PATH_MAX] = "", args[8192];
    (void)snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(link, file, sizeof(file) - 1);
    file[n > 0 ? n : 0] = '\0';
    (void)snprintf(link, sizeof(link), "/proc/%d/cmdline", (int)pid);
    OC_AUTO_FD int fd = open(link, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? 0 : read(fd, args, sizeof(args) - 1);
    args[n > 0 ? n : 0] = '\0';
    size_t skip = strlen(args) + 1; /* argv[0] may be any name for the file */
    for (ssize_t i = 0; i < n; i++) {
        args[i] = args[i] ? args[i] : '|';
    }
    OC_AUTO_FREE char *line = oc_strfmt("%s %s", file, (ssize_t)skip < n ? args + skip : "");
    oc_strv_add(&t->programs, line);
}

static inline void oc_trace_child(
        const char *dir, const char *path, char *const *argv, char *const *env) {
    int null = open("/dev/null", O_RDWR);
    (void)dup2(null, 0);
    (void)dup2(null, 1);
    (void)dup2(null, 2);
    if (chdir(dir) != 0 || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        _exit(125);
    }
    (void)raise(SIGSTOP);
    (void)execve(path, argv, env);
    _exit(127);
}

/* False where tracing is forbidden. */
static inline bool oc_trace_run(const char *dir, const char *path, const struct oc_strv *words,
        char *const *env, struct oc_trace *ret) {
    *ret = (struct oc_trace){ .exit_code = -1 };
    char **argv = oc_new_array(char *, words->count + 1);
    memcpy(argv, words->items, words->count * sizeof(argv[0]));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        oc_trace_child(dir, path, argv, env);
    }
    oc_free(argv);
    int status = 0;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
        return false;
    }
    long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, options), 0);
    (void)ptrace(PTRACE_CONT, pid, NULL, NULL);
    for (pid_t who; (who = waitpid(-1, &status, __WALL)) > 0;) {
        if (!WIFSTOPPED(status)) {
            ret->exit_code = who == pid && WIFEXITED(status) ? WEXITSTATUS(status) : ret->exit_code;
            continue;
        }
        int sig = WSTOPSIG(status);
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
            oc_trace_note(ret, who);
        }
        (void)ptrace(PTRACE_CONT, who, NULL, sig == SIGTRAP || sig == SIGSTOP ? 0 : (long)sig);
    }
    return true;
}

#endif

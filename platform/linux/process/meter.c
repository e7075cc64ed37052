/* What a whole tree uses up, by asking about each of its processes.
 *
 * Rlimits are per process, and a command is rarely one process. So the supervisor adds up now and
 * then what everything below it has: a command gets past its ceiling for a moment only, but not by
 * starting more processes. Shared pages would count once for each who has them, so when the quick
 * sum is too much the exact one decides. */
#include "platform/linux/process/meter.h"

#include "lib/base/mem.h"
#include "platform/linux/process/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { GRACE_MS = 500 }; /* a single process is told by SIGXCPU before we kill them all */

static bool read_proc(pid_t pid, const char *name, char *ret, size_t size) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);
    if (n <= 0) {
        return false;
    }
    ret[n] = '\0';
    return true;
}

/* "Key:    123 kB" at the start of a line, in bytes; 0 when it is not there. */
static int64_t find_kb(const char *text, const char *key) {
    size_t len = strlen(key);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, key, len) == 0 && at[len] == ':') {
            return strtoll(at + len + 1, NULL, 10) * 1024;
        }
        if (!*at) {
            break;
        }
    }
    return 0;
}

/* Its own and of those it has waited for. */
static int64_t cpu_ms_of(pid_t pid) {
    char text[1024];
    unsigned long long user, system, children_user, children_system;
    const char *rest = read_proc(pid, "stat", text, sizeof(text)) ? strrchr(text, ')') : NULL;
    if (!rest ||
            sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
                    &user, &system, &children_user,
                    &children_system) != 4) { /* NOLINT(cert-err34-c) */
        return 0;
    }
    return (int64_t)((user + system + children_user + children_system) * 1000 /
                     (unsigned long long)sysconf(_SC_CLK_TCK));
}

static int64_t quick_memory_of(pid_t pid) {
    char text[4096];
    if (!read_proc(pid, "status", text, sizeof(text))) {
        return 0;
    }
    return find_kb(text, "RssAnon") + find_kb(text, "RssShmem") + find_kb(text, "VmSwap");
}

/* Pages that several have count in parts. Not to be had of programs with other privileges, nor from
 * old kernels. */
static int64_t exact_memory_of(pid_t pid) {
    char text[4096];
    if (!read_proc(pid, "smaps_rollup", text, sizeof(text)) || !strstr(text, "Pss_Anon:")) {
        return quick_memory_of(pid);
    }
    return find_kb(text, "Pss_Anon") + find_kb(text, "Pss_Shmem") + find_kb(text, "SwapPss");
}

static int64_t meter_sum(const pid_t *pids, size_t count, int64_t (*of)(pid_t pid)) {
    int64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += of(pids[i]);
    }
    return total;
}

/* Those of us who have ended, and all whom they had waited for. */
static int64_t cpu_ms_of_ended(void) {
    struct rusage r;
    if (getrusage(RUSAGE_CHILDREN, &r) != 0) {
        return 0;
    }
    return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000 +
           (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1000;
}

enum os_limit os_meter_read(const struct os_limits *limits) {
    pid_t *pids = NULL;
    size_t count = os_tree_members(getpid(), &pids);
    enum os_limit over = OS_LIMIT_NONE;
    if (limits->cpu_seconds > 0 && cpu_ms_of_ended() + meter_sum(pids, count, cpu_ms_of) >
                                           limits->cpu_seconds * 1000 + GRACE_MS) {
        over = OS_LIMIT_CPU;
    }
    if (limits->memory_bytes > 0 &&
            meter_sum(pids, count, quick_memory_of) > limits->memory_bytes &&
            meter_sum(pids, count, exact_memory_of) > limits->memory_bytes) {
        over = OS_LIMIT_MEMORY;
    }
    oc_free(pids);
    return over;
}

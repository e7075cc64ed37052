/* Ceilings of a sandboxed program: rlimits, which its children inherit. */
#include "platform/linux/sandbox/sandbox.h"

#include <errno.h>
#include <sys/resource.h>

/* Lowers, never raises: what we run under ourselves stays in force. */
static int limits_lower(__rlimit_resource_t what, int64_t soft, int64_t hard) {
    struct rlimit r;
    if (getrlimit(what, &r) != 0) {
        return errno;
    }
    r.rlim_max = (rlim_t)hard < r.rlim_max ? (rlim_t)hard : r.rlim_max;
    r.rlim_cur = (rlim_t)soft < r.rlim_max ? (rlim_t)soft : r.rlim_max;
    return setrlimit(what, &r) == 0 ? 0 : errno;
}

int os_limits_enter(const struct os_limits *limits, bool has_own_users) {
    int rc = 0;
    /* Data, not address space: many runtimes reserve terabytes that they never touch. */
    if (limits->memory_bytes > 0) {
        rc = rc ? rc : limits_lower(RLIMIT_DATA, limits->memory_bytes, limits->memory_bytes);
    }
    /* A second between SIGXCPU, which says why, and SIGKILL. */
    if (limits->cpu_seconds > 0) {
        rc = rc ? rc : limits_lower(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1);
    }
    if (limits->file_bytes > 0) {
        rc = rc ? rc : limits_lower(RLIMIT_FSIZE, limits->file_bytes, limits->file_bytes);
    }
    if (limits->open_files > 0) {
        rc = rc ? rc : limits_lower(RLIMIT_NOFILE, limits->open_files, limits->open_files);
    }
    /* Counts all processes of the user, unless the run has a user namespace of its own: then only
     * its own are counted there, and the number means what it says. */
    if (limits->processes > 0 && has_own_users) {
        rc = rc ? rc : limits_lower(RLIMIT_NPROC, limits->processes, limits->processes);
    }
    return rc;
}

/* The sandbox of a program that somebody else chose: which files it reaches, whom it can talk to,
 * what it may ask of the kernel, and how much it may use up.
 *
 * "features" are what this kernel has to build them with. Tests give
 * their own features to see what happens on other kernels. */
#ifndef PLATFORM_SANDBOX_H
#define PLATFORM_SANDBOX_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Ceilings; 0 means none. Files count per process. Memory and processor time hold for each process
 * at once, and for the command with everything it started within a second, or at once where the
 * kernel counts it (cgroup_*). */
struct os_limits {
    int64_t memory_bytes, cpu_seconds, processes, file_bytes, open_files;
};
/* Which of them was in the way of a whole command. */
enum os_limit { OS_LIMIT_NONE, OS_LIMIT_MEMORY, OS_LIMIT_CPU };

struct os_sandbox_features {
    int landlock_abi;     /* 0: none, and landlock_errno says why */
    int landlock_errno;   /* ENOSYS: not built in; EOPNOTSUPP: switched off at boot */
    bool seccomp;         /* filters, and we know this processor's numbers */
    bool namespaces;      /* user, mount, pid, net and ipc, without privileges */
    int namespaces_errno; /* why not */
    bool own_proc;        /* a /proc that shows only the program's own processes */
    bool cgroup_memory,
            cgroup_processes; /* the kernel counts these for a command as a whole (claim) */
};

/* What to build. Directories and files that do not exist are left out. All is copied. */
struct os_sandbox_spec {
    bool is_on; /* false: only the limits */
    const struct os_sandbox_features *features;
    const char *const *readable; /* NULL-terminated: may be read and executed */
    const char *const *writable; /* the same, and everything below may be changed */
    const char *program;         /* links on the way to it are there, too; may be NULL */
    const char *run_dir;         /* holds tmp/, shm/ and home/, which are writable too */
    bool no_network;
    bool unix_sockets; /* may connect to local services: to be outside by a detour */
    bool may_watch;    /* is told when somebody opens or changes a file that it may read */
    struct os_limits limits;
};

struct os_sandbox_built;

struct os_sandbox_ops {
    void (*probe)(struct os_sandbox_features *ret);
    /* Takes what this process has been given to hold commands in, once and for good, and says what
     * that is. */
    void (*claim)(struct os_sandbox_features *ret);
    /* For one program: everything that needs memory is done here, before there is a child. */
    struct os_sandbox_built *(*prepare)(const struct os_sandbox_spec *spec);
    void (*release)(struct os_sandbox_built *c); /* NULL is fine */
};

#endif

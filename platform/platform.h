/* What the operating system does for the node. One contract, one implementation per system.
 *
 * A missing table means "not in this build": the node then does not advertise what needs it.
 * Everything here is called on the core thread and never blocks for long; descriptors that are
 * handed out go into the caller's event loop.
 *
 * Words: a child's "tree" is the child and everything it started, however far it has run away:
 * other process groups, other sessions, orphans. */
#ifndef PLATFORM_PLATFORM_H
#define PLATFORM_PLATFORM_H

#include "lib/base/error.h"
#include "platform/sandbox.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct os_spawn_opts {
    const char *path; /* the file that is executed; no PATH search. Relative ones are looked up in
                         cwd */
    const char *const *argv; /* NULL-terminated; argv[0] is the caller's choice */
    const char *const
            *env; /* NULL-terminated "NAME=value" strings; the child gets these and nothing else */
    const char *cwd;               /* NULL: ours */
    const int *input_fd;           /* becomes stdin; borrowed. NULL: as wants_input says */
    bool wants_input;              /* stdin is a pipe that the caller writes to, not /dev/null */
    const struct os_tty_size *tty; /* stdin, stdout and stderr are one new terminal; NULL: pipes */
    const struct os_sandbox_built *sandbox; /* NULL: as free as we are. Fails with OC_E_UNSUPPORTED
                                             when it cannot be put up: nothing runs then */
    bool in_order; /* pipes that keep the order of what is written to stdout and stderr, if the
                      system can */
    bool outlives; /* what the program leaves behind when it ends may outlive us */
};

struct os_tty_size {
    unsigned short columns, rows;
};

struct os_child {
    pid_t pid;
    int exit_fd; /* readable when reap has something to say; owned by the child, closed by release
                  */
    int out_fd, err_fd; /* non-blocking read ends of stdout and stderr; the caller takes (sets to
                           -1) and closes them. With a terminal err_fd is -1 */
    int in_fd; /* non-blocking write end of stdin, or -1; the caller takes and closes it. With a
                  terminal it is the terminal, always */
    bool is_in_order; /* out_fd and err_fd are pipes that hold one write each: a second one waits
                         until the first is read */
    void *impl;
};

struct os_child_exit {
    bool by_signal;
    int status;         /* exit status, or the signal's number */
    bool is_alone;      /* nothing that it started is left */
    enum os_limit over; /* why it was killed with everything it had started */
};

struct os_exec_ops {
    /* Starts a program in a session of its own: stdin as opts say, default signals, no inherited
     * descriptors. It does not outlive this process: when we die before it has ended, so does its
     * tree. On failure ret_errno says why in the system's words: ENOENT for a missing file or
     * directory, and so on. */
    enum oc_code (*spawn)(const struct os_spawn_opts *opts, struct os_child *ret, int *ret_errno,
            struct oc_error *err);
    /* True once the child has ended (again and again: the answer is kept). */
    bool (*reap)(struct os_child *child, struct os_child_exit *ret);
    /* Of one that has ended: true once nothing is left of what it started, which exit_fd tells by
     * being readable again. */
    bool (*is_gone)(struct os_child *child);
    /* SIGKILL for the whole tree; reap tells when that is done. Called again for the same child it
     * uses more force. */
    void (*kill_tree)(struct os_child *child);
    /* Forgets the child. One that has not ended is left to run as long as we do. */
    void (*release)(struct os_child *child);
    /* Collects orphans that ended, and kills those that nobody looks after any more. In how many
     * milliseconds it is worth asking again, since some of our descendants are still alive; 0: none
     * is. */
    int (*reap_orphans)(void);
    /* Tells the programs of a terminal (os_child.in_fd) how large it is now. */
    void (*resize)(int tty_fd, const struct os_tty_size *size);
    /* Gives up the order for speed: a pipe of a child that is_in_order holds as much as any other
     * from now on. May be NULL where no child is. */
    void (*widen)(int fd);
    /* Gives up what is kept after a program has ended so that the next starts faster. May be NULL
     * where nothing is. */
    void (*drop_spare)(void);
};

struct os_host_stats {
    unsigned cpu_count;
    bool has_load;
    double load[3];                                 /* over 1, 5 and 15 minutes */
    uint64_t memory_total_bytes, memory_free_bytes; /* free: can be had, caches included */
    uint64_t disk_total_bytes, disk_free_bytes;     /* 0: unknown */
};

/* Empty strings and 0 mean: not known. */
struct os_device_info {
    char name[128];                            /* of the host */
    char model[128];                           /* "ThinkPad X1", else the processor's kind */
    char system_name[128], system_version[64]; /* "Debian GNU/Linux", "12" */
    char kernel[128], machine[64];             /* "6.1.0-18-amd64", "x86_64" */
};

enum os_battery_state {
    OS_BATTERY_UNKNOWN,
    OS_BATTERY_UNPLUGGED,
    OS_BATTERY_CHARGING,
    OS_BATTERY_FULL
};
enum os_thermal_state {
    OS_THERMAL_NOMINAL,
    OS_THERMAL_FAIR,
    OS_THERMAL_SERIOUS,
    OS_THERMAL_CRITICAL
};
enum {
    OS_NET_WIFI = 1 << 0,
    OS_NET_CELLULAR = 1 << 1,
    OS_NET_WIRED = 1 << 2,
    OS_NET_OTHER = 1 << 3
};

struct os_device_status {
    enum os_battery_state battery;
    double battery_level; /* 0..1; negative: there is none */
    bool is_saving_power;
    enum os_thermal_state thermal;
    uint64_t disk_total_bytes, disk_free_bytes;
    unsigned interfaces; /* OS_NET_…: through which the world can be reached; 0: it cannot */
    double uptime_s;
};

struct os_platform {
    const char *name; /* as sent in connect: "linux", "darwin" */
    /* Process-wide preparations; may be called more than once. */
    enum oc_code (*start)(struct oc_error *err);
    const struct os_exec_ops *exec;       /* NULL: cannot start programs */
    const struct os_sandbox_ops *sandbox; /* NULL: programs cannot be sandboxed here */
    /* How busy and how full this machine is; the disk is the one that holds the path. May be
     * NULL. */
    bool (*host_stats)(const char *disk_path, struct os_host_stats *ret);
    /* What this machine is, and how it is. May be NULL. */
    void (*device_info)(struct os_device_info *ret);
    void (*device_status)(const char *disk_path, struct os_device_status *ret);
};

extern const struct os_platform os_native;

/* What this machine's lists of sockets tell of the other end of a connection. */
enum os_peer_sight {
    OS_PEER_UNSEEN, /* it is not in them (another machine has it), or they cannot be read */
    OS_PEER_HIDDEN, /* it is, but they name no owner */
    OS_PEER_NAMED,  /* this user owns it */
};
enum os_peer_sight os_peer(int fd, uid_t *ret_uid) OC_MUST_USE;
/* The user who owns the other end of this connected socket, by the kernel's word: of a unix socket,
 * or of TCP within this machine. False: not known, which is never a reason to trust. Works for both
 * sides, also before the server has accepted. */
bool os_peer_uid(int fd, uid_t *ret_uid) OC_MUST_USE;
/* This very process has the other end of this TCP connection within this machine: has accepted it,
 * and has it now. False: no, or not known. */
bool os_peer_is_held_by(int fd, int pid) OC_MUST_USE;
/* The user who listens where we would: at this TCP address, or at one that leaves no room for it.
 * False: not known. */
struct sockaddr;
bool os_port_holder(const struct sockaddr *addr, size_t addr_len, uid_t *ret_uid) OC_MUST_USE;

#endif

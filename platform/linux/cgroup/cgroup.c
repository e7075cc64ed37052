#include "platform/linux/cgroup/cgroup.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN "openclaw-node"
#define RUN_PREFIX "openclaw-run-"

enum { MAX_FILE = 65536, MAX_PLACE = 1024 };

static struct {
    bool was_tried;
    char *dir; /* holds the groups of commands; NULL: there is no such place */
    bool has_memory, has_pids;
    unsigned last;
} place;

static char *read_file(const char *dir, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    OC_AUTO_FREE char *text = oc_alloc(MAX_FILE);
    size_t len = 0;
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && len < MAX_FILE - 1) {
        n = read(fd, text + len, MAX_FILE - 1 - len);
        len += n > 0 ? (size_t)n : 0;
    }
    if (n < 0) {
        return NULL;
    }
    text[len] = '\0';
    return oc_take(&text);
}

/* System calls only. */
static int write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    ssize_t n = write(fd, text, strlen(text));
    int rc = n == (ssize_t)strlen(text) ? 0 : errno;
    close(fd);
    return rc;
}

static int cgroup_put(const char *dir, const char *name, const char *text) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    return write_file(path, text);
}

/* Of "36 25 0:29 /root /where rw,… - cgroup2 …" in mountinfo: the two in the middle. */
static bool find_mount(char ret_root[MAX_PLACE], char ret_where[MAX_PLACE]) {
    OC_AUTO_FREE char *text = read_file("/proc/self", "mountinfo");
    char *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
            line = strtok_r(NULL, "\n", &rest)) {
        if (strstr(line, " - cgroup2 ") && sscanf(line, "%*d %*d %*s %1023s %1023s", ret_root,
                                                   ret_where) == 2) { /* NOLINT(cert-err34-c) */
            return true;
        }
    }
    return false;
}

/* Our own group's directory, on the heap. */
static char *find_own(void) {
    char root[MAX_PLACE], where[MAX_PLACE];
    OC_AUTO_FREE char *text = read_file("/proc/self", "cgroup");
    const char *line = text ? strstr(text, "0::/") : NULL;
    if (!line || (line != text && line[-1] != '\n') || !find_mount(root, where)) {
        return NULL;
    }
    const char *path = line + strlen("0::");
    OC_AUTO_FREE char *own = oc_strndup(path, strcspn(path, "\n"));
    size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (strncmp(own, root, n) != 0 || strstr(own, "/..")) {
        return NULL; /* not to be seen from here */
    }
    return oc_strfmt("%s%s", where, strcmp(own + n, "/") == 0 ? "" : own + n);
}

static bool is_only_ours(const char *dir) {
    OC_AUTO_FREE char *procs = read_file(dir, "cgroup.procs");
    OC_AUTO_FREE char *wanted = oc_strfmt("%d\n", (int)getpid());
    return procs && strcmp(procs, wanted) == 0;
}

static bool has_word(const char *dir, const char *name, const char *word) {
    OC_AUTO_FREE char *text = read_file(dir, name);
    char *rest = NULL;
    for (char *w = text ? strtok_r(text, " \n", &rest) : NULL; w;
            w = strtok_r(NULL, " \n", &rest)) {
        if (strcmp(w, word) == 0) {
            return true;
        }
    }
    return false;
}

static void hand_down(const char *dir) {
    static const char *const wanted[] = { "+memory", "+pids" };
    for (size_t i = 0; i < OC_COUNT(wanted); i++) {
        cgroup_put(dir, "cgroup.subtree_control", wanted[i]); /* what came of it is read back */
    }
    place.has_memory = has_word(dir, "cgroup.subtree_control", "memory");
    place.has_pids = has_word(dir, "cgroup.subtree_control", "pids");
}

/* What an earlier process of ours left; groups with processes stay. */
static void cgroup_sweep(const char *dir) {
    DIR *d = opendir(dir);
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        if (oc_starts_with(e->d_name, RUN_PREFIX)) {
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
        }
    }
    if (d) {
        closedir(d);
    }
}

static bool move_down(const char *dir) {
    OC_AUTO_FREE char *own = oc_path_join(dir, OWN);
    return (mkdir(own, 0755) == 0 || errno == EEXIST) && cgroup_put(own, "cgroup.procs", "0") == 0;
}

static void move_back(const char *dir) {
    OC_AUTO_FREE char *own = oc_path_join(dir, OWN);
    cgroup_put(dir, "cgroup.procs", "0");
    rmdir(own);
}

static void try_place(void) {
    OC_AUTO_FREE char *dir = find_own();
    if (!dir || access(dir, W_OK) != 0 || !has_word(dir, "cgroup.controllers", "memory")) {
        return;
    }
    OC_AUTO_FREE char *type = oc_path_join(dir, "cgroup.type");
    bool is_root = access(type, F_OK) != 0; /* the one group that may have both */
    if (!is_root && (!is_only_ours(dir) || !move_down(dir))) {
        return;
    }
    hand_down(dir);
    if (!place.has_memory && !place.has_pids) {
        if (!is_root) {
            move_back(dir);
        }
        return;
    }
    cgroup_sweep(dir);
    place.dir = oc_take(&dir);
}

void os_cgroup_claim(struct os_sandbox_features *ret) {
    if (!place.was_tried) {
        place.was_tried = true;
        try_place();
    }
    ret->cgroup_memory = place.dir && place.has_memory;
    ret->cgroup_processes = place.dir && place.has_pids;
}

static int set_number(const char *dir, const char *name, int64_t number) {
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, number);
    return cgroup_put(dir, name, text);
}

static int set_limits(const char *dir, const struct os_limits *l, int64_t helpers) {
    int rc = 0;
    if (l->memory_bytes > 0 && place.has_memory) {
        rc = set_number(dir, "memory.max", l->memory_bytes);
        cgroup_put(dir, "memory.swap.max", "0");  /* there is none without swap */
        cgroup_put(dir, "memory.oom.group", "1"); /* half a command is no use */
    }
    if (!rc && l->processes > 0 && place.has_pids) {
        rc = set_number(dir, "pids.max", l->processes + helpers);
    }
    return rc;
}

char *os_cgroup_create(const struct os_limits *limits, int64_t helpers) {
    if (!place.dir) {
        errno = ENOTSUP;
        return NULL;
    }
    OC_AUTO_FREE char *dir =
            oc_strfmt("%s/" RUN_PREFIX "%d-%u", place.dir, (int)getpid(), ++place.last);
    int rc = mkdir(dir, 0755) == 0 ? set_limits(dir, limits, helpers) : errno;
    if (rc) {
        rmdir(dir);
        errno = rc;
        return NULL;
    }
    return oc_take(&dir);
}

void os_cgroup_remove(char *take_dir) {
    if (take_dir) {
        rmdir(take_dir); /* what is still dying keeps it; the next start takes it away */
        oc_free(take_dir);
    }
}

static bool cgroup_join(char *ret, size_t size, const char *dir, const char *name) {
    return (size_t)snprintf(ret, size, "%s/%s", dir, name) < size;
}

int os_cgroup_enter(const char *dir) {
    char path[2304];
    return cgroup_join(path, sizeof(path), dir, "cgroup.procs") ? write_file(path, "0")
                                                                : ENAMETOOLONG;
}

void os_cgroup_kill(const char *dir) {
    char path[2304];
    if (cgroup_join(path, sizeof(path), dir, "cgroup.kill")) {
        write_file(path, "1");
    }
}

bool os_cgroup_ran_out(const char *dir) {
    OC_AUTO_FREE char *events = read_file(dir, "memory.events");
    const char *line = events ? strstr(events, "oom_kill ") : NULL;
    return line && strtoll(line + strlen("oom_kill "), NULL, 10) > 0;
}

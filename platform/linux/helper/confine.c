#include "platform/linux/helper/confine.h"

#include "lib/base/mem.h"
#include "platform/linux/sandbox/contain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* A sanitizer's shadow is terabytes of memory that is never used. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SHADOW 1
#endif
#endif

/* Spelt out: headers of our oldest build machine end at version 2. IOCTL_DEV stays out: cameras are used by it. */
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    FIRST_ABI = (1 << 13) - 1,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    READ = READ_FILE | READ_DIR,
    FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE,
    NET_TCP = 3,   /* ABI 4: bind and connect */
    SCOPE_ALL = 3, /* ABI 6: abstract unix sockets, signals */
    NR_FCHMODAT2 = 452,
};

struct walls {
    int ruleset;
    uint64_t handled;
};

/* The kernel's struct of ABI 6. Older kernels take it as long as what they do not know is zero. */
struct ruleset_attr {
    uint64_t fs, net, scoped;
};

static void allow(const struct walls *w, const char *path, uint64_t access) {
    OC_AUTO_FD int fd = path && path[0] == '/' ? open(path, O_PATH | O_CLOEXEC) : -1;
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0) {
        struct landlock_path_beneath_attr rule = {
            .allowed_access = access & w->handled &
                              (S_ISDIR(st.st_mode) ? ~(uint64_t)0 : (uint64_t)FOR_FILES),
            .parent_fd = fd
        };
        syscall(SYS_landlock_add_rule, w->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
}

/* A place in the home, which the environment may have put elsewhere. NULL without a home; caller frees. */
static char *user_path(const char *variable, const char *missing, const char *name) {
    const char *there = getenv(variable), *home = getenv("HOME");
    if (there && there[0] == '/') {
        return oc_strfmt("%s%s", there, name);
    }
    return home && home[0] == '/' ? oc_strfmt("%s/%s%s", home, missing, name) : NULL;
}

/* Made here, because its parent is out of reach later. */
static char *make_cache(const char *name) {
    OC_AUTO_FREE char *base = user_path("XDG_CACHE_HOME", ".cache", "");
    if (!name || !base) {
        return NULL;
    }
    char *path = oc_strfmt("%s/%s", base, name);
    mkdir(base, 0700);
    mkdir(path, 0700);
    return path;
}

/* Some display managers keep the X server's cookie here, and a service hears of it only later, through the bus. */
static void allow_cookies(const struct walls *w, const char *folder) {
    DIR *dir = opendir(folder);
    struct dirent *e;
    while (dir && (e = readdir(dir))) {
        OC_AUTO_FREE char *path = oc_strfmt("%s/%s", folder, e->d_name);
        struct stat st;
        if ((strncasecmp(e->d_name, "xauth", 5) == 0 || strncasecmp(e->d_name, ".xauth", 6) == 0) &&
                lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
            allow(w, path, READ_FILE);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static void allow_what_programs_need(const struct walls *w) {
    static const char *const programs[] = { "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin",
        "/opt", "/nix/store", "/gnu/store", "/snap" };
    static const char *const others[] = { "/etc", "/proc", "/sys", "/dev", "/run", "/var/cache",
        "/var/lib/dbus" };
    for (size_t i = 0; i < OC_COUNT(programs); i++) {
        allow(w, programs[i], READ | EXECUTE);
    }
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        allow(w, others[i], READ);
    }
    OC_AUTO_FREE char *runtime = user_path("XDG_RUNTIME_DIR", "", "");
    OC_AUTO_FREE char *pipewire = user_path("XDG_CONFIG_HOME", ".config", "/pipewire");
    OC_AUTO_FREE char *cookie = user_path("XAUTHORITY", ".Xauthority", "");
    allow(w, getenv("XDG_RUNTIME_DIR") ? runtime : NULL, READ);
    allow(w, pipewire, READ);
    allow(w, cookie, READ_FILE);
    allow_cookies(w, "/tmp");
}

static void allow_programs_beside_us(const struct walls *w) {
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash && slash > self) {
        *slash = '\0';
        allow(w, self, READ | EXECUTE);
    }
}

/* Nothing of /etc and /proc that says more than where fonts and libraries are. */
static void allow_what_drawing_needs(const struct walls *w) {
    static const char *const libraries[] = { "/usr", "/lib", "/lib32", "/lib64", "/nix/store",
        "/gnu/store" };
    static const char *const others[] = { "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime",
        "/var/cache/fontconfig", "/dev/urandom" };
    for (size_t i = 0; i < OC_COUNT(libraries); i++) {
        allow(w, libraries[i], READ | EXECUTE);
    }
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        allow(w, others[i], READ);
    }
#ifdef HAS_SHADOW
    allow(w, "/proc", READ);
#endif
}

static void allow_all(const struct walls *w, const char *const *paths, uint64_t access) {
    for (; paths && *paths; paths++) {
        allow(w, *paths, access);
    }
}

static int wall_off_files(const struct oc_confine_opts *opts, const char *cache) {
    int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct walls w = { .handled = FIRST_ABI | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) };
    struct ruleset_attr attr = { .fs = w.handled,
        .net = opts->is_alone && abi >= 4 ? NET_TCP : 0,
        .scoped = opts->is_alone && abi >= 6 ? SCOPE_ALL : 0 };
    w.ruleset = abi < 1 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
    if (w.ruleset < 0) {
        return 0;
    }
    if (opts->is_alone) {
        allow_what_drawing_needs(&w);
    } else {
        allow_what_programs_need(&w);
    }
    if (opts->starts_programs) {
        allow_programs_beside_us(&w);
    }
    allow_all(&w, opts->readable, READ);
    allow_all(&w, opts->changeable, ~(uint64_t)EXECUTE);
    allow(&w, "/dev/null", READ_FILE | WRITE_FILE);
    allow(&w, opts->has_devices ? "/dev" : NULL, READ | WRITE_FILE);
    allow(&w, cache, ~(uint64_t)EXECUTE);
    syscall(SYS_landlock_restrict_self, w.ruleset, 0);
    close(w.ruleset);
    return abi;
}

static void drop_rights(void) {
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
    for (int i = 0; prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++) {
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    syscall(SYS_capset, &header, none);
}

static void install(struct sock_filter *filter, unsigned short len) {
    struct sock_fprog program = { .len = len, .filter = filter };
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* Landlock does not see what is done to a file's metadata. Run after the other filter has looked at the processor. */
static void refuse_metadata(void) {
    /* clang-format off */
    static const int refused[] = {
        SYS_fchmod, SYS_fchmodat, NR_FCHMODAT2, SYS_fchown, SYS_fchownat, SYS_utimensat,
        SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
#ifdef SYS_chmod
        SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    };
    /* clang-format on */
    struct sock_filter filter[2 * OC_COUNT(refused) + 2];
    unsigned short n = 0;
    filter[n++] = (struct sock_filter)BPF_STMT(
            BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < OC_COUNT(refused); i++) {
        filter[n++] =
                (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused[i], 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    install(filter, n);
}

static void wall_off_kernel(const struct oc_confine_opts *opts, int abi) {
    struct oc_contain_features features = { .landlock_abi = abi, .seccomp = true };
    unsigned short len;
    if (!oc_seccomp_is_known()) {
        return;
    }
    OC_AUTO_FREE struct sock_filter *filter =
            oc_seccomp_build(&(struct oc_contain_spec){ .features = &features,
                                     .no_network = !opts->has_network,
                                     .unix_sockets = !opts->is_alone,
                                     .may_watch = true }, /* toolkits do */
                    &len);
    refuse_metadata();
    install(filter, len);
}

char *oc_helper_confine(const struct oc_confine_opts *opts) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
#ifndef HAS_SHADOW
    setrlimit(RLIMIT_DATA,
            &(struct rlimit){ (rlim_t)opts->memory_bytes, (rlim_t)opts->memory_bytes });
#endif
    char *cache = make_cache(opts->cache);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        drop_rights();
        wall_off_kernel(opts, wall_off_files(opts, cache));
    }
    return cache;
}

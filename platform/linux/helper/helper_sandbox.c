#include "platform/linux/helper/helper_sandbox.h"

#include "lib/base/mem.h"
#include "platform/linux/kernel/landlock.h"
#include "platform/linux/kernel/seccomp.h"
#include "platform/linux/sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A sanitizer's shadow is terabytes of memory that is never used. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SHADOW 1
#endif
#endif

#define NR_FCHMODAT2 452 /* on all processors */

struct helper_opening {
    int rules;
    uint64_t handled;
};

/* What is not there is not there for the helper either. */
static void helper_sandbox_allow(
        const struct helper_opening *w, const char *path, uint64_t access) {
    if (path && path[0] == '/') {
        (void)os_landlock_allow(w->rules, path, access & w->handled);
    }
}

/* A place in the home, which the environment may have put elsewhere. NULL without a home; caller
 * frees. */
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

/* Some display managers keep the X server's cookie here, and a service learns it only later,
 * through the bus. */
static void allow_cookies(const struct helper_opening *w, const char *folder) {
    DIR *dir = opendir(folder);
    struct dirent *e;
    while (dir && (e = readdir(dir))) {
        OC_AUTO_FREE char *path = oc_strfmt("%s/%s", folder, e->d_name);
        struct stat st;
        if ((strncasecmp(e->d_name, "xauth", 5) == 0 || strncasecmp(e->d_name, ".xauth", 6) == 0) &&
                lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
            helper_sandbox_allow(w, path, OS_LANDLOCK_READ_FILE);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static void allow_what_programs_need(const struct helper_opening *w) {
    static const char *const programs[] = { "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin",
        "/opt", "/nix/store", "/gnu/store", "/snap" };
    static const char *const others[] = { "/etc", "/proc", "/sys", "/dev", "/run", "/var/cache",
        "/var/lib/dbus" };
    for (size_t i = 0; i < OC_COUNT(programs); i++) {
        helper_sandbox_allow(w, programs[i], OS_LANDLOCK_READ | OS_LANDLOCK_EXECUTE);
    }
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        helper_sandbox_allow(w, others[i], OS_LANDLOCK_READ);
    }
    OC_AUTO_FREE char *runtime = user_path("XDG_RUNTIME_DIR", "", "");
    OC_AUTO_FREE char *pipewire = user_path("XDG_CONFIG_HOME", ".config", "/pipewire");
    OC_AUTO_FREE char *cookie = user_path("XAUTHORITY", ".Xauthority", "");
    helper_sandbox_allow(w, getenv("XDG_RUNTIME_DIR") ? runtime : NULL, OS_LANDLOCK_READ);
    helper_sandbox_allow(w, pipewire, OS_LANDLOCK_READ);
    helper_sandbox_allow(w, cookie, OS_LANDLOCK_READ_FILE);
    allow_cookies(w, "/tmp");
}

static void allow_programs_beside_us(const struct helper_opening *w) {
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash && slash > self) {
        *slash = '\0';
        helper_sandbox_allow(w, self, OS_LANDLOCK_READ | OS_LANDLOCK_EXECUTE);
    }
}

/* Nothing of /etc and /proc that says more than where fonts and libraries are. */
static void allow_what_drawing_needs(const struct helper_opening *w) {
    static const char *const libraries[] = { "/usr", "/lib", "/lib32", "/lib64", "/nix/store",
        "/gnu/store" };
    static const char *const others[] = { "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime",
        "/var/cache/fontconfig", "/dev/urandom" };
    for (size_t i = 0; i < OC_COUNT(libraries); i++) {
        helper_sandbox_allow(w, libraries[i], OS_LANDLOCK_READ | OS_LANDLOCK_EXECUTE);
    }
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        helper_sandbox_allow(w, others[i], OS_LANDLOCK_READ);
    }
#ifdef HAS_SHADOW
    helper_sandbox_allow(w, "/proc", OS_LANDLOCK_READ);
#endif
}

static void allow_all(const struct helper_opening *w, const char *const *paths, uint64_t access) {
    for (; paths && *paths; paths++) {
        helper_sandbox_allow(w, *paths, access);
    }
}

static int wall_off_files(const struct os_helper_sandbox_opts *opts, const char *cache) {
    int abi = os_landlock_abi();
    /* Cameras are used by ioctl. */
    struct helper_opening w = { .handled = os_landlock_file_rights(abi) &
                                           ~(uint64_t)OS_LANDLOCK_IOCTL_DEV };
    struct os_landlock_handled handled = { .fs = w.handled,
        .net = opts->is_alone ? os_landlock_tcp_rights(abi) : 0,
        .scoped = opts->is_alone ? os_landlock_scope_rights(abi) : 0 };
    w.rules = abi < 1 ? -1 : os_landlock_create(&handled);
    if (w.rules < 0) {
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
    allow_all(&w, opts->readable, OS_LANDLOCK_READ);
    allow_all(&w, opts->changeable, ~(uint64_t)OS_LANDLOCK_EXECUTE);
    helper_sandbox_allow(&w, "/dev/null", OS_LANDLOCK_READ_FILE | OS_LANDLOCK_WRITE_FILE);
    helper_sandbox_allow(
            &w, opts->has_devices ? "/dev" : NULL, OS_LANDLOCK_READ | OS_LANDLOCK_WRITE_FILE);
    helper_sandbox_allow(&w, cache, ~(uint64_t)OS_LANDLOCK_EXECUTE);
    (void)os_landlock_restrict(w.rules);
    close(w.rules);
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

/* Landlock does not see what is done to a file's metadata. */
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
    struct os_seccomp filter;
    os_seccomp_begin(&filter);
    os_seccomp_refuse_all(&filter, refused, OC_COUNT(refused), EPERM);
    os_seccomp_end(&filter, SECCOMP_RET_ALLOW);
    (void)os_seccomp_enter(&filter);
}

static void wall_off_kernel(const struct os_helper_sandbox_opts *opts, int abi) {
    struct os_sandbox_features features = { .landlock_abi = abi, .seccomp = true };
    struct os_seccomp filter;
    os_seccomp_build(&(struct os_sandbox_spec){ .features = &features,
                             .no_network = !opts->has_network,
                             .unix_sockets = !opts->is_alone,
                             .may_watch = true }, /* toolkits do */
            &filter);
    refuse_metadata();
    (void)os_seccomp_enter(&filter);
}

char *os_helper_enter_sandbox(const struct os_helper_sandbox_opts *opts) {
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

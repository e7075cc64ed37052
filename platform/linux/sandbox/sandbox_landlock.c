/* Which files a sandboxed program reaches. Everything that Landlock can forbid is forbidden, and
 * the listed places are opened again. */
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/kernel/landlock.h"
#include "platform/linux/sandbox/sandbox.h"

#include <errno.h>
#include <unistd.h>

static void sandbox_landlock_add(
        struct os_landlock *l, size_t *count, char *take_path, uint64_t access) {
    l->rules = oc_realloc(l->rules, (*count + 2) * sizeof(*l->rules));
    l->rules[(*count)++] =
            (struct os_landlock_rule){ take_path, access & os_landlock_file_rights(l->abi) };
    l->rules[*count] = (struct os_landlock_rule){ NULL, 0 };
}

void os_landlock_plan(const struct os_sandbox_spec *spec, struct os_landlock *ret) {
    /* Devices are not made in a workspace, and not used there either. */
    const uint64_t change =
            ~(uint64_t)(OS_LANDLOCK_MAKE_CHAR | OS_LANDLOCK_MAKE_BLOCK | OS_LANDLOCK_IOCTL_DEV);
    static const char *const own[] = { "tmp", "home", "shm" };
    /* Not /dev/pts and /dev/shm: the owner's terminals and other programs' memory. */
    static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
        "/dev/urandom", "/dev/tty" };
    size_t n = 0;
    *ret = (struct os_landlock){ .abi = spec->features->landlock_abi, .no_tcp = spec->no_network };
    for (const char *const *p = spec->readable; *p; p++) {
        sandbox_landlock_add(ret, &n, oc_strdup(*p), OS_LANDLOCK_READ | OS_LANDLOCK_EXECUTE);
    }
    for (const char *const *p = spec->writable; *p; p++) {
        sandbox_landlock_add(ret, &n, oc_strdup(*p), change);
    }
    for (size_t i = 0; i < OC_COUNT(own); i++) {
        sandbox_landlock_add(ret, &n, oc_strfmt("%s/%s", spec->run_dir, own[i]), change);
    }
    for (size_t i = 0; i < OC_COUNT(devices); i++) {
        sandbox_landlock_add(ret, &n, oc_strdup(devices[i]),
                OS_LANDLOCK_READ_FILE | OS_LANDLOCK_WRITE_FILE | OS_LANDLOCK_IOCTL_DEV);
    }
    if (spec->features->namespaces) { /* the last of ours, in the program's own root */
        sandbox_landlock_add(ret, &n, oc_strdup("/dev/shm"), change);
    }
    if (spec->features->namespaces && spec->features->own_proc) {
        sandbox_landlock_add(ret, &n, oc_strdup("/proc"), OS_LANDLOCK_READ);
    }
}

void os_landlock_finish(struct os_landlock *l) {
    for (struct os_landlock_rule *r = l->rules; r && r->path; r++) {
        oc_free(r->path);
    }
    oc_free(l->rules);
    *l = (struct os_landlock){ 0 };
}

int os_landlock_enter(const struct os_landlock *l) {
    struct os_landlock_handled handled = {
        .fs = os_landlock_file_rights(l->abi),
        .net = l->no_tcp ? os_landlock_tcp_rights(l->abi) : 0,
        .scoped = os_landlock_scope_rights(l->abi),
    };
    OC_AUTO_FD int rules = os_landlock_create(&handled);
    int rc = rules < 0 ? errno : 0;
    for (const struct os_landlock_rule *r = l->rules; !rc && r->path; r++) {
        rc = os_landlock_allow(rules, r->path, r->access);
    }
    return rc ? rc : os_landlock_restrict(rules);
}

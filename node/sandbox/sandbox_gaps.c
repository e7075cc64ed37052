/* What a mode needs and a machine lacks, in words that lead to the setting which would help. */
#include "node/sandbox/sandbox.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <string.h>

static const char *landlock_fix(int errnum) {
    return errnum == EOPNOTSUPP ? "it is built in but off; add landlock to the lsm= list of the "
                                  "kernel command line"
                                : "needs Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK, and a "
                                  "container that "
                                  "does not filter it";
}

static void add_namespaces(const struct os_sandbox_features *f, struct oc_strv *ret) {
    OC_AUTO_FREE char *text = oc_strfmt(
            "no user namespaces (%s), which keep the metadata of other files and other processes "
            "safe: allow them with sysctl user.max_user_namespaces, "
            "kernel.unprivileged_userns_clone=1 (Debian) or an AppArmor profile for openclaw with "
            "userns (Ubuntu; or kernel.apparmor_restrict_unprivileged_userns=0)",
            strerror(f->namespaces_errno));
    oc_strv_add(ret, text);
}

void nd_sandbox_gaps(enum nd_sandbox_mode mode, const struct os_sandbox_features *features,
        struct oc_strv *ret) {
    if (mode == ND_SANDBOX_OFF) {
        return;
    }
    if (!features) {
        oc_strv_add(ret, "programs cannot be sandboxed on this system, only on Linux");
        return;
    }
    if (features->landlock_abi < 1) {
        OC_AUTO_FREE char *text = oc_strfmt(
                "no Landlock, which guards the files: %s", landlock_fix(features->landlock_errno));
        oc_strv_add(ret, text);
    }
    if (!features->seccomp) {
        oc_strv_add(ret, "no seccomp filters, which refuse dangerous system calls: needs a kernel "
                         "with CONFIG_SECCOMP_FILTER on x86-64, arm64 or riscv64");
    }
    if (!features->namespaces) {
        add_namespaces(features, ret);
    }
}

const char *nd_sandbox_mode_name(enum nd_sandbox_mode mode) {
    static const char *const names[] = { "off", "workspace", "strict" };
    return names[mode];
}

char *nd_sandbox_summary(const struct nd_sandbox *s) {
    if (s->mode == ND_SANDBOX_OFF) {
        return oc_strdup("off");
    }
    OC_AUTO_FREE char *where = oc_strv_join(&s->workspaces, ", ");
    if (s->missing.count == 0) {
        return oc_strfmt("%s in %s (Landlock %d, seccomp, namespaces%s)",
                nd_sandbox_mode_name(s->mode), where, s->features.landlock_abi,
                s->no_network ? ", no network"
                              : ", network open, this machine's own services included");
    }
    OC_AUTO_FREE char *gaps = oc_strv_join(&s->missing, "; ");
    return oc_strfmt("%s in %s, but this machine has %s; %s", nd_sandbox_mode_name(s->mode), where,
            gaps,
            s->may_fall_back ? "commands run with what is there (node.exec.sandboxFallback: allow)"
                             : "no command runs");
}

#include "platform/platform.h"

#include "platform/linux/device/device.h"
#include "platform/linux/device/host_stats.h"
#include "platform/linux/process/process.h"
#include "platform/linux/sandbox/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

static enum oc_code platform_start(struct oc_error *err) {
    /* Orphans of our children come to us instead of to init, so that kill_tree can find them. */
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
        return oc_fail(err, OC_E_IO, "prctl(PR_SET_CHILD_SUBREAPER): %s", strerror(errno));
    }
    /* A parent that ignored SIGCHLD would make the kernel throw away our children's exit status. */
    if (signal(SIGCHLD, SIG_DFL) == SIG_ERR) {
        return oc_fail(err, OC_E_IO, "signal(SIGCHLD): %s", strerror(errno));
    }
    /* Keys and tokens are in our memory: no core file, and no other process of the same user looks
     * into it through ptrace or /proc. */
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        return oc_fail(err, OC_E_IO, "prctl(PR_SET_DUMPABLE): %s", strerror(errno));
    }
    return OC_OK;
}

static void device_info(struct os_device_info *ret) {
    os_linux_device_info("", ret);
}

static void device_status(const char *disk_path, struct os_device_status *ret) {
    os_linux_device_status("", disk_path, ret);
}

const struct os_platform os_native = {
    .name = "linux",
    .start = platform_start,
    .exec = &os_linux_exec,
    .host_stats = os_linux_host_stats,
    .sandbox = &os_linux_sandbox,
    .device_info = device_info,
    .device_status = device_status,
};

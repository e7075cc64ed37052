#include "platform/platform.h"

#include "platform/macos/process.h"

static enum oc_code platform_start(struct oc_error *err) {
    return os_macos_exec_start(err);
}

const struct os_platform os_native = {
    .name = "darwin",
    .start = platform_start,
    .exec = &os_macos_exec,
};

#include "platform/platform.h"

#include "platform/macos/process.h"

static enum oc_code start(struct oc_error *err) {
    return oc_macos_exec_start(err);
}

const struct oc_platform oc_platform_native = {
    .name = "darwin",
    .start = start,
    .exec = &oc_macos_exec,
};

/* Child processes on macOS. Needs no framework: libSystem only. */
#ifndef PLATFORM_MACOS_PROCESS_H
#define PLATFORM_MACOS_PROCESS_H

#include "platform/platform.h"

extern const struct os_exec_ops os_macos_exec;

/* Installs the SIGCHLD handler that makes exit_fd readable. */
enum oc_code os_macos_exec_start(struct oc_error *err);

#endif

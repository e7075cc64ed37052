/* A helper program of ours: started without a shell, gone at the latest when we are. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/str.h"

#include <stdint.h>
#include <sys/types.h>

/* Looks argv[0] up in PATH: OC_E_NOT_FOUND when it is not installed. Its stdin is empty; its output
 * goes to *ret_out (the reading end, caller closes), or to our stderr when ret_out is NULL. Call
 * before any thread exists. */
enum oc_code cli_child_start(
        const struct oc_strv *argv, int *ret_out, pid_t *ret_pid, struct oc_error *err) OC_MUST_USE;
/* SIGTERM, and SIGKILL when that does not help at once. Returns the exit status, or -1 when a
 * signal ended it. */
int cli_child_stop(pid_t pid);
/* Runs it and collects what it prints, for at most timeout_ms and out's ceiling; *ret_status as
 * above. */
enum oc_code cli_child_collect(const struct oc_strv *argv, int64_t timeout_ms, struct oc_buf *out,
        int *ret_status, struct oc_error *err) OC_MUST_USE;
/* The same with what it says on stderr among it. */
enum oc_code cli_child_collect_all(const struct oc_strv *argv, int64_t timeout_ms,
        struct oc_buf *out, int *ret_status, struct oc_error *err) OC_MUST_USE;

#endif

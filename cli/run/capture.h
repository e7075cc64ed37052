/* A command of a node whose answer may be a capture: asked for with a bar on the terminal while it
 * runs, ended on the node by Ctrl-C, and not taken apart into a tree, as it may be 20 MB. */
#ifndef CLI_RUN_CAPTURE_H
#define CLI_RUN_CAPTURE_H

#include "cli/command.h"
#include "cli/gateway/rpc.h"
#include "cli/run/live_run.h"
#include "lib/json/json.h"

struct cli_capture {
    struct cli_cli *cli;
    cJSON *list; /* owned; node borrows from it */
    const cJSON *node;
    struct cli_live_run live;
    int64_t invoke_ms;
};
/* What can be known to fail before anything is captured: a name that belongs to another format than
 * those that are made, a time limit that ends before a recording of duration_ms (0: none) does.
 * Usage is said; returns the exit code. formats ends with NULL. */
int cli_capture_check_args(const struct cli_cli *cli, const char *const *formats,
        int64_t duration_ms, int64_t invoke_ms);
/* Whether --out can be written: a film that has nowhere to go would be made for nothing. */
enum oc_code cli_capture_check_out(const struct cli_cli *cli, struct oc_error *err) OC_MUST_USE;
/* The format that --out names by its ending; NULL: none of these. */
const char *cli_capture_out_format(const struct cli_cli *cli, const char *const *formats);

/* Finds the node (--node) and takes over signals. invoke_ms: unless --invoke-timeout is given.
 * Needs cli_capture_end in every case. */
enum oc_code cli_capture_begin(struct cli_capture *c, struct cli_cli *cli, int64_t invoke_ms,
        struct oc_error *err) OC_MUST_USE;
void cli_capture_end(struct cli_capture *c);

struct cli_captured {
    cJSON *fields;          /* the payload, an object, without its base64 */
    struct oc_slice base64; /* the string's body; len 0: there was none */
    struct cli_rpc_reply reply;
    struct oc_buf text; /* base64 is a slice of one of these two */
};
void cli_captured_finish(struct cli_captured *r);

/* One call. label and shown_ms: what the bar says, 0 for none. ret needs cli_captured_finish when
 * this returned OC_OK. */
enum oc_code cli_capture_ask(struct cli_capture *c, const char *command, cJSON *take_params,
        const char *label, int64_t shown_ms, struct cli_captured *ret,
        struct oc_error *err) OC_MUST_USE;
/* The exit code for a call that failed: that of the signal when one ended it. */
int cli_capture_fail(struct cli_capture *c, const struct oc_error *err);

struct cli_saved {
    char *path; /* the caller frees it */
    uint64_t bytes;
};

/* Saves what was captured, to --out or to a file named after stem. formats: those that are
 * understood. */
enum oc_code cli_capture_save(const struct cli_cli *cli, const char *command,
        const struct cli_captured *r, const char *stem, const char *const *formats,
        struct cli_saved *ret, struct oc_error *err) OC_MUST_USE;
/* Where it is, unless it went to stdout: "Saved <path> (12 KB, 1280x720)" on a terminal, otherwise
 * "MEDIA:<path>", which agents read. fields: of the answer. */
void cli_capture_print(const struct cli_saved *saved, const cJSON *fields);

/* A number option that is kept as text: false, with usage said, when it is none. Adds it to params
 * under key. */
bool cli_capture_number(const struct cli_cli *cli, const char *option, double min, double max,
        cJSON *params, const char *key);

#define CLI_INVOKE_TIMEOUT_OPTION(def)                              \
    {                                                               \
        "invoke-timeout", 0, CLI_OPT_DURATION, "ms",                \
                "how long the node may take (" def " unless given)" \
    }

#endif

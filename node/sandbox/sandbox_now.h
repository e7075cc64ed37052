/* The sandbox of a running node, as its openclaw.json has it now and its command line had it
 * (node/sandbox/sandbox.h).
 *
 * What stands around commands is written to node-sandbox.json in the state directory, for openclaw
 * doctor: --sandbox is in no other file. */
#ifndef NODE_SANDBOX_SANDBOX_NOW_H
#define NODE_SANDBOX_SANDBOX_NOW_H

#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"
#include "node/machine.h"

struct nd_sandbox_now;

/* Of the command line; NULL: not given. Copied. */
struct nd_sandbox_now_opts {
    const char *mode, *workspace, *token_file;
};

/* machine, which has its state directory and its rules, gets its sandbox; the node may not run on
 * settings that make no sense. */
enum oc_code nd_sandbox_now_create(struct nd_machine *machine,
        const struct nd_sandbox_now_opts *opts, const struct oc_strv *config_files,
        struct nd_sandbox_now **ret, struct oc_error *err) OC_MUST_USE;
void nd_sandbox_now_destroy(struct nd_sandbox_now *w);
/* Other settings for the commands to come; those that run keep theirs. On failure everything is as
 * it was. */
enum oc_code nd_sandbox_now_rebuild(struct nd_sandbox_now *w, const cJSON *config,
        const struct oc_strv *config_files, struct oc_error *err) OC_MUST_USE;
/* The newer settings cannot be used: no command starts until a rebuild succeeds or they are taken
 * back (why is NULL). */
void nd_sandbox_now_shut(struct nd_sandbox_now *w, const char *why);
/* Never NULL, "off" without a sandbox. */
const char *nd_sandbox_now_summary(const struct nd_sandbox_now *w);

/* What the node that runs with this state directory has put up: {"pid","sandbox","wrong"?}; NULL
 * when none runs. */
cJSON *nd_sandbox_now_of_running(const char *state_dir);

#endif

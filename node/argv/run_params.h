/* The params of system.run and system.run.prepare (docs/PROTOCOL.md#systemrun). */
#ifndef NODE_ARGV_RUN_PARAMS_H
#define NODE_ARGV_RUN_PARAMS_H

#include "lib/base/str.h"
#include "lib/json/json.h"
#include "lib/protocol/run_words.h"
#include "platform/platform.h"

#include <stdbool.h>
#include <stdint.h>

#define ND_MAX_ARGV 16384
#define ND_MAX_ENV 256
#define ND_MAX_HANDLE 64
#define ND_MAX_SHOWN_COMMAND ((size_t)16 * 1024) /* bytes of a command in events and lists */

struct nd_run_params {
    struct oc_strv argv;
    char *text;  /* stands for the command in plans; owned */
    char *shown; /* its beginning for events and lists, where nothing may hide or move the cursor;
                    owned */
    char *cwd;   /* NULL: ours; owned */
    const char *raw_command, *cwd_given, *agent_id, *session_key,
            *run_id; /* borrowed; NULL when absent or blank */
    const cJSON *env, *timeout, *tty_given,
            *plan;      /* plan: what was approved, from newer gateways */
    int64_t timeout_ms; /* 0: no limit */
    bool needs_screen_recording;
    const char *decision_given; /* borrowed; may be NULL */
    enum oc_decision decision;  /* of the approval that the gateway vouches for, which allows it */
    /* Ours; other gateways leave these out, and the run is then an ordinary one. */
    bool is_unanswered; /* somebody was asked to approve it, and nobody decided in time */
    bool live;          /* output is sent as it comes */
    bool background;    /* the answer is a handle */
    const char *handle; /* the caller's choice of it; NULL: ours */
    bool wants_stdin;   /* its caller sends what it reads (system.runs.write) */
    bool has_tty;
    struct os_tty_size tty;
    bool asked_here;     /* the decision is of somebody at this machine */
    bool was_asked_here; /* … and came here by way of the gateway */
    bool approved;       /* so says the gateway: sent alone, or implied by the decision */
    /* The look that the approval is about, from a gateway of ours; "": nobody looked. NULL: another
     * kind of gateway. */
    const char *look;
};

/* Errors carry the wire code. ret needs nd_run_params_finish in every case. */
enum oc_code nd_run_params_decode(
        const cJSON *params, struct nd_run_params *ret, struct oc_error *err) OC_MUST_USE;
/* {"columns":80,"rows":24}; what is missing or makes no sense is 80 and 24. */
struct os_tty_size nd_tty_size_decode(const cJSON *v);
/* Letters, digits and '-', short. */
bool nd_run_handle_is_valid(const char *handle);
/* The params outlive their tree: copies it and borrows from the copy, which the caller owns. */
void nd_run_params_borrow(struct nd_run_params *p, cJSON **ret_copy, const cJSON *params);
/* Forgets every word about an approval: where nobody is asked, none of them counts. */
void nd_run_params_unapprove(struct nd_run_params *p);
void nd_run_params_finish(struct nd_run_params *p);

/* Whether it is one of the members that are decoded. */
bool nd_run_params_knows(const char *member);

#endif

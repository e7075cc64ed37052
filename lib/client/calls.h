/* A session's requests that wait for their answer: one record each, with a deadline and exactly one
 * exit.
 *
 *   add ──┬─ answered ───┐
 *         ├─ deadline    ├─▶ settle() ─▶ done, freed
 *         ├─ fail_soon   │
 *         └─ fail_all ───┘   finish frees without done */
#ifndef LIB_CLIENT_CALLS_H
#define LIB_CLIENT_CALLS_H

#include "lib/base/list.h"
#include "lib/base/map.h"
#include "lib/client/session.h"

#define OC_MAX_CALLS 1024

struct oc_calls {
    struct oc_loop *loop;
    struct oc_map *by_id; /* struct oc_call */
    struct oc_list list;  /* oc_call.link */
    size_t count;
};
struct oc_call;

void oc_calls_init(struct oc_calls *c, struct oc_loop *loop);
/* Makes an id. */
struct oc_call *oc_calls_add(
        struct oc_calls *c, const char *method, int timeout_ms, oc_reply_done *done, void *user);
const char *oc_call_id(const struct oc_call *call);
/* It ends with this error, from the loop. */
void oc_call_fail_soon(struct oc_call *call, enum oc_code code, const char *text);
/* f is a response frame inside blob. False: nobody waits for this id (any more). */
bool oc_calls_answer(struct oc_calls *c, const struct oc_frame *f, struct oc_blob *blob);
/* done of any of them may free the owner of c if c itself stays readable until this returns. */
void oc_calls_fail_all(struct oc_calls *c, enum oc_code code, const char *text);
void oc_calls_finish(struct oc_calls *c);

#endif

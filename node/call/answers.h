/* Answers remembered by idempotency key, so that a repeated request is never a repeated command.
 *
 * Small answers are kept whole. Of larger ones, and when all of them together become too many, only
 * the fact that there was one is kept. */
#ifndef NODE_CALL_ANSWERS_H
#define NODE_CALL_ANSWERS_H

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/grounds.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes that an answer carries as its member "base64". */
struct nd_media {
    int fd; /* nobody changes it any more: a sealed memfd */
    size_t len;
};

struct nd_answer {
    bool ok;
    struct oc_blob *payload;      /* ok: JSON text, or NULL for none */
    const struct nd_media *media; /* borrowed; payload is then an object. Never kept. NULL: none */
    char *code, *message;         /* not ok */
    struct oc_grounds *grounds;   /* not ok: why; NULL: there is no more to say */
};
void nd_answer_finish(struct nd_answer *a);

struct nd_answers;
struct nd_key_file;
struct nd_answer_slot; /* one key */

/* key_file (borrowed) makes the keys outlive the process; NULL: memory only. */
struct nd_answers *nd_answers_create(const struct oc_clock *clock, struct nd_key_file *key_file);
void nd_answers_destroy(struct nd_answers *a);

enum nd_answer_state {
    ND_ANSWER_NEW,       /* never seen, or too long ago */
    ND_ANSWER_RUNNING,   /* ret_running is what was given to nd_answers_begin */
    ND_ANSWER_KNOWN,     /* ret_answer, borrowed */
    ND_ANSWER_NOT_KEPT,  /* it was answered, but the answer is gone */
    ND_ANSWER_OTHER_USE, /* the key was used with other params */
    ND_ANSWER_FULL,      /* new, but too many keys are remembered already */
};
struct nd_answer_query {
    const char *command, *key;
    struct oc_slice params; /* JSON text; len 0 when there are none */
};
enum nd_answer_state nd_answers_find(struct nd_answers *a, const struct nd_answer_query *q,
        void **ret_running, const struct nd_answer **ret_answer);
/* Only after NEW. Later: nd_answers_end. */
struct nd_answer_slot *nd_answers_begin(
        struct nd_answers *a, const struct nd_answer_query *q, void *running);
/* Copies what is kept of the answer. */
void nd_answers_end(
        struct nd_answers *a, struct nd_answer_slot *slot, const struct nd_answer *answer);

#endif

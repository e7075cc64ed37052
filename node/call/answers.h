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
struct oc_media {
    int fd; /* nobody changes it any more: a sealed memfd */
    size_t len;
};

struct oc_answer {
    bool ok;
    struct oc_blob *payload;      /* ok: JSON text, or NULL for none */
    const struct oc_media *media; /* borrowed; payload is then an object. Never kept. NULL: none */
    char *code, *message;         /* not ok */
    struct oc_grounds *grounds;   /* not ok: why; NULL: there is no more to say */
};
void oc_answer_finish(struct oc_answer *a);

struct oc_answers;
struct oc_key_file;
struct oc_answer_slot; /* one key */

/* key_file (borrowed) makes the keys outlive the process; NULL: memory only. */
struct oc_answers *oc_answers_create(const struct oc_clock *clock, struct oc_key_file *key_file);
void oc_answers_destroy(struct oc_answers *a);

enum oc_answer_state {
    OC_ANSWER_NEW,       /* never seen, or too long ago */
    OC_ANSWER_RUNNING,   /* ret_running is what was given to oc_answers_begin */
    OC_ANSWER_KNOWN,     /* ret_answer, borrowed */
    OC_ANSWER_NOT_KEPT,  /* it was answered, but the answer is gone */
    OC_ANSWER_OTHER_USE, /* the key was used with other params */
    OC_ANSWER_FULL,      /* new, but too many keys are remembered already */
};
struct oc_answer_query {
    const char *command, *key;
    struct oc_slice params; /* JSON text; len 0 when there are none */
};
enum oc_answer_state oc_answers_find(struct oc_answers *a, const struct oc_answer_query *q,
        void **ret_running, const struct oc_answer **ret_answer);
/* Only after NEW. Later: oc_answers_end. */
struct oc_answer_slot *oc_answers_begin(
        struct oc_answers *a, const struct oc_answer_query *q, void *running);
/* Copies what is kept of the answer. */
void oc_answers_end(
        struct oc_answers *a, struct oc_answer_slot *slot, const struct oc_answer *answer);

#endif

#include "node/call/answers.h"

#include "lib/base/list.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"
#include "lib/protocol/limits.h"
#include "node/call/call.h"
#include "node/call/key_file.h"

#include <string.h>

struct nd_answer_slot {
    char key[65]; /* hash of command and idempotency key */
    char params_hash[65];
    void *running; /* NULL when it has ended */
    int64_t forget_at_ms;
    bool has_answer;
    struct nd_answer answer;
    size_t bytes;
    struct oc_list by_age;  /* ended ones */
    struct oc_list by_body; /* those with an answer */
};

struct nd_answers {
    const struct oc_clock *clock;
    struct nd_key_file *key_file;
    struct oc_map *slots;
    struct oc_list ended;       /* nd_answer_slot.by_age, oldest first */
    struct oc_list with_answer; /* nd_answer_slot.by_body, oldest first */
    size_t ended_count, total_bytes;
};

void nd_answer_finish(struct nd_answer *a) {
    oc_blob_unref(a->payload);
    oc_free(a->code);
    oc_free(a->message);
    oc_free(a->grounds);
    *a = (struct nd_answer){ 0 };
}

static struct nd_answer_slot *slot_new(
        struct nd_answers *a, const char *key, const char *params_hash) {
    struct nd_answer_slot *s = oc_new(struct nd_answer_slot);
    memcpy(s->key, key, sizeof(s->key));
    memcpy(s->params_hash, params_hash, sizeof(s->params_hash));
    oc_list_init(&s->by_age);
    oc_list_init(&s->by_body);
    oc_map_put(a->slots, s->key, s);
    return s;
}

/* What an earlier run of this node has acted on: the answers are gone, the fact is not. */
static void answers_restore(struct nd_answers *a) {
    size_t count;
    const struct nd_key_file_mark *marks = nd_key_file_marks(a->key_file, &count);
    int64_t now = oc_mono_ms(a->clock);
    for (size_t i = 0; i < count; i++) {
        if (!oc_map_get(a->slots, marks[i].key_hash)) {
            struct nd_answer_slot *s = slot_new(a, marks[i].key_hash, marks[i].params_hash);
            s->forget_at_ms = now + OC_IDEMPOTENCY_TTL_MS - marks[i].age_ms;
            oc_list_append(&a->ended, &s->by_age);
            a->ended_count++;
        }
    }
}

struct nd_answers *nd_answers_create(const struct oc_clock *clock, struct nd_key_file *key_file) {
    struct nd_answers *a = oc_new(struct nd_answers);
    a->clock = clock;
    a->key_file = key_file;
    a->slots = oc_map_create();
    oc_list_init(&a->ended);
    oc_list_init(&a->with_answer);
    if (key_file) {
        answers_restore(a);
    }
    return a;
}

static void drop_answer(struct nd_answers *a, struct nd_answer_slot *s) {
    oc_list_remove(&s->by_body);
    a->total_bytes -= s->bytes;
    s->bytes = 0;
    s->has_answer = false;
    nd_answer_finish(&s->answer);
}

static void slot_free(struct nd_answer_slot *s) {
    nd_answer_finish(&s->answer);
    oc_free(s);
}

void nd_answers_destroy(struct nd_answers *a) {
    if (!a) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(a->slots, &pos, &key, &value)) {
        slot_free(value);
    }
    oc_map_destroy(a->slots);
    oc_free(a);
}

static void forget_oldest(struct nd_answers *a) {
    struct nd_answer_slot *s = oc_list_first(&a->ended, struct nd_answer_slot, by_age);
    drop_answer(a, s);
    oc_list_remove(&s->by_age);
    a->ended_count--;
    oc_map_remove(a->slots, s->key);
    slot_free(s);
}

static void forget_old(struct nd_answers *a) {
    int64_t now = oc_mono_ms(a->clock);
    while (!oc_list_empty(&a->ended)) {
        struct nd_answer_slot *s = oc_list_first(&a->ended, struct nd_answer_slot, by_age);
        if (s->forget_at_ms > now) {
            return;
        }
        forget_oldest(a);
    }
}

static void slot_key(const struct nd_answer_query *q, char ret[65]) {
    OC_AUTO_FREE char *text =
            oc_strfmt("%s\n%s", q->command, q->key); /* no command has a newline in its name */
    oc_sha256_hex(text, strlen(text), ret);
}

enum nd_answer_state nd_answers_find(struct nd_answers *a, const struct nd_answer_query *q,
        void **ret_running, const struct nd_answer **ret_answer) {
    forget_old(a);
    char key[65];
    slot_key(q, key);
    struct nd_answer_slot *s = oc_map_get(a->slots, key);
    if (!s) {
        /* A live key is never given up for a new one: it might come again. */
        return oc_map_count(a->slots) < OC_IDEMPOTENCY_MAX ? ND_ANSWER_NEW : ND_ANSWER_FULL;
    }
    char hash[65];
    oc_sha256_hex(q->params.ptr, q->params.len, hash);
    if (strcmp(hash, s->params_hash) != 0) {
        return ND_ANSWER_OTHER_USE;
    }
    if (s->running) {
        *ret_running = s->running;
        return ND_ANSWER_RUNNING;
    }
    if (!s->has_answer) {
        return ND_ANSWER_NOT_KEPT;
    }
    *ret_answer = &s->answer;
    return ND_ANSWER_KNOWN;
}

struct nd_answer_slot *nd_answers_begin(
        struct nd_answers *a, const struct nd_answer_query *q, void *running) {
    char key[65], params_hash[65];
    slot_key(q, key);
    oc_sha256_hex(q->params.ptr, q->params.len, params_hash);
    struct nd_answer_slot *s = slot_new(a, key, params_hash);
    s->running = running;
    if (a->key_file) {
        nd_key_file_add(a->key_file, key, params_hash);
    }
    return s;
}

void nd_answers_end(
        struct nd_answers *a, struct nd_answer_slot *s, const struct nd_answer *answer) {
    s->running = NULL;
    s->forget_at_ms = oc_mono_ms(a->clock) + OC_IDEMPOTENCY_TTL_MS;
    oc_list_append(&a->ended, &s->by_age);
    a->ended_count++;
    size_t bytes = answer->payload ? answer->payload->len : 0;
    bytes += answer->message ? strlen(answer->message) : 0;
    bytes += answer->grounds ? sizeof(*answer->grounds) : 0;
    if (bytes <= ND_MAX_REMEMBERED_BYTES && !answer->media) {
        s->has_answer = true;
        s->bytes = bytes;
        a->total_bytes += bytes;
        s->answer = (struct nd_answer){
            .ok = answer->ok,
            .payload = answer->payload ? oc_blob_ref(answer->payload) : NULL,
            .code = oc_strdup(answer->code),
            .message = oc_strdup(answer->message),
        };
        if (answer->grounds) {
            s->answer.grounds = oc_new(struct oc_grounds);
            *s->answer.grounds = *answer->grounds;
        }
        oc_list_append(&a->with_answer, &s->by_body);
    }
    while (a->total_bytes > ND_MAX_REMEMBERED_TOTAL) {
        drop_answer(a, oc_list_first(&a->with_answer, struct nd_answer_slot, by_body));
    }
    forget_old(a);
}

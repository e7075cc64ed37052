#include "node/owner/notices.h"

#include "lib/base/mem.h"
#include "lib/identity/identity.h"

#include <string.h>

#define HASH_LEN 65

/* An id counts only with the daemon that gave it: a new one may use the number for somebody else's
 * notification. */
struct notice_place {
    char key[HASH_LEN];
    char daemon[64];
    int64_t id;
};

struct nd_notices {
    struct notice_place places[ND_MAX_NOTICES]; /* the oldest is overwritten */
    size_t next;
    struct nd_helper *closers[2]; /* on their way */
};

static struct nd_notices *notices_of(struct nd_desktop *desktop) {
    if (!desktop->notices) {
        desktop->notices = oc_new(struct nd_notices);
    }
    return desktop->notices;
}

static void hash_of(const char *key, char ret[HASH_LEN]) {
    oc_sha256_hex(key, strlen(key), ret);
}

static struct notice_place *notices_find(struct nd_notices *n, const char *hash) {
    for (size_t i = 0; n && i < ND_MAX_NOTICES; i++) {
        if (strcmp(n->places[i].key, hash) == 0) {
            return &n->places[i];
        }
    }
    return NULL;
}

static void set_text(cJSON *o, const char *name, const char *text) {
    if (!oc_str_blank(text)) {
        oc_json_set_str(o, name, text);
    }
}

cJSON *nd_notice_params(struct nd_desktop *desktop, const struct nd_notice *notice) {
    cJSON *o = cJSON_CreateObject();
    set_text(o, "title", notice->title);
    set_text(o, "body", notice->body);
    set_text(o, "priority", notice->priority);
    set_text(o, "sound", notice->sound);
    set_text(o, "delivery", notice->delivery);
    if (notice->expires_ms > 0) {
        oc_json_set_int(o, "expiresMs", notice->expires_ms);
    }
    if (notice->key) {
        char hash[HASH_LEN];
        hash_of(notice->key, hash);
        const struct notice_place *p = notices_find(desktop->notices, hash);
        if (p) {
            cJSON *replaces = cJSON_AddObjectToObject(o, "replaces");
            oc_json_set_int(replaces, "id", p->id);
            oc_json_set_str(replaces, "daemon", p->daemon);
        }
    }
    return o;
}

void nd_notice_shown(struct nd_desktop *desktop, const char *key, const cJSON *result) {
    const char *daemon = oc_json_get_str(result, "daemon");
    int64_t id = oc_json_get_int(result, "id", 1, UINT32_MAX, 0);
    struct notice_place p = { .id = id };
    if (!key || !daemon || id <= 0 || strlen(daemon) >= sizeof(p.daemon)) {
        return;
    }
    memcpy(p.daemon, daemon, strlen(daemon) + 1);
    hash_of(key, p.key);
    struct nd_notices *n = notices_of(desktop);
    struct notice_place *at = notices_find(n, p.key);
    if (!at) {
        at = &n->places[n->next];
        n->next = (n->next + 1) % ND_MAX_NOTICES;
    }
    *at = p;
}

static void on_closed(void *user, struct nd_helper_answer *answer) {
    struct nd_helper **slot = user;
    (void)answer; /* gone or not: nobody waits for it */
    *slot = NULL;
}

void nd_notice_close(struct nd_desktop *desktop, cJSON *take_place) {
    static const struct nd_helper_events events = { .on_answer = on_closed };
    struct nd_notices *n = notices_of(desktop);
    for (size_t i = 0; i < OC_COUNT(n->closers); i++) {
        if (!n->closers[i]) {
            n->closers[i] = nd_helper_start(desktop->helpers,
                    &(struct nd_helper_opts){ .program = ND_HELPER_DESKTOP,
                            .what = "notify.close",
                            .take_params = take_place,
                            .timeout_ms = ND_NOTICE_MS },
                    &events, &n->closers[i]);
            return;
        }
    }
    cJSON_Delete(take_place);
}

void nd_notices_destroy(struct nd_notices *notices) {
    for (size_t i = 0; notices && i < OC_COUNT(notices->closers); i++) {
        nd_helper_stop(notices->closers[i]);
    }
    oc_free(notices);
}

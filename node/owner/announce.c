#include "node/owner/announce.h"

#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "node/owner/notices.h"
#include "node/owner/switches.h"

#include <string.h>

enum { RETRY_MS = 10000, MAX_RETRIES = 3, SHOWN_MS = 10000 };

/* One for each kind, so that many captures at a time do not use up the helpers. */
struct announcement {
    struct nd_desktop *desktop;
    const char *kind;
    char *key;
    char *text; /* of the last capture that is not announced yet */
    struct nd_helper *helper;
    char *shown; /* what the helper shows now */
    struct oc_timer retry;
    int retries;
};

struct nd_announcer {
    struct announcement *kinds;
    size_t count;
    bool is_failing;
};

static void announce_show(struct announcement *a);

static void on_answer(void *user, struct nd_helper_answer *answer) {
    struct announcement *a = user;
    a->helper = NULL;
    OC_AUTO_FREE char *shown = oc_take(&a->shown);
    a->desktop->announcer->is_failing = !answer->ok;
    if (answer->ok) {
        nd_notice_shown(a->desktop, a->key, answer->result);
    } else {
        OC_AUTO_FREE char *why = nd_helper_answer_text(answer);
        oc_log(OC_LOG_WARN, "node.announce", "nobody here was told of a capture kind=%s: %s",
                a->kind, why);
    }
    if (a->text) {
        announce_show(a);
    } else if (!answer->ok && a->retries < MAX_RETRIES) {
        a->retries++;
        a->text = oc_take(&shown);
        oc_timer_set(a->desktop->machine->loop, &a->retry, RETRY_MS);
    }
}

static void on_retry(struct oc_timer *t) {
    struct announcement *a = t->user;
    if (!a->helper && a->text) {
        announce_show(a);
    }
}

static void announce_show(struct announcement *a) {
    static const struct nd_helper_events events = { .on_answer = on_answer };
    OC_AUTO_FREE char *text = oc_take(&a->text);
    OC_AUTO_FREE char *title = oc_strfmt("OpenClaw: %s", a->kind);
    OC_AUTO_FREE char *body = oc_strfmt(
            "%s.\nFor the gateway %s. No more: openclaw node disable %s", text,
            a->desktop->uplink->gateway ? a->desktop->uplink->gateway : "of this node", a->kind);
    /* Of normal urgency: desktops show an urgent one in red over what the person is doing. */
    struct nd_notice notice = {
        .key = a->key, .title = title, .body = body, .priority = "active", .expires_ms = SHOWN_MS
    };
    oc_free(a->shown);
    a->shown = oc_take(&text);
    a->helper = nd_helper_start(a->desktop->helpers,
            &(struct nd_helper_opts){ .program = ND_HELPER_DESKTOP,
                    .what = "notify",
                    .take_params = nd_notice_params(a->desktop, &notice),
                    .timeout_ms = ND_NOTICE_MS,
                    .is_reserved = true },
            &events, a);
}

static struct announcement *announce_find(struct nd_desktop *desktop, const char *kind) {
    if (!desktop->announcer) {
        struct nd_announcer *n = desktop->announcer = oc_new(struct nd_announcer);
        const struct nd_switch *kinds = nd_switches(&n->count);
        n->kinds = oc_new_array(struct announcement, n->count);
        for (size_t i = 0; i < n->count; i++) {
            n->kinds[i].desktop = desktop;
            n->kinds[i].kind = kinds[i].name;
            n->kinds[i].retry = (struct oc_timer){ .on_expire = on_retry, .user = &n->kinds[i] };
            n->kinds[i].key = oc_strfmt("announce\n%s", kinds[i].name);
        }
    }
    for (size_t i = 0; i < desktop->announcer->count; i++) {
        if (strcmp(desktop->announcer->kinds[i].kind, kind) == 0) {
            return &desktop->announcer->kinds[i];
        }
    }
    return NULL;
}

void nd_announce_capture(struct nd_desktop *desktop, const char *kind, const char *text) {
    if (!nd_switch_is_on(desktop->machine->switches_path, "announce")) {
        return;
    }
    if (!nd_helper_is_installed(ND_HELPER_DESKTOP)) {
        oc_log(OC_LOG_WARN, "node.announce",
                "nobody here was told of a capture kind=%s: install the package " ND_HELPER_DESKTOP,
                kind);
        return;
    }
    struct announcement *a = announce_find(desktop, kind);
    if (!a) {
        return;
    }
    oc_free(a->text);
    a->text = oc_strdup(text);
    a->retries = 0;
    if (!a->helper) {
        announce_show(a);
    }
}

bool nd_announce_is_failing(const struct nd_desktop *desktop) {
    return desktop->announcer && desktop->announcer->is_failing;
}

void nd_announce_finish(struct nd_desktop *desktop) {
    struct nd_announcer *n = oc_take(&desktop->announcer);
    for (size_t i = 0; n && i < n->count; i++) {
        nd_helper_stop(n->kinds[i].helper);
        oc_timer_cancel(&n->kinds[i].retry);
        oc_free(n->kinds[i].shown);
        oc_free(n->kinds[i].key);
        oc_free(n->kinds[i].text);
    }
    if (n) {
        oc_free(n->kinds);
        oc_free(n);
    }
}

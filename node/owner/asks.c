#include "node/owner/asks.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/protocol/connect.h"
#include "node/machine.h"
#include "node/owner/desktop.h"
#include "node/owner/desktop_prompt.h"
#include "node/owner/prompter.h"

#include <stddef.h>
#include <string.h>

struct ask {
    struct nd_asks *asks;
    char *approval_id, *caller_id;
    cJSON *request;
    struct nd_prompter *prompter;
    struct nd_desktop_prompt *desktop; /* instead, when nobody serves the socket */
    nd_ask_shown *shown;               /* NULL: it has fired */
    void *user;
    enum oc_decision decision; /* of one that is decided */
    struct oc_list link;       /* nd_asks.open, or .decided */
};

void nd_asks_init(struct nd_asks *asks, struct nd_desktop *desktop, struct nd_uplink *uplink) {
    asks->desktop = desktop;
    asks->uplink = uplink;
    oc_list_init(&asks->open);
    oc_list_init(&asks->decided);
}

static void ask_destroy(struct ask *a) {
    nd_prompter_cancel(a->prompter);
    nd_desktop_prompt_cancel(a->desktop);
    oc_list_remove(&a->link);
    oc_free(a->approval_id);
    oc_free(a->caller_id);
    cJSON_Delete(a->request);
    oc_free(a);
}

static void tell_shown(struct ask *a, const char *where) {
    nd_ask_shown *shown = oc_take(&a->shown);
    if (shown) {
        shown(a->user, where);
    }
}

/* Also tells whoever waits to hear that it is shown. */
static void ask_drop(struct ask *a) {
    nd_ask_shown *shown = a->shown;
    void *user = a->user;
    ask_destroy(a);
    if (shown) {
        shown(user, NULL);
    }
}

static void ask_remember(struct ask *a, enum oc_decision decision) {
    struct nd_asks *asks = a->asks;
    struct ask *old;
    size_t count = 0;
    a->decision = decision;
    if (decision == OC_DECISION_DENY && asks->on_denied) {
        asks->on_denied(asks->user, a->approval_id, a->request);
    }
    cJSON_Delete(oc_take(&a->request));
    oc_list_remove(&a->link);
    oc_list_append(&asks->decided, &a->link);
    oc_list_for_each(old, &asks->decided, link) {
        count++;
    }
    if (count > ND_MAX_DECIDED_ASKS) {
        ask_destroy(oc_list_first(&asks->decided, struct ask, link));
    }
}

static void on_answered(void *user, enum oc_decision decision) {
    struct ask *a = user;
    a->prompter = NULL;
    a->desktop = NULL;
    if (!decision) { /* the others may still decide */
        ask_drop(a);
        return;
    }
    tell_shown(a, "desktop"); /* an answer before the helper's word: it was */
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "event", OC_EVENT_NAME_PROMPTED);
    cJSON *payload = cJSON_AddObjectToObject(params, "payload");
    oc_json_set_str(payload, "approvalId", a->approval_id);
    oc_json_set_str(payload, "decision", oc_decision_name(decision));
    struct nd_uplink *uplink = a->asks->uplink;
    ask_remember(a, decision);
    nd_uplink_request(uplink, "node.event", params);
}

static void on_desktop_shown(void *user) {
    tell_shown(user, "desktop");
}

static struct ask *ask_find(const struct oc_list *list, const char *approval_id) {
    struct ask *a;
    oc_list_for_each(a, list, link) {
        if (oc_streq(a->approval_id, approval_id)) {
            return a;
        }
    }
    return NULL;
}

/* Nobody takes all places from the others, and none of a notification twice. */
static bool has_place(const struct nd_asks *asks, const char *caller_id, bool *ret_on_desktop) {
    const struct ask *a;
    size_t all = 0, own = 0;
    *ret_on_desktop = true;
    oc_list_for_each(a, &asks->open, link) {
        bool is_own = oc_streq(a->caller_id, caller_id);
        all++;
        own += is_own;
        *ret_on_desktop = *ret_on_desktop && !(is_own && a->desktop);
    }
    return all < ND_MAX_ASKS && own < ND_MAX_ASKS_OF_CALLER;
}

static bool may_open(
        const struct nd_asks *asks, const struct nd_ask_opts *opts, bool *ret_desktop) {
    return strlen(opts->approval_id) <= ND_MAX_ASK_ID_BYTES &&
           !ask_find(&asks->open, opts->approval_id) &&
           !ask_find(&asks->decided, opts->approval_id) &&
           has_place(asks, opts->caller_id, ret_desktop);
}

void nd_asks_open(struct nd_asks *asks, const struct nd_ask_opts *opts) {
    static const struct nd_desktop_prompt_how how = { .others_are_asked = true,
        .on_shown = on_desktop_shown };
    const struct nd_machine *machine = asks->desktop->machine;
    bool may_use_desktop;
    if (!may_open(asks, opts, &may_use_desktop)) {
        opts->shown(opts->user, NULL);
        return;
    }
    struct ask *a = oc_new(struct ask);
    a->asks = asks;
    a->approval_id = oc_strdup(opts->approval_id);
    a->caller_id = oc_strdup(opts->caller_id);
    a->request = cJSON_Duplicate(opts->request, true);
    a->shown = opts->shown;
    a->user = opts->user;
    oc_list_append(&asks->open, &a->link);
    a->prompter =
            nd_prompter_ask(machine->loop, machine->approvals_path, opts->request, on_answered, a);
    if (a->prompter) {
        tell_shown(a, "terminal");
        return;
    }
    if (may_use_desktop) {
        a->desktop = nd_desktop_prompt_ask(asks->desktop, opts->request, &how, on_answered, a);
    }
    if (!a->desktop) {
        ask_drop(a);
    }
}

void nd_asks_take_back(struct nd_asks *asks, const char *approval_id) {
    struct ask *a = ask_find(&asks->open, approval_id);
    if (a) {
        ask_drop(a);
    }
}

void nd_asks_take_back_all(struct nd_asks *asks) {
    while (!oc_list_empty(&asks->open)) {
        ask_drop(oc_list_first(&asks->open, struct ask, link));
    }
}

void nd_asks_forget(struct nd_asks *asks, const char *approval_id) {
    struct ask *a = ask_find(&asks->open, approval_id);
    if (a) {
        a->shown = NULL;
        ask_destroy(a);
    }
}

enum oc_decision nd_asks_decided(const struct nd_asks *asks, const char *approval_id) {
    const struct ask *a = approval_id ? ask_find(&asks->decided, approval_id) : NULL;
    return a ? a->decision : OC_DECISION_NONE;
}

void nd_asks_finish(struct nd_asks *asks) {
    while (!oc_list_empty(&asks->decided)) {
        ask_destroy(oc_list_first(&asks->decided, struct ask, link));
    }
}

#include "node/owner/asks.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/protocol/connect.h"
#include "node/machine.h"
#include "node/owner/desktop.h"
#include "node/owner/desktop_prompt.h"
#include "node/owner/prompter.h"

#include <stddef.h>

struct ask {
    struct nd_asks *asks;
    char *approval_id;
    struct nd_prompter *prompter;
    struct nd_desktop_prompt *desktop; /* instead, when nobody serves the socket */
    struct oc_list link;               /* nd_asks.open */
};

void nd_asks_init(struct nd_asks *asks, struct nd_desktop *desktop, struct nd_uplink *uplink) {
    asks->desktop = desktop;
    asks->uplink = uplink;
    oc_list_init(&asks->open);
}

static void ask_destroy(struct ask *a) {
    nd_prompter_cancel(a->prompter);
    nd_desktop_prompt_cancel(a->desktop);
    oc_list_remove(&a->link);
    oc_free(a->approval_id);
    oc_free(a);
}

static void on_answered(void *user, const char *decision) {
    struct ask *a = user;
    struct nd_uplink *uplink = a->asks->uplink;
    a->prompter = NULL;
    a->desktop = NULL;
    OC_AUTO_FREE char *id = oc_take(&a->approval_id);
    ask_destroy(a);
    if (!decision) {
        return; /* the others may still decide */
    }
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "event", OC_EVENT_NAME_PROMPTED);
    cJSON *payload = cJSON_AddObjectToObject(params, "payload");
    oc_json_set_str(payload, "approvalId", id);
    oc_json_set_str(payload, "decision", decision);
    nd_uplink_request(uplink, "node.event", params);
}

static struct ask *ask_find(struct nd_asks *asks, const char *approval_id, size_t *ret_count) {
    struct ask *a, *found = NULL;
    *ret_count = 0;
    oc_list_for_each(a, &asks->open, link) {
        found = oc_streq(a->approval_id, approval_id) ? a : found;
        ++*ret_count;
    }
    return found;
}

const char *nd_asks_open(struct nd_asks *asks, const char *approval_id, const cJSON *request) {
    const struct nd_machine *machine = asks->desktop->machine;
    size_t count;
    if (ask_find(asks, approval_id, &count) || count >= ND_MAX_ASKS) {
        return NULL;
    }
    struct ask *a = oc_new(struct ask);
    a->asks = asks;
    a->approval_id = oc_strdup(approval_id);
    oc_list_append(&asks->open, &a->link);
    a->prompter = nd_prompter_ask(machine->loop, machine->approvals_path, request, on_answered, a);
    if (a->prompter) {
        return "terminal";
    }
    a->desktop = nd_desktop_prompt_ask(asks->desktop, request, on_answered, a);
    if (a->desktop) {
        return "desktop";
    }
    ask_destroy(a);
    return NULL;
}

void nd_asks_take_back(struct nd_asks *asks, const char *approval_id) {
    size_t ignored;
    struct ask *a = ask_find(asks, approval_id, &ignored);
    if (a) {
        ask_destroy(a);
    }
}

void nd_asks_take_back_all(struct nd_asks *asks) {
    while (!oc_list_empty(&asks->open)) {
        ask_destroy(oc_list_first(&asks->open, struct ask, link));
    }
}

#include "gateway/canvas/canvas_payer.h"

#include "gateway/fairness/hold.h"
#include "gateway/fairness/party.h"
#include "lib/base/mem.h"
#include "lib/net/loop/turns.h"

struct payer {
    struct oc_http_payer http;
    struct oc_turns *turns;
    struct gw_party *party;
    struct gw_hold hold;
    struct oc_turn_waiter waiter;
    size_t sent; /* bytes that were not charged yet */
};

static struct payer *canvas_payer_of(struct oc_http_payer *p) {
    return OC_CONTAINER(p, struct payer, http);
}

static bool may_send(struct oc_http_payer *http) {
    struct payer *p = canvas_payer_of(http);
    return oc_turn_may(p->turns, &p->party->turn, &p->waiter);
}

static void on_sent(struct oc_http_payer *http, size_t bytes) {
    struct payer *p = canvas_payer_of(http);
    p->waiter.had_some = true;
    oc_turn_spend_bytes(p->turns, &p->party->turn, &p->sent, bytes);
}

static void on_held(struct oc_http_payer *http, size_t bytes) {
    struct payer *p = canvas_payer_of(http);
    if (!p->hold.is_released) {
        gw_hold_set(&p->hold, bytes);
    }
}

static void release_hold(struct gw_hold *h) {
    struct payer *p = OC_CONTAINER(h, struct payer, hold);
    gw_hold_set(h, 0);
    oc_http_payer_drop(&p->http);
}

static void go_on(void *user) {
    struct payer *p = user;
    oc_http_payer_go_on(&p->http);
}

static void on_gone(struct oc_http_payer *http) {
    struct payer *p = canvas_payer_of(http);
    oc_turn_waiter_leave(&p->waiter);
    gw_hold_finish(&p->hold);
    gw_party_leave(p->party);
    gw_party_unref(p->party);
    oc_free(p);
}

struct oc_http_payer *gw_canvas_payer_create(
        struct oc_turns *turns, struct gw_parties *parties, const char *actor, unsigned units) {
    struct gw_party *party = gw_party_of_pages(parties, actor);
    oc_turn_spend(turns, &party->turn, units);
    if (!gw_party_enter(party)) {
        gw_party_unref(party);
        return NULL;
    }
    struct payer *p = oc_new(struct payer);
    p->turns = turns;
    p->party = party;
    p->http = (struct oc_http_payer){
        .may_send = may_send, .on_sent = on_sent, .on_held = on_held, .on_gone = on_gone
    };
    p->waiter = (struct oc_turn_waiter){ .go_on = go_on, .user = p };
    oc_list_init(&p->waiter.link);
    gw_hold_init(&p->hold, party, release_hold);
    return &p->http;
}

#include "canvas/widgets/player.h"

#include "canvas/address.h"

static bool activate(struct oc_input *in, struct oc_item *it) {
    const struct oc_player *p = it->state;
    if (in->on_open && oc_address_is_web(p->url))
        in->on_open(in->user, p->url);
    return true;
}

const struct oc_widget_input oc_player_input = { .activate = activate, .takes_focus = true };

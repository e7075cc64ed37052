#include "canvas/widgets/players/player.h"

#include "canvas/scene/box.h"
#include "canvas/scene/playing.h"
#include "canvas/text/address.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_CLOCK 24

/* "0:03", "1:02:03" */
static const char *clock_of(int64_t ms, char *ret) {
    int64_t s = ms / 1000;
    if (s >= 3600) {
        (void)snprintf(ret, MAX_CLOCK, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
                (int)(s % 60));
    } else {
        (void)snprintf(ret, MAX_CLOCK, "%d:%02d", (int)(s / 60), (int)(s % 60));
    }
    return ret;
}

static const char *player_say(
        const struct cv_playing *p, char *ret, size_t size, const char *between) {
    char at[MAX_CLOCK], all[MAX_CLOCK];
    if (!p->has_begun) {
        return "Loading";
    }
    (void)snprintf(ret, size, "%s%s%s", clock_of(p->position_ms, at),
            p->duration_ms > 0 ? between : "",
            p->duration_ms > 0 ? clock_of(p->duration_ms, all) : "");
    return ret;
}

void cv_player_resolve(struct cv_scene *s, struct cv_item *it, const char *name) {
    struct cv_player *p = it->state;
    p->is_on = s->playing && strcmp(s->playing->key, it->key) == 0 &&
               strcmp(s->playing->url, p->url) == 0;
    p->caption = name;
    if (!p->is_on) {
        return;
    }
    char clock[2 * MAX_CLOCK + 8];
    const char *told = player_say(s->playing, clock, sizeof(clock), " / ");
    p->caption = cv_arena_printf(s->arena, "%s%s%s", told, *name ? " · " : "", name);
}

void cv_player_sign(
        const struct cv_player *p, struct cv_rect r, cv_color color, struct cv_display_list *dl) {
    if (p->is_on) {
        cv_dl_box(dl, (struct cv_rect){ r.x + r.w / 4, r.y + r.h / 4, r.w / 2, r.h / 2 }, 2, color,
                0, 0);
    } else {
        cv_dl_icon(dl, r, "playArrow", color);
    }
}

static bool player_activate(struct cv_input *in, struct cv_item *it) {
    const struct cv_player *p = it->state;
    if (!*p->url) {
        return true;
    }
    if (in->on_play) {
        in->on_play(in->user, &(struct cv_play){ .key = it->key,
                                      .url = p->url,
                                      .title = it->text,
                                      .is_film = strcmp(it->widget->name, "Video") == 0 });
    } else if (in->on_open && cv_address_is_web(p->url)) {
        in->on_open(in->user, p->url);
    }
    return true;
}

static void say_state(struct cv_scene *s, const struct cv_item *it, struct oc_buf *out) {
    const struct cv_player *p = it->state;
    char clock[2 * MAX_CLOCK + 8];
    if (p->is_on && s->playing) {
        const char *told = player_say(s->playing, clock, sizeof(clock), " of ");
        (void)oc_buf_printf(out, s->playing->has_begun ? "playing, %s" : "%s", told);
    }
}

bool cv_playing_is_there(const struct cv_scene *s) {
    for (unsigned i = 0; i < s->count; i++) {
        const struct cv_item *it = &s->items[i];
        if (it->widget->input == &cv_player_input && ((const struct cv_player *)it->state)->is_on) {
            return true;
        }
    }
    return false;
}

const struct cv_widget_input cv_player_input = {
    .activate = player_activate, .state = say_state, .takes_focus = true
};

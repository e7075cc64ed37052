/* AudioPlayer: the description above a bar with a play button and the file's name. */
#include "canvas/scene/box.h"
#include "canvas/text/address.h"
#include "canvas/widgets/field.h"
#include "canvas/widgets/players/player.h"

#include <math.h>
#include <string.h>

#define WIDTH 300
#define BAR_H 54
#define GAP 4

struct audio_state {
    struct cv_player player; /* first */
    struct cv_text *description, *name;
    bool has_description;
    double above; /* height of the description and the gap; set by height */
};

static void audio_player_resolve(struct cv_scene *s, struct cv_item *it) {
    struct audio_state *st = it->state;
    const char *description = cv_item_text(s, it, "description");
    st->player.url = cv_item_url(s, it, "url");
    const char *name = cv_address_name(s->arena, st->player.url);
    cv_player_resolve(s, it, name);
    struct cv_text_style style = cv_item_style(it, CV_HINT_BODY, it->theme->text_color);
    st->description =
            cv_text_get(s->texts, (struct oc_slice){ description, strlen(description) }, &style);
    st->has_description = *description != '\0';
    style = cv_item_style(it, CV_HINT_CAPTION, it->theme->muted);
    style.ellipsis = style.no_wrap = true;
    st->name = cv_text_get(
            s->texts, (struct oc_slice){ st->player.caption, strlen(st->player.caption) }, &style);
    cv_item_shows(it, st->description);
    cv_item_shows(it, st->name);
    it->text = st->has_description ? description : name;
}

static void audio_player_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct audio_state *st = it->state;
    it->min_w = 0;
    it->max_w = fmax(WIDTH, st->has_description ? cv_text_max_width(st->description) : 0);
}

static void audio_player_height(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    struct audio_state *st = it->state;
    st->above = st->has_description ? cv_text_height(st->description, it->w) + GAP : 0;
    it->nat_h = st->above + BAR_H;
}

static void audio_player_paint(
        struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct audio_state *st = it->state;
    const struct cv_theme *t = it->theme;
    if (st->has_description) {
        cv_dl_text(dl, it->x, it->y, it->w, st->description);
    }
    struct cv_rect bar = { it->x, it->y + st->above, it->w, BAR_H };
    bool is_lit = cv_item_is(it, s->hover) || cv_item_is(it, s->pressed);
    cv_dl_box(dl, bar, BAR_H / 2.0, t->field_back, is_lit ? t->focus : t->field_border, 1);
    double x = bar.x + 16, px = 24, y = bar.y + (BAR_H - px) / 2;
    cv_player_sign(&st->player, (struct cv_rect){ x, y, px, px }, t->text_color, dl);
    x += px + 12;
    double room = bar.x + bar.w - 16 - px - 12 - x;
    if (room > 20) {
        double line = cv_text_height(st->name, room);
        cv_dl_text(dl, x, bar.y + (BAR_H - line) / 2, room, st->name);
        cv_dl_icon(
                dl, (struct cv_rect){ bar.x + bar.w - 16 - px, y, px, px }, "volumeUp", t->muted);
    }
    cv_field_ring(s, it, bar, BAR_H / 2.0, dl);
}

const struct cv_widget cv_widget_audio_player = {
    .name = "AudioPlayer",
    .state_size = sizeof(struct audio_state),
    .may_vanish = true,
    .resolve = audio_player_resolve,
    .intrinsic = audio_player_intrinsic,
    .height = audio_player_height,
    .paint = audio_player_paint,
    .input = &cv_player_input,
};

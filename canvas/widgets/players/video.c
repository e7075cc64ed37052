/* Video: a poster with a play button and the file's name. It plays in a window of its own. */
#include "canvas/scene/box.h"
#include "canvas/text/address.h"
#include "canvas/widgets/field.h"
#include "canvas/widgets/players/player.h"

#include <math.h>
#include <string.h>

#define WIDTH 300
#define HEIGHT 150
#define DISC_PX 48

struct video_state {
    struct cv_player player; /* first */
    struct cv_text *name;
};

static void video_resolve(struct cv_scene *s, struct cv_item *it) {
    struct video_state *st = it->state;
    st->player.url = cv_item_url(s, it, "url");
    it->text = cv_address_name(s->arena, st->player.url);
    cv_player_resolve(s, it, it->text);
    struct cv_text_style style = cv_item_style(it, CV_HINT_CAPTION, 0xffffffd9);
    style.ellipsis = style.no_wrap = true;
    st->name = cv_text_get(
            s->texts, (struct oc_slice){ st->player.caption, strlen(st->player.caption) }, &style);
    cv_item_shows(it, st->name);
}

static void video_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    it->min_w = 0;
    it->max_w = WIDTH;
}

static void video_height(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    it->nat_h = HEIGHT;
}

static void video_paint(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct video_state *st = it->state;
    struct cv_rect r = cv_item_box(it);
    double radius = fmin(it->theme->image_radius, fmin(r.w, r.h) / 2),
           px = fmin(DISC_PX, fmin(r.w, r.h));
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_BOX,
                          .rect = r,
                          .radius = radius,
                          .fill = 0x30343cff,
                          .fill_to = 0x15171bff,
                          .angle = 180 });
    struct cv_rect disc = { r.x + (r.w - px) / 2, r.y + (r.h - px) / 2, px, px };
    bool is_lit = cv_item_is(it, s->hover) || cv_item_is(it, s->pressed);
    cv_dl_box(dl, disc, px / 2, is_lit ? 0xffffff59 : 0xffffff33, 0, 0);
    cv_player_sign(&st->player,
            (struct cv_rect){ disc.x + px / 4, disc.y + px / 4, px / 2, px / 2 }, 0xffffffff, dl);
    double line = cv_text_height(st->name, fmax(r.w - 2 * 12, 0));
    if (r.w > 60) {
        cv_dl_text(dl, r.x + 12, r.y + r.h - line - 8, r.w - 2 * 12, st->name);
    }
    cv_field_ring(s, it, r, radius, dl);
}

const struct cv_widget cv_widget_video = {
    .name = "Video",
    .state_size = sizeof(struct video_state),
    .may_vanish = true,
    .resolve = video_resolve,
    .intrinsic = video_intrinsic,
    .height = video_height,
    .paint = video_paint,
    .input = &cv_player_input,
};

/* Video: a poster with a play button and the file's name. It plays in a window of its own. */
#include "canvas/scene/box.h"
#include "canvas/text/address.h"
#include "canvas/widgets/field.h"
#include "canvas/widgets/player.h"

#include <math.h>
#include <string.h>

#define WIDTH 300
#define HEIGHT 150
#define DISC_PX 48

struct video_state {
    struct oc_player player; /* first */
    struct oc_text *name;
};

static void resolve(struct oc_scene *s, struct oc_item *it) {
    struct video_state *st = it->state;
    st->player.url = oc_item_url(s, it, "url");
    it->text = oc_address_name(s->arena, st->player.url);
    oc_player_resolve(s, it, it->text);
    struct oc_text_style style = oc_item_style(it, OC_HINT_CAPTION, 0xffffffd9);
    style.ellipsis = style.no_wrap = true;
    st->name = oc_text_get(
            s->texts, (struct oc_slice){ st->player.caption, strlen(st->player.caption) }, &style);
    oc_item_shows(it, st->name);
}

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    it->min_w = 0;
    it->max_w = WIDTH;
}

static void height(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    it->nat_h = HEIGHT;
}

static void paint(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    const struct video_state *st = it->state;
    struct oc_rect r = oc_item_box(it);
    double radius = fmin(it->theme->image_radius, fmin(r.w, r.h) / 2),
           px = fmin(DISC_PX, fmin(r.w, r.h));
    oc_dl_add(dl, &(struct oc_dl_op){ .kind = OC_DL_BOX,
                          .rect = r,
                          .radius = radius,
                          .fill = 0x30343cff,
                          .fill_to = 0x15171bff,
                          .angle = 180 });
    struct oc_rect disc = { r.x + (r.w - px) / 2, r.y + (r.h - px) / 2, px, px };
    bool is_lit = oc_item_is(it, s->hover) || oc_item_is(it, s->pressed);
    oc_dl_box(dl, disc, px / 2, is_lit ? 0xffffff59 : 0xffffff33, 0, 0);
    oc_player_sign(&st->player,
            (struct oc_rect){ disc.x + px / 4, disc.y + px / 4, px / 2, px / 2 }, 0xffffffff, dl);
    double line = oc_text_height(st->name, fmax(r.w - 2 * 12, 0));
    if (r.w > 60) {
        oc_dl_text(dl, r.x + 12, r.y + r.h - line - 8, r.w - 2 * 12, st->name);
    }
    oc_field_ring(s, it, r, radius, dl);
}

const struct oc_widget oc_widget_video = {
    .name = "Video",
    .state_size = sizeof(struct video_state),
    .may_vanish = true,
    .resolve = resolve,
    .intrinsic = intrinsic,
    .height = height,
    .paint = paint,
    .input = &oc_player_input,
};

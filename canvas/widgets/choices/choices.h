/* The options of a MultipleChoice and what is chosen of them; and the two ways to show them. */
#ifndef CANVAS_WIDGETS_CHOICES_CHOICES_H
#define CANVAS_WIDGETS_CHOICES_CHOICES_H

#include "canvas/input/input.h"
#include "canvas/scene/scene.h"

#define CV_CHOICES_MAX 1000 /* options that are shown, selections that are read */
#define CV_CHOICES_MEASURED \
    100 /* options that say how wide the list is, and which letters are needed */

struct cv_choice {
    const char *label;
    struct oc_slice value;
    bool is_selected;
    bool is_disabled;    /* the maximum is reached */
    struct cv_rect rect; /* chips: relative to the item; set by cv_chips_arrange */
};

struct cv_choices {
    bool has_chips, is_filterable;
    size_t max;           /* how many may be chosen; 0: any */
    size_t selected;      /* how many are, options or not */
    const char *filter;   /* "" when there is none */
    size_t total;         /* options */
    struct cv_choice *at; /* those that the filter leaves */
    size_t count;
    double chips_h;
};

/* Reads everything anew from model and local state; memory is the arena's. */
void cv_choices_load(struct cv_scene *s, const struct cv_item *it, struct cv_choices *ret);
/* Chooses or gives back one option, as the maximum allows. */
void cv_choices_toggle(
        struct cv_input *in, struct cv_item *it, const struct cv_choices *c, size_t i);
/* "Select items", "2 Selected", or the label of the only one that may be chosen. */
const char *cv_choices_header(struct cv_scene *s, const struct cv_choices *c);
/* The next option after `from` whose label starts with this; count: none. */
size_t cv_choices_type_ahead(const struct cv_choices *c, int from, const char *utf8);

/* choice_filter.c: the box that says which options are shown; a text field like others
 * (canvas/input/edit.h). */
struct cv_rect cv_filter_box(const struct cv_item *it, const struct cv_choices *c);
void cv_filter_place(struct cv_scene *s, struct cv_item *it, const struct cv_choices *c);
void cv_filter_paint(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c,
        struct cv_display_list *dl);
void cv_filter_clear(struct cv_input *in, struct cv_item *it);
bool cv_filter_text(
        struct cv_input *in, struct cv_item *it, const struct cv_choices *c, const char *utf8);
bool cv_filter_key(struct cv_input *in, struct cv_item *it, const struct cv_choices *c,
        enum cv_key key, unsigned mods);
bool cv_filter_pointer(struct cv_input *in, struct cv_item *it, const struct cv_choices *c,
        enum cv_pointer what, double x, double y, unsigned mods);
void cv_filter_preedit(struct cv_item *it, const char *utf8, size_t caret);
struct cv_rect cv_filter_caret(
        struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c);

/* choice_list.c: the drop-down. */
double cv_list_header_h(const struct cv_theme *t);
void cv_list_intrinsic(struct cv_scene *s, struct cv_item *it, const struct cv_choices *c);
void cv_list_place(struct cv_scene *s, struct cv_item *it, const struct cv_choices *c);
void cv_list_paint(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c,
        struct cv_display_list *dl);
size_t cv_list_at(
        const struct cv_item *it, const struct cv_choices *c, double x, double y); /* count: none */
bool cv_list_scroll(struct cv_item *it, const struct cv_choices *c, double dy);
/* The press on its bar, or the move of what was taken hold of. False: not there. */
bool cv_list_bar(struct cv_input *in, struct cv_item *it, const struct cv_choices *c,
        enum cv_pointer what, double x, double y);
void cv_list_reveal(struct cv_item *it, const struct cv_choices *c); /* the highlight */

/* choice_chips.c */
void cv_chips_intrinsic(struct cv_scene *s, struct cv_item *it, const struct cv_choices *c);
void cv_chips_arrange(struct cv_scene *s, const struct cv_item *it, struct cv_choices *c);
void cv_chips_paint(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c,
        struct cv_display_list *dl);
size_t cv_chips_at(const struct cv_item *it, const struct cv_choices *c, double x, double y);

#endif

/* The options of a MultipleChoice and what is chosen of them; and the two ways to show them. */
#ifndef CANVAS_WIDGETS_CHOICES_H
#define CANVAS_WIDGETS_CHOICES_H

#include "canvas/input/input.h"
#include "canvas/scene/scene.h"

#define OC_CHOICES_MAX 1000 /* options that are shown, selections that are read */
#define OC_CHOICES_MEASURED \
    100 /* options that say how wide the list is, and which letters are needed */

struct oc_choice {
    const char *label;
    struct oc_slice value;
    bool is_selected;
    bool is_disabled;    /* the maximum is reached */
    struct oc_rect rect; /* chips: relative to the item; set by oc_chips_arrange */
};

struct oc_choices {
    bool has_chips, is_filterable;
    size_t max;           /* how many may be chosen; 0: any */
    size_t selected;      /* how many are, options or not */
    const char *filter;   /* "" when there is none */
    size_t total;         /* options */
    struct oc_choice *at; /* those that the filter leaves */
    size_t count;
    double chips_h;
};

/* Reads everything anew from model and local state; memory is the arena's. */
void oc_choices_load(struct oc_scene *s, const struct oc_item *it, struct oc_choices *ret);
/* Chooses or gives back one option, as the maximum allows. */
void oc_choices_toggle(
        struct oc_input *in, struct oc_item *it, const struct oc_choices *c, size_t i);
/* "Select items", "2 Selected", or the label of the only one that may be chosen. */
const char *oc_choices_header(struct oc_scene *s, const struct oc_choices *c);
/* The next option after `from` whose label starts with this; count: none. */
size_t oc_choices_type_ahead(const struct oc_choices *c, int from, const char *utf8);

/* choice_filter.c: the box that says which options are shown; a text field like others (canvas/input/edit.h). */
struct oc_rect oc_filter_box(const struct oc_item *it, const struct oc_choices *c);
void oc_filter_place(struct oc_scene *s, struct oc_item *it, const struct oc_choices *c);
void oc_filter_paint(struct oc_scene *s, const struct oc_item *it, const struct oc_choices *c,
        struct oc_display_list *dl);
void oc_filter_clear(struct oc_input *in, struct oc_item *it);
bool oc_filter_text(
        struct oc_input *in, struct oc_item *it, const struct oc_choices *c, const char *utf8);
bool oc_filter_key(struct oc_input *in, struct oc_item *it, const struct oc_choices *c,
        enum oc_key key, unsigned mods);
bool oc_filter_pointer(struct oc_input *in, struct oc_item *it, const struct oc_choices *c,
        enum oc_pointer what, double x, double y, unsigned mods);
void oc_filter_preedit(struct oc_item *it, const char *utf8, size_t caret);
struct oc_rect oc_filter_caret(
        struct oc_scene *s, const struct oc_item *it, const struct oc_choices *c);

/* choice_list.c: the drop-down. */
double oc_list_header_h(const struct oc_theme *t);
void oc_list_intrinsic(struct oc_scene *s, struct oc_item *it, const struct oc_choices *c);
void oc_list_place(struct oc_scene *s, struct oc_item *it, const struct oc_choices *c);
void oc_list_paint(struct oc_scene *s, const struct oc_item *it, const struct oc_choices *c,
        struct oc_display_list *dl);
size_t oc_list_at(
        const struct oc_item *it, const struct oc_choices *c, double x, double y); /* count: none */
bool oc_list_scroll(struct oc_item *it, const struct oc_choices *c, double dy);
/* The press on its bar, or the move of what was taken hold of. False: not there. */
bool oc_list_bar(struct oc_input *in, struct oc_item *it, const struct oc_choices *c,
        enum oc_pointer what, double x, double y);
void oc_list_reveal(struct oc_item *it, const struct oc_choices *c); /* the highlight */

/* choice_chips.c */
void oc_chips_intrinsic(struct oc_scene *s, struct oc_item *it, const struct oc_choices *c);
void oc_chips_arrange(struct oc_scene *s, const struct oc_item *it, struct oc_choices *c);
void oc_chips_paint(struct oc_scene *s, const struct oc_item *it, const struct oc_choices *c,
        struct oc_display_list *dl);
size_t oc_chips_at(const struct oc_item *it, const struct oc_choices *c, double x, double y);

#endif

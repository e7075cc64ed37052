/* A scene: the surfaces as they stand now, laid out for one width. Made anew after every change, in
 * phases; each widget has a function per phase (struct cv_widget). Items stand in one array in
 * pre-order, so that a phase is a loop over it, forwards (top down) or backwards (bottom up), and
 * nothing recurses.
 *
 *   build    ▼ resolve     reads properties, names its children (build.c makes their items)
 *   measure  ▲ intrinsic   min_w and max_w from the children's
 *            ▼ widths      its own w is known: sets the children's w
 *            ▲ height      w of all is known: sets its natural height nat_h
 *   arrange  ▼ place       its own x, y, w, h are final: sets the children's x, y, h
 *            ▲▼ (scene.c)  finds what overflows, moves what is scrolled
 *   paint    ▼▲ paint, then its children, then paint_over; pop-ups after all that
 *
 * Nobody but scene.c knows of scrolling: place puts everything where it were if nothing was
 * scrolled.
 *
 * Measures are border boxes in page pixels. What a person did (scrolled, opened, typed) lives in
 * struct cv_local, which outlives scenes. Widgets change the model only through
 * cv_surface_write. */
#ifndef CANVAS_SCENE_SCENE_H
#define CANVAS_SCENE_SCENE_H

#include "canvas/display/display_list.h"
#include "canvas/images/images.h"
#include "canvas/model/diag.h"
#include "canvas/model/model.h"
#include "canvas/model/theme.h"
#include "canvas/rich/rich.h"
#include "canvas/text/text.h"
#include "canvas/value/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cv_history; /* canvas/scene/history.h */
struct cv_playing; /* canvas/scene/playing.h */
struct cv_scene;
struct cv_widget;

/* What a person did to one instance; keyed by surface id and instance id. */
struct cv_local {
    int selected;              /* Tabs: index */
    bool open;                 /* Modal, drop-down */
    double scroll_x, scroll_y; /* scrolling containers (as asked for), long text fields */
    size_t caret, anchor;      /* text fields: bytes in the value; equal: no selection */
    /* What was entered into an input whose value has no path, and the literal that it replaced: an
     * agent that sends another literal is seen. NULL: nothing. Owned. */
    struct cv_value *draft, *draft_of;
    char *filter;               /* text of a filter box; NULL: none */
    char *preedit;              /* what the input method has not committed yet */
    size_t preedit_caret;       /* bytes in it */
    bool follow;                /* the caret moved: place scrolls to it */
    struct cv_history *history; /* of a text field; NULL: nothing was typed. Owned */
    int highlight;              /* option under keyboard focus; -1 none */
    int over;                   /* part of a pop-up under the pointer; 0 none */
    uint64_t closed;            /* Modal: the definition that a person closed; 0 none */
};

struct cv_item {
    const struct cv_widget *widget;
    const struct cv_component *component;
    const struct cv_surface *surface;
    const struct cv_theme *theme; /* of its surface */
    /* What its children get as theme, when resolve set it (Button: the ink of what stands on it);
     * NULL: the same. */
    const struct cv_theme *theme_below;
    const char *id; /* instance id: "name", "row:2", "cell:2:0" */
    /* "surface\nid", and "\n2", "\n3" … behind it when a component is used more than once: no two
     * items of a scene have the same */
    const char *key;
    const struct cv_context *context;
    unsigned parent, depth; /* parent == own index: a surface's root */
    unsigned below; /* how many items stand below it; its next sibling is at index + below + 1 */
    bool has_weight;
    double weight;
    void *state;      /* widget->state_size bytes, zeroed, filled by resolve */
    const char *text; /* what a person reads on it (dump, accessible name); NULL or in the arena */
    struct cv_local *local; /* never NULL */
    double min_w, max_w, w, nat_h, x, y, h;
    /* The width that it needs at least when words may be broken anywhere; intrinsic of a text sets
     * it, scene.c that of the others. A Row that would overflow breaks long words (addresses)
     * instead. */
    double break_w;
    bool fills_cross; /* stretched across its Row or Column whatever the alignment; set by intrinsic
                       */
    /* Drawn after everything else, above it, with all below it: a drop-down that is open, or what
     * stands in a dialog (then its parent says is_dialog, and places it in the view, not in the
     * page). */
    bool overlay;
    /* What it covers besides its own box and is hit there too (drop-down list, calendar; of a
     * dialog: the view); set by place. w 0: nothing. The page is at least so high that the pop-up
     * is seen when view_height is 0. */
    struct cv_rect popup;
    bool is_dialog; /* open Modal; set by height, with the size that the dialog wants in popup */
    /* Of a scrolling container: where its children show (set by place; w 0: its whole box), and
     * free space kept after them. */
    struct cv_rect view;
    double view_radius, view_pad;
    bool clips;              /* more is in it than can be seen */
    double over_x, over_y;   /* how far it can be scrolled */
    double at_x, at_y;       /* and is: what local says, as far as this layout has room for it */
    unsigned unknown_glyphs; /* of its texts: characters that no font has (cv_item_shows) */
    unsigned layer; /* 0: on the page; else 1 + index of the item in whose dialog it stands */
};

struct cv_scene {
    uint64_t serial;
    double width;       /* of the page */
    double view_height; /* of the view port; 0: as high as the content. Items stand in coordinates
                           of the view */
    double height;      /* of the content; set by arrange */
    double scroll_y;    /* of the page, clamped by arrange */
    const struct cv_theme *theme;
    struct cv_model *model;
    struct cv_texts *texts;
    struct cv_images *images;
    struct cv_arena *arena;
    struct cv_diags *diags; /* may be NULL */
    struct cv_build *build; /* build.c's, while it runs */
    /* What may still be given out: bytes of text and of addresses, tabs and options; set by
     * build. */
    size_t text_left, url_left, parts_left;
    struct cv_rich_budget rich_left;
    struct cv_rect shown;  /* what is visible of the item that is being painted */
    struct cv_item *items; /* allocated by build, freed by finish; all else is in the arena */
    unsigned count;
    /* what has the keyboard and the pointer, as "surface\nid"; NULL: nothing */
    const char *focus, *hover, *pressed;
    bool focus_visible;               /* draw the ring: the keyboard was used last */
    bool caret_on;                    /* blinking */
    const struct cv_playing *playing; /* NULL: nothing plays */
    /* button.c's: themes that were made from others in this scene, for plain and primary ones */
    struct {
        uint64_t serial;
        const struct cv_theme *from, *made;
    } inked[2];
    int64_t now_ms; /* wall clock, for DateTimeInput's pop-up */
};

enum cv_key {
    CV_KEY_NONE,
    CV_KEY_TAB,
    CV_KEY_ENTER,
    CV_KEY_SPACE,
    CV_KEY_ESCAPE,
    CV_KEY_LEFT,
    CV_KEY_RIGHT,
    CV_KEY_UP,
    CV_KEY_DOWN,
    CV_KEY_HOME,
    CV_KEY_END,
    CV_KEY_PAGE_UP,
    CV_KEY_PAGE_DOWN,
    CV_KEY_BACKSPACE,
    CV_KEY_DELETE,
    CV_KEY_A,
    CV_KEY_C,
    CV_KEY_V,
    CV_KEY_X,
    CV_KEY_Y,
    CV_KEY_Z
};
enum { CV_MOD_SHIFT = 1, CV_MOD_CTRL = 2, CV_MOD_ALT = 4 };
enum cv_pointer { CV_POINTER_MOVE, CV_POINTER_PRESS, CV_POINTER_RELEASE, CV_POINTER_LEAVE };

struct cv_input; /* canvas/input/input.h: what handlers may do (write, fire an action, copy, focus)
                  */

struct cv_widget_input {
    /* All may be NULL. True: taken. x, y are page pixels. */
    bool (*activate)(
            struct cv_input *in, struct cv_item *it); /* click, Enter, Space, `--activate` */
    /* `--activate` of a child that is not shown now: brings it up. Such a child is never a reason
     * to activate `it` itself. */
    bool (*reveal)(struct cv_input *in, struct cv_item *it, const char *id);
    bool (*pointer)(struct cv_input *in, struct cv_item *it, enum cv_pointer what, double x,
            double y, unsigned mods);
    bool (*scroll)(struct cv_input *in, struct cv_item *it, double dx, double dy);
    bool (*key)(struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods);
    bool (*text)(struct cv_input *in, struct cv_item *it,
            const char *utf8); /* committed by the input method */
    bool (*preedit)(struct cv_input *in, struct cv_item *it, const char *utf8, size_t caret);
    void (*focused)(struct cv_input *in, struct cv_item *it); /* came with the keyboard */
    bool (*caret)(struct cv_scene *s, struct cv_item *it,
            struct cv_rect *ret); /* where the input method's window goes */
    /* What it holds or is in, for those who do not see it: "checked", "Ada" (describe.h). */
    void (*state)(struct cv_scene *s, const struct cv_item *it, struct oc_buf *out);
    /* Is it there for the pointer? NULL: its whole box and pop-up (a Button's cell is larger than
     * the button). */
    bool (*covers)(const struct cv_item *it, double x, double y);
    bool takes_focus;
    bool is_text; /* all of it: the pointer over it is a caret */
    /* Is also activated after something below it was (Modal: its entry); takes the focus only when
     * nothing below it does. */
    bool hears_children;
    bool (*skips_focus)(
            const struct cv_scene *s, const struct cv_item *it); /* not now, although takes_focus */
};

struct cv_widget {
    const char *name; /* "Button" */
    size_t state_size;
    bool may_vanish; /* in a Row it can shrink below its min_w, to 0; then it is cut off at its box
                      */
    bool ignores_weight;
    bool is_row;  /* its children stand side by side and share its width */
    bool scrolls; /* what does not fit can be scrolled to; .scroll = cv_scroll_by */
    void (*resolve)(struct cv_scene *s, struct cv_item *it);
    void (*intrinsic)(struct cv_scene *s, struct cv_item *it);
    void (*widths)(
            struct cv_scene *s, struct cv_item *it); /* may be NULL: children get its own w */
    void (*height)(struct cv_scene *s, struct cv_item *it);
    void (*place)(struct cv_scene *s, struct cv_item *it); /* may be NULL: children fill it */
    void (*paint)(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl);
    void (*paint_over)(struct cv_scene *s, const struct cv_item *it,
            struct cv_display_list *dl); /* may be NULL */
    void (*paint_popup)(struct cv_scene *s, const struct cv_item *it,
            struct cv_display_list *dl); /* of a dialog: before what stands in it; may be NULL */
    const struct cv_widget_input *input; /* may be NULL */
};

/* canvas/widgets/widgets.c, from widgets.def; NULL for an unknown type. */
const struct cv_widget *cv_widget_find(const char *name);

/* For resolve. Names a child component; missing ones are skipped with a note, cycles and depth are
 * cut with a diagnostic. The items appear after resolve returns, in the order named. */
void cv_build_child(struct cv_scene *s, struct cv_item *it, struct oc_slice component_id);
/* "children": explicitList or template. A bare array of ids is taken like explicitList. */
void cv_build_children(struct cv_scene *s, struct cv_item *it, const struct cv_value *children);
/* Properties: item.c. */
const struct cv_value *cv_item_prop(const struct cv_item *it, const char *name);
const struct cv_value *cv_item_value(
        const struct cv_item *it, const char *name); /* bound, resolved; NULL: none */
const char *cv_item_text(struct cv_scene *s, const struct cv_item *it,
        const char *name); /* as text in the arena; "" when none */
const char *cv_item_url(struct cv_scene *s, const struct cv_item *it,
        const char *name); /* the same of an address, which may hold a whole picture */
/* The same of any value, cut to so many bytes. Every text in a scene comes from here or is counted
 * with cv_scene_take, so that a long one that is bound ten thousand times costs no more than the
 * scene may. */
const char *cv_scene_text(struct cv_scene *s, const struct cv_value *v, size_t most);
bool cv_scene_take(struct cv_scene *s, size_t bytes); /* false, and told: there is no more */
/* How many of these tabs, options or selections may be looked at. */
size_t cv_scene_parts(struct cv_scene *s, size_t wanted);
int cv_item_choice(struct cv_scene *s, const struct cv_item *it, const char *name,
        const char *const *names, int def); /* NULL-ended */
struct oc_slice cv_item_path(
        const struct cv_item *it, const char *name); /* of a bound property, to write to */

/* For widgets, before or in height: this text is drawn; letters of it that no font has become a
 * diagnostic. */
void cv_item_shows(struct cv_item *it, struct cv_text *text);

/* Children of an item (scene_find.c): for (c = cv_first(s, it); c; c = cv_next(s, it, c)). */
struct cv_item *cv_first(const struct cv_scene *s, const struct cv_item *it);
struct cv_item *cv_next(
        const struct cv_scene *s, const struct cv_item *parent, const struct cv_item *child);

/* "surface\nid" of an item is focus, hover or pressed? */
bool cv_item_is(const struct cv_item *it, const char *which);

/* The phases, in scene.c, build.c and scene_paint.c. Locals are the caller's. */
struct cv_locals;
struct cv_locals *cv_locals_create(void);
void cv_locals_destroy(struct cv_locals *l);
/* For tests. */
size_t cv_locals_count(const struct cv_locals *l); /* instances that something is kept for */

void cv_scene_build(struct cv_scene *s, struct cv_locals *locals);
void cv_scene_layout(struct cv_scene *s);
void cv_scene_paint(struct cv_scene *s, struct cv_display_list *dl);
void cv_scene_finish(struct cv_scene *s);
/* scene_find.c */
struct cv_item *cv_scene_find(
        struct cv_scene *s, const char *surface, const char *id); /* surface NULL: any */
struct cv_item *cv_scene_hit(
        struct cv_scene *s, double x, double y); /* topmost visible item there, overlays first */
/* scene_print.c. `--dump layout`:
 * {"surfaces":[{"id","items":[{"type","id","depth","text","x","y","w","h"}]}],"diagnostics":[…]} */
enum oc_code cv_scene_print(struct oc_buf *out, const struct cv_scene *s);

#endif

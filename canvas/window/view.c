#include "canvas/window/view.h"

#include "canvas/scene/describe.h"
#include "canvas/window/place.h"
#include "lib/base/mem.h"

#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#define WIDTH 900
#define HEIGHT 700
#define WHEEL_PX 53 /* of one step of a wheel */
#define BLINK_MS 530
#define GEOMETRY_MS 300 /* after the last change */

struct cv_view {
    struct cv_canvas *canvas;
    struct cv_view_events events;
    void *user;
    GtkWindow *window;
    GtkWidget *area;
    GtkEventController *keys;
    GtkIMContext *im;
    double width, height, scale;
    struct cv_placement wanted; /* where it is, or is to be when it is shown again */
    double press_x, press_y;    /* where a drag began */
    bool edits;                 /* the focus is where text can be typed: the input method listens */
    char *told;                 /* accessible name that was told last */
    guint blink, geometry;
};

/* ---- painting ---- */

static void on_draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer user) {
    struct cv_view *v = user;
    (void)area;
    double scale = gtk_widget_get_scale_factor(v->area);
    if (v->width != width || v->height != height || v->scale != scale) {
        v->width = width;
        v->height = height;
        v->scale = scale;
        cv_resize(v->canvas, width, height, scale);
    }
    cairo_surface_t *pixels = cv_canvas_paint(v->canvas);
    if (!pixels) {
        return;
    }
    cairo_scale(cr, 1 / scale, 1 / scale);
    cairo_set_source_surface(cr, pixels, 0, 0);
    cairo_paint(cr);
}

/* ---- who has the focus ---- */

/* Screen readers get what has the keyboard, "check box, I agree, checked"; the drawing area is one
 * object to them. */
static void tell_reader(struct cv_view *v) {
    struct cv_scene *s = cv_canvas_scene(v->canvas);
    const struct cv_input *in = cv_canvas_input(v->canvas);
    OC_AUTO_BUF struct oc_buf said = OC_BUF_INIT(4096);
    for (unsigned i = 0; in->focus && i < s->count; i++) {
        if (cv_item_is(&s->items[i], in->focus)) {
            (void)cv_item_describe(&said, s, &s->items[i]);
        }
    }
    const char *name = said.len ? said.data : CV_TITLE;
    if (v->told && strcmp(v->told, name) == 0) {
        return;
    }
    oc_free(v->told);
    v->told = oc_strdup(name);
    gtk_accessible_update_property(
            GTK_ACCESSIBLE(v->area), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void shape_pointer(struct cv_view *v) {
    static const char *const names[] = { "default", "pointer", "text" };
    const char *name = names[cv_input_cursor(cv_canvas_input(v->canvas))];
    GdkCursor *now = gtk_widget_get_cursor(v->area);
    if (!now || strcmp(gdk_cursor_get_name(now), name) != 0) {
        gtk_widget_set_cursor_from_name(v->area, name);
    }
}

static void after_input(struct cv_view *v) {
    struct cv_rect caret;
    cv_after_input(v->canvas);
    (void)cv_canvas_scene(v->canvas);
    shape_pointer(v);
    bool edits = cv_input_caret(cv_canvas_input(v->canvas), &caret);
    if (edits != v->edits) {
        v->edits = edits;
        gtk_event_controller_key_set_im_context(
                GTK_EVENT_CONTROLLER_KEY(v->keys), edits ? v->im : NULL);
        if (edits) {
            gtk_im_context_focus_in(v->im);
        } else {
            gtk_im_context_reset(v->im);
            gtk_im_context_focus_out(v->im);
        }
    }
    if (edits) {
        GdkRectangle where = { (int)caret.x, (int)caret.y, (int)fmax(caret.w, 1),
            (int)fmax(caret.h, 1) };
        gtk_im_context_set_cursor_location(v->im, &where);
    }
    tell_reader(v);
}

/* ---- pointer ---- */

static unsigned mods_of(GtkEventController *c) {
    GdkModifierType m = gtk_event_controller_get_current_event_state(c);
    return (m & GDK_SHIFT_MASK ? CV_MOD_SHIFT : 0) | (m & GDK_CONTROL_MASK ? CV_MOD_CTRL : 0) |
           (m & GDK_ALT_MASK ? CV_MOD_ALT : 0);
}

static void view_pointer(
        struct cv_view *v, enum cv_pointer what, double x, double y, unsigned mods) {
    (void)cv_canvas_scene(v->canvas);
    cv_input_pointer(cv_canvas_input(v->canvas), what, x, y, mods);
    after_input(v);
}

static void on_motion(GtkEventControllerMotion *c, double x, double y, gpointer user) {
    view_pointer(user, CV_POINTER_MOVE, x, y, mods_of(GTK_EVENT_CONTROLLER(c)));
}

static void on_leave(GtkEventControllerMotion *c, gpointer user) {
    view_pointer(user, CV_POINTER_LEAVE, -1, -1, mods_of(GTK_EVENT_CONTROLLER(c)));
}

static void on_press(GtkGestureDrag *g, double x, double y, gpointer user) {
    struct cv_view *v = user;
    v->press_x = x;
    v->press_y = y;
    gtk_widget_grab_focus(v->area);
    if (v->edits) {
        gtk_im_context_reset(v->im);
    }
    view_pointer(v, CV_POINTER_PRESS, x, y, mods_of(GTK_EVENT_CONTROLLER(g)));
}

static void on_drag(GtkGestureDrag *g, double dx, double dy, gpointer user) {
    struct cv_view *v = user;
    view_pointer(
            v, CV_POINTER_MOVE, v->press_x + dx, v->press_y + dy, mods_of(GTK_EVENT_CONTROLLER(g)));
}

static void on_release(GtkGestureDrag *g, double dx, double dy, gpointer user) {
    struct cv_view *v = user;
    view_pointer(v, CV_POINTER_RELEASE, v->press_x + dx, v->press_y + dy,
            mods_of(GTK_EVENT_CONTROLLER(g)));
}

static gboolean on_scroll(GtkEventControllerScroll *c, double dx, double dy, gpointer user) {
    struct cv_view *v = user;
    double unit = gtk_event_controller_scroll_get_unit(c) == GDK_SCROLL_UNIT_WHEEL ? WHEEL_PX : 1;
    double x = v->width / 2, y = v->height / 2;
    GdkEvent *event = gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(c));
    graphene_point_t in_window, in_area;
    double nx, ny;
    if (event && gdk_event_get_position(event, &x,
                         &y)) { /* in the surface, which has shadows and a title bar around us */
        gtk_native_get_surface_transform(GTK_NATIVE(v->window), &nx, &ny);
        in_window = GRAPHENE_POINT_INIT((float)(x - nx), (float)(y - ny));
        if (gtk_widget_compute_point(GTK_WIDGET(v->window), v->area, &in_window, &in_area)) {
            x = in_area.x;
            y = in_area.y;
        }
    }
    if (mods_of(GTK_EVENT_CONTROLLER(c)) & CV_MOD_SHIFT && dx == 0) {
        dx = dy;
        dy = 0;
    }
    (void)cv_canvas_scene(v->canvas);
    bool taken = cv_input_scroll(cv_canvas_input(v->canvas), x, y, dx * unit, dy * unit);
    after_input(v);
    return taken;
}

/* ---- keyboard ---- */

static enum cv_key key_of(guint keyval) {
    switch (keyval) {
    case GDK_KEY_Tab:
    case GDK_KEY_ISO_Left_Tab:
        return CV_KEY_TAB;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
        return CV_KEY_ENTER;
    case GDK_KEY_space:
        return CV_KEY_SPACE;
    case GDK_KEY_Escape:
        return CV_KEY_ESCAPE;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
        return CV_KEY_LEFT;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
        return CV_KEY_RIGHT;
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
        return CV_KEY_UP;
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
        return CV_KEY_DOWN;
    case GDK_KEY_Home:
    case GDK_KEY_KP_Home:
        return CV_KEY_HOME;
    case GDK_KEY_End:
    case GDK_KEY_KP_End:
        return CV_KEY_END;
    case GDK_KEY_Page_Up:
    case GDK_KEY_KP_Page_Up:
        return CV_KEY_PAGE_UP;
    case GDK_KEY_Page_Down:
    case GDK_KEY_KP_Page_Down:
        return CV_KEY_PAGE_DOWN;
    case GDK_KEY_BackSpace:
        return CV_KEY_BACKSPACE;
    case GDK_KEY_Delete:
    case GDK_KEY_KP_Delete:
        return CV_KEY_DELETE;
    case GDK_KEY_a:
    case GDK_KEY_A:
        return CV_KEY_A;
    case GDK_KEY_c:
    case GDK_KEY_C:
        return CV_KEY_C;
    case GDK_KEY_v:
    case GDK_KEY_V:
        return CV_KEY_V;
    case GDK_KEY_x:
    case GDK_KEY_X:
        return CV_KEY_X;
    case GDK_KEY_y:
    case GDK_KEY_Y:
        return CV_KEY_Y;
    case GDK_KEY_z:
    case GDK_KEY_Z:
        return CV_KEY_Z;
    default:
        return CV_KEY_NONE;
    }
}

static gboolean on_key(
        GtkEventControllerKey *c, guint keyval, guint code, GdkModifierType state, gpointer user) {
    struct cv_view *v = user;
    (void)code, (void)state;
    enum cv_key key = key_of(keyval);
    unsigned mods = mods_of(GTK_EVENT_CONTROLLER(c));
    bool is_letter = key >= CV_KEY_A && key <= CV_KEY_Z;
    if (key == CV_KEY_NONE || (is_letter && !(mods & CV_MOD_CTRL))) {
        return FALSE;
    }
    (void)cv_canvas_scene(v->canvas);
    bool taken = cv_input_key(cv_canvas_input(v->canvas), key, mods);
    after_input(v);
    return taken || key == CV_KEY_TAB;
}

static void on_commit(GtkIMContext *im, const char *text, gpointer user) {
    struct cv_view *v = user;
    (void)im;
    (void)cv_canvas_scene(v->canvas);
    cv_input_text(cv_canvas_input(v->canvas), text);
    after_input(v);
}

static void on_preedit(GtkIMContext *im, gpointer user) {
    struct cv_view *v = user;
    char *text = NULL;
    int caret = 0;
    gtk_im_context_get_preedit_string(im, &text, NULL, &caret);
    size_t at = (size_t)(g_utf8_offset_to_pointer(text, caret) - text);
    (void)cv_canvas_scene(v->canvas);
    cv_input_preedit(cv_canvas_input(v->canvas), text, at);
    g_free(text);
    after_input(v);
}

static void on_pasted(GObject *clipboard, GAsyncResult *result, gpointer user) {
    struct cv_view *v = user;
    char *text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
    if (text) {
        (void)cv_canvas_scene(v->canvas);
        cv_input_text(cv_canvas_input(v->canvas), text);
        after_input(v);
    }
    g_free(text);
}

void cv_view_paste(struct cv_view *v) {
    gdk_clipboard_read_text_async(gtk_widget_get_clipboard(v->area), NULL, on_pasted, v);
}

void cv_view_copy(struct cv_view *v, const char *text) {
    gdk_clipboard_set_text(gtk_widget_get_clipboard(v->area), text);
}

static gboolean on_blink(gpointer user) {
    struct cv_view *v = user;
    if (v->edits) {
        cv_blink(v->canvas);
    }
    return G_SOURCE_CONTINUE;
}

/* ---- the window ---- */

static gboolean tell_geometry(gpointer user) {
    struct cv_view *v = user;
    v->geometry = 0;
    if (!gtk_widget_get_visible(GTK_WIDGET(v->window)) || v->width <= 0) {
        return G_SOURCE_REMOVE;
    }
    if (cv_place_grow(v->window, v->area, &v->wanted)) {
        v->geometry = g_timeout_add(GEOMETRY_MS, tell_geometry, v);
        return G_SOURCE_REMOVE;
    }
    struct cv_placement p = { NAN, NAN, v->width, v->height };
    (void)cv_place_find(v->window, &p.x, &p.y);
    v->wanted = p;
    v->events.on_geometry(v->user, &p);
    return G_SOURCE_REMOVE;
}

static void geometry_soon(struct cv_view *v) {
    if (v->geometry) {
        g_source_remove(v->geometry);
    }
    v->geometry = g_timeout_add(GEOMETRY_MS, tell_geometry, v);
}

static void on_map(void *user) {
    struct cv_view *v = user;
    cv_place_move(v->window, &v->wanted);
    if (isnan(v->wanted.x)) {
        cv_place_aside(v->window, v->wanted.width);
    }
    geometry_soon(v);
}

static void on_resize(GtkDrawingArea *area, int width, int height, gpointer user) {
    (void)area, (void)width, (void)height;
    geometry_soon(user);
}

static gboolean on_close(GtkWindow *window, gpointer user) {
    struct cv_view *v = user;
    (void)window;
    cv_view_hide(v);
    v->events.on_closed(v->user);
    return TRUE;
}

static void add_controllers(struct cv_view *v) {
    GtkEventController *motion = gtk_event_controller_motion_new();
    g_signal_connect(motion, "motion", G_CALLBACK(on_motion), v);
    g_signal_connect(motion, "leave", G_CALLBACK(on_leave), v);
    gtk_widget_add_controller(v->area, motion);
    GtkGesture *drag = gtk_gesture_drag_new();
    g_signal_connect(drag, "drag-begin", G_CALLBACK(on_press), v);
    g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag), v);
    g_signal_connect(drag, "drag-end", G_CALLBACK(on_release), v);
    gtk_widget_add_controller(v->area, GTK_EVENT_CONTROLLER(drag));
    GtkEventController *scroll = gtk_event_controller_scroll_new(
            GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES | GTK_EVENT_CONTROLLER_SCROLL_KINETIC);
    g_signal_connect(scroll, "scroll", G_CALLBACK(on_scroll), v);
    gtk_widget_add_controller(v->area, scroll);
    v->keys = gtk_event_controller_key_new();
    g_signal_connect(v->keys, "key-pressed", G_CALLBACK(on_key), v);
    gtk_event_controller_set_propagation_phase(
            v->keys, GTK_PHASE_CAPTURE); /* before GTK moves its own focus with Tab */
    gtk_widget_add_controller(v->area, v->keys);
}

struct cv_view *cv_view_create(
        struct cv_canvas *canvas, const struct cv_view_events *events, void *user) {
    struct cv_view *v = oc_new(struct cv_view);
    v->canvas = canvas;
    v->events = *events;
    v->user = user;
    v->window = GTK_WINDOW(gtk_window_new());
    gtk_window_set_title(v->window, CV_TITLE);
    v->wanted = (struct cv_placement){ NAN, NAN, WIDTH, HEIGHT };
    gtk_window_set_default_size(v->window, WIDTH, HEIGHT);
    gtk_window_set_icon_name(v->window, "openclaw");
    v->area =
            g_object_new(GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);
    gtk_widget_set_focusable(v->area, TRUE);
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(v->area), on_draw, v, NULL);
    g_signal_connect(v->area, "resize", G_CALLBACK(on_resize), v);
    g_signal_connect(v->window, "close-request", G_CALLBACK(on_close), v);
    v->im = gtk_im_multicontext_new();
    gtk_im_context_set_client_widget(v->im, v->area);
    gtk_im_context_set_use_preedit(v->im, TRUE);
    g_signal_connect(v->im, "commit", G_CALLBACK(on_commit), v);
    g_signal_connect(v->im, "preedit-changed", G_CALLBACK(on_preedit), v);
    add_controllers(v);
    gtk_window_set_child(v->window, v->area);
    cv_place_watch(v->window, on_map, v);
    v->blink = g_timeout_add(BLINK_MS, on_blink, v);
    return v;
}

void cv_view_destroy(struct cv_view *v) {
    if (!v) {
        return;
    }
    if (v->geometry) {
        g_source_remove(v->geometry);
    }
    g_source_remove(v->blink);
    gtk_im_context_set_client_widget(v->im, NULL);
    gtk_window_destroy(v->window);
    g_object_unref(v->im);
    oc_free(v->told);
    oc_free(v);
}

static void view_appear(struct cv_view *v) {
    gtk_widget_realize(GTK_WIDGET(v->window));
    cv_place_unasked(v->window);
    gtk_widget_set_visible(
            GTK_WIDGET(v->window), TRUE); /* not gtk_window_present, which takes the focus */
    gtk_widget_grab_focus(v->area);
}

void cv_view_show(struct cv_view *v, const struct cv_placement *p) {
    struct cv_placement *w = &v->wanted;
    *w = (struct cv_placement){ isnan(p->x) ? w->x : p->x, isnan(p->y) ? w->y : p->y,
        p->width > 0 ? p->width : w->width, p->height > 0 ? p->height : w->height };
    gtk_window_set_default_size(v->window, (int)w->width, (int)w->height);
    if (p->stays_hidden && !cv_view_is_shown(v)) {
        return;
    }
    if (!gtk_widget_get_visible(GTK_WIDGET(v->window))) {
        view_appear(v);
    } else {
        cv_place_move(v->window, w);
        geometry_soon(v);
    }
}

void cv_view_hide(struct cv_view *v) {
    gtk_widget_set_visible(GTK_WIDGET(v->window), FALSE);
}

bool cv_view_is_shown(const struct cv_view *v) {
    return gtk_widget_get_visible(GTK_WIDGET(v->window));
}

void cv_view_name(struct cv_view *v, const char *title) {
    gtk_window_set_title(v->window, title);
}

void cv_view_changed(struct cv_view *v) {
    gtk_widget_queue_draw(v->area);
}

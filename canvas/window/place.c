#include "canvas/window/place.h"

#include <math.h>

#ifdef GDK_WINDOWING_X11
#include <X11/Xlib.h>
#include <gdk/x11/gdkx.h>

#define NOTICES_PX 340 /* that notifications take at the right of a screen */

static GdkSurface *x11_surface(GtkWindow *window) {
    GdkSurface *s = gtk_native_get_surface(GTK_NATIVE(window));
    return s && GDK_IS_X11_SURFACE(s) ? s : NULL;
}

/* X has 16 bits for it; what is beyond them is as far as there is. */
static int on_screen(double at, int scale) {
    return (int)fmax(INT16_MIN, fmin(INT16_MAX, at * scale));
}

void cv_place_move(GtkWindow *window, const struct cv_placement *p) {
    GdkSurface *s = x11_surface(window);
    if (!s) {
        return;
    }
    Display *d = gdk_x11_display_get_xdisplay(gdk_surface_get_display(s));
    Window w = gdk_x11_surface_get_xid(s);
    int scale = gdk_surface_get_scale_factor(s);
    if (p->width > 0 && p->height > 0) {
        XResizeWindow(
                d, w, (unsigned)p->width * (unsigned)scale, (unsigned)p->height * (unsigned)scale);
    }
    if (!isnan(p->x) && !isnan(p->y)) {
        XMoveWindow(d, w, on_screen(p->x, scale), on_screen(p->y, scale));
    }
    XFlush(d);
}

/* How far the window manager's frame reaches beyond the window: a window is moved by its frame. */
static void frame_of(Display *d, Window w, long *ret_left, long *ret_top) {
    Atom type, name = XInternAtom(d, "_NET_FRAME_EXTENTS", True);
    int format = 0;
    unsigned long count = 0, more;
    unsigned char *data = NULL;
    *ret_left = *ret_top = 0;
    if (name == None || XGetWindowProperty(d, w, name, 0, 4, False, AnyPropertyType, &type, &format,
                                &count, &more, &data) != Success) {
        return;
    }
    if (data && format == 32 && count == 4) {
        *ret_left = ((long *)(void *)data)[0];
        *ret_top = ((long *)(void *)data)[2];
    }
    if (data) {
        XFree(data);
    }
}

bool cv_place_find(GtkWindow *window, double *ret_x, double *ret_y) {
    GdkSurface *s = x11_surface(window);
    if (!s) {
        return false;
    }
    long left, top;
    Display *d = gdk_x11_display_get_xdisplay(gdk_surface_get_display(s));
    int x = 0, y = 0, scale = gdk_surface_get_scale_factor(s);
    Window child;
    gdk_x11_display_error_trap_push(gdk_surface_get_display(s));
    XTranslateCoordinates(
            d, gdk_x11_surface_get_xid(s), DefaultRootWindow(d), 0, 0, &x, &y, &child);
    frame_of(d, gdk_x11_surface_get_xid(s), &left, &top);
    if (gdk_x11_display_error_trap_pop(gdk_surface_get_display(s))) {
        return false;
    }
    *ret_x = (double)(x - left) / scale;
    *ret_y = (double)(y - top) / scale;
    return true;
}

void cv_place_aside(GtkWindow *window, double width) {
    GdkSurface *s = x11_surface(window);
    struct cv_placement at = { NAN, NAN, NAN, NAN, false };
    if (!s || !cv_place_find(window, &at.x, &at.y)) {
        return;
    }
    GdkRectangle room;
    long left, top;
    GdkDisplay *d = gdk_surface_get_display(s);
    GdkMonitor *monitor = gdk_display_get_monitor_at_surface(d, s);
    if (!monitor) {
        return;
    }
    gdk_x11_monitor_get_workarea(monitor, &room);
    frame_of(gdk_x11_display_get_xdisplay(d), gdk_x11_surface_get_xid(s), &left, &top);
    double frame = 2.0 * (double)left / gdk_surface_get_scale_factor(s);
    double right = room.x + room.width - NOTICES_PX - width - frame;
    if (at.x > right && at.x > room.x) {
        at.x = fmax(right, room.x);
        cv_place_move(window, &at);
    }
}

struct mapping {
    GtkWindow *window;
    void (*on_map)(void *user);
    void *user;
};

/* When this comes the window manager has placed the window; GDK's own "mapped" is earlier. */
static gboolean on_xevent(GdkX11Display *display, const XEvent *event, gpointer user) {
    const struct mapping *m = user;
    GdkSurface *s = x11_surface(m->window);
    (void)display;
    if (event->type == MapNotify && s && event->xmap.window == gdk_x11_surface_get_xid(s)) {
        m->on_map(m->user);
    }
    return FALSE;
}

void cv_place_watch(GtkWindow *window, void (*on_map)(void *user), void *user) {
    GdkDisplay *d = gtk_widget_get_display(GTK_WIDGET(window));
    if (!GDK_IS_X11_DISPLAY(d)) {
        return;
    }
    struct mapping *m = g_new(struct mapping, 1); /* as long as the program */
    *m = (struct mapping){ window, on_map, user };
    g_signal_connect(d, "xevent", G_CALLBACK(on_xevent), m);
}

void cv_place_unasked(GtkWindow *window) {
    GdkSurface *s = x11_surface(window);
    if (s) {
        gdk_x11_surface_set_user_time(
                s, 0); /* the window manager's sign for "nobody asked for this" */
    }
}
#else
void cv_place_move(GtkWindow *window, const struct cv_placement *p) {
    (void)window, (void)p;
}

bool cv_place_find(GtkWindow *window, double *ret_x, double *ret_y) {
    (void)window, (void)ret_x, (void)ret_y;
    return false;
}

void cv_place_aside(GtkWindow *window, double width) {
    (void)window, (void)width;
}

void cv_place_unasked(GtkWindow *window) {
    (void)window;
}

void cv_place_watch(GtkWindow *window, void (*on_map)(void *user), void *user) {
    (void)window, (void)on_map, (void)user;
}
#endif

bool cv_place_grow(GtkWindow *window, GtkWidget *content, const struct cv_placement *asked) {
    int w = (int)asked->width, h = (int)asked->height;
    int less_w = w - gtk_widget_get_width(content), less_h = h - gtk_widget_get_height(content);
    if (gtk_widget_get_width(GTK_WIDGET(window)) != w ||
            gtk_widget_get_height(GTK_WIDGET(window)) != h || less_w < 0 || less_h < 0 ||
            less_w + less_h == 0) {
        return false;
    }
    gtk_window_set_default_size(window, w + less_w, h + less_h);
    return true;
}

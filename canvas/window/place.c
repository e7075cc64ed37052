#include "canvas/window/place.h"

#ifdef GDK_WINDOWING_X11
#include <X11/Xlib.h>
#include <gdk/x11/gdkx.h>

static GdkSurface *x11_surface(GtkWindow *window) {
    GdkSurface *s = gtk_native_get_surface(GTK_NATIVE(window));
    return s && GDK_IS_X11_SURFACE(s) ? s : NULL;
}

/* GDK marks these as deprecated only in later versions; X11 has no other way. */
void oc_place_move(GtkWindow *window, double x, double y) {
    GdkSurface *s = x11_surface(window);
    if (!s)
        return;
    Display *d = gdk_x11_display_get_xdisplay(gdk_surface_get_display(s));
    int scale = gdk_surface_get_scale_factor(s);
    XSizeHints hints = { .flags = USPosition, .x = (int)x * scale, .y = (int)y * scale };
    XSetWMNormalHints(d, gdk_x11_surface_get_xid(s), &hints);
    XMoveWindow(d, gdk_x11_surface_get_xid(s), hints.x, hints.y);
}

bool oc_place_find(GtkWindow *window, double *ret_x, double *ret_y) {
    GdkSurface *s = x11_surface(window);
    if (!s)
        return false;
    Display *d = gdk_x11_display_get_xdisplay(gdk_surface_get_display(s));
    int x = 0, y = 0, scale = gdk_surface_get_scale_factor(s);
    Window child;
    gdk_x11_display_error_trap_push(gdk_surface_get_display(s));
    XTranslateCoordinates(
            d, gdk_x11_surface_get_xid(s), DefaultRootWindow(d), 0, 0, &x, &y, &child);
    if (gdk_x11_display_error_trap_pop(gdk_surface_get_display(s)))
        return false;
    *ret_x = (double)x / scale;
    *ret_y = (double)y / scale;
    return true;
}

void oc_place_unasked(GtkWindow *window) {
    GdkSurface *s = x11_surface(window);
    if (s)
        gdk_x11_surface_set_user_time(
                s, 0); /* the window manager's sign for "nobody asked for this" */
}
#else
void oc_place_move(GtkWindow *window, double x, double y) {
    (void)window, (void)x, (void)y;
}

bool oc_place_find(GtkWindow *window, double *ret_x, double *ret_y) {
    (void)window, (void)ret_x, (void)ret_y;
    return false;
}

void oc_place_unasked(GtkWindow *window) {
    (void)window;
}
#endif

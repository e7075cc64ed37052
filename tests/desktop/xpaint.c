/* xpaint: something to see on an X display. Red on the left half, blue on the right, on each a
 * white square that moves to the right and starts again. The pointer is a green square at the place
 * that is given. Says "ready" when all of it is there.
 *
 *   xpaint POINTER-X POINTER-Y [still] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xcb.h>

enum { SIDE = 80, STEP = 10, STEP_US = 40000, POINTER = 16 };

static xcb_connection_t *c;
static xcb_window_t window;
static xcb_gcontext_t gc;

static void fill(uint32_t colour, int x, int y, int width, int height) {
    xcb_rectangle_t r = { (int16_t)x, (int16_t)y, (uint16_t)width, (uint16_t)height };
    xcb_change_gc(c, gc, XCB_GC_FOREGROUND, &colour);
    xcb_poly_fill_rectangle(c, window, gc, 1, &r);
}

static xcb_cursor_t green_pointer(xcb_window_t root) {
    xcb_pixmap_t all = xcb_generate_id(c);
    xcb_gcontext_t bits = xcb_generate_id(c);
    xcb_cursor_t cursor = xcb_generate_id(c);
    uint32_t one = 1;
    xcb_rectangle_t r = { 0, 0, POINTER, POINTER };
    xcb_create_pixmap(c, 1, all, root, POINTER, POINTER);
    xcb_create_gc(c, bits, all, XCB_GC_FOREGROUND, &one);
    xcb_poly_fill_rectangle(c, all, bits, 1, &r);
    xcb_create_cursor(c, cursor, all, all, 0, 0xffff, 0, 0, 0xffff, 0, POINTER / 2, POINTER / 2);
    return cursor;
}

int main(int argc, char **argv) {
    c = xcb_connect(NULL, NULL);
    if (argc < 3 || xcb_connection_has_error(c)) {
        return 1;
    }
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(c)).data;
    int width = screen->width_in_pixels, height = screen->height_in_pixels, half = width / 2;
    uint32_t values[] = { 1, green_pointer(screen->root) };
    window = xcb_generate_id(c);
    gc = xcb_generate_id(c);
    xcb_create_window(c, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, (uint16_t)width,
            (uint16_t)height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual,
            XCB_CW_OVERRIDE_REDIRECT | XCB_CW_CURSOR, values);
    xcb_create_gc(c, gc, window, 0, NULL);
    xcb_map_window(c, window);
    xcb_warp_pointer(c, XCB_NONE, screen->root, 0, 0, 0, 0, (int16_t)strtol(argv[1], NULL, 10),
            (int16_t)strtol(argv[2], NULL, 10));
    fill(0xff0000, 0, 0, half, height);
    fill(0x0000ff, half, 0, width - half, height);
    for (int x = 0;; x = (x + STEP) % (half - SIDE)) {
        fill(0xffffff, x, height / 2, SIDE, SIDE);
        fill(0xffffff, half + x, height / 2, SIDE, SIDE);
        free(xcb_get_input_focus_reply(c, xcb_get_input_focus(c), NULL));
        if (xcb_connection_has_error(c)) {
            return 0;
        }
        if (x == 0) {
            puts("ready");
            fflush(stdout);
        }
        do {
            usleep(STEP_US);
        } while (argc > 3 && strcmp(argv[3], "still") == 0 && !xcb_connection_has_error(c));
        fill(0xff0000, x, height / 2, SIDE, SIDE);
        fill(0x0000ff, half + x, height / 2, SIDE, SIDE);
    }
}

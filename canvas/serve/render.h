/* `render` and `check`: a file of A2UI messages to a picture or a description, without a node. What
 * `openclaw canvas` runs. */
#ifndef CANVAS_SERVE_RENDER_H
#define CANVAS_SERVE_RENDER_H

#include <stdbool.h>

enum cv_dump { CV_DUMP_NONE, CV_DUMP_LAYOUT, CV_DUMP_DATA, CV_DUMP_LIST };

#define CV_RENDER_WIDTH 800
#define CV_RENDER_MAX_ACTIVATE 32

struct cv_render_opts {
    const char *file;  /* "-": stdin */
    int in_fd;         /* the file, open: the sandbox has no others */
    const char *out;   /* NULL: no picture; "-": stdout */
    int out_fd;        /* where the picture goes that is not for stdout */
    const char *theme; /* NULL: CV_THEME */
    double width, height, scale, quality;
    unsigned max_width;
    bool is_jpeg;
    enum cv_dump dump;
    const char *activate[CV_RENDER_MAX_ACTIVATE]; /* in this order */
    unsigned activate_count;
    int pictures_fd; /* a socket to who fetches pictures; -1: they are not there */
    bool as_json;    /* check */
};

/* Exit codes. */
int cv_render(const struct cv_render_opts *opts);
int cv_render_check(const struct cv_render_opts *opts);

#endif

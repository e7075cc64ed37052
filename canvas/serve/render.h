/* `render` and `check`: a file of A2UI messages to a picture or a description, without a node. What `openclaw canvas` runs. */
#ifndef CANVAS_SERVE_RENDER_H
#define CANVAS_SERVE_RENDER_H

#include <stdbool.h>

enum oc_dump { OC_DUMP_NONE, OC_DUMP_LAYOUT, OC_DUMP_DATA, OC_DUMP_LIST };

#define OC_RENDER_WIDTH 800
#define OC_RENDER_MAX_ACTIVATE 32

struct oc_render_opts {
    const char *file;  /* "-": stdin */
    const char *out;   /* NULL: no picture; "-": stdout */
    const char *theme; /* NULL: "default" */
    double width, height, scale, quality;
    unsigned max_width;
    bool is_jpeg;
    enum oc_dump dump;
    const char *activate[OC_RENDER_MAX_ACTIVATE]; /* in this order */
    unsigned activate_count;
    int pictures_fd; /* a socket to who fetches pictures; -1: they are not there */
    bool as_json;    /* check */
};

/* Exit codes. */
int oc_render(const struct oc_render_opts *opts);
int oc_render_check(const struct oc_render_opts *opts);

#endif

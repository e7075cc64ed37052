/* Files of the canvas host. */
#ifndef GATEWAY_CANVAS_CANVAS_FILES_H
#define GATEWAY_CANVAS_CANVAS_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct gw_canvas_file {
    int fd;
    uint64_t size;
    const char *type;       /* content type */
    bool is_html, is_index; /* is_index: the path is a folder's */
};

/* path is the rest of an address, "" or "a/b.html" (lib/files/below.h). False: there is none. */
bool gw_canvas_file_open(int root_fd, const char *path, struct gw_canvas_file *ret);
/* A number that changes when a file below the root comes, goes or changes; looks at 4000 files at
 * most. */
uint64_t gw_canvas_files_stamp(int root_fd);

#endif

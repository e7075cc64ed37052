/* Canvas files as sealed copies. The one that was read last is kept: agents put "?1", "?2" behind
 * the name of one file. */
#ifndef NODE_CANVAS_CANVAS_FILES_H
#define NODE_CANVAS_CANVAS_FILES_H

#include "lib/base/error.h"

#include <stddef.h>
#include <sys/stat.h>

struct nd_canvas_files {
    int fd;         /* sealed copy of the last one; -1: none */
    struct stat as; /* of the file when it was read */
};

/* url as agents write it; folder NULL: there is none. *ret_fd is the caller's. */
enum oc_code nd_canvas_files_read(struct nd_canvas_files *f, const char *folder, const char *url,
        size_t max, int *ret_fd, size_t *ret_len, struct oc_error *err) OC_MUST_USE;
void nd_canvas_files_forget(struct nd_canvas_files *f);

#endif

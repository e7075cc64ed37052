/* Files below a folder that somebody who is not trusted names: no way out of it by "..", links or
 * devices. */
#ifndef LIB_FILES_BELOW_H
#define LIB_FILES_BELOW_H

#include "lib/base/error.h"

/* As below, of a folder that is open. */
enum oc_code oc_file_open_below_at(
        int root_fd, const char *path, int *ret_fd, struct oc_error *err) OC_MUST_USE;
/* path is as in an address: '/' between names, %xx escapes; one that ends in '/' or is a folder is
 * OC_E_NOT_FOUND. The file is regular and open for reading; the caller closes it. */
enum oc_code oc_file_open_below(
        const char *root, const char *path, int *ret_fd, struct oc_error *err) OC_MUST_USE;

#endif

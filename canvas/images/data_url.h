/* What a data: address has in it. */
#ifndef CANVAS_IMAGES_DATA_URL_H
#define CANVAS_IMAGES_DATA_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool cv_data_url_is(const char *url);
/* data:image/png;base64,… or data:image/svg+xml,%3Csvg… The declared type is not looked at. NULL,
 * and why in *ret_why; caller frees. */
uint8_t *cv_data_url_decode(const char *url, size_t *ret_len, const char **ret_why);

#endif

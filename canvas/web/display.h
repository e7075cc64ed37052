/* A display of our own for machines that have none, or whose display is not to be touched: weston
 * without a screen, else Xvfb. Ends with us, however we end. */
#ifndef CANVAS_WEB_DISPLAY_H
#define CANVAS_WEB_DISPLAY_H

#include "lib/base/error.h"

/* Before GTK starts; sets the environment for it. */
enum oc_code cv_display_start(struct oc_error *err) OC_MUST_USE;

#endif

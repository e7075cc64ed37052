/* Pictures for the canvas, which has no network and reads no files: from the Internet (net/fetch.h), and from the folder of canvas
 * files, `<state>/canvas`. A few at a time. */
#ifndef NODE_CANVAS_PICTURES_H
#define NODE_CANVAS_PICTURES_H

#include "base/buf.h"
#include "base/json.h"
#include "net/loop.h"

#define OC_CANVAS_ALLOW_HOSTS "node.canvas.allowHosts"

struct oc_canvas_pictures;

/* error NULL: here are the bytes. */
typedef void oc_canvas_brought(
        void *user, const char *url, const struct oc_buf *bytes, const char *error);

/* config and state_dir are read when something is wanted; NULL: none. */
struct oc_canvas_pictures *oc_canvas_pictures_create(
        struct oc_loop *loop, oc_canvas_brought *on_brought, void *user);
/* What is under way is not told any more. NULL is fine. */
void oc_canvas_pictures_destroy(struct oc_canvas_pictures *p);
/* on_brought follows, perhaps at once. */
void oc_canvas_pictures_want(
        struct oc_canvas_pictures *p, const char *url, const cJSON *config, const char *state_dir);
bool oc_canvas_pictures_are_busy(const struct oc_canvas_pictures *p);

#endif

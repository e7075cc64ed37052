/* Pictures for the canvas, which has no network and reads no files: from the Internet
 * (lib/net/fetch.h), and from the folder of canvas files, `<state>/canvas`.
 *
 *   wanted ─▶ its turn ─▶ fetched or read ─▶ on_brought ─▶ nd_canvas_pictures_taken
 *
 * The canvas is not trusted to want little, nor to take what it wanted: what is under way and not
 * yet taken has a ceiling of bytes, and the next one waits for it. One file of the loop's rounds is
 * read at a time. A host that does not answer holds up only its own pictures, and these not for
 * long. */
#ifndef NODE_CANVAS_CANVAS_PICTURES_H
#define NODE_CANVAS_CANVAS_PICTURES_H

#include "lib/base/buf.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"

struct nd_canvas_pictures;

/* From the loop. error NULL: here it is, sealed; fd stays ours. Whoever got it says so by
 * nd_canvas_pictures_taken(id). */
typedef void nd_canvas_brought(void *user, uint64_t id, const char *url, int fd, const char *error);

/* config and state_dir are read when something is wanted; NULL: none. */
struct nd_canvas_pictures *nd_canvas_pictures_create(
        struct oc_loop *loop, nd_canvas_brought *on_brought, void *user);
/* What is under way is not told any more. NULL is fine. */
void nd_canvas_pictures_destroy(struct nd_canvas_pictures *p);
/* on_brought follows; past the ceilings with an error, and past thousands not at all. */
void nd_canvas_pictures_want(
        struct nd_canvas_pictures *p, const char *url, const cJSON *config, const char *state_dir);
/* Of ids that are over, nothing happens. */
void nd_canvas_pictures_taken(struct nd_canvas_pictures *p, uint64_t id);
/* Who wanted them is gone. */
void nd_canvas_pictures_clear(struct nd_canvas_pictures *p);

#endif

/* openclaw.json while the node runs: tells when what it says has changed, and when that cannot be
 * used. A mistake in settings that no node reads is somebody else's. While the file is gone the
 * settings that run are kept. */
#ifndef NODE_CONFIG_WATCH_H
#define NODE_CONFIG_WATCH_H

#include "lib/base/str.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"

struct nd_config_watch;

/* config and files (the file and what it includes) are borrowed for the call. config is NULL when
 * it cannot be used, and wrong says why. */
typedef void nd_config_changed(
        void *user, const cJSON *config, const struct oc_strv *files, const char *wrong);

struct nd_config_watch *nd_config_watch_create(
        struct oc_loop *loop, const char *path, nd_config_changed *on_change, void *user);
/* NULL is fine. */
void nd_config_watch_destroy(struct nd_config_watch *w);
/* The file and what it includes, as far as is known. */
const struct oc_strv *nd_config_watch_files(const struct nd_config_watch *w);
/* Reads the file now and tells, if it is another config than this one: it may have changed before
 * it was watched. */
void nd_config_watch_compare(struct nd_config_watch *w, const cJSON *config);

#endif

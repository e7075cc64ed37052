/* Notifications on the desktop of this machine, through the helper openclaw-desktop. Each has a
 * key; the next one of the same key takes the place of the last on the screen instead of piling
 * up. */
#ifndef NODE_OWNER_NOTICES_H
#define NODE_OWNER_NOTICES_H

#include "node/owner/desktop.h"

#define ND_NOTICE_MS 4000 /* for the helper; it gives up on the desktop after 2 s by itself */
#define ND_MAX_NOTICES 32 /* whose place is remembered */

/* What openclaw-desktop's task "notify" takes; NULL or blank: left out. */
struct nd_notice {
    const char *key; /* NULL: never replaced */
    const char *title, *body;
    const char *priority; /* passive, active, timeSensitive */
    const char *sound, *delivery;
    int64_t expires_ms; /* 0: as the priority has it */
};

/* For nd_helper_start; knows what it replaces. */
cJSON *nd_notice_params(struct nd_desktop *desktop, const struct nd_notice *notice);
/* The helper's result: where it is on the screen. */
void nd_notice_shown(struct nd_desktop *desktop, const char *key, const cJSON *result);
/* Takes away one whose helper does not stay. place is a helper's result. */
void nd_notice_close(struct nd_desktop *desktop, cJSON *take_place);

void nd_notices_destroy(struct nd_notices *notices);

#endif

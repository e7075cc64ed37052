/* Notifications on the desktop of this machine, through the helper openclaw-desktop. Each has a key; the next one of the same key
 * takes the place of the last on the screen instead of piling up. */
#ifndef NODE_OWNER_NOTICES_H
#define NODE_OWNER_NOTICES_H

#include "node/owner/desktop.h"

#define OC_NOTICE_MS 4000 /* for the helper; it gives up on the desktop after 2 s by itself */
#define OC_MAX_NOTICES 32 /* whose place is remembered */

/* What openclaw-desktop's task "notify" takes; NULL or blank: left out. */
struct oc_notice {
    const char *key; /* NULL: never replaced */
    const char *title, *body;
    const char *priority; /* passive, active, timeSensitive */
    const char *sound, *delivery;
    int64_t expires_ms; /* 0: as the priority has it */
};

/* For oc_helper_start; knows what it replaces. */
cJSON *oc_notice_params(struct oc_desktop *desktop, const struct oc_notice *notice);
/* The helper's result: where it is on the screen. */
void oc_notice_shown(struct oc_desktop *desktop, const char *key, const cJSON *result);
/* Takes away one whose helper does not stay. place is a helper's result. */
void oc_notice_close(struct oc_desktop *desktop, cJSON *take_place);

void oc_notices_destroy(struct oc_notices *notices);

#endif

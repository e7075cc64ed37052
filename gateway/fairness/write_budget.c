#include "gateway/fairness/write_budget.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/protocol/limits.h"

#include <stdio.h>

/* Only administrators get here, so there are few; the one whose window is oldest makes room. */
#define MAX_CLIENTS 64

struct budget_entry {
    char client[OC_MAX_ID_BYTES];
    int64_t since_ms;
    unsigned writes; /* 0: free */
};

struct gw_write_budget {
    struct budget_entry entries[MAX_CLIENTS];
};

struct gw_write_budget *gw_write_budget_create(void) {
    return oc_new(struct gw_write_budget);
}

void gw_write_budget_destroy(struct gw_write_budget *b) {
    oc_free(b);
}

int64_t gw_write_budget_take(struct gw_write_budget *b, const char *client, int64_t now_ms) {
    struct budget_entry *e = NULL, *oldest = &b->entries[0];
    for (size_t i = 0; i < MAX_CLIENTS && !e; i++) {
        struct budget_entry *at = &b->entries[i];
        if (at->writes > 0 && oc_streq(at->client, client)) {
            e = at;
        } else if (oldest->writes > 0 && (at->writes == 0 || at->since_ms < oldest->since_ms)) {
            oldest = at;
        }
    }
    if (!e || now_ms - e->since_ms >= OC_CONFIG_WRITE_WINDOW_MS) {
        e = e ? e : oldest;
        snprintf(e->client, sizeof(e->client), "%s", client);
        e->since_ms = now_ms;
        e->writes = 0;
    }
    if (e->writes == OC_MAX_CONFIG_WRITES) {
        return e->since_ms + OC_CONFIG_WRITE_WINDOW_MS - now_ms;
    }
    e->writes++;
    return 0;
}

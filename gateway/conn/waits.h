/* What the methods that a connection called wait for. Each list is of the file that it names. */
#ifndef GATEWAY_CONN_WAITS_H
#define GATEWAY_CONN_WAITS_H

#include "lib/base/list.h"

struct gw_method_waits {
    struct oc_list invokes;   /* whose answer it wants: methods/node_invoke.c */
    struct oc_list approvals; /* decisions of others: methods/exec_approval.c */
    struct oc_list deciding;  /* its own decisions, for a look: methods/approval_resolve.c */
    unsigned invoke_count;
};

static inline void gw_method_waits_init(struct gw_method_waits *w) {
    *w = (struct gw_method_waits){ 0 };
    oc_list_init(&w->invokes);
    oc_list_init(&w->approvals);
    oc_list_init(&w->deciding);
}

#endif

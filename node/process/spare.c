#include "node/process/spare.h"

enum { IDLE_MS = 120000 }; /* for somebody who thinks about what to run next */

/* One per process, as the operating system's view of children is. */
static struct {
    struct oc_timer idle; /* its loop: whose programs they are */
    const struct os_exec_ops *ops;
} spare;

static void on_idle(struct oc_timer *t) {
    (void)t;
    spare.ops->drop_spare();
}

void nd_spare_used(struct oc_loop *loop, const struct os_exec_ops *ops) {
    if (ops->drop_spare && (!spare.idle.loop || spare.idle.loop == loop)) {
        spare.ops = ops;
        spare.idle.on_expire = on_idle;
        oc_timer_set(loop, &spare.idle, IDLE_MS);
    }
}

void nd_spare_end(struct oc_loop *loop) {
    if (spare.idle.loop == loop) {
        oc_timer_cancel(&spare.idle);
        spare.ops->drop_spare();
    }
}

/* The owner switched something on or off while the node runs: gateways learn which commands a node
 * has only when it connects, so it connects anew, once nothing is running that waits for an answer
 * over the connection there is. */
#ifndef NODE_DECLARE_REDECLARE_H
#define NODE_DECLARE_REDECLARE_H

#include "lib/base/str.h"
#include "node/call/command.h"

#include <stdbool.h>

struct nd_redeclare;

struct nd_redeclare_opts {
    struct oc_strv *commands, *caps; /* what connect says; borrowed, and changed here */
    void (*withdraw)(void *user);    /* ends what runs although it is switched off now */
    bool (*is_busy)(void *user);
    void (*reconnect)(void *user);
    void *user;
};
/* all is borrowed for its life. */
struct nd_redeclare *nd_redeclare_create(
        const struct nd_commands *all, const struct nd_redeclare_opts *opts);
void nd_redeclare_destroy(struct nd_redeclare *r); /* NULL is fine */
/* Nothing runs any more. */
void nd_redeclare_idle(struct nd_redeclare *r);
/* What commands depend on has changed elsewhere, in the config. NULL is fine. */
void nd_redeclare_check(struct nd_redeclare *r);
/* A connection is about to be made: brings commands and caps up to date. */
void nd_redeclare_refresh(struct nd_redeclare *r);

#endif

/* The machine that a node runs on, as its owner, its files and its command line have it. node.c
 * fills it; tests fill it with less. Core thread only. */
#ifndef NODE_MACHINE_H
#define NODE_MACHINE_H

#include "lib/json/json.h"
#include "lib/net/loop/loop.h"
#include "platform/platform.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_sandbox; /* node/sandbox/sandbox.h */

struct nd_machine {
    struct oc_loop *loop;
    const struct os_platform *platform;
    const cJSON *config;              /* the owner's openclaw.json, or NULL */
    uint64_t config_number;           /* grows when it changes */
    const struct nd_sandbox *sandbox; /* of commands; NULL: none */
    const char *name;                 /* what people call it; NULL: it has none */
    const char *state_dir;            /* NULL: none */
    const char *approvals_path;       /* exec-approvals.json */
    const char *switches_path;        /* node/owner/switches.h; NULL: nothing is switched on */
    const char *mountinfo_path;       /* of the mounts (proc(5)); NULL: as this process has them */
    bool is_stopping;                 /* what ends now ends because the node does */
};

#endif

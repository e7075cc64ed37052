/* This machine as a node, as far as its own files tell: what its owner switched on, which programs
 * are there, what runs. */
#ifndef CLI_NODES_NODE_LOCAL_H
#define CLI_NODES_NODE_LOCAL_H

#include "lib/json/json.h"

struct cli_node_local_opts {
    const char *state_dir, *home;
    const cJSON *config; /* NULL: unreadable or none */
};

/* {"running":bool,"node"?:{…status_file.h},
 *  "switches":{"camera":{"on":bool,"summary","commands":[…],"package"?,"installed"?},…},
 *  "switchesError"?: why all are off,
 *  "helpers":{"openclaw-media":{"installed":bool,"path"?,"package","commands":[…]},…},
 *  "parts":{"openclaw-web":{"installed":bool,"without"},…}, "exec":{"security","ask","path"} or
 *  {"error","path"}, "sandbox":"off"|…}. Caller deletes. */
cJSON *cli_node_local(const struct cli_node_local_opts *opts);

#endif

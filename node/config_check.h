/* The part of openclaw.json that a node on this machine would go by, as a whole: what no single key
 * shows. */
#ifndef NODE_CONFIG_CHECK_H
#define NODE_CONFIG_CHECK_H

#include "lib/config/config_file.h"

#define ND_CHECK_PLACE "node.location.fixed" /* its parts are set one by one */

/* Adds why a node would not start with this file to its issues, if nothing else is wrong with it.
 * Changes nothing on disk. */
void nd_check_file(struct oc_config_file *f, const char *state_dir, const char *home);

#endif

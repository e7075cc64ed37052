/* The files that the text of sh -c names. */
#ifndef NODE_LOOKS_EXEC_SCRIPT_H
#define NODE_LOOKS_EXEC_SCRIPT_H

#include "node/looks/exec_search.h"

/* Word i is a script. */
void nd_search_bind_text(const struct nd_search_command *c, struct nd_search *s, size_t i);
/* What we cannot read as a script still names files: every piece that is run, or could be,
 * counts. */
void nd_search_bind_pieces(
        const struct nd_search_command *c, struct nd_search *s, size_t i, const char *text);

#endif

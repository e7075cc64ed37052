/* Which file "node dir" runs: the main one of a package. */
#ifndef NODE_LOOKS_EXEC_PACKAGE_H
#define NODE_LOOKS_EXEC_PACKAGE_H

#include "node/looks/exec_search.h"

/* Adds what word i stands for to the search. False: it is not known. */
bool nd_search_try_main(const struct nd_search_command *c, struct nd_search *s, size_t i);

#endif

/* Finding nodes by what people call them (docs/PROTOCOL.md#nodes), and describing them. */
#ifndef CLI_NODES_NODES_UTIL_H
#define CLI_NODES_NODES_UTIL_H

#include "cli/command.h"

/* Lower case, runs of anything but [a-z0-9] become one '-', none at the ends. Caller frees. */
char *cli_node_key(const char *name);
/* displayName, else remoteIp, else nodeId; as the peer wrote it. */
const char *cli_node_label(const cJSON *node);
bool cli_node_is_connected(const cJSON *node);
/* nodes: the array of node.list. query NULL takes the only connected node. *ret borrows from nodes.
 * An exact id comes first, then names the owner gave, then what nodes say about themselves (name,
 * address) and the beginning of an id. Two of one rank are ambiguous, connected or not: a node
 * could take the name of one that is away. */
enum oc_code cli_node_resolve(
        const cJSON *nodes, const char *query, const cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* node.list; *ret_nodes borrows its array. Caller deletes *ret. */
enum oc_code cli_node_list(struct cli_cli *cli, cJSON **ret, const cJSON **ret_nodes,
        struct oc_error *err) OC_MUST_USE;
/* node.list and cli_node_resolve with the option --node. *ret_node borrows from *ret_list, which
 * the caller deletes. */
enum oc_code cli_find_node(struct cli_cli *cli, cJSON **ret_list, const cJSON **ret_node,
        struct oc_error *err) OC_MUST_USE;

/* Keeps the nodes that pass --connected and --last-connected; deletes the others from the array. */
void cli_nodes_filter(const struct cli_cli *cli, cJSON *nodes);
extern const struct cli_option cli_nodes_filter_options[];
#define CLI_NODE_OPTION                                                    \
    {                                                                      \
        "node", 'n', CLI_OPT_TEXT, "id|name|ip",                           \
                "the node: id or its first 6 characters, name, or address" \
    }

/* "openclaw nodes approve <id>" needs the same gateway again; says so when options were used. */
void cli_nodes_remind(const struct cli_cli *cli);

#endif

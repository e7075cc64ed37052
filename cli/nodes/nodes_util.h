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
 * address) and the first characters of an id, then the beginning of a name or a shorter one of an
 * id. Two of one rank are ambiguous, connected or not: a node could take the name of one that is
 * away. */
enum oc_code cli_node_resolve(
        const cJSON *nodes, const char *query, const cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* The same of other things with nodeId, displayName and displayNameSource, called `what` in
 * errors. */
enum oc_code cli_named_resolve(const char *what, const cJSON *items, const char *query,
        const cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* node.list; *ret_nodes borrows its array. Caller deletes *ret. */
enum oc_code cli_node_list(struct cli_cli *cli, cJSON **ret, const cJSON **ret_nodes,
        struct oc_error *err) OC_MUST_USE;
/* node.list and cli_node_resolve with the option --node. *ret_node borrows from *ret_list, which
 * the caller deletes. */
enum oc_code cli_find_node(struct cli_cli *cli, cJSON **ret_list, const cJSON **ret_node,
        struct oc_error *err) OC_MUST_USE;

/* The node may be named by a word, too. With more words from `at` on than the `own` ones of the
 * command, the first of them is taken for --node. Returns CLI_EXIT_OK, or the exit code when a node
 * is named twice. */
int cli_node_word(struct cli_cli *cli, size_t at, size_t own);

/* Which of these ids is meant: this one, or the only one that begins with it, if that is min
 * characters long. NULL: none, or several (*ret_several). */
const char *cli_id_pick(
        const struct oc_strv *ids, const char *query, size_t min, bool *ret_several);

/* Keeps the nodes that pass --connected and --last-connected; deletes the others from the array. */
void cli_nodes_filter(const struct cli_cli *cli, cJSON *nodes);
extern const struct cli_option cli_nodes_filter_options[];
#define CLI_NODE_OPTION                                                \
    {                                                                  \
        "node", 'n', CLI_OPT_TEXT, "id|name|ip",                       \
                "the node: name, id, the beginning of one, or address" \
    }

/* "openclaw nodes approve <id>" needs the same gateway again; says so when options were used. */
void cli_nodes_remind(const struct cli_cli *cli);

#endif

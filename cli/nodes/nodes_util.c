#include "cli/nodes/nodes_util.h"

#include "cli/gateway/call.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/nearest.h"

#include <string.h>
#include <strings.h>

#define MIN_ID_PREFIX 6
#define ID_LEN 64
#define MAX_LISTED 8
#define MAX_MEANT 3 /* with their ids, which are long */

const struct cli_option cli_nodes_filter_options[] = {
    { "connected", 0, CLI_OPT_FLAG, NULL, "only nodes that are connected now" },
    { "last-connected", 0, CLI_OPT_DURATION, "duration",
            "only nodes that connected within this time, e.g. 24h" },
    { 0 },
};

char *cli_node_key(const char *name) {
    char *key = oc_strdup(name);
    oc_ascii_lower(key);
    size_t len = 0; /* of the result, which is never ahead of what is read */
    bool gap = false;
    for (const char *c = key; *c; c++) {
        if ((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9')) {
            if (gap && len > 0) {
                key[len++] = '-';
            }
            key[len++] = *c;
            gap = false;
        } else {
            gap = true;
        }
    }
    key[len] = '\0';
    return key;
}

const char *cli_node_label(const cJSON *node) {
    static const char *const keys[] = { "displayName", "remoteIp", "nodeId", "deviceId" };
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        const char *s = oc_json_get_str(node, keys[i]);
        if (!oc_str_blank(s)) {
            return s;
        }
    }
    return "?";
}

bool cli_node_is_connected(const cJSON *node) {
    return oc_json_get_bool(node, "connected", false);
}

/* Ids are what a gateway computes from a key. A name that looks like one is a disguise. */
static bool looks_like_id(const char *name) {
    return strlen(name) == ID_LEN && strspn(name, "0123456789abcdefABCDEF") == ID_LEN;
}

/* Letters alike, whatever their case. */
static bool begins_with(const char *text, const char *start) {
    return strncasecmp(text, start, strlen(start)) == 0;
}

static bool has_beginning(const cJSON *node, const char *query, const char *query_key) {
    const char *name = oc_json_get_str(node, "displayName");
    const char *id = oc_json_get_str(node, "nodeId");
    if (id && begins_with(id, query)) {
        return true;
    }
    if (!name || looks_like_id(name)) {
        return false;
    }
    OC_AUTO_FREE char *key = cli_node_key(name);
    return begins_with(name, query) || (*query_key && oc_starts_with(key, query_key));
}

static bool has_name(const cJSON *node, const char *query, const char *query_key) {
    const char *name = oc_json_get_str(node, "displayName");
    if (!name || looks_like_id(name)) {
        return false;
    }
    OC_AUTO_FREE char *key = cli_node_key(name);
    return strcmp(name, query) == 0 || (*key && strcmp(key, query_key) == 0);
}

/* How sure it is that this node is meant. Whoever is surest wins; two of the same rank are
 * ambiguous, connected or not. */
enum rank { NOT_MEANT, BEGINS_SO, CLAIMED, NAMED_BY_OWNER, EXACT_ID };

static enum rank rank_of(const cJSON *node, const char *query, const char *query_key) {
    const char *id = oc_json_get_str(node, "nodeId");
    if (oc_streq(id, query)) {
        return EXACT_ID;
    }
    if (has_name(node, query, query_key)) {
        bool is_given = oc_streq(oc_json_get_str(node, "displayNameSource"), "owner");
        return is_given ? NAMED_BY_OWNER : CLAIMED;
    }
    bool is_claimed = oc_streq(oc_json_get_str(node, "remoteIp"), query) ||
                      (id && strlen(query) >= MIN_ID_PREFIX && oc_starts_with(id, query));
    return is_claimed ? CLAIMED : has_beginning(node, query, query_key) ? BEGINS_SO : NOT_MEANT;
}

static char *nodes_util_listed(const struct oc_strv *labels, size_t most) {
    OC_AUTO_STRV struct oc_strv few = { 0 };
    for (size_t i = 0; i < labels->count && i < most; i++) {
        oc_strv_add(&few, labels->items[i]);
    }
    if (labels->count > most) {
        oc_strv_add(&few, "…");
    }
    return oc_strv_join(&few, ", ");
}

static void add_label(struct oc_strv *labels, const cJSON *node, bool with_id) {
    const char *label = cli_node_label(node), *id = oc_json_get_str(node, "nodeId");
    OC_AUTO_FREE char *shown = oc_printable(label, strlen(label), with_id ? 24 : 40);
    OC_AUTO_FREE char *shown_id = oc_printable(id ? id : "", id ? strlen(id) : 0, ID_LEN);
    OC_AUTO_FREE char *both = with_id && !oc_streq(label, id)
                                      ? oc_strfmt("%s (%s)", shown_id, shown)
                                      : oc_strdup(with_id ? shown_id : shown);
    oc_strv_add(labels, both);
}

/* What was probably meant, as it is shown; NULL: nothing is close. Caller frees. */
static char *near_name(const cJSON *nodes, const char *query_key) {
    OC_AUTO_STRV struct oc_strv keys = { 0 }, shown = { 0 };
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        OC_AUTO_FREE char *key = cli_node_key(cli_node_label(node));
        oc_strv_add(&keys, key);
        add_label(&shown, node, false);
    }
    const char *near = oc_nearest(query_key, (const char *const *)keys.items, keys.count);
    for (size_t i = 0; near && i < keys.count; i++) {
        if (keys.items[i] == near) {
            return oc_strdup(shown.items[i]);
        }
    }
    return NULL;
}

static enum oc_code nodes_util_pick(const char *what, const cJSON *nodes, const char *query,
        const char *key, const cJSON **ret, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv known = { 0 }, meant = { 0 };
    const cJSON *node, *first = NULL;
    enum rank best = NOT_MEANT;
    cJSON_ArrayForEach(node, nodes) {
        enum rank rank = rank_of(node, query, key);
        add_label(&known, node, false);
        if (rank == NOT_MEANT || rank < best) {
            continue;
        }
        if (rank > best) {
            best = rank;
            first = node;
            oc_strv_finish(&meant);
        } else if (oc_streq(oc_json_get_str(first, "nodeId"), oc_json_get_str(node, "nodeId"))) {
            continue;
        }
        add_label(&meant, node, true);
    }
    OC_AUTO_FREE char *shown = oc_printable(query, strlen(query), ID_LEN);
    if (meant.count == 1) {
        *ret = first;
        return OC_OK;
    }
    if (meant.count > 1) {
        OC_AUTO_FREE char *names = nodes_util_listed(&meant, MAX_MEANT);
        return oc_fail(err, OC_E_INVALID, "ambiguous %s: %s (matches: %s)", what, shown, names);
    }
    if (known.count == 0) {
        return oc_fail(err, OC_E_NOT_FOUND, "unknown %s: %s (the gateway knows no %ss)", what,
                shown, what);
    }
    OC_AUTO_FREE char *near = near_name(nodes, key);
    if (near) {
        return oc_fail(err, OC_E_NOT_FOUND, "unknown %s: %s; did you mean %s?", what, shown, near);
    }
    OC_AUTO_FREE char *names = nodes_util_listed(&known, MAX_LISTED);
    return oc_fail(err, OC_E_NOT_FOUND, "unknown %s: %s (known: %s)", what, shown, names);
}

static enum oc_code only_connected(const cJSON *nodes, const cJSON **ret, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv up = { 0 };
    const cJSON *node, *found = NULL;
    cJSON_ArrayForEach(node, nodes) {
        if (cli_node_is_connected(node)) {
            add_label(&up, node, false);
            found = node;
        }
    }
    if (up.count == 0) {
        return oc_fail(err, OC_E_NOT_FOUND, "no node is connected");
    }
    if (up.count > 1) {
        OC_AUTO_FREE char *names = nodes_util_listed(&up, MAX_LISTED);
        return oc_fail(
                err, OC_E_INVALID, "several nodes are connected, name one with --node (%s)", names);
    }
    *ret = found;
    return OC_OK;
}

enum oc_code cli_named_resolve(const char *what, const cJSON *items, const char *query,
        const cJSON **ret, struct oc_error *err) {
    OC_AUTO_FREE char *copy = oc_strdup(query);
    const char *trimmed = oc_trim(copy);
    if (!*trimmed) {
        return oc_fail(err, OC_E_INVALID, "%s required", what);
    }
    OC_AUTO_FREE char *key = cli_node_key(trimmed);
    return nodes_util_pick(what, items, trimmed, key, ret, err);
}

enum oc_code cli_node_resolve(
        const cJSON *nodes, const char *query, const cJSON **ret, struct oc_error *err) {
    return query ? cli_named_resolve("node", nodes, query, ret, err)
                 : only_connected(nodes, ret, err);
}

enum oc_code cli_node_list(
        struct cli_cli *cli, cJSON **ret, const cJSON **ret_nodes, struct oc_error *err) {
    OC_AUTO_JSON cJSON *list = NULL;
    enum oc_code rc = cli_call_tree(cli, "node.list", cJSON_CreateObject(), &list, err);
    if (rc != OC_OK) {
        return rc;
    }
    const cJSON *nodes = oc_json_get(list, "nodes");
    if (!cJSON_IsArray(nodes)) {
        return oc_fail(err, OC_E_INVALID, "the gateway's answer to node.list has no nodes");
    }
    *ret_nodes = nodes;
    *ret = oc_take(&list);
    return OC_OK;
}

enum oc_code cli_find_node(
        struct cli_cli *cli, cJSON **ret_list, const cJSON **ret_node, struct oc_error *err) {
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes = NULL;
    enum oc_code rc = cli_node_list(cli, &list, &nodes, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = cli_node_resolve(nodes, cli_args_text(&cli->args, "node"), ret_node, err);
    if (rc == OC_E_NOT_FOUND) {
        cli_set_fix(
                cli, "see openclaw nodes status; a new node may wait in openclaw nodes pending");
    } else if (rc == OC_E_INVALID) {
        cli_set_fix(cli, "name it by its id; nodes choose their names themselves until you give "
                         "them one with openclaw nodes rename");
    }
    if (rc == OC_OK && !oc_json_get_str(*ret_node, "nodeId")) {
        rc = oc_fail(err, OC_E_INVALID, "the gateway listed a node without an id");
    }
    if (rc == OC_OK) {
        *ret_list = oc_take(&list);
    }
    return rc;
}

int cli_node_word(struct cli_cli *cli, size_t at, size_t own) {
    if (cli->args.rest.count <= at + own) {
        return CLI_EXIT_OK;
    }
    const char *word = cli->args.rest.items[at];
    if (cli_args_has(&cli->args, "node")) {
        OC_AUTO_FREE char *shown = oc_printable(word, strlen(word), 60);
        return cli_usage(cli, "name the node once: --node, or the word '%s'", shown);
    }
    cli_args_word_as(&cli->args, at, "node");
    return CLI_EXIT_OK;
}

const char *cli_id_pick(
        const struct oc_strv *ids, const char *query, size_t min, bool *ret_several) {
    const char *found = NULL;
    *ret_several = false;
    for (size_t i = 0; i < ids->count; i++) {
        if (strcmp(ids->items[i], query) == 0) {
            *ret_several = false;
            return ids->items[i];
        }
        if (strlen(query) >= min && oc_starts_with(ids->items[i], query)) {
            *ret_several = found != NULL;
            found = ids->items[i];
        }
    }
    return *ret_several ? NULL : found;
}

static int64_t last_connected(const cJSON *node) {
    int64_t at = oc_json_get_ms(node, "lastConnectedAtMs", 0);
    int64_t now = oc_json_get_ms(node, "connectedAtMs", 0);
    return at > now ? at : now;
}

void cli_nodes_filter(const struct cli_cli *cli, cJSON *nodes) {
    bool only_up = cli_args_has(&cli->args, "connected");
    int64_t within = cli_args_int(&cli->args, "last-connected", -1);
    int64_t since = oc_wall_ms(&oc_clock_system) - within;
    cJSON *node = nodes->child;
    while (node) {
        cJSON *next = node->next;
        bool keep = !only_up || cli_node_is_connected(node);
        keep = keep && (within < 0 || cli_node_is_connected(node) || last_connected(node) >= since);
        if (!keep) {
            cJSON_Delete(cJSON_DetachItemViaPointer(nodes, node));
        }
        node = next;
    }
}

void cli_nodes_remind(const struct cli_cli *cli) {
    OC_AUTO_STRV struct oc_strv used = { 0 };
    static const char *const names[] = { "url", "token", "token-file", "password", "password-file",
        "tls-fingerprint" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        if (cli_args_has(&cli->args, names[i])) {
            OC_AUTO_FREE char *dashed = oc_strfmt("--%s", names[i]);
            oc_strv_add(&used, dashed);
        }
    }
    if (used.count > 0) {
        OC_AUTO_FREE char *joined = oc_strv_join(&used, ", ");
        cli_out_line("Use the same connection options again: %s.", joined);
    }
}

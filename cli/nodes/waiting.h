/* What waits for someone's decision before a node can be used: device requests (gate 1) and surface
 * requests (gate 2).
 *
 * Our gateway shows both in node.pair.list, each with a member `gate`. Others keep device requests
 * to themselves (device.pair.list), so both lists are read and merged. */
#ifndef CLI_NODES_WAITING_H
#define CLI_NODES_WAITING_H

#include "cli/command.h"
#include "cli/nodes/command_change.h"
#include "lib/base/clock.h"

/* Instead of a command with a request whose id is not plain. */
#define CLI_SEE_PENDING "openclaw nodes pending (its id is not plain text)"

struct cli_waiting_request {
    const char *id, *node_id; /* borrowed from doc */
    const cJSON *doc;         /* borrowed from the lists */
    const cJSON *record;      /* what was approved of this node before; NULL: nothing. Borrowed */
    const cJSON *asked;       /* the names of its commands; NULL: told after pairing. Borrowed */
    int64_t ts_ms;
    bool is_device;        /* gate 1; otherwise gate 2 */
    bool by_device_method; /* only device.pair.* knows it */
};

struct cli_waiting {
    struct cli_waiting_request *items; /* newest first */
    size_t count, room;
    struct oc_map *ids;     /* of items */
    struct oc_map *records; /* paired nodes by id */
    cJSON *nodes, *devices; /* the answers */
};

/* Pure: merges the two answers (devices may be NULL) and takes them. */
void cli_waiting_merge(struct cli_waiting *ret, cJSON *take_nodes, cJSON *take_devices);
enum oc_code cli_waiting_load(
        struct cli_cli *cli, struct cli_waiting *ret, struct oc_error *err) OC_MUST_USE;
/* The same with another clock and another way to ask, for tests. */
typedef enum oc_code cli_waiting_call(struct cli_cli *cli, const char *method, cJSON *take_params,
        int64_t timeout_ms, cJSON **ret, struct oc_error *err);
enum oc_code cli_waiting_load_by(struct cli_cli *cli, const struct oc_clock *clock,
        cli_waiting_call *ask, struct cli_waiting *ret, struct oc_error *err) OC_MUST_USE;
void cli_waiting_finish(struct cli_waiting *r);
/* The request with this id, or the only one whose id begins so (CLI_MIN_REQUEST characters at
 * least). NULL: none, or several. */
#define CLI_MIN_REQUEST 4
const struct cli_waiting_request *cli_waiting_find(const struct cli_waiting *r, const char *id);
/* The request of this gate for a node, or NULL. For tests. */
const struct cli_waiting_request *cli_waiting_of_node(
        const struct cli_waiting *r, const char *node_id, bool is_device);

/* "device pairing" or "node surface approval". */
const char *cli_waiting_gate(const struct cli_waiting_request *r);
/* An array as `nodes pending --json` prints it: the documents, each with its gate. Caller deletes.
 */
cJSON *cli_waiting_json(const struct cli_waiting *r);
/* The newest CLI_MAX_WAITING_SHOWN, and how many more there are. */
#define CLI_MAX_WAITING_SHOWN 100
void cli_waiting_print_table(const struct cli_waiting *r);
/* "… and 3 more" when there are more than were shown. */
void cli_waiting_print_rest(const struct cli_waiting *r, size_t shown);
/* Who asks, from where, and for what, on stderr: what to read before saying yes. */
void cli_waiting_print_one(const struct cli_waiting_request *r);
/* What an approval of it changes; ret needs cli_command_change_finish. */
void cli_waiting_change(const struct cli_waiting_request *r, struct cli_command_change *ret);
/* The same as lines on stderr. */
void cli_waiting_print_change(const struct cli_waiting_request *r);

static inline void cli_auto_waiting(struct cli_waiting *r) {
    cli_waiting_finish(r);
}
#define CLI_AUTO_WAITING __attribute__((cleanup(cli_auto_waiting)))

#endif

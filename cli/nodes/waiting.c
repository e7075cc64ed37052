#include "cli/nodes/waiting.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <stdlib.h>

#define MAX_CHANGE_BYTES ((size_t)1 << 20)

static bool is_node_role(const cJSON *doc) {
    if (oc_streq(oc_json_get_str(doc, "role"), "node")) {
        return true;
    }
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    oc_json_get_strv(doc, "roles", &roles);
    return oc_strv_has(&roles, "node");
}

static void waiting_add(
        struct cli_waiting *r, const cJSON *doc, bool is_device, bool by_device_method) {
    const char *id = oc_json_get_str(doc, "requestId");
    const char *node_id = oc_json_get_str(doc, "nodeId");
    if (!node_id) {
        node_id = oc_json_get_str(doc, "deviceId");
    }
    if (!id || !node_id || oc_map_put(r->ids, id, r)) {
        return; /* put a second time: the first stays */
    }
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        r->items = oc_realloc(r->items, r->room * sizeof(r->items[0]));
    }
    r->items[r->count++] = (struct cli_waiting_request){
        .id = id,
        .node_id = node_id,
        .doc = doc,
        .record = oc_map_get(r->records, node_id),
        .asked = oc_json_get(doc, "commands"),
        .ts_ms = oc_json_get_ms(doc, "ts", 0),
        .is_device = is_device,
        .by_device_method = by_device_method,
    };
}

static int newest_first(const void *a, const void *b) {
    int64_t ta = ((const struct cli_waiting_request *)a)->ts_ms;
    int64_t tb = ((const struct cli_waiting_request *)b)->ts_ms;
    return ta < tb ? 1 : ta > tb ? -1 : 0;
}

void cli_waiting_merge(struct cli_waiting *ret, cJSON *take_nodes, cJSON *take_devices) {
    *ret = (struct cli_waiting){ .nodes = take_nodes,
        .devices = take_devices,
        .ids = oc_map_create(),
        .records = oc_map_create() };
    cJSON *record;
    const cJSON *doc;
    cJSON_ArrayForEach(record, oc_json_get(take_nodes, "paired")) {
        const char *id = oc_json_get_str(record, "nodeId");
        if (id) {
            oc_map_put(ret->records, id, record);
        }
    }
    cJSON_ArrayForEach(doc, oc_json_get(take_nodes, "pending")) {
        enum oc_gate gate = oc_gate_named(oc_json_get_str(doc, "gate"));
        waiting_add(ret, doc, gate == OC_GATE_PAIRING, false);
    }
    cJSON_ArrayForEach(doc, oc_json_get(take_devices, "pending")) {
        if (is_node_role(doc)) {
            waiting_add(ret, doc, true, true);
        }
    }
    if (ret->count > 1) {
        qsort(ret->items, ret->count, sizeof(ret->items[0]), newest_first);
    }
}

struct asking {
    struct cli_cli *cli;
    const struct oc_clock *clock;
    cli_waiting_call *ask;
    int64_t until_ms;
};

static enum oc_code call_until(
        const struct asking *a, const char *method, cJSON **ret, struct oc_error *err) {
    int64_t left = a->until_ms - oc_mono_ms(a->clock);
    if (left <= 0) {
        return oc_fail(err, OC_E_TIMEOUT, "no answer to %s in time", method);
    }
    enum oc_code rc = a->ask(a->cli, method, cJSON_CreateObject(), left, ret, err);
    if (rc == OC_OK && oc_mono_ms(a->clock) > a->until_ms) {
        rc = oc_fail(err, OC_E_TIMEOUT, "the answer to %s took too long to read", method);
    }
    return rc;
}

enum oc_code cli_waiting_load_by(struct cli_cli *cli, const struct oc_clock *clock,
        cli_waiting_call *ask, struct cli_waiting *ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *nodes = NULL, *devices = NULL;
    *ret = (struct cli_waiting){ 0 };
    /* One limit for both lists and what is made of them. */
    struct asking a = { cli, clock, ask, oc_mono_ms(clock) + cli_timeout_ms(cli) };
    enum oc_code rc = call_until(&a, "node.pair.list", &nodes, err);
    rc = rc == OC_OK ? call_until(&a, "device.pair.list", &devices, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    cli_waiting_merge(ret, oc_take(&nodes), oc_take(&devices));
    return OC_OK;
}

enum oc_code cli_waiting_load(struct cli_cli *cli, struct cli_waiting *ret, struct oc_error *err) {
    return cli_waiting_load_by(cli, &oc_clock_system, cli_call_tree_within, ret, err);
}

void cli_waiting_finish(struct cli_waiting *r) {
    oc_free(r->items);
    oc_map_destroy(r->ids);
    oc_map_destroy(r->records);
    cJSON_Delete(r->nodes);
    cJSON_Delete(r->devices);
    *r = (struct cli_waiting){ 0 };
}

const struct cli_waiting_request *cli_waiting_find(const struct cli_waiting *r, const char *id) {
    OC_AUTO_STRV struct oc_strv ids = { 0 };
    for (size_t i = 0; i < r->count; i++) {
        oc_strv_add(&ids, r->items[i].id);
    }
    bool is_several;
    const char *found = cli_id_pick(&ids, id, CLI_MIN_REQUEST, &is_several);
    for (size_t i = 0; found && i < r->count; i++) {
        if (ids.items[i] == found) {
            return &r->items[i];
        }
    }
    return NULL;
}

const struct cli_waiting_request *cli_waiting_of_node(
        const struct cli_waiting *r, const char *node_id, bool is_device) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->items[i].is_device == is_device && oc_streq(r->items[i].node_id, node_id)) {
            return &r->items[i];
        }
    }
    return NULL;
}

const char *cli_waiting_gate(const struct cli_waiting_request *r) {
    return oc_gate_name(r->is_device ? OC_GATE_PAIRING : OC_GATE_SURFACE);
}

cJSON *cli_waiting_json(const struct cli_waiting *r) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < r->count; i++) {
        cJSON *doc = cJSON_Duplicate(r->items[i].doc, true);
        oc_json_set_str(doc, "nodeId", r->items[i].node_id);
        oc_json_set_str(doc, "gate", cli_waiting_gate(&r->items[i]));
        CLI_AUTO_COMMAND_CHANGE struct cli_command_change change = { 0 };
        cli_waiting_change(&r->items[i], &change);
        cli_command_change_json(&change, doc);
        cJSON_AddItemToArray(array, doc);
    }
    return array;
}

void cli_waiting_print_table(const struct cli_waiting *r) {
    static const struct cli_column columns[] = {
        { "Request", CLI_COLUMN_FIXED, 0 },
        { "Node", CLI_COLUMN_NAME, 0 },
        { "IP", CLI_COLUMN_FIXED, 2 },
        { "Platform", CLI_COLUMN_NAME, 1 },
        { "Gate", CLI_COLUMN_TEXT, 4 },
        { "Requested", CLI_COLUMN_FIXED, 3 },
    };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    int64_t now = oc_wall_ms(&oc_clock_system);
    for (size_t i = 0; i < r->count && i < CLI_MAX_WAITING_SHOWN; i++) {
        const cJSON *doc = r->items[i].doc;
        OC_AUTO_FREE char *id = cli_shown(r->items[i].id);
        OC_AUTO_FREE char *name = cli_shown(cli_node_label(doc));
        OC_AUTO_FREE char *ip = cli_shown(oc_json_get_str(doc, "remoteIp"));
        OC_AUTO_FREE char *platform = cli_shown(oc_json_get_str(doc, "platform"));
        char age[24];
        cli_age(now, oc_json_get_ms(doc, "ts", 0), age);
        cli_table_add(t, id);
        cli_table_add_styled(t, name, CLI_STYLE_BOLD);
        cli_table_add(t, ip);
        cli_table_add(t, platform);
        cli_table_add_styled(t, cli_waiting_gate(&r->items[i]), CLI_STYLE_WARN);
        cli_table_add(t, age);
    }
    cli_out_table(t);
    cli_waiting_print_rest(r, CLI_MAX_WAITING_SHOWN);
}

void cli_waiting_print_rest(const struct cli_waiting *r, size_t shown) {
    if (r->count > shown) {
        cli_out_line(
                "… and %zu more; all of them: openclaw nodes pending --json", r->count - shown);
    }
}

static void note_field(const char *label, const char *value) {
    if (value && *value) {
        cli_note("  %-10s%s", label, value);
    }
}

void cli_waiting_print_one(const struct cli_waiting_request *r) {
    OC_AUTO_FREE char *name = cli_shown(cli_node_label(r->doc));
    OC_AUTO_FREE char *id = cli_shown(r->id);
    OC_AUTO_FREE char *node_id = cli_shown(r->node_id);
    OC_AUTO_FREE char *ip = cli_shown(oc_json_get_str(r->doc, "remoteIp"));
    OC_AUTO_FREE char *platform = cli_shown(oc_json_get_str(r->doc, "platform"));
    OC_AUTO_FREE char *version = cli_shown(oc_json_get_str(r->doc, "version"));
    char age[24];
    cli_age(oc_wall_ms(&oc_clock_system), oc_json_get_ms(r->doc, "ts", 0), age);
    bool is_repair = oc_json_get_bool(r->doc, "isRepair", false);
    cli_note("%s asks for %s%s", name, cli_waiting_gate(r),
            is_repair ? " (it was paired before: its key, role or description changed)" : "");
    note_field("request", id);
    note_field("device", node_id);
    note_field("from", *ip ? ip : "this machine or its proxy");
    note_field("platform", platform);
    note_field("version", version);
    note_field("asked", age);
    cli_waiting_print_change(r);
}

void cli_waiting_change(const struct cli_waiting_request *r, struct cli_command_change *ret) {
    cli_command_change_of(r->record, r->asked, ret);
}

void cli_waiting_print_change(const struct cli_waiting_request *r) {
    CLI_AUTO_COMMAND_CHANGE struct cli_command_change change = { 0 };
    OC_AUTO_BUF struct oc_buf lines = OC_BUF_INIT(MAX_CHANGE_BYTES);
    if (!r->asked && r->is_device) {
        note_field("commands", "(told after pairing)");
        return;
    }
    cli_waiting_change(r, &change);
    cli_command_change_print(&change, &lines);
    if (lines.len == 0) {
        note_field("commands", "(none)");
    } else if (lines.failed) {
        note_field("commands", "(too many to show)");
    } else {
        cli_note("%.*s", (int)lines.len - 1, lines.data); /* it adds the last newline */
    }
}

/* device.status (docs/PROTOCOL.md#node-commands): battery, heat, disk, network and uptime of this
 * machine. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "node/commands/host.h"
#include "node/helper/helper.h"
#include "node/helper/power.h"

enum { ASK_MS = 2500 }; /* the helper gives up before */

static bool is_available(const struct nd_machine *machine) {
    return machine->platform->device_status != NULL;
}

static cJSON *device_status_battery(const struct os_device_status *s) {
    static const char *const names[] = { "unknown", "unplugged", "charging", "full" };
    cJSON *o = cJSON_CreateObject();
    if (s->battery_level >= 0) {
        cJSON_AddNumberToObject(o, "level", s->battery_level);
    }
    oc_json_set_str(o, "state", names[s->battery]);
    oc_json_set_bool(o, "lowPowerModeEnabled", s->is_saving_power);
    return o;
}

static cJSON *device_status_thermal(const struct os_device_status *s) {
    static const char *const names[] = { "nominal", "fair", "serious", "critical" };
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "state", names[s->thermal]);
    return o;
}

static cJSON *device_status_storage(const struct os_device_status *s) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "totalBytes", (int64_t)s->disk_total_bytes);
    oc_json_set_int(o, "freeBytes", (int64_t)s->disk_free_bytes);
    oc_json_set_int(o, "usedBytes", (int64_t)(s->disk_total_bytes - s->disk_free_bytes));
    return o;
}

static cJSON *device_status_network(const struct os_device_status *s) {
    static const struct {
        unsigned bit;
        const char *name;
    } kinds[] = {
        { OS_NET_WIFI, "wifi" },
        { OS_NET_CELLULAR, "cellular" },
        { OS_NET_WIRED, "wired" },
        { OS_NET_OTHER, "other" },
    };
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "status", s->interfaces ? "satisfied" : "unsatisfied");
    oc_json_set_bool(o, "isExpensive", s->interfaces == OS_NET_CELLULAR);
    oc_json_set_bool(o, "isConstrained", false);
    cJSON *list = cJSON_AddArrayToObject(o, "interfaces");
    for (size_t i = 0; i < OC_COUNT(kinds); i++) {
        if (s->interfaces & kinds[i].bit) {
            cJSON_AddItemToArray(list, cJSON_CreateString(kinds[i].name));
        }
    }
    return o;
}

static void device_status_reply(struct nd_call *call, const struct os_device_status *s) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "battery", device_status_battery(s));
    oc_json_set(o, "thermal", device_status_thermal(s));
    oc_json_set(o, "storage", device_status_storage(s));
    oc_json_set(o, "network", device_status_network(s));
    cJSON_AddNumberToObject(o, "uptimeSeconds", s->uptime_s);
    nd_call_reply_json(call, o);
}

struct status_asking {
    struct nd_call *call;
    struct nd_helper *helper;
    struct os_device_status status; /* what is known without */
};

static int64_t now_ms(const struct nd_call *call) {
    return oc_mono_ms(oc_loop_clock(call->host->machine.loop));
}

static void device_status_finish(struct nd_call *call) {
    struct status_asking *a = call->work;
    struct os_device_status s = a->status;
    call->work = NULL;
    oc_free(a);
    (void)nd_power_recall(&call->host->power, now_ms(call), &s);
    device_status_reply(call, &s);
}

static void on_answer(void *user, struct nd_helper_answer *answer) {
    struct status_asking *a = user;
    if (!answer->ok) {
        OC_AUTO_FREE char *why = nd_helper_answer_text(answer);
        oc_log(OC_LOG_INFO, "node.device", "the battery, asked of UPower: %s", why);
    }
    nd_power_keep(&a->call->host->power, now_ms(a->call), answer->ok ? answer->result : NULL);
    device_status_finish(a->call);
}

static void device_status_abandon(struct nd_call *call) {
    struct status_asking *a = call->work;
    nd_helper_stop(a->helper);
    oc_free(a);
    call->work = NULL;
}

/* A caller in a hurry gets what is known. */
static void device_status_cancel(struct nd_call *call, enum oc_code why) {
    struct status_asking *a = call->work;
    nd_helper_stop(a->helper);
    (void)why;
    device_status_finish(call);
}

static void device_status_ask(struct nd_call *call, const struct os_device_status *s) {
    static const struct nd_helper_events events = { .on_answer = on_answer };
    struct status_asking *a = oc_new(struct status_asking);
    *a = (struct status_asking){ .call = call, .status = *s };
    call->work = a;
    struct nd_helper *h = nd_helper_start(&call->host->helpers,
            &(struct nd_helper_opts){ .program = ND_HELPER_DESKTOP,
                    .what = "power",
                    .take_params = cJSON_CreateObject(),
                    .timeout_ms = ASK_MS },
            &events, a);
    if (h) { /* otherwise it is answered, and all of this is gone */
        a->helper = h;
        call->cancel = device_status_cancel;
        call->abandon = device_status_abandon;
    }
}

static void device_status_start(struct nd_call *call) {
    OC_AUTO_FREE char *home = oc_dir_home();
    struct os_device_status s;
    call->host->machine.platform->device_status(home, &s);
    if (nd_power_is_worth_asking(&s) && !nd_power_recall(&call->host->power, now_ms(call), &s)) {
        device_status_ask(call, &s);
    } else {
        device_status_reply(call, &s);
    }
}

const struct nd_command nd_command_device_status = {
    .name = "device.status",
    .cap = "device",
    .summary = "Battery, heat, disk, network and uptime of this machine",
    .is_pure = true,
    .available = is_available,
    .start = device_status_start,
};

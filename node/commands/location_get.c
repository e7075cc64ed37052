/* location.get: where this machine is (docs/PROTOCOL.md#node-commands). GeoClue and gpsd are asked
 * by the helper; a place that the owner has written into the config stands in when they know
 * nothing. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"
#include "lib/protocol/errors.h"
#include "node/commands/host.h"
#include "node/helper/helper.h"
#include "node/helper/last_fix.h"
#include "node/owner/announce.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum {
    BEFORE_FIXED_MS =
            3000, /* who has written down where the machine is need not wait long for others */
    HELPER_SPARE_MS = 2000, /* it keeps the time itself */
    COARSE_M = 1000,
    PRECISE_M = 100,
    FIXED_M = 100, /* of a place that its owner wrote down without saying how exactly: a house */
};

#define FARTHEST_M 1e9 /* nothing on Earth is as far or as high */

struct locating {
    struct nd_call *call;
    struct nd_helper *helper;
    enum nd_accuracy accuracy;
};

static void location_get_forget(struct locating *l) {
    l->call->work = NULL;
    oc_free(l);
}

static void set_number(cJSON *o, const char *name, double v) {
    oc_json_set(o, name, cJSON_CreateNumber(v));
}

static double location_get_number(const cJSON *o, const char *name) {
    return oc_json_get_num(o, name, -FARTHEST_M, FARTHEST_M, NAN);
}

/* About a kilometre, and nothing that tells more than that. */
static void make_coarse(cJSON *fix) {
    static const char *const telling[] = { "altitudeMeters", "speedMps", "headingDeg" };
    double accuracy = location_get_number(fix, "accuracyMeters");
    set_number(fix, "lat", round(location_get_number(fix, "lat") * 100) / 100);
    set_number(fix, "lon", round(location_get_number(fix, "lon") * 100) / 100);
    set_number(fix, "accuracyMeters", accuracy > COARSE_M ? accuracy : COARSE_M);
    for (size_t i = 0; i < OC_COUNT(telling); i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(fix, telling[i]);
    }
}

static void location_get_reply(struct nd_call *call, cJSON *take_fix, enum nd_accuracy accuracy) {
    if (accuracy == ND_ACCURACY_COARSE) {
        make_coarse(take_fix);
    }
    oc_json_set_bool(
            take_fix, "isPrecise", location_get_number(take_fix, "accuracyMeters") <= PRECISE_M);
    nd_announce_capture(&call->host->desktop, "location", "The location of this machine was read");
    nd_call_reply_json(call, take_fix);
}

struct location_place {
    double lat, lon, accuracy_m;
};

/* False: none is configured. */
static bool read_place(const struct nd_machine *machine, struct location_place *ret) {
    const cJSON *fixed = oc_json_path(machine->config, "node.location.fixed");
    double accuracy = oc_json_get_num(fixed, "accuracyMeters", 0, FARTHEST_M, 0);
    *ret = (struct location_place){ .accuracy_m = accuracy > 0 ? accuracy : FIXED_M };
    return oc_json_as_num(oc_json_get(fixed, "lat"), -90, 90, &ret->lat) &&
           oc_json_as_num(oc_json_get(fixed, "lon"), -180, 180, &ret->lon);
}

/* NULL: none is configured. */
static cJSON *fixed_place(const struct nd_machine *machine) {
    struct location_place place;
    if (!read_place(machine, &place)) {
        return NULL;
    }
    cJSON *o = cJSON_CreateObject();
    set_number(o, "lat", place.lat);
    set_number(o, "lon", place.lon);
    set_number(o, "accuracyMeters", place.accuracy_m);
    time_t seconds = (time_t)(oc_wall_ms(oc_loop_clock(machine->loop)) / 1000);
    struct tm tm;
    char now[sizeof("2026-01-01T00:00:00.000Z")];
    (void)strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&seconds, &tm));
    oc_json_set_str(o, "timestamp", now);
    oc_json_set_str(o, "source", "fixed");
    return o;
}

/* The helper's own troubles are no words of this command. */
static void reply_failure(struct nd_call *call, const struct nd_helper_answer *a) {
    const char *code = a->code, *message = a->message;
    if (strcmp(code, "LOCATION_UNAVAILABLE") == 0) {
        OC_AUTO_FREE char *advice = oc_strfmt("%s; a machine that does not move may have its place "
                                              "in the config: node.location.fixed",
                message);
        nd_call_refuse(call, code, advice, &a->grounds);
        return;
    }
    if (strncmp(code, "LOCATION_", strlen("LOCATION_")) == 0) {
        nd_call_refuse(call, code, message, &a->grounds);
        return;
    }
    const char *ours = strcmp(code, "TIMEOUT") == 0 ? "LOCATION_TIMEOUT" : "LOCATION_UNAVAILABLE";
    OC_AUTO_FREE char *text = oc_strfmt("%s: %s", ours, message);
    nd_call_refuse(call, ours, text, &a->grounds);
}

static int64_t now_ms(const struct nd_call *call) {
    return oc_mono_ms(oc_loop_clock(call->host->machine.loop));
}

static void on_answer(void *user, struct nd_helper_answer *answer) {
    struct locating *l = user;
    struct nd_call *call = l->call;
    enum nd_accuracy accuracy = l->accuracy;
    location_get_forget(l);
    cJSON *fix = answer->ok ? oc_take(&answer->result) : fixed_place(&call->host->machine);
    if (!fix) {
        reply_failure(call, answer);
        return;
    }
    if (answer->ok) {
        nd_last_fix_keep(&call->host->last_fix, now_ms(call), fix, accuracy);
    }
    location_get_reply(call, fix, accuracy);
}

static void location_get_abandon(struct nd_call *call) {
    struct locating *l = call->work;
    nd_helper_stop(l->helper);
    location_get_forget(l);
}

static void location_get_cancel(struct nd_call *call, enum oc_code why) {
    location_get_abandon(call);
    if (why == OC_E_TIMEOUT) {
        nd_call_reply_error(call, "LOCATION_TIMEOUT", "LOCATION_TIMEOUT: no fix in time");
    } else if (call->host->machine.is_stopping) {
        nd_call_reply_error(
                call, "LOCATION_UNAVAILABLE", "LOCATION_UNAVAILABLE: the node is stopping");
    } else {
        nd_call_reply_error(call, "CANCELLED", "cancelled by the caller");
    }
}

/* Also asked by commands that only look at this machine, which have no loop and no clock. */
static bool has_source(const struct nd_machine *machine) {
    struct location_place place;
    return read_place(machine, &place) || nd_helper_is_installed(ND_HELPER_DESKTOP);
}

static enum nd_accuracy accuracy_of(const char *word) {
    return strcmp(word, "coarse") == 0    ? ND_ACCURACY_COARSE
           : strcmp(word, "precise") == 0 ? ND_ACCURACY_PRECISE
                                          : ND_ACCURACY_BALANCED;
}

static void ask_helper(struct nd_call *call, enum nd_accuracy accuracy, int64_t timeout_ms) {
    static const struct nd_helper_events events = { .on_answer = on_answer };
    static const char *const names[] = { "coarse", "balanced", "precise" };
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "desiredAccuracy", names[accuracy]);
    oc_json_set_int(params, "timeoutMs", timeout_ms);
    const cJSON *gpsd = oc_json_path(call->host->machine.config, "node.location.gpsd");
    if (cJSON_IsString(gpsd)) {
        oc_json_set_str(params, "gpsd", gpsd->valuestring);
    }
    struct locating *l = oc_new(struct locating);
    l->call = call;
    l->accuracy = accuracy;
    call->work = l;
    struct nd_helper *h = nd_helper_start(&call->host->helpers,
            &(struct nd_helper_opts){ .program = ND_HELPER_DESKTOP,
                    .what = "locate",
                    .take_params = params,
                    .timeout_ms = timeout_ms + HELPER_SPARE_MS },
            &events, l);
    if (h) { /* otherwise it is answered, and all of this is gone */
        l->helper = h;
        call->cancel = location_get_cancel;
        call->abandon = location_get_abandon;
    }
}

static void location_get_start(struct nd_call *call) {
    OC_AUTO_JSON cJSON *asked = cJSON_CreateObject();
    struct oc_error err;
    if (nd_call_read(call, oc_location_params, asked, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    int64_t timeout_ms = oc_json_get_ms(asked, "timeoutMs", 0);
    int64_t max_age_ms = oc_json_get_ms(asked, "maxAgeMs", 0);
    enum nd_accuracy accuracy = accuracy_of(oc_json_get_str(asked, "desiredAccuracy"));
    cJSON *known = nd_last_fix_recall(&call->host->last_fix, now_ms(call), max_age_ms, accuracy);
    if (known) {
        location_get_reply(call, known, accuracy);
        return;
    }
    OC_AUTO_JSON cJSON *fixed = fixed_place(&call->host->machine);
    if (fixed && !nd_helper_is_installed(ND_HELPER_DESKTOP)) {
        location_get_reply(call, oc_take(&fixed), accuracy);
        return;
    }
    if (fixed && timeout_ms / 2 < BEFORE_FIXED_MS) {
        timeout_ms /= 2;
    } else if (fixed) {
        timeout_ms = BEFORE_FIXED_MS;
    }
    ask_helper(call, accuracy, timeout_ms);
}

const struct nd_command nd_command_location_get = {
    .name = "location.get",
    .cap = "location",
    .summary = "Say where this machine is",
    .is_pure = true,
    .switch_name = "location",
    .available = has_source,
    .start = location_get_start,
};

#include "gateway/invoke/invoke_keys.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/protocol/limits.h"

#include <string.h>

enum kind { COMMAND, INPUT, LOOK, KINDS };

static const struct {
    struct gw_replay_limits limits;
    const char *full;
    enum oc_remedy remedy;
} kinds[KINDS] = {
    [COMMAND] = { { OC_IDEMPOTENCY_MAX, (size_t)16 << 20, OC_IDEMPOTENCY_TTL_MS },
            "too many commands in ten minutes", OC_REMEDY_TRY_LATER },
    [INPUT] = { { OC_IDEMPOTENCY_MAX, (size_t)1 << 20, OC_INPUT_KEY_TTL_MS },
            "too many pieces of input in a minute", OC_REMEDY_LARGER_PIECES },
    /* As many as can run, so this is never what refuses. */
    [LOOK] = { { OC_MAX_INVOKES, 0, 0 }, "too many questions at a time", OC_REMEDY_TRY_LATER },
};

struct gw_invoke_keys {
    struct gw_replay *tables[KINDS];
};

struct gw_invoke_keys *gw_invoke_keys_create(const struct oc_clock *clock) {
    struct gw_invoke_keys *k = oc_new(struct gw_invoke_keys);
    for (size_t i = 0; i < KINDS; i++) {
        k->tables[i] = gw_replay_create(clock, &kinds[i].limits);
    }
    return k;
}

void gw_invoke_keys_destroy(struct gw_invoke_keys *k) {
    if (!k) {
        return;
    }
    for (size_t i = 0; i < KINDS; i++) {
        gw_replay_destroy(k->tables[i]);
    }
    oc_free(k);
}

static enum kind kind_of(const char *command) {
    if (strcmp(command, "system.runs.write") == 0 || strcmp(command, "canvas.input") == 0) {
        return INPUT;
    }
    static const char *const looks[] = { "system.runs.list", "system.runs.poll", "system.runs.kill",
        "canvas.view" };
    for (size_t i = 0; i < OC_COUNT(looks); i++) {
        if (strcmp(command, looks[i]) == 0) {
            return LOOK;
        }
    }
    return COMMAND;
}

struct gw_replay_entry *gw_invoke_keys_find(
        struct gw_invoke_keys *k, const char *actor, const char *key) {
    struct gw_replay_entry *found = NULL;
    for (size_t i = 0; i < KINDS && !found; i++) {
        found = gw_replay_find(k->tables[i], actor, key);
    }
    return found;
}

struct gw_replay *gw_invoke_keys_of(struct gw_invoke_keys *k, const char *command) {
    return k->tables[kind_of(command)];
}

enum oc_code gw_invoke_keys_check_room(
        struct gw_invoke_keys *k, const char *command, const char *actor, struct oc_error *err) {
    enum kind kind = kind_of(command);
    return gw_replay_has_room(k->tables[kind], actor)
                   ? OC_OK
                   : oc_fail_busy(err, kinds[kind].remedy, "%s", kinds[kind].full);
}

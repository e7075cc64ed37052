#include "node/declare/vitals.h"

#include "lib/base/mem.h"

#include <inttypes.h>

enum {
    EVERY_MS = 60000,
    AGAIN_MS = 5000, /* a gateway that is busy with our approval refuses everything for a moment */
    MAX_CPUS = 4096, /* the schema's ceilings: one figure beyond them, and all are ignored */
    MAX_LOAD = 100000,
    MAX_JSON = 1024,
};

static double clamp_load(double load) {
    return load < 0 ? 0 : load > MAX_LOAD ? MAX_LOAD : load;
}

char *nd_vitals_json(const struct os_host_stats *s) {
    struct oc_buf b = OC_BUF_INIT(MAX_JSON);
    oc_buf_printf(&b, "{\"cpuCount\":%u", s->cpu_count < MAX_CPUS ? s->cpu_count : MAX_CPUS);
    if (s->has_load) {
        oc_buf_printf(&b, ",\"loadAverage\":[%.2f,%.2f,%.2f]", clamp_load(s->load[0]),
                clamp_load(s->load[1]), clamp_load(s->load[2]));
    }
    oc_buf_printf(&b, ",\"memoryTotalBytes\":%" PRIu64 ",\"memoryFreeBytes\":%" PRIu64,
            s->memory_total_bytes, s->memory_free_bytes);
    if (s->disk_total_bytes > 0) {
        oc_buf_printf(&b, ",\"diskTotalBytes\":%" PRIu64 ",\"diskAvailableBytes\":%" PRIu64,
                s->disk_total_bytes, s->disk_free_bytes);
    }
    oc_buf_putc(&b, '}');
    char *text = oc_strdup(b.data);
    oc_buf_finish(&b);
    return text;
}

static void on_heard(void *user, const struct oc_reply *reply) {
    struct nd_vitals *v = user;
    if (!reply->ok && reply->code != OC_E_CLOSED && v->timer.loop) {
        v->owes_alive = true;
        oc_timer_set(v->machine->loop, &v->timer, AGAIN_MS);
    }
}

static void send_event(struct nd_vitals *v, const char *event, const char *payload) {
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "event", event);
    oc_json_set_str(params, "payloadJSON", payload);
    if (v->uplink->ask) {
        v->uplink->ask(v->uplink, "node.event", params, EVERY_MS, on_heard, v);
    } else {
        nd_uplink_request(v->uplink, "node.event", params);
    }
}

static void vitals_publish(struct oc_timer *t) {
    struct nd_vitals *v = t->user;
    oc_timer_set(v->machine->loop, &v->timer, EVERY_MS);
    if (v->owes_alive) {
        v->owes_alive = false;
        OC_AUTO_FREE char *alive = oc_strfmt("{\"trigger\":\"connect\",\"sentAtMs\":%" PRId64 "}",
                oc_wall_ms(oc_loop_clock(v->machine->loop)));
        send_event(v, "node.presence.alive", alive);
    }
    struct os_host_stats stats;
    if (v->machine->platform->host_stats &&
            v->machine->platform->host_stats(v->disk_path, &stats)) {
        OC_AUTO_FREE char *text = nd_vitals_json(&stats);
        send_event(v, "node.host.stats", text);
    }
}

void nd_vitals_init(struct nd_vitals *v, const struct nd_machine *machine, struct nd_uplink *uplink,
        const char *disk_path) {
    *v = (struct nd_vitals){ .machine = machine, .uplink = uplink, .disk_path = disk_path };
    v->timer = (struct oc_timer){ .on_expire = vitals_publish, .user = v };
}

void nd_vitals_start(struct nd_vitals *v) {
    v->owes_alive = true;
    vitals_publish(&v->timer);
}

void nd_vitals_stop(struct nd_vitals *v) {
    oc_timer_cancel(&v->timer);
}

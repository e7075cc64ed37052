#include "platform/linux/media/pipeline.h"

#include "platform/linux/media/gst_errors.h"

#include <stdio.h>

enum { LEAVE_MS = 1000 };

int64_t os_pipeline_now_ms(void) {
    return g_get_monotonic_time() / 1000;
}

bool os_pipeline_has_element(const char *factory) {
    GstElementFactory *f = gst_element_factory_find(factory);
    if (f) {
        gst_object_unref(f);
    }
    return f != NULL;
}

enum oc_code os_pipeline_open(
        const char *line, const char *wire, struct os_pipeline *ret, struct oc_error *err) {
    GError *problem = NULL;
    gst_init(NULL, NULL);
    GstParseContext *context = gst_parse_context_new();
    GstElement *bin = gst_parse_launch_full(line, context, GST_PARSE_FLAG_FATAL_ERRORS, &problem);
    gchar **missing = gst_parse_context_get_missing_elements(context);
    gst_parse_context_free(context);
    if (!bin || problem) {
        const char *why = problem ? problem->message : "no pipeline";
        if (missing) {
            oc_fail_not_installed(err, os_gst_package(missing[0]), "GStreamer: %s", why);
        } else {
            oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE", "GStreamer: %s", why);
        }
        g_clear_error(&problem);
        g_strfreev(missing);
        if (bin) {
            gst_object_unref(bin);
        }
        return OC_E_UNAVAILABLE;
    }
    g_strfreev(missing);
    *ret = (struct os_pipeline){ .bin = bin, .wire = wire };
    return OC_OK;
}

static void set_playing(GstElement *bin, gpointer user) {
    (void)user;
    gst_element_set_state(bin, GST_STATE_PLAYING);
}

void os_pipeline_play(struct os_pipeline *p) {
    gst_element_call_async(p->bin, set_playing, NULL, NULL);
}

/* Lives on when the source hangs: the thread that waits for it does too. */
struct os_stopping {
    GMutex lock;
    GCond changed;
    bool is_done;
};

static void set_null(GstElement *bin, gpointer user) {
    struct os_stopping *s = user;
    gst_element_set_state(bin, GST_STATE_NULL);
    g_mutex_lock(&s->lock);
    s->is_done = true;
    g_cond_signal(&s->changed);
    g_mutex_unlock(&s->lock);
}

void os_pipeline_begin_leave(struct os_pipeline *p) {
    p->stopping = g_new0(struct os_stopping, 1);
    g_mutex_init(&p->stopping->lock);
    g_cond_init(&p->stopping->changed);
    gst_element_call_async(p->bin, set_null, p->stopping, NULL);
}

void os_pipeline_leave(struct os_pipeline *p) {
    if (!p->stopping) {
        os_pipeline_begin_leave(p);
    }
    struct os_stopping *s = p->stopping;
    gint64 until = g_get_monotonic_time() + LEAVE_MS * G_TIME_SPAN_MILLISECOND;
    g_mutex_lock(&s->lock);
    while (!s->is_done && g_cond_wait_until(&s->changed, &s->lock, until)) {
    }
    g_mutex_unlock(&s->lock);
}

static enum oc_code take_error(struct os_pipeline *p, GstMessage *m, struct oc_error *err) {
    GError *problem = NULL;
    gchar *detail = NULL;
    gst_message_parse_error(m, &problem, &detail);
    fprintf(stderr, "%s: %s\n", GST_MESSAGE_SRC_NAME(m), detail ? detail : problem->message);
    bool is_source = GST_IS_ELEMENT(GST_MESSAGE_SRC(m)) &&
                     GST_OBJECT_FLAG_IS_SET(GST_MESSAGE_SRC(m), GST_ELEMENT_FLAG_SOURCE);
    const char *wire = is_source ? p->wire : "UNAVAILABLE";
    bool is_busy = g_error_matches(problem, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY) ||
                   os_gst_says_busy(problem->message);
    oc_fail_wire(err, OC_E_UNAVAILABLE, wire, "%s%s",
            is_busy ? "it is in use by another program: " : "", problem->message);
    err->grounds.cause = is_busy ? OC_CAUSE_BUSY : OC_CAUSE_NONE;
    g_clear_error(&problem);
    g_free(detail);
    return OC_E_UNAVAILABLE;
}

enum oc_code os_pipeline_watch(
        struct os_pipeline *p, int wait_ms, bool *ret_ended, struct oc_error *err) {
    GstBus *bus = gst_element_get_bus(p->bin);
    GstMessage *m = gst_bus_timed_pop_filtered(
            bus, (GstClockTime)wait_ms * GST_MSECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    gst_object_unref(bus);
    *ret_ended = false;
    if (!m) {
        return OC_OK;
    }
    enum oc_code rc = OC_OK;
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS) {
        *ret_ended = true;
    } else {
        rc = take_error(p, m, err);
    }
    gst_message_unref(m);
    return rc;
}

void os_pipeline_close(struct os_pipeline *p) {
    gst_element_set_state(p->bin, GST_STATE_NULL);
    gst_object_unref(p->bin);
    p->bin = NULL;
}

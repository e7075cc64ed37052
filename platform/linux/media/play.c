/* play {kind,title,fromMs} + its bytes → {} and stays: a sound, or a film in a window of its own,
 * on the person's desktop. Events:
 *
 *   {"state":"playing","positionMs","durationMs"?}… ─▶ {"state":"ended"},
 *                           {"state":"failed","error"}, or
 *                           {"state":"stalled","positionMs","error"}: another process may go on
 *                           from there
 *
 * Ends at its end, when the person closes the window, after half an hour, and with the node. */
#include "platform/linux/media/gst_errors.h"
#include "platform/linux/media/guard.h"
#include "platform/linux/media/pipeline.h"
#include "platform/linux/media/session.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/helper/capture_params.h"
#include "lib/helper/packet.h"

#include <gst/gst.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPEN_MS = 8000, /* sound server and display, together */
    TELL_MS = 500,
    STALL_MS = 3000, /* without a step forward */
    WITH_FILM = 0x1, /* playbin's flags; no subtitles, no dancing colours */
    WITH_SOUND = 0x2,
    OWN_VOLUME = 0x10,
};

static const char *const kinds[] = { "audio", "video", NULL };
const struct oc_param os_play_params[] = {
    { .name = "kind",
            OC_PARAM_WORD,
            .word = "audio",
            .words = kinds,
            .must = "kind must be audio or video" },
    { .name = "title", OC_PARAM_TEXT, .word = "OpenClaw" },
    { .name = "fromMs", OC_PARAM_INT, .min = 0, .max = OC_PLAY_MAX_MS },
    { 0 },
};

struct playing {
    struct os_pipeline pipeline;
    GstBus *bus;
    int socket_fd;
    int64_t told_ms;
    gint64 position;    /* the last that was seen, at first where it is to begin */
    int64_t advance_ms; /* when it last changed */
    bool is_behind;     /* has not yet gone to where it is to begin */
};

/* A playlist is no sound: what it names would be fetched, or a camera opened. The sandbox is there
 * too, but nobody shall run into them. */
static void forget_playlists(void) {
    GList *all = gst_registry_get_feature_list(gst_registry_get(), GST_TYPE_ELEMENT_FACTORY);
    for (GList *l = all; l; l = l->next) {
        const char *class = gst_element_factory_get_metadata(l->data, GST_ELEMENT_METADATA_KLASS);
        if (class && strstr(class, "Demuxer") &&
                (strstr(class, "Adaptive") || strstr(class, "Network"))) {
            gst_plugin_feature_set_rank(GST_PLUGIN_FEATURE(l->data), GST_RANK_NONE);
        }
    }
    gst_plugin_feature_list_free(all);
}

/* NULL: none of them does. GStreamer's own choice would rather play to nobody than say so. */
static GstElement *first_that_opens(const char *const *factories) {
    for (; *factories; factories++) {
        GstElement *e = gst_element_factory_make(*factories, NULL);
        if (!e) {
            continue;
        }
        bool opens = gst_element_set_state(e, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE;
        gst_element_set_state(e, GST_STATE_NULL);
        if (opens) {
            return e;
        }
        gst_object_unref(e);
    }
    return NULL;
}

static GstElement *find_sound(void) {
    static const char *const factories[] = { "pulsesink", "pipewiresink", "alsasink", NULL };
    return first_that_opens(factories);
}

static GstElement *find_display(void) {
    static const char *const wayland[] = { "waylandsink", NULL }, *const x11[] = { "xvimagesink",
        "ximagesink", NULL };
    os_media_find_session();
    GstElement *e = oc_str_blank(getenv("WAYLAND_DISPLAY")) ? NULL : first_that_opens(wayland);
    return e || oc_str_blank(getenv("DISPLAY")) ? e : first_that_opens(x11);
}

/* Of one that is there: what could show something on it may not be. */
static enum oc_code complain_of_display(struct oc_error *err) {
    static const char *const ways[][2] = { { "WAYLAND_DISPLAY", "waylandsink" },
        { "DISPLAY", "ximagesink" } };
    for (size_t i = 0; i < OC_COUNT(ways); i++) {
        const char *sink = ways[i][1];
        if (!oc_str_blank(getenv(ways[i][0])) && !os_pipeline_has_element(sink)) {
            return oc_fail_not_installed(err, os_gst_package(sink), "GStreamer has no %s", sink);
        }
    }
    return oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE", "there is no display to show it on");
}

static enum oc_code open_player(
        struct playing *p, const struct os_serve_request *request, struct oc_error *err) {
    bool is_film = oc_streq(oc_json_get_str(request->params, "kind"), "video");
    const char *title = oc_json_get_str(request->params, "title");
    if (!oc_str_blank(title)) {
        g_set_application_name(title); /* the window's title */
    }
    os_guard_begin(OPEN_MS, "the sound server or the display does not answer");
    gst_init(NULL, NULL);
    forget_playlists();
    GstElement *sound = find_sound(), *display = is_film ? find_display() : NULL;
    os_guard_end();
    p->pipeline.bin = gst_element_factory_make("playbin", NULL);
    if (!p->pipeline.bin) {
        return oc_fail_not_installed(err, os_gst_package("playbin"), "GStreamer has no playbin");
    }
    if (is_film && !display) {
        return complain_of_display(err);
    }
    if (!is_film && !sound) {
        return oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE",
                "there is nothing to hear it by: neither PulseAudio nor PipeWire answers");
    }
    /* As a file, not as fd://…: demuxers look at its end, where some have how long it is. */
    OC_AUTO_FREE char *uri = oc_strfmt("file:///proc/self/fd/%d", request->fd);
    g_object_set(p->pipeline.bin, "uri", uri, "flags",
            OWN_VOLUME | (sound ? WITH_SOUND : 0) | (is_film ? WITH_FILM : 0), NULL);
    if (sound) {
        g_object_set(p->pipeline.bin, "audio-sink", sound, NULL);
    }
    if (display) {
        g_object_set(p->pipeline.bin, "video-sink", display, NULL);
    }
    p->bus = gst_element_get_bus(p->pipeline.bin);
    return OC_OK;
}

static void play_tell(struct playing *p) {
    gint64 duration = 0;
    cJSON *event = cJSON_CreateObject();
    p->told_ms = os_pipeline_now_ms();
    oc_json_set_str(event, "state", "playing");
    oc_json_set_int(event, "positionMs", p->position > 0 ? p->position / GST_MSECOND : 0);
    if (gst_element_query_duration(p->pipeline.bin, GST_FORMAT_TIME, &duration) && duration > 0) {
        oc_json_set_int(event, "durationMs", duration / GST_MSECOND);
    }
    os_serve_event(event);
}

static void play_end(const char *error) {
    if (error && !os_serve_has_answered()) {
        os_serve_error("UNAVAILABLE", "%s", error);
        return;
    }
    if (!os_serve_has_answered()) { /* shorter than it took to begin */
        os_serve_result_and_stay(NULL);
    }
    cJSON *event = cJSON_CreateObject();
    oc_json_set_str(event, "state", error ? "failed" : "ended");
    oc_json_set_str(event, "error", error);
    os_serve_event(event);
}

static bool is_window_closed(GstMessage *m, const GError *problem) {
    GstElement *e = GST_IS_ELEMENT(GST_MESSAGE_SRC(m)) ? GST_ELEMENT(GST_MESSAGE_SRC(m)) : NULL;
    const char *class = e ? gst_element_get_metadata(e, GST_ELEMENT_METADATA_KLASS) : NULL;
    return class && strcmp(class, "Sink/Video") == 0 &&
           g_error_matches(problem, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
}

static void end_by_error(GstMessage *m) {
    GError *problem = NULL;
    gchar *detail = NULL;
    gst_message_parse_error(m, &problem, &detail);
    fprintf(stderr, "%s: %s\n", GST_MESSAGE_SRC_NAME(m), detail ? detail : problem->message);
    if (is_window_closed(m, problem)) {
        play_end(NULL);
    } else if (problem->domain == GST_STREAM_ERROR || problem->domain == GST_CORE_ERROR) {
        OC_AUTO_FREE char *text =
                oc_strfmt("nothing that can be played here: %s", problem->message);
        play_end(text);
    } else {
        play_end(problem->message);
    }
    g_clear_error(&problem);
    g_free(detail);
}

static void on_playing(struct playing *p) {
    if (p->is_behind) {
        gst_element_seek_simple(p->pipeline.bin, GST_FORMAT_TIME,
                GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT, p->position);
    }
    p->is_behind = false;
    if (!os_serve_has_answered()) {
        os_serve_result_and_stay(NULL);
        play_tell(p);
    }
}

/* False: it is over. */
static bool take_message(struct playing *p, GstMessage *m) {
    GstState now;
    switch (GST_MESSAGE_TYPE(m)) {
    case GST_MESSAGE_EOS:
        play_end(NULL);
        return false;
    case GST_MESSAGE_ERROR:
        end_by_error(m);
        return false;
    default:
        gst_message_parse_state_changed(m, NULL, &now, NULL);
        if (GST_MESSAGE_SRC(m) == GST_OBJECT(p->pipeline.bin) && now == GST_STATE_PLAYING) {
            on_playing(p);
        }
        return true;
    }
}

static bool is_alone(const struct playing *p) {
    struct pollfd s = { .fd = p->socket_fd, .events = POLLIN };
    return p->socket_fd >= 0 && poll(&s, 1, 0) > 0;
}

/* PipeWire now and then links a new stream and never lets it run, most often when another one has
 * just ended; GStreamer's sink then waits forever, also when it is to stop. Another process gets
 * another stream that runs. */
static void leave_stalled(struct playing *p) {
    cJSON *event = cJSON_CreateObject();
    oc_json_set_str(event, "state", "stalled");
    oc_json_set_int(event, "positionMs", p->position / GST_MSECOND);
    oc_json_set_str(
            event, "error", "the sound server or the display takes it, but does not play it");
    if (!os_serve_has_answered()) {
        os_serve_result_and_stay(NULL);
    }
    os_serve_event(event);
    _exit(1);
}

static void look_at_position(struct playing *p, int64_t now_ms) {
    gint64 position;
    if (gst_element_query_position(p->pipeline.bin, GST_FORMAT_TIME, &position) && !p->is_behind &&
            position != p->position) {
        p->position = position;
        p->advance_ms = now_ms;
    } else if (now_ms - p->advance_ms >= STALL_MS) {
        leave_stalled(p);
    }
}

static void play_play(struct playing *p) {
    int64_t until_ms = os_pipeline_now_ms() + OC_PLAY_MAX_MS;
    bool goes_on = true;
    os_pipeline_play(&p->pipeline);
    p->advance_ms = os_pipeline_now_ms();
    while (goes_on && !is_alone(p)) {
        GstMessage *m = gst_bus_timed_pop_filtered(p->bus, TELL_MS / 2 * GST_MSECOND,
                GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_STATE_CHANGED);
        if (m) {
            goes_on = take_message(p, m);
            gst_message_unref(m);
        }
        int64_t now = os_pipeline_now_ms();
        if (goes_on) {
            look_at_position(p, now);
        }
        if (goes_on && now >= until_ms) {
            play_end(NULL);
            goes_on = false;
        } else if (goes_on && os_serve_has_answered() && now - p->told_ms >= TELL_MS) {
            play_tell(p);
        }
    }
    os_pipeline_leave(&p->pipeline);
}

void os_media_play(const struct os_serve_request *request) {
    struct playing p = { .socket_fd = request->socket_fd };
    p.position = oc_json_get_int(request->params, "fromMs", 0, OC_PLAY_MAX_MS, 0) * GST_MSECOND;
    p.is_behind = p.position > 0;
    struct oc_error err;
    size_t len;
    bool by_hand = request->socket_fd < 0;
    if (request->fd < 0 || (!by_hand && !oc_sealed_check(request->fd, OC_PLAY_MAX_BYTES, &len))) {
        os_serve_error("INVALID_REQUEST", "INVALID_REQUEST: play needs %s",
                by_hand ? "--in FILE" : "its bytes, sealed, and not more than it may have");
    } else if (open_player(&p, request, &err) != OC_OK) {
        os_media_fail(&err);
    } else {
        play_play(&p);
    }
}

#include "platform/linux/media/record.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "platform/linux/helper/serve.h"
#include "platform/linux/media/pipeline.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FIRST_FRAME_MS = 8000,
    FINISH_MS = 15000,
    POLL_MS = 20,
    LONGEST_FRAME_MS = 1000,
    MOST_KBPS = 2500,
    AUDIO_KBPS = 96,
};

/* Shared with the threads that push frames. */
struct times {
    GMutex lock;
    GstClockTime duration, stall; /* stall: sound this long after the last frame is kept */
    GstClockTime first, last;     /* of the frames that are kept */
    int64_t last_at_ms;
    bool is_over, has_audio, is_heard; /* heard: anything but digital silence */
    GstClockTime frame;                /* how long one lasts */
    /* For films that skip what does not change: */
    bool skips;
    GstClockTime source_frame;  /* the same as the source sends them */
    GstClockTime due, shown_at; /* when the next begins; when the last one that was encoded did */
    GstBuffer *shown;
    GstClockTime coded_first;
};

struct quality {
    int kbps, max_width;
};

static bool is_same(GstBuffer *a, GstBuffer *b) {
    GstMapInfo map;
    if (gst_buffer_n_memory(a) == 1 && gst_buffer_n_memory(b) == 1 &&
            gst_buffer_peek_memory(a, 0) == gst_buffer_peek_memory(b, 0)) {
        return true;
    }
    if (gst_buffer_get_size(a) != gst_buffer_get_size(b) ||
            !gst_buffer_map(a, &map, GST_MAP_READ)) {
        return false;
    }
    bool same = gst_buffer_memcmp(b, 0, map.data, map.size) == 0;
    gst_buffer_unmap(a, &map);
    return same;
}

/* Converting and encoding is what costs. */
static bool may_skip(struct times *t, GstBuffer *b, GstClockTime pts) {
    if (t->shown && pts < t->shown_at + LONGEST_FRAME_MS * GST_MSECOND && is_same(t->shown, b)) {
        return true;
    }
    gst_buffer_replace(&t->shown, b);
    t->shown_at = pts;
    return false;
}

/* One that starts in the last half of its time would be over at once: the one before it lasts for
 * longer instead. */
static GstClockTime last_begin(const struct times *t) {
    return t->first + (t->duration > t->frame / 2 ? t->duration - t->frame / 2 : 0);
}

/* The film ends with its last frame, so when there was none just before the end (skipped, or the
 * camera is slow) the first one after it takes the place of the last one. */
static bool is_last_frame(struct times *t, GstPadProbeInfo *info) {
    GstClockTime at = t->first + t->duration - t->frame;
    GstClockTime before = t->skips ? t->shown_at : t->last;
    if (t->duration < t->frame || before + t->frame / 2 >= at) {
        return false;
    }
    GstBuffer *b = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_BUFFER_PTS(b) = t->last = at;
    info->data = b;
    return true;
}

/* Of a source that sends more than the film shows, those whose turn it is. */
static bool is_due(struct times *t, GstClockTime pts) {
    if (!t->skips) {
        return true;
    }
    if (pts + t->source_frame / 2 < t->due || pts > last_begin(t)) {
        return false;
    }
    do {
        t->due += t->frame;
    } while (t->due <= pts);
    return true;
}

/* A frame lasts until the next one; how long the last one does only we know, and the parser has its
 * own opinion. The encoder may have moved all of them. */
static GstPadProbeReturn on_coded(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    struct times *t = user;
    (void)pad;
    GstBuffer *b = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    info->data = b;
    if (!GST_CLOCK_TIME_IS_VALID(t->coded_first)) {
        t->coded_first = GST_BUFFER_PTS(b);
    }
    GstClockTime at = GST_BUFFER_PTS(b) - t->coded_first;
    bool is_last = at + t->frame + t->frame / 2 > t->duration && at < t->duration;
    GST_BUFFER_DURATION(b) = is_last ? t->duration - at : t->frame;
    return GST_PAD_PROBE_OK;
}

static bool is_end(const struct times *t, GstClockTime pts) {
    return pts + t->source_frame / 2 >= t->first + t->duration;
}

static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    struct times *t = user;
    GstClockTime pts = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
    (void)pad;
    g_mutex_lock(&t->lock);
    bool keep = GST_CLOCK_TIME_IS_VALID(pts) && !t->is_over;
    if (keep && !GST_CLOCK_TIME_IS_VALID(t->first)) {
        t->first = t->last = t->due = pts;
    }
    if (keep && pts > t->first && is_end(t, pts)) {
        t->is_over = true;
        keep = is_last_frame(t, info);
    } else if (keep) {
        t->last = pts;
        keep = is_due(t, pts) && !(t->skips && may_skip(t, GST_PAD_PROBE_INFO_BUFFER(info), pts));
    }
    t->last_at_ms = os_pipeline_now_ms();
    g_mutex_unlock(&t->lock);
    return keep ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

/* A microphone that is switched off sends zeros; no room is that quiet. */
static bool is_silence(GstBuffer *b) {
    GstMapInfo map;
    if (!gst_buffer_map(b, &map, GST_MAP_READ)) {
        return true;
    }
    gsize i = 0;
    while (i < map.size && map.data[i] == 0) {
        i++;
    }
    bool silent = i == map.size;
    gst_buffer_unmap(b, &map);
    return silent;
}

/* Sound before the first and after the last frame would make the film longer than it is; so would
 * that which a microphone goes on sending when the camera is gone. */
static GstPadProbeReturn on_sound(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    struct times *t = user;
    GstClockTime pts = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
    (void)pad;
    g_mutex_lock(&t->lock);
    bool keep = GST_CLOCK_TIME_IS_VALID(pts) && GST_CLOCK_TIME_IS_VALID(t->first) &&
                pts >= t->first && pts < t->first + t->duration && pts < t->last + t->stall;
    t->has_audio |= keep;
    t->is_heard = t->is_heard || (keep && !is_silence(GST_PAD_PROBE_INFO_BUFFER(info)));
    g_mutex_unlock(&t->lock);
    return keep ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

static void record_probe(
        GstElement *bin, const char *queue, GstPadProbeCallback on_buffer, struct times *t) {
    GstElement *q = gst_bin_get_by_name(GST_BIN(bin), queue);
    GstPad *pad = gst_element_get_static_pad(q, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, t, NULL);
    gst_object_unref(pad);
    gst_object_unref(q);
}

/* Into the queue behind the source: a source that is gone does not pass the end on. */
static void end_stream(GstElement *bin, const char *queue) {
    GstElement *q = gst_bin_get_by_name(GST_BIN(bin), queue);
    if (q) {
        GstPad *pad = gst_element_get_static_pad(q, "sink");
        gst_pad_send_event(pad, gst_event_new_eos());
        gst_object_unref(pad);
        gst_object_unref(q);
    }
}

/* What fits into the ceiling, with something to spare for the container and the encoder's moods. */
static enum oc_code choose_quality(
        const struct os_record_opts *o, struct quality *ret, struct oc_error *err) {
    double fits = (double)o->max_bytes * 8 * 0.8 / (double)o->duration_ms; /* bits per ms: kbit/s */
    fits -= o->audio ? AUDIO_KBPS : 0;
    if (fits < 60) {
        return oc_fail_wire(err, OC_E_TOO_LARGE, "PAYLOAD_TOO_LARGE",
                "%lld ms of film do not fit into %zu bytes; ask for less",
                (long long)o->duration_ms, o->max_bytes);
    }
    ret->kbps = fits < MOST_KBPS ? (int)fits : MOST_KBPS;
    int width = ret->kbps >= 800 ? o->max_width : ret->kbps >= 250 ? 640 : 320;
    ret->max_width = width < o->max_width ? width : o->max_width;
    return OC_OK;
}

static char *video_encoder(const struct quality *q, int fps) {
    if (os_pipeline_has_element("x264enc") || !os_pipeline_has_element("openh264enc")) {
        return oc_strfmt(
                "x264enc tune=zerolatency speed-preset=veryfast bitrate=%d key-int-max=%d ! "
                "video/x-h264,profile=main",
                q->kbps, fps * 2);
    }
    return oc_strfmt("openh264enc bitrate=%d complexity=low gop-size=%d", q->kbps * 1000, fps * 2);
}

static char *audio_part(const char *source) {
    const char *encoder =
            os_pipeline_has_element("avenc_aac") || !os_pipeline_has_element("voaacenc")
                    ? "avenc_aac"
                    : "voaacenc";
    return oc_strfmt(" %s ! queue name=sound max-size-time=5000000000 max-size-bytes=0 "
                     "max-size-buffers=0 ! audioconvert ! audioresample ! "
                     "audio/x-raw,rate=48000,channels=2 ! %s bitrate=%d ! aacparse ! queue ! mux.",
            source, encoder, AUDIO_KBPS * 1000);
}

/* Even sides, because H.264 has no others. The muxer's own scratch file is in memory too: no file
 * is left when we are killed. */
static char *launch_line(
        const struct os_record_opts *o, const struct quality *q, int fd, int scratch_fd) {
    OC_AUTO_FREE char *encoder = video_encoder(q, o->fps);
    OC_AUTO_FREE char *audio = o->audio ? audio_part(o->audio) : oc_strdup("");
    /* videorate would show what comes after a gap too early, in the middle of it; and the first
     * frame from when we began to wait for it. */
    OC_AUTO_FREE char *steady = oc_strfmt(",framerate=%d/1", o->fps);
    return oc_strfmt(
            "%s ! queue name=frames max-size-buffers=16 max-size-bytes=0 max-size-time=0%s ! "
            "videoconvert ! videoscale ! %svideo/x-raw,format=I420,"
            "width=(int)[2,%d,2],height=(int)[2,%d,2],pixel-aspect-ratio=1/1%s ! "
            "%s ! h264parse ! "
            "queue name=coded max-size-buffers=0 max-size-time=0 max-size-bytes=67108864 ! "
            "mp4mux name=mux faststart=true faststart-file=/proc/self/fd/%d ! "
            "fdsink fd=%d sync=false%s",
            o->video, o->drops_late ? " leaky=downstream" : "",
            o->skips_unchanged ? "" : "videorate skip-to-first=true ! ", q->max_width & ~1,
            q->max_width & ~1, o->skips_unchanged ? "" : steady, encoder, scratch_fd, fd, audio);
}

/* A film that ends early is not what was asked for, and does not show why it is short. */
static enum oc_code check_whole(
        const struct os_record_opts *o, GstClockTime shown, struct oc_error *err) {
    int64_t shown_ms = (int64_t)(shown / GST_MSECOND);
    if (shown_ms + 2 * 1000 / o->fps >= o->duration_ms) {
        return OC_OK; /* nothing but its last frame is missing */
    }
    return oc_fail_wire(err, OC_E_UNAVAILABLE, o->wire, "%s stopped after %.1f s", o->what,
            (double)shown_ms / 1000);
}

static enum oc_code wait_for_frames(struct os_pipeline *p, const struct os_record_opts *o,
        struct times *t, struct oc_error *err) {
    int64_t started_ms = os_pipeline_now_ms();
    for (;;) {
        bool ended;
        enum oc_code rc = os_pipeline_watch(p, POLL_MS, &ended, err);
        if (rc != OC_OK) {
            return rc;
        }
        g_mutex_lock(&t->lock);
        bool has_first = GST_CLOCK_TIME_IS_VALID(t->first), is_over = t->is_over;
        int64_t last_ms = has_first ? t->last_at_ms : started_ms;
        GstClockTime shown = has_first ? t->last - t->first : 0;
        g_mutex_unlock(&t->lock);
        int64_t quiet_ms = os_pipeline_now_ms() - last_ms;
        if (!has_first && (ended || quiet_ms > FIRST_FRAME_MS)) {
            return oc_fail_wire(err, OC_E_UNAVAILABLE, o->wire, "%s sends no picture", o->what);
        }
        if (is_over) {
            return OC_OK;
        }
        if (ended || (has_first && quiet_ms > o->stall_ms)) {
            return check_whole(o, shown, err);
        }
    }
}

static enum oc_code record_finish(struct os_pipeline *p, struct oc_error *err) {
    int64_t until_ms = os_pipeline_now_ms() + FINISH_MS;
    bool ended = false;
    end_stream(p->bin, "frames");
    end_stream(p->bin, "sound");
    while (!ended && os_pipeline_now_ms() < until_ms) {
        enum oc_code rc = os_pipeline_watch(p, POLL_MS, &ended, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return ended ? OC_OK
                 : oc_fail_wire(err, OC_E_TIMEOUT, "UNAVAILABLE",
                           "the film could not be finished in time");
}

static enum oc_code check_result(
        const struct os_record_opts *o, const struct os_recording *r, struct oc_error *err) {
    struct stat st;
    if (fstat(r->fd, &st) != 0 || st.st_size == 0) {
        return oc_fail_wire(err, OC_E_UNAVAILABLE, "UNAVAILABLE", "the film is empty");
    }
    if ((uint64_t)st.st_size > o->max_bytes) {
        return oc_fail_wire(err, OC_E_TOO_LARGE, "PAYLOAD_TOO_LARGE",
                "the film has %lld bytes, more than the %zu that can be sent; "
                "ask "
                "for less",
                (long long)st.st_size, o->max_bytes);
    }
    return OC_OK;
}

enum oc_code os_record(
        const struct os_record_opts *o, struct os_recording *ret, struct oc_error *err) {
    struct times *t = g_new0(struct times, 1); /* the threads outlive us when the source hangs */
    g_mutex_init(&t->lock);
    t->duration = (GstClockTime)o->duration_ms * GST_MSECOND;
    t->stall = (GstClockTime)o->stall_ms * GST_MSECOND / 2;
    t->first = t->last = t->coded_first = GST_CLOCK_TIME_NONE;
    OC_AUTO_FD int fd = os_serve_memfd();
    OC_AUTO_FD int scratch_fd = os_serve_memfd();
    struct quality quality = { 0 };
    enum oc_code rc = fd < 0 || scratch_fd < 0
                              ? oc_fail_wire(err, OC_E_IO, "UNAVAILABLE", "no memory for the film")
                              : choose_quality(o, &quality, err);
    struct os_pipeline p;
    gst_init(NULL, NULL);
    if (rc == OC_OK) {
        OC_AUTO_FREE char *line = launch_line(o, &quality, fd, scratch_fd);
        rc = os_pipeline_open(line, o->wire, &p, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    record_probe(p.bin, "frames", on_frame, t);
    t->frame = GST_SECOND / (GstClockTime)o->fps;
    if (o->skips_unchanged) {
        t->skips = true;
        t->source_frame = GST_SECOND / (GstClockTime)o->source_fps;
        record_probe(p.bin, "coded", on_coded, t);
    }
    if (o->audio) {
        record_probe(p.bin, "sound", on_sound, t);
    }
    if (o->prepare) {
        o->prepare(p.bin, o->user);
    }
    os_pipeline_play(&p);
    rc = wait_for_frames(&p, o, t, err);
    rc = rc == OC_OK ? record_finish(&p, err) : rc;
    os_pipeline_leave(&p);
    if (rc != OC_OK) {
        return rc;
    }
    g_mutex_lock(&t->lock);
    struct os_recording r = {
        .fd = fd, .has_audio = t->has_audio, .is_silent = t->has_audio && !t->is_heard
    };
    r.duration_ms = (int64_t)((t->last - t->first) / GST_MSECOND) + 1000 / o->fps;
    if (t->is_over && t->skips) {
        r.duration_ms = o->duration_ms;
    }
    g_mutex_unlock(&t->lock);
    rc = check_result(o, &r, err);
    if (rc == OC_OK) {
        oc_take_fd(&fd);
        *ret = r;
    }
    return rc;
}

/* A camera for tests: a real PipeWire node of class Video/Source, so that everything between the
 * camera and our program is the real thing. Its picture: in the top rows the frame's number as 16
 * black or white blocks (lowest bit left), below it eight colour bars, rotated by PATTERN.
 *
 *   pwcam NAME DESCRIPTION WIDTH HEIGHT FPS PATTERN [MODE]
 *
 * MODE: "works"; "mute" never sends a frame; "busy" refuses to stream, as a camera that another
 * program has opened. Prints `ready` once it can be used; ends with SIGTERM, which is what pulling
 * the plug looks like. */
#include <errno.h>
#include <pipewire/pipewire.h>
#include <signal.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES_PER_PIXEL = 4, COUNTER_ROWS = 16, COUNTER_BITS = 16, BARS = 8 };
#define NSEC_PER_SEC 1000000000L

struct camera {
    struct pw_main_loop *loop;
    struct pw_stream *stream;
    struct spa_source *timer;
    const char *mode;
    int width, height, fps, pattern;
    uint32_t frame;
};

static void draw(const struct camera *c, uint8_t *pixels) {
    static const uint32_t bars[BARS] = { 0xffffff, 0xffff00, 0x00ffff, 0x00ff00, 0xff00ff, 0xff0000,
        0x0000ff, 0x000000 };
    for (int y = 0; y < c->height; y++) {
        uint32_t *row =
                (uint32_t *)(void *)(pixels + (size_t)y * (size_t)c->width * BYTES_PER_PIXEL);
        for (int x = 0; x < c->width; x++) {
            if (y < COUNTER_ROWS) {
                row[x] = (c->frame >> (x * COUNTER_BITS / c->width)) & 1 ? 0xffffff : 0;
            } else {
                row[x] = bars[(x * BARS / c->width + c->pattern) % BARS];
            }
        }
    }
}

static void on_process(void *user) {
    struct camera *c = user;
    struct pw_buffer *b = pw_stream_dequeue_buffer(c->stream);
    if (!b) {
        return;
    }
    struct spa_data *data = &b->buffer->datas[0];
    if (data->data) {
        draw(c, data->data);
        struct spa_meta_header *h =
                spa_buffer_find_meta_data(b->buffer, SPA_META_Header, sizeof(*h));
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (h) {
            *h = (struct spa_meta_header){ .pts = now.tv_sec * NSEC_PER_SEC + now.tv_nsec,
                .seq = c->frame };
        }
        c->frame++;
        data->chunk->offset = 0;
        data->chunk->stride = c->width * BYTES_PER_PIXEL;
        data->chunk->size = (uint32_t)(c->width * c->height * BYTES_PER_PIXEL);
    }
    pw_stream_queue_buffer(c->stream, b);
}

static void on_tick(void *user, uint64_t expirations) {
    struct camera *c = user;
    (void)expirations;
    pw_stream_trigger_process(c->stream);
}

static void on_state(
        void *user, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    struct camera *c = user;
    struct pw_loop *loop = pw_main_loop_get_loop(c->loop);
    if (error) {
        fprintf(stderr, "%s\n", error);
    }
    if (state == PW_STREAM_STATE_PAUSED && old == PW_STREAM_STATE_CONNECTING) {
        puts("ready");
        fflush(stdout);
    }
    if (state == PW_STREAM_STATE_STREAMING && strcmp(c->mode, "works") == 0) {
        struct timespec first = { 0, 1 }, every = { 0, NSEC_PER_SEC / c->fps };
        pw_loop_update_timer(loop, c->timer, &first, &every, false);
    } else {
        pw_loop_update_timer(loop, c->timer, NULL, NULL, false);
    }
    if (state == PW_STREAM_STATE_UNCONNECTED) {
        pw_main_loop_quit(c->loop);
    }
}

static void on_param(void *user, uint32_t id, const struct spa_pod *param) {
    struct camera *c = user;
    if (!param || id != SPA_PARAM_Format) {
        return;
    }
    if (strcmp(c->mode, "busy") == 0) {
        pw_stream_set_error(c->stream, -EBUSY, "Device or resource busy");
        return;
    }
    uint8_t bytes[1024];
    struct spa_pod_builder b = SPA_POD_BUILDER_INIT(bytes, sizeof(bytes));
    const struct spa_pod *params[] = {
        spa_pod_builder_add_object(&b, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers,
                SPA_PARAM_BUFFERS_buffers, SPA_POD_CHOICE_RANGE_Int(8, 2, 16),
                SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1), SPA_PARAM_BUFFERS_size,
                SPA_POD_Int(c->width * c->height * BYTES_PER_PIXEL), SPA_PARAM_BUFFERS_stride,
                SPA_POD_Int(c->width * BYTES_PER_PIXEL)),
        spa_pod_builder_add_object(&b, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta,
                SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header), SPA_PARAM_META_size,
                SPA_POD_Int(sizeof(struct spa_meta_header))),
    };
    pw_stream_update_params(c->stream, params, 2);
}

static void on_signal(void *user, int signo) {
    struct camera *c = user;
    (void)signo;
    pw_main_loop_quit(c->loop);
}

static int connect_stream(struct camera *c) {
    uint8_t bytes[1024];
    struct spa_pod_builder b = SPA_POD_BUILDER_INIT(bytes, sizeof(bytes));
    struct spa_rectangle size = { (uint32_t)c->width, (uint32_t)c->height };
    struct spa_fraction rate = { (uint32_t)c->fps, 1 };
    const struct spa_pod *format = spa_pod_builder_add_object(&b, SPA_TYPE_OBJECT_Format,
            SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
            SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format,
            SPA_POD_Id(SPA_VIDEO_FORMAT_BGRx), SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size),
            SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&rate));
    return pw_stream_connect(c->stream, PW_DIRECTION_OUTPUT, PW_ID_ANY,
            PW_STREAM_FLAG_DRIVER | PW_STREAM_FLAG_MAP_BUFFERS, &format, 1);
}

int main(int argc, char **argv) {
    static const struct pw_stream_events events = { PW_VERSION_STREAM_EVENTS, .process = on_process,
        .state_changed = on_state, .param_changed = on_param };
    if (argc < 7) {
        fprintf(stderr,
                "usage: pwcam NAME DESCRIPTION WIDTH HEIGHT FPS PATTERN [works|mute|busy]\n");
        return 2;
    }
    struct camera c = { .mode = argc > 7 ? argv[7] : "works" };
    c.width = (int)strtol(argv[3], NULL, 10);
    c.height = (int)strtol(argv[4], NULL, 10);
    c.fps = (int)strtol(argv[5], NULL, 10);
    c.pattern = (int)strtol(argv[6], NULL, 10);
    pw_init(&argc, &argv);
    c.loop = pw_main_loop_new(NULL);
    struct pw_loop *loop = pw_main_loop_get_loop(c.loop);
    pw_loop_add_signal(loop, SIGINT, on_signal, &c);
    pw_loop_add_signal(loop, SIGTERM, on_signal, &c);
    c.timer = pw_loop_add_timer(loop, on_tick, &c);
    c.stream = pw_stream_new_simple(loop, argv[1],
            pw_properties_new(PW_KEY_MEDIA_CLASS, "Video/Source", PW_KEY_MEDIA_TYPE, "Video",
                    PW_KEY_MEDIA_CATEGORY, "Capture", PW_KEY_MEDIA_ROLE, "Camera", PW_KEY_NODE_NAME,
                    argv[1], PW_KEY_NODE_DESCRIPTION, argv[2], NULL),
            &events, &c);
    int rc = connect_stream(&c);
    if (rc == 0) {
        pw_main_loop_run(c.loop);
    }
    pw_stream_destroy(c.stream);
    pw_main_loop_destroy(c.loop);
    pw_deinit();
    return rc != 0;
}

/* openclaw-web: web pages and canvas files for the canvas, with WebKit. Started by the canvas
 * programs (canvas/serve/web_child.h) when a page is asked for; by hand it takes pictures of
 * pages. */
#include "canvas/images/images_sandbox.h"
#include "canvas/web/display.h"
#include "canvas/web/parse.h"
#include "canvas/web/web.h"
#include "canvas/web/wire.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
        "openclaw-web: web pages and canvas files, with WebKit\n\n"
        "Usage: openclaw-web snapshot URL --out PICTURE [options]\n"
        "       openclaw-web eval URL JAVASCRIPT [options]\n\n"
        "URL is http(s)://…, or a file below the canvas folder.\n\n"
        "  --out FILE           where the picture goes; .jpg and .jpeg are JPEG, others PNG\n"
        "  --width, --height N  of the window (900 x 700)\n"
        "  --max-width N        scales the picture down\n"
        "  --quality 0..1       of a JPEG (0.9)\n"
        "  --eval JAVASCRIPT    runs in the page before the picture is taken\n"
        "  --root FOLDER        canvas folder (default: canvas in the state folder)\n\n"
        "Needs no display: it starts weston or Xvfb for itself. Started by the canvas programs "
        "when\n"
        "a page is to be shown (--socket, --headless, --root).\n";

struct by_hand {
    GMainLoop *loop;
    struct cv_web *web;
    const char *task, *url, *out, *script;
    char *root;
    cJSON *params, *placement;
    int status;
};

static bool write_all(int to, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t n = write(to, bytes, len);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* False with errno. */
static bool copy_out(int from, int to) {
    char bytes[65536];
    off_t at = 0;
    ssize_t n;
    while ((n = pread(from, bytes, sizeof(bytes), at)) > 0) {
        if (!write_all(to, bytes, (size_t)n)) {
            return false;
        }
        at += n;
    }
    return n == 0;
}

static bool copy_to_file(int from, const char *path) {
    OC_AUTO_FD int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return to >= 0 && copy_out(from, to);
}

static void main_end(struct by_hand *h, int status) {
    h->status = status;
    g_main_loop_quit(h->loop);
}

static bool is_failed(struct by_hand *h, const struct cv_web_answer *a) {
    if (!a->ok) {
        fprintf(stderr, "openclaw-web: %s: %s\n", a->code, a->message);
        main_end(h, 1);
    }
    return !a->ok;
}

static void on_seen(void *user, struct cv_web_answer *a) {
    struct by_hand *h = user;
    if (is_failed(h, a)) {
        return;
    }
    if (!copy_to_file(a->fd, h->out)) {
        fprintf(stderr, "openclaw-web: %s: %s\n", h->out, strerror(errno));
        main_end(h, 1);
        return;
    }
    printf("%s %d x %d\n", h->out, (int)oc_json_get_int(a->result, "width", 0, INT32_MAX, 0),
            (int)oc_json_get_int(a->result, "height", 0, INT32_MAX, 0));
    main_end(h, 0);
}

static void on_evaluated(void *user, struct cv_web_answer *a) {
    struct by_hand *h = user;
    if (is_failed(h, a)) {
        return;
    }
    const char *text = oc_json_get_str(a->result, "result");
    if (strcmp(h->task, "snapshot") == 0) {
        cv_web_snapshot(h->web, h->params, on_seen, h);
        return;
    }
    bool is_out =
            text ? write_all(STDOUT_FILENO, text, strlen(text)) : copy_out(a->fd, STDOUT_FILENO);
    if (!is_out || !write_all(STDOUT_FILENO, "\n", 1)) {
        fprintf(stderr, "openclaw-web: standard output: %s\n", strerror(errno));
        main_end(h, 1);
        return;
    }
    main_end(h, 0);
}

static void on_loaded(void *user, struct cv_web_answer *a) {
    struct by_hand *h = user;
    if (is_failed(h, a)) {
        return;
    }
    if (h->script) {
        cv_web_eval(h->web, h->script, on_evaluated, h);
    } else {
        cv_web_snapshot(h->web, h->params, on_seen, h);
    }
}

static bool add_number(cJSON *o, const char *key, const char *text, double max) {
    char *rest = NULL;
    double v = g_ascii_strtod(text, &rest);
    if (!*text || *rest || !(v >= 0 && v <= max)) {
        return false;
    }
    cJSON_AddNumberToObject(o, key, v);
    return true;
}

static bool read_option(struct by_hand *h, const char *name, const char *value) {
    if (strcmp(name, "--out") == 0) {
        h->out = value;
    } else if (strcmp(name, "--eval") == 0) {
        h->script = value;
    } else if (strcmp(name, "--root") == 0) {
        oc_free(h->root);
        h->root = oc_path_user(value);
    } else if (strcmp(name, "--width") == 0) {
        return add_number(h->placement, "width", value, 2048);
    } else if (strcmp(name, "--height") == 0) {
        return add_number(h->placement, "height", value, 2048);
    } else if (strcmp(name, "--max-width") == 0) {
        return add_number(h->params, "maxWidth", value, 65535);
    } else if (strcmp(name, "--quality") == 0) {
        return add_number(h->params, "quality", value, 1);
    } else {
        return false;
    }
    return true;
}

static bool read_arguments(struct by_hand *h, int argc, char **argv) {
    bool is_eval = strcmp(argv[1], "eval") == 0;
    h->task = argv[1];
    for (int i = 2; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0) {
            if (i + 1 >= argc || !read_option(h, argv[i], argv[i + 1])) {
                fprintf(stderr, "openclaw-web: %s: unknown, or not with this value\n", argv[i]);
                return false;
            }
            i++;
        } else if (!h->url) {
            h->url = argv[i];
        } else if (is_eval && !h->script) {
            h->script = argv[i];
        } else {
            fprintf(stderr, "openclaw-web: '%s' is too much\n", argv[i]);
            return false;
        }
    }
    if (!h->url || (is_eval ? !h->script : !h->out) ||
            (!is_eval && strcmp(h->task, "snapshot") != 0)) {
        fputs(help, stderr);
        return false;
    }
    bool is_jpeg = h->out && (oc_ends_with(h->out, ".jpg") || oc_ends_with(h->out, ".jpeg"));
    oc_json_set_str(h->params, "format", is_jpeg ? "jpeg" : "png");
    return true;
}

static bool start_gtk(bool is_headless) {
    struct oc_error err;
    if (is_headless && cv_display_start(&err) != OC_OK) {
        fprintf(stderr, "openclaw-web: %s\n", err.text);
        return false;
    }
    g_setenv("GSK_RENDERER", "cairo", FALSE); /* one window with one picture: no graphics card */
    if (!gtk_init_check()) {
        fprintf(stderr, "openclaw-web: no display can be opened\n");
        return false;
    }
    return true;
}

static int run_by_hand(struct by_hand *h) {
    static const struct cv_web_events none = { 0 };
    if (!start_gtk(true)) {
        return 3;
    }
    h->loop = g_main_loop_new(NULL, FALSE);
    h->web = cv_web_create(true, &none, h);
    if (!h->web) {
        return 3;
    }
    h->web->root = oc_take(&h->root);
    cv_web_resize(h->web, h->placement);
    cv_web_navigate(h->web, h->url, on_loaded, h);
    if (h->status < 0) {
        g_main_loop_run(h->loop);
    }
    cv_web_destroy(h->web);
    g_main_loop_unref(h->loop);
    return h->status;
}

static int by_hand(int argc, char **argv) {
    OC_AUTO_FREE char *state = oc_dir_state();
    struct by_hand h = { .status = -1,
        .root = oc_path_join(state, "canvas"),
        .params = cJSON_CreateObject(),
        .placement = cJSON_CreateObject() };
    int status = read_arguments(&h, argc, argv) ? run_by_hand(&h) : 2;
    cJSON_Delete(h.params);
    cJSON_Delete(h.placement);
    oc_free(h.root);
    return status;
}

static int serve_main(int argc, char **argv) {
    bool is_headless = false;
    const char *root = NULL;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--headless") == 0) {
            is_headless = true;
        } else if (strcmp(argv[i], "--root") == 0 && i + 1 < argc) {
            root = argv[++i];
        }
    }
    if (!start_gtk(is_headless)) {
        return 3;
    }
    return cv_web_serve(0, is_headless, root) ? 0 : 3;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    cv_sandbox_web();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("openclaw-web %s\n", OC_VERSION);
        return 0;
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--parse") == 0) {
        return cv_parser_main(0);
    }
    if (strcmp(argv[1], "--socket") != 0) {
        return by_hand(argc, argv);
    }
    return serve_main(argc, argv);
}

/* WebKit and its libraries keep what they have until the process ends. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
__attribute__((visibility("default"))) const char *__lsan_default_options(void);  // NOLINT
__attribute__((visibility("default"))) const char *__lsan_default_options(void) { // NOLINT
    return "detect_leaks=0";
}
#endif
#endif

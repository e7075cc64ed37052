/* openclaw-canvas: A2UI surfaces without a display. The node talks to it over a socket on stdin
 * (canvas/serve/serve_canvas.h); people and `openclaw canvas` use `render` and `check`. */
#include "canvas/serve/canvas_sandbox.h"
#include "canvas/serve/render.h"
#include "canvas/serve/serve_canvas.h"
#include "canvas/serve/serve_pages.h"

#include "canvas/input/when_locale.h"
#include "lib/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define VIEW_WIDTH 900 /* of the canvas nobody sees, until canvas.present says another size */
#define VIEW_HEIGHT 700

static const char help[] =
        "openclaw-canvas: A2UI v0.8 drawn without a display\n\n"
        "Usage: openclaw-canvas render FILE [--out PICTURE] [--dump layout|data|list] …\n"
        "       openclaw-canvas check FILE [--json]\n\n"
        "--theme is openclaw (unless given), default or default-dark. A node draws openclaw too, "
        "or\n"
        "default where the desktop is light.\n\n"
        "Started by `openclaw node run` when it is needed (--socket). `openclaw canvas render` "
        "and\n"
        "`openclaw canvas check` run it with the same options, and fetch pictures for it.\n";

/* What is large, pixels and texts of messages, is given back at once; the C library would soon stop
 * to do so. */
static void give_back_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

static int main_serve(const char *root) {
    struct cv_opts opts = { .width = VIEW_WIDTH, .height = VIEW_HEIGHT, .scale = 1 };
    give_back_memory();
    struct cv_serve_pages *pages = cv_serve_pages_create(true, root);
    cv_wall_in(false, root);
    struct cv_serve_canvas *s = cv_serve_canvas_create(0, &opts, NULL, cv_serve_pages_web(pages));
    cv_serve_pages_attach(pages, s);
    do {
        struct pollfd p[] = { { .fd = 0, .events = POLLIN },
            { .fd = cv_serve_pages_fd(pages), .events = POLLIN },
            { .fd = cv_serve_canvas_fd(s), .events = POLLIN } };
        (void)poll(p, OC_COUNT(p), cv_serve_canvas_wait_ms(s));
        cv_serve_pages_read(pages);
        cv_serve_canvas_tick(s);
    } while (cv_serve_canvas_read(s));
    cv_serve_pages_destroy(pages);
    cv_serve_canvas_destroy(s);
    return 0;
}

static bool read_number(const char *text, double min, double max, double *ret) {
    char *end = NULL;
    double v = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !isfinite(v) || v < min || v > max) {
        return false;
    }
    *ret = v;
    return true;
}

static bool read_word(const char *text, const char *const *words, size_t count, unsigned *ret) {
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool read_option(struct cv_render_opts *o, const char *name, const char *value) {
    static const char *const dumps[] = { "", "layout", "data", "list" }, *const formats[] = { "png",
        "jpeg", "jpg" };
    unsigned word;
    double number;
    if (strcmp(name, "--out") == 0) {
        o->out = value;
    } else if (strcmp(name, "--theme") == 0) {
        o->theme = value;
    } else if (strcmp(name, "--width") == 0) {
        return read_number(value, 16, 8192, &o->width);
    } else if (strcmp(name, "--height") == 0) {
        return read_number(value, 0, CV_MAX_SIDE, &o->height);
    } else if (strcmp(name, "--scale") == 0) {
        return read_number(value, 1, 3, &o->scale);
    } else if (strcmp(name, "--quality") == 0) {
        return read_number(value, 0, 1, &o->quality);
    } else if (strcmp(name, "--max-width") == 0 && read_number(value, 1, CV_MAX_SIDE, &number)) {
        o->max_width = (unsigned)number;
    } else if (strcmp(name, "--pictures-fd") == 0 && read_number(value, 3, 1024, &number)) {
        o->pictures_fd = (int)number;
    } else if (strcmp(name, "--dump") == 0 && read_word(value, dumps, OC_COUNT(dumps), &word)) {
        o->dump = (enum cv_dump)word;
    } else if (strcmp(name, "--format") == 0 &&
               read_word(value, formats, OC_COUNT(formats), &word)) {
        o->is_jpeg = word > 0;
    } else if (strcmp(name, "--activate") == 0 && o->activate_count < CV_RENDER_MAX_ACTIVATE) {
        o->activate[o->activate_count++] = value;
    } else {
        return false;
    }
    return true;
}

static bool ends_like_jpeg(const char *path) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && (strcmp(dot, ".jpg") == 0 || strcmp(dot, ".jpeg") == 0);
}

static bool read_options(struct cv_render_opts *o, int argc, char **argv) {
    bool has_format = false;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            o->as_json = true;
        } else if (strncmp(argv[i], "--", 2) == 0) {
            has_format = has_format || strcmp(argv[i], "--format") == 0;
            if (i + 1 >= argc || !read_option(o, argv[i], argv[i + 1])) {
                fprintf(stderr, "openclaw-canvas: %s: unknown, or not with this value\n", argv[i]);
                return false;
            }
            i++;
        } else if (!o->file) {
            o->file = argv[i];
        } else {
            fprintf(stderr, "openclaw-canvas: one file at a time, and not '%s' too\n", argv[i]);
            return false;
        }
    }
    o->is_jpeg = has_format ? o->is_jpeg : ends_like_jpeg(o->out);
    return true;
}

/* What is drawn by hand is an agent's work, too: it is read and drawn by a process of its own, in
 * the node's sandbox. That has the open file, and gives us the picture. */
static _Noreturn void become_drawer(
        struct cv_render_opts *o, int (*draw)(const struct cv_render_opts *o)) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)cv_week_start(); /* reads the locale, wherever that is */
    cv_wall_in(false, NULL);
    int rc = draw(o);
    _exit(fflush(NULL) == 0 ? rc : 1);
}

/* The file is made when there is something for it. */
static int keep_picture(const struct cv_render_opts *o) {
    OC_AUTO_FD int to = open(o->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    char block[65536];
    ssize_t n = 0;
    bool is_good = to >= 0 && lseek(o->out_fd, 0, SEEK_SET) == 0;
    while (is_good && (n = read(o->out_fd, block, sizeof(block))) > 0) {
        for (ssize_t done = 0, some; is_good && done < n; done += some) {
            some = write(to, block + done, (size_t)(n - done));
            is_good = some > 0;
        }
    }
    is_good = is_good && n == 0;
    if (!is_good || close(oc_take_fd(&to)) != 0) {
        fprintf(stderr, "%s: %s\n", o->out, strerror(errno));
        return 1;
    }
    return 0;
}

static int draw_apart(struct cv_render_opts *o, int (*draw)(const struct cv_render_opts *o)) {
    bool is_stdin = strcmp(o->file, "-") == 0, has_file = o->out && strcmp(o->out, "-") != 0;
    OC_AUTO_FD int in = is_stdin ? STDIN_FILENO : open(o->file, O_RDONLY | O_CLOEXEC);
    OC_AUTO_FD int out = has_file ? memfd_create("picture", MFD_CLOEXEC) : -1;
    if (in < 0 || (has_file && out < 0)) {
        fprintf(stderr, "%s: %s\n", in < 0 ? o->file : o->out, strerror(errno));
        return 1;
    }
    o->in_fd = in;
    o->out_fd = out;
    pid_t pid = fork();
    if (pid == 0) {
        become_drawer(o, draw);
    }
    int status = 0;
    if (o->pictures_fd >= 0) {
        close(o->pictures_fd); /* the drawer's end is the end */
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0 || !WIFEXITED(status)) {
        fprintf(stderr, "openclaw-canvas: what draws %s\n", pid < 0 ? "cannot be started" : "died");
        return 1;
    }
    return WEXITSTATUS(status) == 0 && has_file ? keep_picture(o) : WEXITSTATUS(status);
}

static int by_hand(int argc, char **argv) {
    struct cv_render_opts o = {
        .width = CV_RENDER_WIDTH, .scale = 1, .quality = 0.9, .pictures_fd = -1
    };
    bool is_check = strcmp(argv[1], "check") == 0;
    if (!read_options(&o, argc, argv)) {
        return 2;
    }
    if (!is_check && strcmp(argv[1], "render") != 0) {
        fputs(help, stderr);
        return 2;
    }
    if (!o.file || (!is_check && !o.out && o.dump == CV_DUMP_NONE && o.activate_count == 0)) {
        fprintf(stderr, "openclaw-canvas: %s\n",
                !o.file ? "which file? (- is stdin)"
                        : "where does the picture go? --out FILE, or --dump layout|data|list");
        return 2;
    }
    return draw_apart(&o, is_check ? cv_render_check : cv_render);
}

static int main_run(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], "--socket") == 0) {
        return main_serve(argc == 4 && strcmp(argv[2], "--root") == 0 ? argv[3] : NULL);
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("openclaw-canvas %s\n", OC_VERSION);
        return 0;
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    return by_hand(argc, argv);
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    int rc = main_run(argc, argv);
    rc = fflush(NULL) == 0 ? rc : 1;
    _exit(rc); /* what fontconfig and Pango keep for the life of a process needs no freeing */
}

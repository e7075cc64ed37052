#include "platform/linux/helper/serve.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/pass_fds.h"
#include "lib/helper/failure.h"
#include "lib/helper/packet.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOCKET_FD 0
#define BY_HAND_MAX_BYTES ((size_t)512 * 1024 * 1024)

static struct {
    bool by_hand, has_answered, has_failed;
    const char *in, *out; /* by hand: what is worked on, and where a capture goes */
    cJSON *clamped;       /* by hand: what of the params was changed */
} state;

static void send_line(cJSON *take_line, int fd) {
    OC_AUTO_JSON cJSON *line = take_line;
    OC_AUTO_FREE char *text = oc_json_print(line, state.by_hand);
    if (state.by_hand) {
        puts(text);
        fflush(stdout);
        return;
    }
    if (oc_send_with_fds(SOCKET_FD, text, strlen(text), &fd, fd >= 0, 0) < 0) {
        fprintf(stderr, "the node does not listen any more: %s\n", strerror(errno));
        _exit(1);
    }
}

void os_serve_progress(cJSON *take_progress) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "progress", take_progress);
    send_line(o, -1);
}

void os_serve_event(cJSON *take_event) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "event", take_event);
    send_line(o, -1);
}

void os_serve_add_check(
        cJSON *checks, const char *check, bool ok, const char *text, const char *fix) {
    cJSON *c = cJSON_CreateObject();
    oc_json_set_str(c, "check", check);
    oc_json_set_bool(c, "ok", ok);
    oc_json_set_str(c, "text", text);
    oc_json_set_str(c, "fix", fix);
    cJSON_AddItemToArray(checks, c);
}

/* All of it or, on a full disk, nothing. */
static bool copy_out(int memfd) {
    OC_AUTO_FD int to = open(state.out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char bytes[65536];
    off_t at = 0;
    ssize_t n = 0;
    struct stat st;
    if (to < 0) {
        return false;
    }
    while ((n = pread(memfd, bytes, sizeof(bytes), at)) > 0 &&
            (n = write(to, bytes, (size_t)n)) > 0) {
        at += n;
    }
    int why = errno;
    if (n < 0 && fstat(to, &st) == 0 && S_ISREG(st.st_mode)) {
        (void)unlink(state.out);
    }
    errno = why;
    return n == 0;
}

static void send_result(cJSON *take_result, int take_memfd, bool stays) {
    OC_AUTO_FD int memfd = take_memfd;
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "ok", true);
    cJSON *result = take_result ? take_result : cJSON_CreateObject();
    if (cJSON_GetArraySize(state.clamped) > 0) {
        oc_json_set(result, "clamped", oc_take(&state.clamped));
    }
    oc_json_set(o, "result", result);
    if (stays) {
        oc_json_set_bool(o, "stays", true);
    }
    if (memfd >= 0 && fcntl(memfd, F_ADD_SEALS,
                              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
        cJSON_Delete(o);
        os_serve_error("UNAVAILABLE", "the capture cannot be sealed: %s", strerror(errno));
        return;
    }
    if (memfd >= 0 && state.by_hand && state.out && !copy_out(memfd)) {
        cJSON_Delete(o);
        os_serve_error("UNAVAILABLE", "%s is not written: %s", state.out, strerror(errno));
        return;
    }
    state.has_answered = true;
    send_line(o, memfd);
}

void os_serve_result(cJSON *take_result, int take_memfd) {
    send_result(take_result, take_memfd, false);
}

void os_serve_result_and_stay(cJSON *take_result) {
    send_result(take_result, -1, true);
}

void os_serve_refuse(const char *code, const char *message, const struct oc_grounds *grounds) {
    state.has_answered = state.has_failed = true;
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "ok", false);
    oc_json_set_str(o, "code", code);
    oc_json_set_str(o, "message", message);
    oc_failure_put(o, grounds);
    send_line(o, -1);
}

void os_serve_error(const char *code, const char *fmt, ...) {
    char message[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    os_serve_refuse(code, message, &(struct oc_grounds){ 0 });
}

bool os_serve_has_answered(void) {
    return state.has_answered;
}

int os_serve_memfd(void) {
    return memfd_create("capture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static void print_task(const struct os_serve_task *task) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(16384);
    oc_buf_printf(&out, "  %-18s %s\n", task->name, task->summary);
    for (const struct oc_param *param = task->params; param && param->name; param++) {
        oc_buf_printf(&out, "    %-16s ", param->name);
        oc_param_describe(param, &out);
        oc_buf_putc(&out, '\n');
    }
    if (task->more) {
        oc_buf_printf(&out, "    %s\n", task->more);
    }
    fputs(out.data, stdout);
}

static void print_help(const struct os_serve_program *p) {
    printf("%s: %s\n\nUsage: %s TASK [PARAMS-AS-JSON] [--in FILE] [--out FILE]\n\n"
           "Started by `openclaw node run` when it is needed; by hand it prints what it would "
           "answer.\n\nTasks, and what PARAMS may have:\n",
            p->name, p->summary, p->name);
    for (size_t i = 0; i < p->count; i++) {
        print_task(&p->tasks[i]);
    }
}

static const struct os_serve_task *find_task(const struct os_serve_program *p, const char *name) {
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->tasks[i].name, name) == 0) {
            return &p->tasks[i];
        }
    }
    return NULL;
}

static int serve_run(const struct os_serve_program *p, const struct os_serve_request *r) {
    const struct os_serve_task *task = find_task(p, r->what);
    if (!task) {
        os_serve_error("INVALID_REQUEST", "%s does not know '%s'", p->name, r->what);
        return 1;
    }
    task->run(r);
    if (!state.has_answered) {
        os_serve_error("UNAVAILABLE", "%s gave no answer", r->what);
    }
    return state.has_failed;
}

static int serve_socket(const struct os_serve_program *p) {
    OC_AUTO_FD int fd = -1;
    struct oc_slice line;
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    if (oc_packet_recv(SOCKET_FD, true, &line, &fd) != OC_PACKET_GOT ||
            oc_json_parse(line.ptr, line.len, &o, &err) != OC_OK) {
        fprintf(stderr, "no request\n");
        return 2;
    }
    OC_AUTO_JSON cJSON *none = cJSON_CreateObject();
    const cJSON *params = oc_json_get(o, "params");
    const char *what = oc_json_get_str(o, "do");
    return serve_run(
            p, &(struct os_serve_request){ .what = what ? what : "",
                       .params = cJSON_IsObject(params) ? params : none,
                       .max_bytes = (size_t)oc_json_get_int(o, "maxBytes", 0, INT32_MAX, 0),
                       .fd = fd,
                       .socket_fd = SOCKET_FD });
}

static int serve_by_hand(const struct os_serve_program *p, int argc, char **argv) {
    const char *what = NULL, *text = "{}";
    for (int i = 1; i < argc; i++) {
        bool is_out = strcmp(argv[i], "--out") == 0, is_in = strcmp(argv[i], "--in") == 0;
        if ((is_out || is_in) && i + 1 < argc) {
            *(is_out ? &state.out : &state.in) = argv[++i];
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "%s: %s\n", p->name,
                    is_out  ? "--out needs the name of a file"
                    : is_in ? "--in needs the name of a file"
                            : "the only options are --in FILE and --out FILE; see --help");
            return 2;
        } else if (!what) {
            what = argv[i];
        } else {
            text = argv[i];
        }
    }
    if (!what) {
        print_help(p);
        return 2;
    }
    if (!find_task(p, what)) {
        fprintf(stderr, "%s: there is no task '%s'; see --help\n", p->name, what);
        return 2;
    }
    OC_AUTO_JSON cJSON *params = NULL;
    struct oc_error err;
    if (oc_json_parse(text, strlen(text), &params, &err) != OC_OK || !cJSON_IsObject(params)) {
        fprintf(stderr, "%s: the parameters must be a JSON object\n", p->name);
        return 2;
    }
    const struct os_serve_task *task = find_task(p, what);
    OC_AUTO_JSON cJSON *clean = cJSON_Duplicate(params, true);
    OC_AUTO_JSON cJSON *clamped = cJSON_CreateArray();
    if (task->params && oc_params_read(task->params, params, clean, clamped, &err) != OC_OK) {
        os_serve_error("INVALID_REQUEST", "%s", err.text);
        return 1;
    }
    OC_AUTO_FD int fd = state.in ? open(state.in, O_RDONLY | O_CLOEXEC) : -1;
    if (state.in && fd < 0) {
        os_serve_error("INVALID_REQUEST", "%s: %s", state.in, strerror(errno));
        return 1;
    }
    state.clamped = oc_take(&clamped);
    return serve_run(p, &(struct os_serve_request){ .what = what,
                                .params = clean,
                                .max_bytes = BY_HAND_MAX_BYTES,
                                .fd = fd,
                                .socket_fd = -1 });
}

int os_serve(const struct os_serve_program *program, int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    if (argc == 2 && strcmp(argv[1], "--socket") == 0) {
        return serve_socket(program);
    }
    state.by_hand = true;
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(program);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("%s %s\n", program->name, OC_VERSION);
        return 0;
    }
    return serve_by_hand(program, argc, argv);
}

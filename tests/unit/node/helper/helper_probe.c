/* A helper that behaves and misbehaves on request, for node_helper_test. */
#include "platform/linux/helper/serve.h"

#include "lib/base/mem.h"
#include "tests/any_int.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void echo(const struct os_serve_request *r) {
    cJSON *result = cJSON_Duplicate(r->params, true);
    oc_json_set_int(result, "maxBytes", (int64_t)r->max_bytes);
    oc_json_set_bool(result, "hasToken", getenv("OPENCLAW_GATEWAY_TOKEN") != NULL);
    oc_json_set_str(result, "bus", getenv("DBUS_SESSION_BUS_ADDRESS"));
    os_serve_result(result, -1);
}

static void fill(int fd, size_t len) {
    for (size_t i = 0; i < len; i++) {
        char byte = (char)(i % 251);
        if (write(fd, &byte, 1) != 1) {
            abort();
        }
    }
}

static void capture(const struct os_serve_request *r) {
    int fd = os_serve_memfd();
    fill(fd, (size_t)any_int(r->params, "bytes", 0));
    cJSON *progress = cJSON_CreateObject();
    oc_json_set_int(progress, "done", 1);
    os_serve_progress(progress);
    cJSON *result = cJSON_CreateObject();
    oc_json_set_str(result, "format", "bin");
    os_serve_result(result, fd);
}

static void refuse(const struct os_serve_request *r) {
    (void)r;
    os_serve_error("CAMERA_BUSY", "somebody else films");
}

static void refuse_busy(const struct os_serve_request *r) {
    (void)r;
    struct oc_grounds g = { .cause = OC_CAUSE_BUSY, .remedy = OC_REMEDY_TRY_LATER };
    oc_grounds_set_subject(&g, "/dev/video0");
    os_serve_refuse("CAMERA_BUSY", "somebody else films", &g);
}

static void crash(const struct os_serve_request *r) {
    (void)r;
    fprintf(stderr, "first words\nlast words\n");
    raise(SIGABRT); /* a sanitizer would have more to say about SIGSEGV */
}

static void killed(const struct os_serve_request *r) {
    (void)r;
    fprintf(stderr, "a warning about something else\n");
    raise(SIGKILL);
}

static void hang(const struct os_serve_request *r) {
    (void)r;
    for (;;) {
        pause();
    }
}

static void nonsense(const struct os_serve_request *r) {
    (void)r;
    send(0, "{nonsense", 9, 0);
    pause();
}

/* Past the library: answers that no helper of ours gives. */
static void say(const char *text) {
    send(0, text, strlen(text), 0);
    pause();
}

/* The params, as an answer. */
static void failed(const struct os_serve_request *r) {
    OC_AUTO_JSON cJSON *o = cJSON_Duplicate(r->params, true);
    oc_json_set_bool(o, "ok", false);
    OC_AUTO_FREE char *text = oc_json_print(o, false);
    say(text);
}

static void no_object(const struct os_serve_request *r) {
    (void)r;
    say("[]");
}

static void no_result(const struct os_serve_request *r) {
    (void)r;
    say("{\"ok\":true}");
}

static void text_result(const struct os_serve_request *r) {
    (void)r;
    say("{\"ok\":true,\"result\":\"text\"}");
}

/* Two descriptors with each of many progress lines. */
static void two_files(const struct os_serve_request *r) {
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = { { 0 } };
    static char text[] = "{\"progress\":{\"done\":1}}";
    struct iovec iov = { .iov_base = text, .iov_len = strlen(text) };
    struct msghdr m = { .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(2 * sizeof(int));
    int fds[2] = { 0, 0 };
    memcpy(CMSG_DATA(c), fds, sizeof(fds));
    for (int i = 0; i < 50; i++) {
        if (sendmsg(0, &m, 0) < 0) {
            abort();
        }
    }
    echo(r);
}

/* Past the library: a file that could still change. */
static void unsealed(const struct os_serve_request *r) {
    (void)r;
    int fd = os_serve_memfd();
    fill(fd, 3);
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = { { 0 } };
    static char text[] = "{\"ok\":true,\"result\":{}}";
    struct iovec iov = { .iov_base = text, .iov_len = strlen(text) };
    struct msghdr m = { .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    sendmsg(0, &m, 0);
    pause();
}

static void stay(const struct os_serve_request *r) {
    (void)r;
    os_serve_result_and_stay(NULL);
    cJSON *event = cJSON_CreateObject();
    oc_json_set_str(event, "action", "approve");
    os_serve_event(event);
}

int main(int argc, char **argv) {
    static const struct os_serve_task tasks[] = {
        { "echo", "Answer with the parameters", NULL, NULL, echo },
        { "capture", "Answer with N bytes", NULL, NULL, capture },
        { "refuse", "Answer with an error", NULL, NULL, refuse },
        { "refuse-busy", "Answer with an error and why", NULL, NULL, refuse_busy },
        { "failed", "Answer with the parameters as an error", NULL, NULL, failed },
        { "crash", "Die of a signal", NULL, NULL, crash },
        { "killed", "Die of a signal", NULL, NULL, killed },
        { "hang", "Never answer", NULL, NULL, hang },
        { "nonsense", "Answer with nonsense", NULL, NULL, nonsense },
        { "unsealed", "Answer with a file that can still change", NULL, NULL, unsealed },
        { "no-object", "Answer with an array", NULL, NULL, no_object },
        { "no-result", "Answer ok without a result", NULL, NULL, no_result },
        { "text-result", "Answer ok with a text", NULL, NULL, text_result },
        { "two-files", "Send two descriptors at a time", NULL, NULL, two_files },
        { "stay", "Answer, then tell of an event, then end", NULL, NULL, stay },
    };
    static const struct os_serve_program program = { "helper_probe", "behaves and misbehaves",
        tasks, OC_COUNT(tasks) };
    return os_serve(&program, argc, argv);
}

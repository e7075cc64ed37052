#include "canvas/serve/web_child.h"

#include "canvas/serve/web_starter.h"
#include "lib/base/clock.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "openclaw-web"
#define UNAVAILABLE "CANVAS_UNAVAILABLE"

enum {
    ANSWER_MS = 26000, /* of one request; its own deadlines are shorter */
    STEADY_MS = 20000, /* who lives longer did not die of its page */
    MAX_DEATHS = 3,
    MAX_ASKED = 64,
    NO_DISPLAY = 3, /* its exit status */
};

struct asked {
    struct oc_list link;
    int64_t id;
    cJSON *message;
    int fd;
    bool is_own;   /* the page that is shown again: nobody waits for it */
    bool is_again; /* the program died of it, or beside it */
    bool is_kept;  /* for the program that takes its place */
    char *failed;  /* could not even be sent */
};

struct cv_web_child {
    struct cv_web_child_events events;
    void *user;
    int epoll, timer, wake;
    int starter; /* of web_starter.h */
    int socket;  /* -1: it does not run */
    int64_t started_ms;
    unsigned deaths; /* in a row, each soon after the start */
    struct oc_list asked;
    size_t asked_count;
    cJSON *page;   /* params of the last navigate that went well; NULL: there is no page */
    bool is_shown; /* by a window, if there is one */
};

static void start_again(struct cv_web_child *c);

/* Beside this program; nowhere else. */
static bool web_child_find(char *ret, size_t size) {
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0) {
        return false;
    }
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash) {
        return false;
    }
    *slash = '\0';
    return snprintf(ret, size, "%s/" PROGRAM, self) < (int)size && access(ret, X_OK) == 0;
}

static int64_t now_ms(void) {
    return oc_mono_ms(&oc_clock_system);
}

static void web_child_watch(struct cv_web_child *c, int fd) {
    struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };
    (void)epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &e);
}

static void set_deadline(struct cv_web_child *c) {
    struct itimerspec t = { .it_value.tv_sec = ANSWER_MS / 1000 };
    struct itimerspec never = { 0 };
    bool is_waiting = c->socket >= 0 && !oc_list_empty(&c->asked);
    timerfd_settime(c->timer, 0, is_waiting ? &t : &never, NULL);
}

static void web_child_release(struct cv_web_child *c, struct asked *a) {
    oc_list_remove(&a->link);
    c->asked_count--;
    cJSON_Delete(a->message);
    oc_auto_close(&a->fd);
    oc_free(a->failed);
    oc_free(a);
}

static void web_child_fail(
        struct cv_web_child *c, struct asked *a, const char *code, const char *why) {
    int64_t id = a->id;
    bool is_own = a->is_own;
    web_child_release(c, a);
    if (!is_own) {
        c->events.on_fail(c->user, id, code, why);
    }
}

static bool web_child_start(struct cv_web_child *c) {
    if (c->socket >= 0) {
        return true;
    }
    c->socket = cv_web_starter_start(c->starter);
    if (c->socket < 0) {
        return false;
    }
    c->started_ms = now_ms();
    web_child_watch(c, c->socket);
    return true;
}

/* Its status as waitpid has it. */
static int web_child_end(struct cv_web_child *c) {
    if (c->socket < 0) {
        return 0;
    }
    close(c->socket); /* leaves the epoll by itself */
    c->socket = -1;
    return cv_web_starter_end(c->starter);
}

static void send_asked(struct cv_web_child *c, struct asked *a) {
    struct oc_error err;
    if (oc_packet_send(c->socket, a->message, a->fd, &err) != OC_OK) {
        a->failed =
                oc_strdup(err.code == OC_E_UNAVAILABLE
                                  ? "the web program is busy"
                                  : "the web program does not listen: the request is too large");
        (void)eventfd_write(c->wake, 1);
    }
}

static struct asked *web_child_enqueue(
        struct cv_web_child *c, int64_t id, const char *what, const cJSON *params, int fd) {
    struct asked *a = oc_new(struct asked);
    a->id = id;
    a->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    a->message = cJSON_CreateObject();
    oc_json_set_int(a->message, "id", id);
    oc_json_set_str(a->message, "do", what);
    oc_json_set(
            a->message, "params", params ? cJSON_Duplicate(params, true) : cJSON_CreateObject());
    oc_list_append(&c->asked, &a->link);
    c->asked_count++;
    return a;
}

void cv_web_child_ask(
        struct cv_web_child *c, int64_t id, const char *what, const cJSON *params, int fd) {
    bool was_idle = oc_list_empty(&c->asked);
    struct asked *a = web_child_enqueue(c, id, what, params, fd);
    if (c->asked_count > MAX_ASKED) {
        a->failed = oc_strdup("the web program is busy");
        (void)eventfd_write(c->wake, 1);
        return;
    }
    if (c->socket < 0 && !c->page) {
        c->deaths = 0;
    }
    if (!web_child_start(c)) {
        a->failed = oc_strdup("the web program cannot be started");
        (void)eventfd_write(c->wake, 1);
        return;
    }
    send_asked(c, a);
    if (was_idle) {
        set_deadline(c);
    }
}

static struct asked *find_asked(struct cv_web_child *c, int64_t id) {
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        struct asked *a = OC_CONTAINER(l, struct asked, link);
        if (a->id == id) {
            return a;
        }
    }
    return NULL;
}

/* What there is to be shown again. */
static void take_note(struct cv_web_child *c, const struct asked *a) {
    const char *what = oc_json_get_str(a->message, "do");
    const cJSON *params = oc_json_get(a->message, "params");
    if (oc_streq(what, "navigate")) {
        cJSON_Delete(c->page);
        c->page = cJSON_Duplicate(params, true);
        c->is_shown = c->is_shown || oc_json_get_bool(params, "show", false);
    } else if (oc_streq(what, "present")) {
        c->is_shown = c->is_shown || !oc_json_get_bool(params, "quiet", false);
    } else if (oc_streq(what, "hide")) {
        c->is_shown = false;
    }
}

static void take_event(struct cv_web_child *c, const cJSON *event) {
    const cJSON *geometry = oc_json_get(event, "geometry");
    if (cJSON_IsObject(geometry) && c->page) {
        oc_json_set(c->page, "placement", cJSON_Duplicate(geometry, true));
    }
    if (oc_json_get_bool(event, "closed", false)) {
        c->is_shown = false;
    }
    c->events.on_event(c->user, event);
}

static void take_answer(struct cv_web_child *c, cJSON *o, int take_fd) {
    OC_AUTO_FD int fd = take_fd;
    struct asked *a = find_asked(c, oc_json_get_int(o, "id", 0, OC_JSON_MAX_EXACT, 0));
    const char *code = oc_json_get_str(o, "code"), *message = oc_json_get_str(o, "message");
    if (!a) {
        return;
    }
    if (!oc_json_get_bool(o, "ok", false)) {
        web_child_fail(c, a, code ? code : UNAVAILABLE,
                message ? message : "the web program gave no reason");
    } else {
        int64_t id = a->id;
        bool is_own = a->is_own;
        take_note(c, a);
        web_child_release(c, a);
        cJSON *result = cJSON_DetachItemFromObjectCaseSensitive(o, "result");
        if (is_own) {
            cJSON_Delete(result);
        } else {
            c->events.on_answer(c->user, id, result, oc_take_fd(&fd));
        }
    }
    set_deadline(c);
}

static void fail_all(struct cv_web_child *c, const char *why) {
    while (!oc_list_empty(&c->asked)) {
        web_child_fail(c, OC_CONTAINER(c->asked.next, struct asked, link), UNAVAILABLE, why);
    }
}

/* Those who want a page get a second try, those who want something of a page that is gone do
 * not. */
static void keep_pages(struct cv_web_child *c) {
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        struct asked *a = OC_CONTAINER(l, struct asked, link);
        a->is_kept = !a->is_own && !a->is_again &&
                     oc_streq(oc_json_get_str(a->message, "do"), "navigate");
        a->is_again = true;
    }
}

static struct asked *first_lost(struct cv_web_child *c) {
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        struct asked *a = OC_CONTAINER(l, struct asked, link);
        if (!a->is_kept) {
            return a;
        }
    }
    return NULL;
}

static void on_death(struct cv_web_child *c, int status, bool is_late) {
    bool has_no_display = WIFEXITED(status) && WEXITSTATUS(status) == NO_DISPLAY;
    bool was_steady = now_ms() - c->started_ms >= STEADY_MS;
    const char *why = has_no_display ? "no display: web pages need weston or Xvfb on this machine "
                                       "(package weston or xvfb)"
                      : is_late      ? "the web program did not answer"
                                     : "the web program died";
    c->deaths = was_steady ? 1 : c->deaths + 1;
    if (!has_no_display && !is_late) {
        keep_pages(c);
    }
    struct asked *a;
    while ((a = first_lost(c))) { /* from the start: who is told may ask for something else */
        web_child_fail(c, a, UNAVAILABLE, why);
    }
    if (has_no_display || c->deaths >= MAX_DEATHS) {
        fail_all(c, why);
        set_deadline(c);
        return;
    }
    start_again(c);
}

static void start_again(struct cv_web_child *c) {
    if ((!c->page && oc_list_empty(&c->asked)) || !web_child_start(c)) {
        fail_all(c, "the web program cannot be started");
        set_deadline(c);
        return;
    }
    struct oc_list waiting;
    oc_list_init(&waiting);
    while (!oc_list_empty(&c->asked)) {
        struct oc_list *l = c->asked.next;
        oc_list_remove(l);
        oc_list_append(&waiting, l);
    }
    if (c->page) {
        oc_json_set_bool(c->page, "show", c->is_shown);
        struct asked *own = web_child_enqueue(c, -1, "navigate", c->page, -1);
        own->is_own = own->is_kept = true;
        send_asked(c, own);
    }
    while (!oc_list_empty(&waiting)) {
        struct oc_list *l = waiting.next;
        oc_list_remove(l);
        oc_list_append(&c->asked, l);
        send_asked(c, OC_CONTAINER(l, struct asked, link));
    }
    set_deadline(c);
}

static void fail_unsent(struct cv_web_child *c) {
    for (struct oc_list *l = c->asked.next; l != &c->asked;) {
        struct asked *a = OC_CONTAINER(l, struct asked, link);
        l = l->next;
        if (a->failed) {
            OC_AUTO_FREE char *why = oc_take(&a->failed);
            web_child_fail(c, a, UNAVAILABLE, why);
            l = c->asked.next; /* whoever was told may have asked for more */
        }
    }
}

static bool read_one(struct cv_web_child *c) {
    struct oc_slice text;
    OC_AUTO_FD int fd = -1;
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    enum oc_packet got = oc_packet_recv(c->socket, false, &text, &fd);
    if (got == OC_PACKET_NONE) {
        return false;
    }
    if (got != OC_PACKET_GOT || oc_json_parse(text.ptr, text.len, &o, &err) != OC_OK) {
        on_death(c, web_child_end(c), false);
        return false;
    }
    const cJSON *event = oc_json_get(o, "event");
    if (event) {
        take_event(c, event);
    } else {
        take_answer(c, o, oc_take_fd(&fd));
    }
    return true;
}

void cv_web_child_read(struct cv_web_child *c) {
    uint64_t count;
    if (read(c->wake, &count, sizeof(count)) > 0) {
        fail_unsent(c);
    }
    while (c->socket >= 0 && read_one(c)) {
    }
    if (read(c->timer, &count, sizeof(count)) > 0 && c->socket >= 0 && !oc_list_empty(&c->asked)) {
        (void)web_child_end(c);
        on_death(c, 0, true);
    }
}

void cv_web_child_stop(struct cv_web_child *c) {
    (void)web_child_end(c);
    cJSON_Delete(oc_take(&c->page));
    c->is_shown = false;
    c->deaths = 0;
    fail_all(c, "the canvas shows its surfaces again");
    set_deadline(c);
}

bool cv_web_child_has_page(const struct cv_web_child *c) {
    return c->page != NULL;
}

int cv_web_child_fd(const struct cv_web_child *c) {
    return c->epoll;
}

struct cv_web_child *cv_web_child_create(
        const struct cv_web_child_events *events, void *user, bool is_headless, const char *root) {
    char path[PATH_MAX];
    if (!web_child_find(path, sizeof(path))) {
        return NULL;
    }
    struct cv_web_child *c = oc_new(struct cv_web_child);
    c->events = *events;
    c->user = user;
    c->starter = cv_web_starter_create(&(struct cv_web_starter_opts){
            .path = path, .root = root, .is_headless = is_headless });
    c->socket = -1;
    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    oc_list_init(&c->asked);
    web_child_watch(c, c->timer);
    web_child_watch(c, c->wake);
    return c;
}

void cv_web_child_destroy(struct cv_web_child *c) {
    if (c) {
        (void)web_child_end(c);
        while (!oc_list_empty(&c->asked)) {
            web_child_release(c, OC_CONTAINER(c->asked.next, struct asked, link));
        }
        cJSON_Delete(c->page);
        oc_auto_close(&c->starter);
        oc_auto_close(&c->epoll);
        oc_auto_close(&c->timer);
        oc_auto_close(&c->wake);
        oc_free(c);
    }
}

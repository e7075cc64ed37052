#include "canvas/web/parse.h"

#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <jsc/jsc.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SCRIPT ((size_t)16 * 1024 * 1024)

struct cv_parser {
    cv_parsed *on_parsed;
    void *user;
    pid_t pid; /* 0: none */
    int socket;
    guint watch;
};

char *cv_script_bare(const char *script) {
    char *bare = g_strchomp(g_strdup(script));
    while (g_str_has_suffix(bare, ";")) {
        bare[strlen(bare) - 1] = '\0';
        g_strchomp(bare);
    }
    return bare;
}

static bool parse_parses(JSCContext *context, const char *text, JSCException **ret_why) {
    return jsc_context_check_syntax(context, text, -1, JSC_CHECK_SYNTAX_MODE_SCRIPT, NULL, 1,
                   ret_why) == JSC_CHECK_SYNTAX_RESULT_SUCCESS;
}

static enum cv_script kind_of(JSCContext *context, const char *script, char **ret_why) {
    g_autoptr(JSCException) why = NULL;
    g_autofree char *bare = cv_script_bare(script);
    g_autofree char *expression = g_strdup_printf("(async () => {const v = await (%s\n);})", bare);
    g_autofree char *alone = g_strdup_printf("(async () => (%s\n))", bare);
    g_autofree char *body =
            g_strdup_printf("(async () => {await (async () => {%s\n})();})", script);
    /* both: "1); f(2" is an expression only for who does not look closely */
    if (*bare && parse_parses(context, expression, NULL) && parse_parses(context, alone, NULL)) {
        return CV_SCRIPT_EXPRESSION;
    }
    if (parse_parses(context, script, &why)) {
        return CV_SCRIPT_STATEMENTS;
    }
    if (parse_parses(context, body, NULL)) {
        return CV_SCRIPT_BODY;
    }
    *ret_why = g_strdup(why ? jsc_exception_get_message(why) : "it is no JavaScript");
    return CV_SCRIPT_NONSENSE;
}

static bool answer_parse(int socket, JSCContext *context, int fd) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    g_autofree char *why = NULL;
    struct oc_error err;
    if (oc_sealed_read(fd, MAX_SCRIPT, &text, &err) != OC_OK) {
        return false;
    }
    oc_json_set_int(o, "kind", kind_of(context, text.data ? text.data : "", &why));
    if (why && strlen(why) > 4096) {
        why[g_utf8_find_prev_char(why, why + 4096) - why] = '\0'; /* it may quote the script */
    }
    oc_json_set_str(o, "why", why);
    return oc_packet_send(socket, o, -1, &err) == OC_OK;
}

int cv_parser_main(int socket) {
    g_autoptr(JSCContext) context = jsc_context_new();
    bool is_fine = true;
    while (is_fine) {
        struct oc_slice text;
        OC_AUTO_FD int fd = -1;
        enum oc_packet got = oc_packet_recv(socket, true, &text, &fd);
        is_fine = got == OC_PACKET_NONE ||
                  (got == OC_PACKET_GOT && answer_parse(socket, context, fd));
    }
    return 0;
}

struct cv_parser *cv_parser_create(cv_parsed *on_parsed, void *user) {
    struct cv_parser *p = oc_new(struct cv_parser);
    *p = (struct cv_parser){ .on_parsed = on_parsed, .user = user, .socket = -1 };
    return p;
}

void cv_parser_stop(struct cv_parser *p) {
    g_clear_handle_id(&p->watch, g_source_remove);
    oc_auto_close(&p->socket);
    if (p->pid > 0) {
        (void)kill(p->pid, SIGKILL);
        (void)waitpid(p->pid, NULL, 0);
    }
    p->pid = 0;
}

void cv_parser_destroy(struct cv_parser *p) {
    if (p) {
        cv_parser_stop(p);
    }
    oc_free(p);
}

static gboolean on_readable(gint socket, GIOCondition condition, gpointer user) {
    struct cv_parser *p = user;
    OC_AUTO_JSON cJSON *o = NULL;
    OC_AUTO_FD int fd = -1;
    struct oc_slice text;
    struct oc_error err;
    (void)condition;
    enum oc_packet got = oc_packet_recv(socket, false, &text, &fd);
    if (got == OC_PACKET_NONE) {
        return G_SOURCE_CONTINUE;
    }
    if (got != OC_PACKET_GOT || oc_json_parse(text.ptr, text.len, &o, &err) != OC_OK) {
        p->watch = 0;
        cv_parser_stop(p);
        p->on_parsed(p->user, CV_SCRIPT_NONSENSE, "the parser died of it");
        return G_SOURCE_REMOVE;
    }
    int64_t kind = oc_json_get_int(o, "kind", 0, CV_SCRIPT_NONSENSE, CV_SCRIPT_NONSENSE);
    const char *why = oc_json_get_str(o, "why");
    p->on_parsed(p->user,
            kind >= 0 && kind < CV_SCRIPT_NONSENSE ? (enum cv_script)kind : CV_SCRIPT_NONSENSE,
            why ? why : "");
    return G_SOURCE_CONTINUE;
}

/* Only what may be done between fork and exec in a program with threads. */
static void run_child(int socket, pid_t parent) {
    static const char *const argv[] = { "openclaw-web", "--parse", NULL };
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && dup2(socket, 0) == 0) {
        execv("/proc/self/exe", (char *const *)argv);
    }
    _exit(127);
}

static bool parse_start(struct cv_parser *p) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return false;
    }
    pid_t parent = getpid();
    p->pid = fork();
    if (p->pid == 0) {
        run_child(pair[1], parent);
    }
    (void)close(pair[1]);
    p->socket = pair[0];
    if (p->pid < 0) {
        cv_parser_stop(p);
        return false;
    }
    p->watch = g_unix_fd_add(p->socket, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable, p);
    return true;
}

bool cv_parser_ask(struct cv_parser *p, const char *script) {
    OC_AUTO_FD int fd = oc_sealed_create(script, strlen(script));
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    struct oc_error err;
    return fd >= 0 && (p->pid > 0 || parse_start(p)) &&
           oc_packet_send(p->socket, o, fd, &err) == OC_OK;
}

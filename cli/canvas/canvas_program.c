#include "cli/canvas/canvas_program.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/files/file.h"
#include "lib/helper/packet.h"
#include "lib/net/loop/loop.h"
#include "node/canvas/canvas_pictures.h"
#include "node/helper/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PICTURES_FD 3 /* in the program */

struct program_job {
    struct oc_loop *loop;
    struct oc_io io;
    struct nd_canvas_pictures *pictures;
    cJSON *config;
    char *state_dir;
    bool is_over;
};

static void on_brought(void *user, uint64_t id, const char *url, int fd, const char *error) {
    struct program_job *j = user;
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    cJSON *params = cJSON_AddObjectToObject(o, "params");
    struct oc_error err;
    oc_json_set_str(params, "url", url);
    oc_json_set_str(params, "error", error);
    j->is_over = j->is_over || oc_packet_send(j->io.fd, o, fd, &err) == OC_E_CLOSED;
    nd_canvas_pictures_taken(j->pictures, id);
}

static void on_readable(struct oc_io *io, unsigned events) {
    struct program_job *j = io->user;
    struct oc_slice text;
    OC_AUTO_FD int fd = -1;
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    (void)events;
    enum oc_packet got = oc_packet_recv(io->fd, false, &text, &fd);
    j->is_over = j->is_over || got == OC_PACKET_END;
    if (got == OC_PACKET_GOT && oc_json_parse(text.ptr, text.len, &o, &err) == OC_OK) {
        const char *url = oc_json_get_str(oc_json_get(o, "event"), "wanted");
        if (url) {
            nd_canvas_pictures_want(j->pictures, url, j->config, j->state_dir);
        }
    }
}

/* Only calls that are safe after fork. */
static _Noreturn void canvas_program_become(
        const char *path, const char *const *argv, const char *const *env, int socket) {
    if (socket == PICTURES_FD ? fcntl(socket, F_SETFD, 0) == 0
                              : dup2(socket, PICTURES_FD) == PICTURES_FD) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)execve(path, (char *const *)argv, (char *const *)env);
    }
    _exit(127);
}

static enum oc_code canvas_program_start(const char *path, const struct oc_strv *args,
        int *ret_socket, pid_t *ret_pid, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv env = { 0 }, words = { 0 };
    nd_helper_env(&env);
    oc_strv_add(&words, ND_HELPER_CANVAS);
    for (size_t i = 0; i < args->count; i++) {
        oc_strv_add(&words, args->items[i]);
    }
    oc_strv_add(&words, "--pictures-fd");
    oc_strv_add(&words, "3");
    OC_AUTO_FREE const char **argv = oc_strv_vector(&words, 0), **entries = oc_strv_vector(&env, 0);
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
        return oc_fail(err, OC_E_IO, "no socket: %s", strerror(errno));
    }
    pid_t pid = fork();
    if (pid == 0) {
        canvas_program_become(path, argv, entries, fds[1]);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return oc_fail(err, OC_E_IO, "start %s: %s", path, strerror(errno));
    }
    *ret_socket = fds[0];
    *ret_pid = pid;
    return OC_OK;
}

static enum oc_code canvas_program_serve(struct program_job *j, struct oc_error *err) {
    OC_AUTO_FREE char *config_path = oc_path_config();
    struct oc_error ignored;
    enum oc_code rc = oc_loop_create(&oc_clock_system, &j->loop, err);
    rc = rc == OC_OK ? oc_io_add(j->loop, &j->io, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    j->state_dir = oc_dir_state();
    if (oc_config_load(config_path, &j->config, &ignored) != OC_OK) {
        j->config = NULL; /* only its exceptions would matter here */
    }
    j->pictures = nd_canvas_pictures_create(j->loop, on_brought, j);
    while (!j->is_over) {
        oc_loop_step(j->loop, 1000);
    }
    return OC_OK;
}

static void canvas_program_finish(struct program_job *j) {
    nd_canvas_pictures_destroy(j->pictures);
    oc_io_remove(&j->io);
    close(j->io.fd);
    if (j->loop) {
        oc_loop_destroy(j->loop);
    }
    cJSON_Delete(j->config);
    oc_free(j->state_dir);
}

enum oc_code cli_canvas_program_run(
        const struct oc_strv *args, int *ret_status, struct oc_error *err) {
    OC_AUTO_FREE char *path = nd_helper_find(ND_HELPER_CANVAS);
    pid_t pid = -1;
    int socket = -1, status = 0;
    if (!path) {
        return oc_fail(err, OC_E_NOT_FOUND,
                ND_HELPER_CANVAS " is not installed; install the package " ND_HELPER_CANVAS
                                 " (from source: scripts/deps desktop, then build again)");
    }
    enum oc_code rc = canvas_program_start(path, args, &socket, &pid, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct program_job j = {
        .io = { .fd = socket, .events = OC_IO_READ, .on_ready = on_readable }
    };
    j.io.user = &j;
    rc = canvas_program_serve(&j, err);
    canvas_program_finish(&j);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (rc == OC_OK && WIFSIGNALED(status)) {
        rc = oc_fail(
                err, OC_E_INTERNAL, ND_HELPER_CANVAS " was ended by signal %d", WTERMSIG(status));
    }
    *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    return rc;
}

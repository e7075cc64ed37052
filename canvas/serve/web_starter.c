#include "canvas/serve/web_starter.h"

#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "openclaw-web"
#define NAME "openclaw-starts" /* for ps */

enum {
    START = 's',
    END = 'e',
    SOCKET = 3, /* in the starter */
};

extern char **environ;

static pid_t web_starter_spawn(const struct cv_web_starter_opts *o, int socket) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    const char *argv[6] = { PROGRAM, "--socket" };
    size_t n = 2;
    if (o->is_headless) {
        argv[n++] = "--headless";
    }
    if (o->root) {
        argv[n++] = "--root";
        argv[n++] = o->root;
    }
    pid_t pid = -1;
    if (posix_spawn(&pid, o->path, &files, NULL, (char **)(uintptr_t)argv, environ) != 0) {
        pid = -1;
    }
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

/* Its status as waitpid has it. */
static int web_starter_end(pid_t *pid) {
    int status = 0;
    if (*pid > 0) {
        kill(*pid, SIGKILL); /* no harm to one that has ended: nobody else waits for it */
        while (waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
        }
        *pid = -1;
    }
    return status;
}

static void web_starter_answer(int status, int fd) {
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    struct oc_error err;
    oc_json_set_int(o, "status", status);
    if (oc_packet_send(SOCKET, o, fd, &err) != OC_OK) {
        _exit(1); /* who does not listen has not asked */
    }
}

static void web_starter_start(const struct cv_web_starter_opts *o, pid_t *pid) {
    int fds[2] = { -1, -1 };
    (void)web_starter_end(pid);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0) {
        *pid = web_starter_spawn(o, fds[1]);
    }
    web_starter_answer(0, *pid > 0 ? fds[0] : -1);
    oc_auto_close(&fds[0]);
    oc_auto_close(&fds[1]);
}

/* The node's socket and whatever else the canvas program holds are none of its business. */
static void release_socket(int socket) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, 0);
    if (socket == SOCKET) {
        fcntl(SOCKET, F_SETFD, FD_CLOEXEC);
    } else {
        dup3(socket, SOCKET, O_CLOEXEC);
    }
    closefrom(SOCKET + 1);
}

static _Noreturn void web_starter_serve(const struct cv_web_starter_opts *o) {
    pid_t pid = -1;
    char what;
    ssize_t n;
    while ((n = recv(SOCKET, &what, sizeof(what), 0)) > 0 || (n < 0 && errno == EINTR)) {
        if (n > 0 && what == START) {
            web_starter_start(o, &pid);
        } else if (n > 0) {
            web_starter_answer(web_starter_end(&pid), -1);
        }
    }
    (void)web_starter_end(&pid);
    _exit(0);
}

int cv_web_starter_create(const struct cv_web_starter_opts *opts) {
    int fds[2];
    char name[16] = "";
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
        return -1;
    }
    prctl(PR_GET_NAME, name);
    prctl(PR_SET_NAME, NAME); /* before the fork: it is never seen with ours */
    pid_t pid = fork();
    if (pid == 0) {
        release_socket(fds[1]);
        web_starter_serve(opts);
    }
    prctl(PR_SET_NAME, name);
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return -1;
    }
    return fds[0];
}

static int web_starter_ask(int starter, char what, int *ret_fd) {
    struct oc_slice text;
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    enum oc_packet got;
    if (starter < 0 || send(starter, &what, sizeof(what), MSG_NOSIGNAL) != sizeof(what)) {
        return 0;
    }
    while ((got = oc_packet_recv(starter, true, &text, ret_fd)) == OC_PACKET_NONE) {
    }
    return got == OC_PACKET_GOT && oc_json_parse(text.ptr, text.len, &o, &err) == OC_OK
                   ? (int)oc_json_get_int(o, "status", INT32_MIN, INT32_MAX, 0)
                   : 0;
}

int cv_web_starter_start(int starter) {
    int fd = -1;
    (void)web_starter_ask(starter, START, &fd);
    return fd;
}

int cv_web_starter_end(int starter) {
    OC_AUTO_FD int none = -1;
    return web_starter_ask(starter, END, &none);
}

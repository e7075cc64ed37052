/* The helper's side of node/helper/helper.h: one request, one answer. The same program can be run
 * by hand:
 *
 *   openclaw-media --help
 *   openclaw-media camera.snap '{"quality":0.8}' --out picture.jpg
 *   openclaw-media play '{"kind":"audio"}' --in song.ogg
 *
 * Links nothing but cJSON and lib/helper, so that each helper brings its own libraries only. */
#ifndef PLATFORM_LINUX_HELPER_SERVE_H
#define PLATFORM_LINUX_HELPER_SERVE_H

#include "lib/base/grounds.h"
#include "lib/helper/params.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stddef.h>

struct os_serve_request {
    const char *what;
    const cJSON *params; /* an object */
    size_t max_bytes;    /* of a capture */
    int fd; /* what it is to work on: a sealed memfd (lib/helper/packet.h), by hand any file; -1:
               none */
    int socket_fd; /* readable (end of file) when the node has lost interest; -1 when run by hand */
};

struct os_serve_task {
    const char *name; /* as in "do" */
    const char *summary;
    const struct oc_param *params; /* by hand they are read by this, as the node does; NULL: none */
    const char *more;              /* others that it takes, for --help; NULL: none */
    /* Answers exactly once (os_serve_result or os_serve_error) before it returns. */
    void (*run)(const struct os_serve_request *request);
};

struct os_serve_program {
    const char *name, *summary;
    const struct os_serve_task *tasks;
    size_t count;
};

int os_serve(const struct os_serve_program *program, int argc, char **argv);

void os_serve_progress(cJSON *take_progress);
/* memfd < 0: no capture. It is sealed and closed. */
void os_serve_result(cJSON *take_result, int take_memfd);
/* The answer of a task that goes on after it: events follow. */
void os_serve_result_and_stay(cJSON *take_result);
void os_serve_event(cJSON *take_event);
void os_serve_error(const char *code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with why, as data: what of it a helper may say is in lib/helper/failure.h. */
void os_serve_refuse(const char *code, const char *message, const struct oc_grounds *grounds);
/* For a task that looks whether others would work: {check,ok,text,fix?} into an array. fix may be
 * NULL. */
void os_serve_add_check(
        cJSON *checks, const char *check, bool ok, const char *text, const char *fix);
bool os_serve_has_answered(void);

/* An empty file in memory for a capture; -1 with errno. */
int os_serve_memfd(void);

#endif

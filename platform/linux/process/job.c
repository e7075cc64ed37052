/* The message: a head, and then words that end with a zero byte each: path, cwd (if there is one),
 * arguments, variables. */
#include "platform/linux/process/job.h"

#include "lib/files/pass_fds.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct head {
    unsigned argc, envc;
    bool has_cwd, has_tty, outlives;
};

static bool job_put(struct os_job *job, const char *word) {
    size_t len = strlen(word) + 1;
    if (len > sizeof(job->bytes) - job->len) {
        return false;
    }
    memcpy(job->bytes + job->len, word, len);
    job->len += len;
    return true;
}

static bool put_all(struct os_job *job, const char *const *words, unsigned *ret_count) {
    unsigned count = 0;
    while (words && words[count] && job_put(job, words[count])) {
        count++;
    }
    *ret_count = count;
    return !words || !words[count];
}

bool os_job_write(const struct os_spawn_opts *opts, struct os_job *ret) {
    struct head head;
    memset(&head, 0, sizeof(head)); /* with what is between its members */
    head.has_cwd = opts->cwd != NULL;
    head.has_tty = opts->tty != NULL;
    head.outlives = opts->outlives;
    ret->len = sizeof(head);
    if (opts->sandbox || !job_put(ret, opts->path) || (opts->cwd && !job_put(ret, opts->cwd)) ||
            !put_all(ret, opts->argv, &head.argc) || !put_all(ret, opts->env, &head.envc) ||
            (size_t)head.argc + head.envc + 2 > OS_JOB_WORDS) { /* each list ends with a NULL */
        return false;
    }
    memcpy(ret->bytes, &head, sizeof(head));
    return true;
}

/* The next word; NULL: there is none. */
static const char *job_take(const struct os_job *job, size_t *at) {
    const char *word = job->bytes + *at, *end = memchr(word, '\0', job->len - *at);
    if (!end) {
        return NULL;
    }
    *at += (size_t)(end - word) + 1;
    return word;
}

static bool take_all(const struct os_job *job, size_t *at, unsigned count, const char **ret) {
    for (unsigned i = 0; i < count; i++) {
        ret[i] = job_take(job, at);
        if (!ret[i]) {
            return false;
        }
    }
    ret[count] = NULL;
    return true;
}

bool os_job_read(struct os_job *job, const char **words, struct os_spawn_opts *ret) {
    static const struct os_tty_size some_size;
    struct head head;
    size_t at = sizeof(head);
    if (job->len < sizeof(head)) {
        return false;
    }
    memcpy(&head, job->bytes, sizeof(head));
    if (head.argc > OS_JOB_WORDS || head.envc > OS_JOB_WORDS ||
            head.argc + head.envc + 2 > OS_JOB_WORDS) {
        return false;
    }
    const char **env = words + head.argc + 1;
    *ret = (struct os_spawn_opts){
        .path = job_take(job, &at),
        .cwd = head.has_cwd ? job_take(job, &at) : NULL,
        .argv = words,
        .env = env,
        .tty = head.has_tty ? &some_size : NULL,
        .outlives = head.outlives,
    };
    return ret->path && (ret->cwd || !head.has_cwd) && take_all(job, &at, head.argc, words) &&
           take_all(job, &at, head.envc, env) && at == job->len;
}

int os_job_send(int socket_fd, const struct os_job *job, const int fds[OS_JOB_FDS]) {
    ssize_t n = oc_send_with_fds(socket_fd, job->bytes, job->len, fds, OS_JOB_FDS, MSG_DONTWAIT);
    return n == (ssize_t)job->len ? 0 : n < 0 ? errno : EMSGSIZE;
}

bool os_job_receive(int socket_fd, struct os_job *ret, int ret_fds[OS_JOB_FDS]) {
    struct oc_received got;
    ssize_t n = oc_receive_with_fds(socket_fd, ret->bytes, sizeof(ret->bytes), ret_fds, OS_JOB_FDS,
            0, &got); /* not close-on-exec: the program inherits them */
    if (n > 0 && got.count == OS_JOB_FDS && !got.is_cut) {
        ret->len = (size_t)n;
        return true;
    }
    for (size_t i = 0; i < got.count && i < OS_JOB_FDS; i++) {
        close(ret_fds[i]);
    }
    return false;
}

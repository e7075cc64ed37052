#include "platform/linux/process/spare.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_AGE_MS = 600000 };

static struct os_spare spare = { .status_fd = -1, .control_fd = -1 };

int64_t os_spare_clock_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool os_spare_put(const struct os_spare *take_spare) {
    if (spare.pid || os_spare_clock_ms() - take_spare->born_ms > MAX_AGE_MS) {
        return false;
    }
    spare = *take_spare;
    return true;
}

bool os_spare_take(struct os_spare *ret) {
    if (!spare.pid) {
        return false;
    }
    *ret = spare;
    spare = (struct os_spare){ .status_fd = -1, .control_fd = -1 };
    return true;
}

void os_spare_forget(void) {
    oc_auto_close(&spare.status_fd);
    oc_auto_close(&spare.control_fd);
    spare = (struct os_spare){ .status_fd = -1, .control_fd = -1 };
}

void os_spare_drop(void) {
    if (spare.pid) {
        kill(spare.pid, SIGKILL);
        while (waitpid(spare.pid, NULL, 0) < 0 && errno == EINTR) {
        }
        os_spare_forget();
    }
}

pid_t os_spare_pid(void) {
    return spare.pid;
}

/* The command line of the node is where its gateway is, and what its owner wrote there: nothing for
 * the programs it runs. */
#include "platform/linux/sandbox/sandbox.h"

#include "lib/base/mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARG_START 48 /* fields of /proc/self/stat, as proc(5) counts them */
#define FIRST_BEHIND_NAME 3

/* The name of the program may have blanks and parentheses in it. */
static const char *sandbox_words_field(const char *stat, int number) {
    const char *at = strrchr(stat, ')');
    for (int i = FIRST_BEHIND_NAME - 1; at && i < number; i++) {
        at = strchr(at + 1, ' ');
    }
    return at;
}

void os_own_words_find(struct os_own_words *ret) {
    char text[2048];
    *ret = (struct os_own_words){ 0 };
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    oc_auto_close(&fd);
    text[n > 0 ? n : 0] = '\0';
    const char *from = sandbox_words_field(text, ARG_START),
               *to = sandbox_words_field(text, ARG_START + 1);
    uintptr_t start = from ? strtoul(from, NULL, 10) : 0, end = to ? strtoul(to, NULL, 10) : 0;
    if (start > 0 && end > start) {
        memcpy(&ret->start, &start, sizeof(start)); /* an address that the kernel told us */
        ret->len = end - start;
    }
}

void os_own_words_wipe(const struct os_own_words *w) {
    if (w->start) {
        explicit_bzero(w->start, w->len);
    }
}

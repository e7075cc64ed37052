#include "node/argv/exec_first_line.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/files/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINE 255 /* the kernel reads no more of it */

enum nd_first_line nd_exec_first_line(const char *path, struct oc_strv *ret) {
    char text[MAX_LINE + 1] = "";
    struct stat st;
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t n =
            fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, text, MAX_LINE) : -1;
    if (n < 0) {
        return ND_LINE_UNCLEAR;
    }
    if (strncmp(text, "#!", 2) != 0) {
        return ND_LINE_NONE;
    }
    size_t len = strcspn(text, "\n");
    bool is_cut = text[len] != '\n' && (n == MAX_LINE || (size_t)n != len);
    text[len] = '\0';
    while (len > 2 && oc_is_one_of(text[len - 1], " \t")) {
        text[--len] = '\0';
    }
    char *name = text + 2 + strspn(text + 2, " \t"), *rest = name + strcspn(name, " \t");
    if (is_cut || !name[0]) {
        return ND_LINE_UNCLEAR;
    }
    if (rest[0]) {
        *rest++ = '\0';
        rest += strspn(rest, " \t");
    }
    /* The kernel does not look it up on PATH. */
    OC_AUTO_FREE char *here = strchr(name, '/') ? oc_strdup(name) : oc_strfmt("./%s", name);
    oc_strv_add(ret, here);
    if (rest[0]) {
        oc_strv_add(ret, rest);
    }
    return ND_LINE_COMMAND;
}

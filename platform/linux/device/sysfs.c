#include "platform/linux/device/sysfs.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool first_line(const char *path, char *ret, size_t size) {
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(ret, (int)size, f);
    if (f) {
        (void)fclose(f);
    }
    if (!ok) {
        *ret = '\0';
        return false;
    }
    ret[strcspn(ret, "\n")] = '\0';
    return true;
}

#define PATH_OF(fmt)                                \
    char path[PATH_MAX];                            \
    va_list ap;                                     \
    va_start(ap, fmt);                              \
    (void)vsnprintf(path, sizeof(path), (fmt), ap); \
    va_end(ap)

bool os_sysfs_line(char *ret, size_t size, const char *fmt, ...) {
    PATH_OF(fmt);
    return first_line(path, ret, size);
}

bool os_sysfs_int(int64_t *ret, const char *fmt, ...) {
    PATH_OF(fmt);
    char line[64];
    return first_line(path, line, sizeof(line)) &&
           oc_parse_int(oc_trim(line), INT64_MIN, INT64_MAX, ret);
}

bool os_sysfs_exists(const char *fmt, ...) {
    PATH_OF(fmt);
    return access(path, F_OK) == 0;
}

void os_sysfs_each(const char *folder, const char *prefix,
        void (*fn)(void *user, const char *folder, const char *name), void *user) {
    DIR *dir = opendir(folder);
    struct dirent *e;
    while (dir && (e = readdir(dir))) {
        if (e->d_name[0] != '.' && oc_starts_with(e->d_name, prefix)) {
            fn(user, folder, e->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

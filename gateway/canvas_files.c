#include "gateway/canvas_files.h"

#include "base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 4000, MAX_DEPTH = 16 };

static const struct {
    const char *ending, *type;
} types[] = {
    { ".html", "text/html; charset=utf-8" },
    { ".htm", "text/html; charset=utf-8" },
    { ".js", "text/javascript; charset=utf-8" },
    { ".mjs", "text/javascript; charset=utf-8" },
    { ".css", "text/css; charset=utf-8" },
    { ".json", "application/json; charset=utf-8" },
    { ".jsonl", "application/jsonl; charset=utf-8" },
    { ".txt", "text/plain; charset=utf-8" },
    { ".md", "text/markdown; charset=utf-8" },
    { ".svg", "image/svg+xml" },
    { ".png", "image/png" },
    { ".jpg", "image/jpeg" },
    { ".jpeg", "image/jpeg" },
    { ".gif", "image/gif" },
    { ".webp", "image/webp" },
    { ".ico", "image/x-icon" },
    { ".wasm", "application/wasm" },
    { ".woff", "font/woff" },
    { ".woff2", "font/woff2" },
    { ".ttf", "font/ttf" },
    { ".mp3", "audio/mpeg" },
    { ".mp4", "video/mp4" },
    { ".webm", "video/webm" },
    { ".pdf", "application/pdf" },
};

const char *oc_content_type(const char *name) {
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < OC_COUNT(types); i++) {
        if (strcasecmp(types[i].ending, dot) == 0) {
            return types[i].type;
        }
    }
    return "application/octet-stream";
}

static int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool oc_path_decode(char *path) {
    char *out = path;
    for (const char *in = path; *in; in++) {
        char c = *in;
        if (c == '%') {
            int high = hex(in[1]), low = high < 0 ? -1 : hex(in[2]);
            if (low < 0) {
                return false;
            }
            c = (char)(high << 4 | low);
            in += 2;
        }
        if (c == '\0' || c == '\\' || (c > 0 && c < ' ')) {
            return false;
        }
        *out++ = c;
    }
    *out = '\0';
    return true;
}

/* One step down, never up or aside. Names that begin with a dot are nobody's business. */
static int step(int dir_fd, const char *name, int flags) {
    return name[0] == '.' ? -1 : openat(dir_fd, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

static int open_steps(int root_fd, char *path) {
    OC_AUTO_FD int at = fcntl(root_fd, F_DUPFD_CLOEXEC, 0);
    char *rest = NULL;
    for (char *name = strtok_r(path, "/", &rest); name && at >= 0;
            name = strtok_r(NULL, "/", &rest)) {
        int next = step(at, name, O_RDONLY);
        close(at);
        at = next;
    }
    return oc_take_fd(&at);
}

bool oc_canvas_file_open(int root_fd, const char *path, struct oc_canvas_file *ret) {
    OC_AUTO_FREE char *copy = oc_strdup(path);
    OC_AUTO_FD int fd = open_steps(root_fd, copy);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        int index = step(fd, "index.html", O_RDONLY);
        close(fd);
        fd = index;
        name = "index.html";
        if (fd < 0 || fstat(fd, &st) != 0) {
            return false;
        }
    }
    if (!S_ISREG(st.st_mode)) {
        return false;
    }
    const char *type = oc_content_type(name);
    *ret = (struct oc_canvas_file){ .fd = oc_take_fd(&fd),
        .size = (uint64_t)st.st_size,
        .type = type,
        .is_html = strncmp(type, "text/html", 9) == 0 };
    return true;
}

struct count {
    uint64_t stamp;
    int left;
};

static uint64_t mix(uint64_t h, const void *data, size_t len) {
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++) {
        h = (h ^ p[i]) * UINT64_C(1099511628211);
    }
    return h;
}

static uint64_t stamp_of(const char *name, const struct stat *st) {
    uint64_t h = mix(UINT64_C(14695981039346656037), name, strlen(name));
    h = mix(h, &st->st_ino, sizeof(st->st_ino));
    h = mix(h, &st->st_size, sizeof(st->st_size));
    h = mix(h, &st->st_mtime, sizeof(st->st_mtime));
#ifdef __linux__
    h = mix(h, &st->st_mtim.tv_nsec, sizeof(st->st_mtim.tv_nsec));
#endif
    return h;
}

static void look(int dir_fd, int depth, struct count *c) {
    int own = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    DIR *d = own < 0 ? NULL : fdopendir(own);
    if (!d) {
        oc_auto_close(&own);
        return;
    }
    rewinddir(d);
    for (struct dirent *e; c->left > 0 && (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] == '.' || fstatat(dir_fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        c->left--;
        c->stamp += stamp_of(e->d_name, &st); /* a sum: the order of a directory means nothing */
        if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH) {
            OC_AUTO_FD int below = step(dir_fd, e->d_name, O_RDONLY | O_DIRECTORY);
            if (below >= 0) {
                look(below, depth + 1, c);
            }
        }
    }
    closedir(d);
}

uint64_t oc_canvas_files_stamp(int root_fd) {
    struct count c = { .left = MAX_FILES };
    look(root_fd, 0, &c);
    return c.stamp;
}

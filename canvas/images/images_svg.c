/* SVG is drawn by a program of its own: the library for it brings GLib and XML, and a drawing can
 * be a bomb. The program gets two files and no more, little memory, and two seconds of a
 * processor. */
#include "canvas/images/images_svg.h"

#include "canvas/images/images_apart.h"
#include "canvas/model/limits.h"
#include "lib/base/mem.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "openclaw-canvas-svg"

/* Beside this program; nowhere else. */
static bool images_svg_find(char *ret, size_t size) {
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0) {
        return false;
    }
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash) {
        return false;
    }
    *slash = '\0';
    return snprintf(ret, size, "%s/" PROGRAM, self) < (int)size && access(ret, X_OK) == 0;
}

static pid_t images_svg_start(const char *path, int in, int out) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    char *argv[] = { (char *)PROGRAM, NULL }, *env[] = { NULL };
    pid_t pid = -1;
    if (posix_spawn(&pid, path, &files, NULL, argv, env) != 0) {
        pid = -1;
    }
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

struct cv_decoding *cv_svg_start(const uint8_t *bytes, size_t len, struct oc_error *err) {
    char path[PATH_MAX];
    if (!images_svg_find(path, sizeof(path))) {
        (void)!oc_fail(err, OC_E_UNAVAILABLE, "SVG pictures need the program " PROGRAM);
        return NULL;
    }
    OC_AUTO_FD int in = memfd_create("svg", MFD_CLOEXEC), out = memfd_create("pixels", MFD_CLOEXEC);
    if (in < 0 || out < 0 || !cv_apart_write(in, bytes, len) || lseek(in, 0, SEEK_SET) != 0) {
        (void)!oc_fail(err, OC_E_IO, "no memory for an SVG picture");
        return NULL;
    }
    pid_t pid = images_svg_start(path, in, out);
    if (pid < 0) {
        (void)!oc_fail(err, OC_E_IO, PROGRAM " cannot be started");
        return NULL;
    }
    return cv_apart_watch(
            pid, oc_take_fd(&out), "the SVG picture is damaged, too large or takes too long");
}

enum oc_code cv_decode_svg(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    int64_t cpu_ms;
    struct cv_decoding *d = cv_svg_start(bytes, len, err);
    return d ? cv_decoding_end(d, ret, &cpu_ms, err) : err->code;
}

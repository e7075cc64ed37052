#include "canvas/web/display.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAYLAND_NAME "canvas"
#define COOKIE_NAME "cookie"
#define MAX_SIDE "2048" /* of a window */
#define FOLDER "openclaw-web-"
#define LEFT_OVER_S 60
#define START_MS 10000

static char folder[200]; /* weston's socket is in it */
static char x_display[16];

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000 * 1000 }, NULL);
}

/* Whoever waits for our end must see it, so what we inherited is let go. */
static void be_quiet(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd <= 2; fd++) {
        dup2(null, fd);
    }
}

static const char *path_of(const char *name) {
    static char path[sizeof(folder) + 32];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

/* Xvfb's socket is open to all users of the machine: only who has the cookie gets in. One for every
 * display there is. */
static bool write_cookie(void) {
    unsigned char entry[44] = "\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x10";
    OC_AUTO_FD int fd = open(path_of(COOKIE_NAME), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return getentropy(entry + 28, 16) == 0 && fd >= 0 &&
           write(fd, entry, sizeof(entry)) == sizeof(entry);
}

static pid_t start_weston(void) {
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        setenv("XDG_RUNTIME_DIR", folder, 1);
        unsetenv("WAYLAND_DISPLAY");
        unsetenv("DISPLAY");
        execlp("weston", "weston", "--backend=headless-backend.so", "--socket=" WAYLAND_NAME,
                "--idle-time=0", "--no-config", "--width=" MAX_SIDE, "--height=" MAX_SIDE,
                (char *)NULL);
        _exit(127);
    }
    return pid;
}

static pid_t start_xvfb(int number_fd) {
    char number[16];
    snprintf(number, sizeof(number), "%d", number_fd);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        fcntl(number_fd, F_SETFD, 0);
        execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", MAX_SIDE "x" MAX_SIDE "x24",
                "-nolisten", "tcp", "-noreset", "-auth", path_of(COOKIE_NAME), (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* Its socket is there some time before it listens. */
static bool is_listening(void) {
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    OC_AUTO_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return oc_str_put(to.sun_path, sizeof(to.sun_path), path_of(WAYLAND_NAME)) && fd >= 0 &&
           connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
}

/* False: it has ended instead. */
static bool wait_weston(pid_t pid) {
    for (int ms = 0; ms < START_MS; ms += 5) {
        if (is_listening()) {
            return true;
        }
        if (waitpid(pid, NULL, WNOHANG) != 0) {
            return false;
        }
        pause_ms(5);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return false;
}

static bool wait_xvfb(pid_t pid, int number_fd) {
    struct pollfd p = { .fd = number_fd, .events = POLLIN };
    char text[8] = "";
    ssize_t n = poll(&p, 1, START_MS) == 1 ? read(number_fd, text, sizeof(text) - 1) : -1;
    if (n > 0) {
        text[strcspn(text, "\n")] = '\0';
        snprintf(x_display, sizeof(x_display), ":%s", text);
        return true;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return false;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}

/* A process that waits until we are gone, and tidies up. ready: gets the name of an X display, or
 * an empty line for weston. */
static void display_keep(int life, int ready) {
    be_quiet();
    prctl(PR_SET_NAME, "openclaw-displ");
    setsid(); /* who stops us with all our children would stop it too early */
    int number[2] = { -1, -1 };
    pid_t pid = start_weston();
    bool is_up = pid > 0 && wait_weston(pid);
    if (!is_up && write_cookie() && pipe2(number, O_CLOEXEC) == 0) {
        pid = start_xvfb(number[1]);
        close(number[1]);
        is_up = pid > 0 && wait_xvfb(pid, number[0]);
    }
    if (is_up) {
        char line[sizeof(x_display) + 1];
        int len = snprintf(line, sizeof(line), "%s\n", x_display);
        if (write(ready, line, (size_t)len) == len) {
            struct pollfd p = { .fd = life, .events = 0 }; /* POLLHUP comes unasked */
            while (poll(&p, 1, -1) < 0 && errno == EINTR) {
            }
        }
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
    }
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); /* WebKit puts things there, too */
    _exit(0);
}

static bool is_left_over(const char *path) {
    struct stat st;
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           time(NULL) - st.st_mtime > LEFT_OVER_S && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Of those who were killed together with their keeper; whoever lives holds a lock. */
static void display_sweep(const char *place) {
    DIR *dir = opendir(place);
    struct dirent *e;
    while (dir && (e = readdir(dir))) {
        OC_AUTO_FREE char *path = oc_strfmt("%s/%s", place, e->d_name);
        if (strncmp(e->d_name, FOLDER, strlen(FOLDER)) == 0 && is_left_over(path)) {
            nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

/* The lock's descriptor stays open in us and the keeper. */
static bool make_folder(void) {
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");
    const char *places[] = { runtime, tmp, "/tmp" };
    for (size_t i = 0; i < OC_COUNT(places); i++) {
        /* a socket's path has at most 107 bytes */
        if (places[i] && strlen(places[i]) < 70 &&
                snprintf(folder, sizeof(folder), "%s/" FOLDER "XXXXXX", places[i]) > 0 &&
                mkdtemp(folder)) {
            int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            display_sweep(places[i]);
            return fd >= 0 && flock(fd, LOCK_SH) == 0;
        }
    }
    return false;
}

static bool read_line(int fd, char *ret, size_t size) {
    size_t len = 0;
    ssize_t n;
    while (len + 1 < size && ((n = read(fd, ret + len, 1)) > 0 || (n < 0 && errno == EINTR))) {
        if (n > 0 && ret[len++] == '\n') {
            ret[len - 1] = '\0';
            return true;
        }
    }
    return false;
}

enum oc_code cv_display_start(struct oc_error *err) {
    int life[2], ready[2];
    if (!make_folder() || pipe2(life, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0) {
        return oc_fail(err, OC_E_IO, "no place for a display: %s", strerror(errno));
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(life[1]);
        close(ready[0]);
        display_keep(life[0], ready[1]);
    }
    close(life[0]); /* life[1] stays open until we end */
    close(ready[1]);
    bool is_up = pid > 0 && read_line(ready[0], x_display, sizeof(x_display));
    close(ready[0]);
    if (!is_up) {
        return oc_fail(err, OC_E_UNAVAILABLE,
                "no display: web pages need weston or Xvfb here (package weston or xvfb)");
    }
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("GDK_BACKEND", x_display[0] ? "x11" : "wayland", 1);
    if (x_display[0]) {
        setenv("DISPLAY", x_display, 1);
        unsetenv("WAYLAND_DISPLAY");
        setenv("XAUTHORITY", path_of(COOKIE_NAME), 1);
    } else {
        setenv("WAYLAND_DISPLAY", WAYLAND_NAME, 1);
        unsetenv("DISPLAY");
    }
    /* Nobody is there who could use them, and asking for them costs seconds. */
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    setenv("GTK_A11Y", "none", 1);
    setenv("GSETTINGS_BACKEND", "memory", 1);
    return OC_OK;
}

#include "node/link/own_gateway.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/net/tls_cert.h"
#include "platform/platform.h"

#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LOCK_BYTES = 64 };
#define MAX_LOCKS ((size_t)1024 * 1024)

static bool is_on_loopback(int fd) {
    struct sockaddr_storage ss = { 0 };
    socklen_t len = sizeof(ss);
    if (getpeername(fd, (struct sockaddr *)&ss, &len) != 0) {
        return false;
    }
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    memcpy(&v4, &ss, sizeof(v4));
    memcpy(&v6, &ss, sizeof(v6));
    return (ss.ss_family == AF_INET && ntohl(v4.sin_addr.s_addr) >> 24 == 127) ||
           (ss.ss_family == AF_INET6 && (IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) ||
                                                (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) &&
                                                        v6.sin6_addr.s6_addr[12] == 127)));
}

/* By /proc/locks: trying the lock would keep a gateway that starts at this moment from taking
 * it. */
static bool is_held(const struct stat *st, int pid) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_LOCKS);
    OC_AUTO_FD int fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || oc_buf_read_fd(&text, fd, NULL) != OC_OK || oc_buf_putc(&text, '\0') != OC_OK) {
        return false;
    }
    for (const char *line = text.data; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        char kind[16], mode[16];
        int holder;
        uint64_t inode;
        /* Not by the device: file systems with several volumes tell another one here. Who waits has
         * "->" for a kind. */
        if (sscanf(line, "%*d: %15s %*s %15s %d %*x:%*x:%" SCNu64, kind, mode, &holder, &inode) ==
                        4 &&
                strcmp(kind, "FLOCK") == 0 && strcmp(mode, "WRITE") == 0 && holder == pid &&
                inode == (uint64_t)st->st_ino) {
            return true;
        }
    }
    return false;
}

/* The process that holds the lock of this state directory's gateway (gateway/store/store_open.c),
 * and the port that it says it listens on, 0: it does not; 0: there is none. */
static int holder_of(const char *state_dir, unsigned *ret_port) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, OC_GATEWAY_LOCK_NAME);
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    char text[MAX_LOCK_BYTES] = { 0 };
    int pid = 0;
    unsigned port = 0;
    bool is_one = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                  (st.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
                  pread(fd, text, sizeof(text) - 1, 0) > 0 &&
                  sscanf(text, "%9d\n%5u", &pid, &port) >= 1 && is_held(&st, pid);
    *ret_port = is_one ? port : 0;
    return is_one ? pid : 0;
}

bool nd_own_gateway(const char *state_dir, int fd) {
    uid_t uid;
    if (fd < 0 || !state_dir || !is_on_loopback(fd) || !os_peer_uid(fd, &uid) || uid != geteuid()) {
        return false;
    }
    unsigned port;
    int pid = holder_of(state_dir, &port);
    return pid > 0 && os_peer_is_held_by(fd, pid);
}

bool nd_own_gateway_place(
        const char *state_dir, const cJSON *config, const char *host, struct nd_place *ret) {
    const cJSON *gateway = oc_json_get(config, "gateway"), *tls = oc_json_get(gateway, "tls");
    unsigned held = 0;
    if (oc_streq(oc_json_get_str(gateway, "mode"), "remote")) {
        return false;
    }
    if (holder_of(state_dir, &held) == 0 || held == 0 || held > UINT16_MAX) {
        return false;
    }
    struct nd_place p = { .port = (uint16_t)held, .tls = oc_json_get_bool(tls, "enabled", false) };
    char pin[OC_TLS_PIN_LEN + 1];
    if (p.tls) {
        const char *given = oc_json_get_str(tls, "certPath");
        OC_AUTO_FREE char *cert =
                given ? oc_path_user(given) : oc_path_join(state_dir, OC_TLS_CERT_NAME);
        if (!oc_tls_cert_pin(cert, pin)) {
            return false;
        }
        p.tls_fingerprint = oc_strdup(pin);
    }
    const char *path = oc_json_get_str(gateway, "contextPath");
    struct oc_error ignored;
    if (nd_place_path(oc_str_blank(path) ? "/" : path, &p.path, &ignored) != OC_OK) {
        nd_place_finish(&p);
        return false;
    }
    p.host = oc_strdup(host);
    *ret = p;
    return true;
}

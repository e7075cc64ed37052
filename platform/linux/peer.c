/* Who is at the other end of a socket, by the kernel's word.
 *
 * A port number proves nothing: whoever listens first has it. The kernel knows the owner of every
 * socket of this machine. For TCP it is asked about the socket with our two addresses swapped
 * (NETLINK_SOCK_DIAG; /proc/net/tcp only where that does not even show our own end: reading it
 * takes as long as other users like, who fill it).
 *
 * Whoever can still read from a socket has it open, and then it has an inode, whose user is the
 * owner, in every state: half closed too. One that nobody holds any more (FIN_WAIT after close,
 * TIME_WAIT) has none and is listed with uid 0, which is not root. One that nobody has accepted yet
 * has none either; only the owner of the listening socket can do that. */
#include "platform/linux/peer.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/platform.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINES 4096 /* of each list in /proc; those that listen come first */

/* One side of a connection; IPv4 as ::ffff:a.b.c.d. */
struct peer_end {
    struct in6_addr addr;
    uint16_t port;  /* host order */
    uint32_t scope; /* of a link-local address: its interface */
};

struct peer_found {
    unsigned state; /* TCP_ESTABLISHED … */
    uid_t uid;
    uint64_t inode; /* 0: no process has it (not yet, or no more) */
};

/* Looks for the socket at `local` that is connected to `remote`; port 0 there: the one that listens
 * at `local`. */
typedef bool look_up(
        const struct peer_end *local, const struct peer_end *remote, struct peer_found *ret);

static bool is_v4(const struct peer_end *e) {
    return IN6_IS_ADDR_V4MAPPED(&e->addr);
}

static void map_v4(uint32_t addr, struct in6_addr *ret) {
    *ret = (struct in6_addr){ .s6_addr = { [10] = 0xff, [11] = 0xff } };
    memcpy(&ret->s6_addr[12], &addr, sizeof(addr));
}

static bool read_end(const struct sockaddr_storage *from, struct peer_end *ret) {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    memcpy(&v4, from, sizeof(v4));
    memcpy(&v6, from, sizeof(v6));
    *ret = (struct peer_end){ 0 };
    if (from->ss_family == AF_INET) {
        map_v4(v4.sin_addr.s_addr, &ret->addr);
    } else {
        ret->addr = v6.sin6_addr;
        ret->scope = v6.sin6_scope_id;
    }
    /* Both families have it at the same place. */
    ret->port = ntohs(v4.sin_port);
    return from->ss_family == AF_INET || from->ss_family == AF_INET6;
}

static bool is_same(const struct peer_end *a, const struct peer_end *b) {
    return a->port == b->port && memcmp(&a->addr, &b->addr, sizeof(a->addr)) == 0;
}

static bool is_any(const struct in6_addr *a) {
    struct in6_addr any_v4;
    map_v4(0, &any_v4);
    return IN6_IS_ADDR_UNSPECIFIED(a) || memcmp(a, &any_v4, sizeof(any_v4)) == 0;
}

/* What was found is what was asked for. A listening socket may be bound to every address. */
static bool is_wanted(const struct peer_end *local, const struct peer_end *remote,
        const struct peer_end *found_local, const struct peer_end *found_remote, unsigned state) {
    if (remote->port != 0) {
        return is_same(local, found_local) && is_same(remote, found_remote);
    }
    return state == TCP_LISTEN && local->port == found_local->port &&
           (is_same(local, found_local) || is_any(&found_local->addr));
}

/* ---- netlink ---- */

static void put_addr(const struct peer_end *e, bool v4, __be32 ret[4]) {
    memset(ret, 0, 4 * sizeof(ret[0]));
    if (v4) {
        memcpy(ret, &e->addr.s6_addr[12], 4);
    } else {
        memcpy(ret, &e->addr, sizeof(e->addr));
    }
}

static void get_end(uint8_t family, const __be32 addr[4], __be16 port, struct peer_end *ret) {
    if (family == AF_INET) {
        map_v4(addr[0], &ret->addr);
    } else {
        memcpy(&ret->addr, addr, sizeof(ret->addr));
    }
    ret->port = ntohs(port);
}

static bool read_reply(const void *bytes, size_t size, const struct peer_end *local,
        const struct peer_end *remote, struct peer_found *ret) {
    struct nlmsghdr head;
    struct inet_diag_msg msg;
    if (size < NLMSG_HDRLEN + sizeof(msg)) {
        return false;
    }
    memcpy(&head, bytes, sizeof(head));
    if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len < NLMSG_HDRLEN + sizeof(msg)) {
        return false;
    }
    memcpy(&msg, (const char *)bytes + NLMSG_HDRLEN, sizeof(msg));
    struct peer_end found_local, found_remote;
    get_end(msg.idiag_family, msg.id.idiag_src, msg.id.idiag_sport, &found_local);
    get_end(msg.idiag_family, msg.id.idiag_dst, msg.id.idiag_dport, &found_remote);
    *ret = (struct peer_found){ msg.idiag_state, msg.idiag_uid, msg.idiag_inode };
    return is_wanted(local, remote, &found_local, &found_remote, msg.idiag_state);
}

static bool ask_netlink(
        const struct peer_end *local, const struct peer_end *remote, struct peer_found *ret) {
    OC_AUTO_FD int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    bool v4 = is_v4(local) && is_v4(remote);
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } ask = { .head = { .nlmsg_len = sizeof(ask),
                      .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                      .nlmsg_flags = NLM_F_REQUEST },
        .body = { .sdiag_family = v4 ? AF_INET : AF_INET6,
                .sdiag_protocol = IPPROTO_TCP,
                .idiag_states = ~0U,
                .id = { .idiag_sport = htons(local->port),
                        .idiag_dport = htons(remote->port),
                        .idiag_if = local->scope ? local->scope : remote->scope,
                        .idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } } } };
    put_addr(local, v4, ask.body.id.idiag_src);
    put_addr(remote, v4, ask.body.id.idiag_dst);
    struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    if (fd < 0 || sendto(fd, &ask, sizeof(ask), 0, (struct sockaddr *)&kernel, sizeof(kernel)) !=
                          sizeof(ask)) {
        return false;
    }
    /* The kernel answers within sendto: nothing is waited for. */
    char bytes[1024];
    struct sockaddr_nl from = { 0 };
    socklen_t from_len = sizeof(from);
    ssize_t n;
    do {
        n = recvfrom(fd, bytes, sizeof(bytes), MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
    } while (n < 0 && errno == EINTR);
    return n > 0 && from.nl_pid == 0 && read_reply(bytes, (size_t)n, local, remote, ret);
}

/* ---- /proc ---- */

/* Four bytes per group of eight digits, each group a number of this machine. */
static bool read_hex_end(const char *text, struct peer_end *ret) {
    unsigned words[4], port;
    if (sscanf(text, "%8x%8x%8x%8x:%4x", &words[0], &words[1], &words[2], &words[3], &port) == 5) {
        memcpy(&ret->addr, words, sizeof(ret->addr));
    } else if (sscanf(text, "%8x:%4x", &words[0], &port) == 2) {
        map_v4(words[0], &ret->addr);
    } else {
        return false;
    }
    ret->port = (uint16_t)port;
    return true;
}

typedef bool is_match(const struct peer_end *local, const struct peer_end *remote,
        const struct peer_end *found_local, const struct peer_end *found_remote, unsigned state);

static bool read_line(const char *line, is_match *matches, const struct peer_end *local,
        const struct peer_end *remote, struct peer_found *ret) {
    char local_text[48], remote_text[48];
    unsigned state, uid;
    uint64_t inode;
    struct peer_end found_local, found_remote;
    if (sscanf(line, "%*d: %47s %47s %x %*s %*s %*s %u %*d %" SCNu64, local_text, remote_text,
                &state, &uid, &inode) != 5 ||
            !read_hex_end(local_text, &found_local) || !read_hex_end(remote_text, &found_remote)) {
        return false;
    }
    *ret = (struct peer_found){ state, uid, inode };
    return matches(local, remote, &found_local, &found_remote, state);
}

static bool peer_scan(is_match *matches, const struct peer_end *local,
        const struct peer_end *remote, struct peer_found *ret) {
    static const char *const files[] = { "/proc/self/net/tcp", "/proc/self/net/tcp6" };
    bool is_found = false;
    for (size_t i = 0; i < OC_COUNT(files) && !is_found; i++) {
        FILE *f = fopen(files[i], "re");
        char line[512];
        for (int n = 0; f && !is_found && n < MAX_LINES && fgets(line, sizeof(line), f); n++) {
            is_found = read_line(line, matches, local, remote, ret);
        }
        if (f) {
            (void)fclose(f);
        }
    }
    return is_found;
}

static bool ask_proc(
        const struct peer_end *local, const struct peer_end *remote, struct peer_found *ret) {
    return peer_scan(is_wanted, local, remote, ret);
}

/* ---- the answer ---- */

/* In a user namespace strangers that it has no number for all show up as one. */
static bool is_nameable(uid_t uid) {
    unsigned overflow = 65534, inside = 0, outside = 1, count = 0;
    FILE *f = fopen("/proc/sys/kernel/overflowuid", "re");
    if (f) {
        (void)!fscanf(f, "%u", &overflow);
        (void)fclose(f);
    }
    if (uid != overflow) {
        return true;
    }
    f = fopen("/proc/self/uid_map", "re");
    bool is_whole = f && fscanf(f, "%u %u %u", &inside, &outside, &count) == 3 && inside == 0 &&
                    outside == 0 && count == UINT32_MAX;
    if (f) {
        (void)fclose(f);
    }
    return is_whole;
}

static bool ask_unix(int fd, uid_t *ret_uid) {
    int family = 0;
    socklen_t family_len = sizeof(family);
    struct ucred cred;
    socklen_t len = sizeof(cred);
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &family_len) != 0 || family != AF_UNIX ||
            getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0 || len != sizeof(cred) ||
            cred.uid == (uid_t)-1) {
        return false;
    }
    *ret_uid = cred.uid;
    return is_nameable(cred.uid);
}

/* Our own end must be there: otherwise this way of asking sees another network than ours, or
 * nothing. */
static bool find_own(look_up *look, int fd, struct peer_end *ret_us, struct peer_end *ret_them) {
    struct sockaddr_storage local = { 0 }, remote = { 0 };
    socklen_t local_len = sizeof(local), remote_len = sizeof(remote);
    int protocol = 0;
    socklen_t protocol_len = sizeof(protocol);
    struct stat st;
    struct peer_found own;
    return getsockname(fd, (struct sockaddr *)&local, &local_len) == 0 &&
           getpeername(fd, (struct sockaddr *)&remote, &remote_len) == 0 &&
           read_end(&local, ret_us) && read_end(&remote, ret_them) &&
           getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &protocol_len) == 0 &&
           protocol == IPPROTO_TCP && fstat(fd, &st) == 0 && look(ret_us, ret_them, &own) &&
           own.inode == (uint32_t)st.st_ino;
}

/* Nobody has it, but somebody may get it. */
static bool waits_to_be_accepted(const struct peer_found *f) {
    return f->inode == 0 && (f->state == TCP_ESTABLISHED || f->state == TCP_SYN_RECV);
}

static enum os_peer_sight find_owner(
        look_up *look, const struct peer_end *us, const struct peer_end *them, uid_t *ret_uid) {
    struct peer_found peer, listener;
    if (!look(them, us, &peer)) {
        return OS_PEER_UNSEEN;
    }
    if (waits_to_be_accepted(&peer)) {
        /* When the listening socket is closed, the connection is, too, and is not found the second
         * time. What is left of a connection that was still being made can be accepted by nobody
         * then. */
        struct peer_end nobody = { .addr = us->addr, .scope = us->scope };
        if (!look(them, &nobody, &listener) || listener.inode == 0 || !look(them, us, &peer)) {
            return OS_PEER_HIDDEN;
        }
        if (waits_to_be_accepted(&peer)) {
            peer.uid = listener.uid;
            peer.inode = listener.inode;
        }
    }
    *ret_uid = peer.uid;
    return peer.inode != 0 && is_nameable(peer.uid) ? OS_PEER_NAMED : OS_PEER_HIDDEN;
}

bool os_linux_peer_uid_netlink(int fd, uid_t *ret_uid) {
    struct peer_end us, them;
    return find_own(ask_netlink, fd, &us, &them) &&
           find_owner(ask_netlink, &us, &them, ret_uid) == OS_PEER_NAMED;
}

bool os_linux_peer_uid_proc(int fd, uid_t *ret_uid) {
    struct peer_end us, them;
    return find_own(ask_proc, fd, &us, &them) &&
           find_owner(ask_proc, &us, &them, ret_uid) == OS_PEER_NAMED;
}

/* Netlink, where it works: then its no is final. NULL: there is no way. */
static look_up *choose_way(int fd, struct peer_end *ret_us, struct peer_end *ret_them) {
    return find_own(ask_netlink, fd, ret_us, ret_them) ? ask_netlink
           : find_own(ask_proc, fd, ret_us, ret_them)  ? ask_proc
                                                       : NULL;
}

enum os_peer_sight os_peer(int fd, uid_t *ret_uid) {
    struct peer_end us, them;
    if (ask_unix(fd, ret_uid)) {
        return OS_PEER_NAMED;
    }
    look_up *look = choose_way(fd, &us, &them);
    return look ? find_owner(look, &us, &them, ret_uid) : OS_PEER_UNSEEN;
}

bool os_peer_uid(int fd, uid_t *ret_uid) {
    return os_peer(fd, ret_uid) == OS_PEER_NAMED;
}

static bool has_socket(int pid, uint64_t inode) {
    OC_AUTO_FREE char *path = oc_strfmt("/proc/%d/fd", pid);
    DIR *dir = opendir(path);
    bool is_found = false;
    const struct dirent *entry;
    while (dir && !is_found && (entry = readdir(dir))) {
        struct stat st;
        is_found = fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && S_ISSOCK(st.st_mode) &&
                   (uint32_t)st.st_ino == inode;
    }
    if (dir) {
        (void)closedir(dir);
    }
    return is_found;
}

bool os_peer_is_held_by(int fd, int pid) {
    struct peer_end us, them;
    struct peer_found peer;
    look_up *look = choose_way(fd, &us, &them);
    return look && look(&them, &us, &peer) && peer.inode != 0 && has_socket(pid, peer.inode);
}

/* [::] may stand for IPv4 as well, 0.0.0.0 does not for IPv6. */
static bool peer_covers(const struct peer_end *wide, const struct peer_end *narrow) {
    return is_any(&wide->addr) && (!is_v4(wide) || is_v4(narrow));
}

/* Two sockets that cannot both listen. */
static bool is_in_the_way(const struct peer_end *local, const struct peer_end *remote,
        const struct peer_end *found_local, const struct peer_end *found_remote, unsigned state) {
    (void)remote;
    (void)found_remote;
    return state == TCP_LISTEN && local->port == found_local->port &&
           (is_same(local, found_local) || peer_covers(local, found_local) ||
                   peer_covers(found_local, local));
}

bool os_port_holder(const struct sockaddr *addr, size_t addr_len, uid_t *ret_uid) {
    struct sockaddr_storage wanted = { 0 };
    struct peer_end place;
    struct peer_found holder;
    if (addr_len > sizeof(wanted)) {
        return false;
    }
    memcpy(&wanted, addr, addr_len);
    if (!read_end(&wanted, &place) || !peer_scan(is_in_the_way, &place, &place, &holder) ||
            holder.inode == 0 || !is_nameable(holder.uid)) {
        return false;
    }
    *ret_uid = holder.uid;
    return true;
}

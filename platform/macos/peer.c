/* Who is at the other end of a socket, by the kernel's word. This system tells it of unix sockets
 * only. */
#include "platform/platform.h"

#include <sys/socket.h>
#include <unistd.h>

bool os_peer_uid(int fd, uid_t *ret_uid) {
    struct sockaddr_storage local = { 0 };
    socklen_t len = sizeof(local);
    gid_t gid;
    return getsockname(fd, (struct sockaddr *)&local, &len) == 0 && local.ss_family == AF_UNIX &&
           getpeereid(fd, ret_uid, &gid) == 0;
}

bool os_peer_is_held_by(int fd, int pid) {
    (void)fd;
    (void)pid;
    return false;
}

enum os_peer_sight os_peer(int fd, uid_t *ret_uid) {
    return os_peer_uid(fd, ret_uid) ? OS_PEER_NAMED : OS_PEER_UNSEEN;
}

bool os_port_holder(const struct sockaddr *addr, size_t addr_len, uid_t *ret_uid) {
    (void)addr;
    (void)addr_len;
    (void)ret_uid;
    return false;
}

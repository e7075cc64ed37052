/* The two ways in which this system tells who is at the other end of a TCP connection; platform.h
 * has the question. */
#ifndef PLATFORM_LINUX_PEER_H
#define PLATFORM_LINUX_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/* For tests. */
bool os_linux_peer_uid_netlink(int fd, uid_t *ret_uid);
/* For tests. */
bool os_linux_peer_uid_proc(int fd, uid_t *ret_uid);

#endif

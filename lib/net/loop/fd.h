/* Descriptors made the way we want them: close-on-exec, non-blocking, without SIGPIPE. */
#ifndef LIB_NET_LOOP_FD_H
#define LIB_NET_LOOP_FD_H

#include "lib/base/error.h"

enum oc_code oc_pipe(int ret_fds[2], struct oc_error *err) OC_MUST_USE;
/* -1 with errno. */
int oc_socket(int family);
int oc_accept(int listen_fd, void *ret_addr, unsigned *addr_len);
/* Sets non-blocking and close-on-exec; -1 with errno. */
int oc_fd_prepare(int fd);
/* What every connection wants: small messages at once, dead peers noticed by the kernel. */
void oc_tcp_tune(int fd);
/* Tells the peer at once that its bytes have come. A client without TCP_NODELAY holds its first
 * request back until then, and we say nothing at the end of a TLS handshake that would tell it. */
void oc_tcp_acknowledge(int fd);

#endif

/* Messages between our own programs: one JSON text a packet of a SOCK_SEQPACKET socket. Bytes that
 * are too many for that come along as a descriptor, a sealed memfd: nobody can change it while it
 * is read. */
#ifndef LIB_HELPER_PACKET_H
#define LIB_HELPER_PACKET_H

#include "lib/base/buf.h"
#include "lib/json/json.h"

#define OC_MAX_PACKET ((size_t)128 * 1024)

enum oc_packet { OC_PACKET_NONE, OC_PACKET_GOT, OC_PACKET_BAD, OC_PACKET_END };

/* GOT: *ret_text (valid until the next call, on any socket) and *ret_fd (-1: none; the caller's).
 * BAD: it was cut off. NONE: nothing there now, only when wait is false or a signal came. END: the
 * other side is gone. */
enum oc_packet oc_packet_recv(int socket, bool wait, struct oc_slice *ret_text, int *ret_fd);
/* Never waits: OC_E_UNAVAILABLE when the other side does not keep up. fd < 0: none; it stays the
 * caller's. */
enum oc_code oc_packet_send(
        int socket, const cJSON *message, int fd, struct oc_error *err) OC_MUST_USE;

/* -1 with errno. */
int oc_sealed_create(const void *bytes, size_t len);
/* Whether it is sealed and not larger than max. */
bool oc_sealed_check(int fd, size_t max, size_t *ret_len);
enum oc_code oc_sealed_read(
        int fd, size_t max, struct oc_buf *ret, struct oc_error *err) OC_MUST_USE;

#endif

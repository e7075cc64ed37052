/* A WebSocket that gives back what it gets, for conformance suites; only with OC_TEST_ECHO. */
#ifndef GATEWAY_TEST_ECHO_H
#define GATEWAY_TEST_ECHO_H

#include "lib/net/server/server.h"

#define GW_TEST_ECHO_PATH "/__test__/ws-echo"

struct gw_test_echo;

struct gw_test_echo *gw_test_echo_create(void);
void gw_test_echo_destroy(struct gw_test_echo *e); /* drops what is open */
/* Takes the WebSocket and returns true when it was opened under GW_TEST_ECHO_PATH. */
bool gw_test_echo_accept(
        struct gw_test_echo *e, struct oc_ws *take_ws, const struct oc_http_head *head);

#endif

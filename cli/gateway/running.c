#include "cli/gateway/running.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#define MAX_LOCK_BYTES 64

/* The lock itself is not tried: a gateway that starts at this moment would find it taken. */
bool cli_running_gateway(const char *state_dir, int *ret_pid, uint16_t *ret_port) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, OC_GATEWAY_LOCK_NAME);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_LOCK_BYTES);
    int pid = 0;
    unsigned port = 0;
    if (oc_file_read(path, MAX_LOCK_BYTES, &text, NULL) != OC_OK || text.len == 0 ||
            sscanf(text.data, "%9d\n%5u", &pid, &port) != 2 || pid <= 0 || port == 0 ||
            port > UINT16_MAX) {
        return false;
    }
    if (kill(pid, 0) != 0 && errno != EPERM) {
        return false;
    }
    *ret_pid = pid;
    *ret_port = (uint16_t)port;
    return true;
}

bool cli_running_port(const char *state_dir, uint16_t *ret) {
    int pid;
    return cli_running_gateway(state_dir, &pid, ret);
}

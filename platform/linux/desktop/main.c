/* openclaw-desktop: notifications, location and the battery, through D-Bus. One request per process
 * (platform/linux/helper/serve.h). */
#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"
#include "platform/linux/desktop/tasks.h"
#include "platform/linux/helper/helper_sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct os_serve_task tasks[] = {
    { "check", "Whether notifications would be seen, and a place be known; shows nothing", NULL,
            "\"notifications\", \"location\": false to leave it out; \"gpsd\":\"HOST:PORT\"",
            os_task_check },
    { "notify", "Show a notification; with actions it stays until one is chosen", oc_notify_params,
            "\"actions\":[{\"key\",\"label\"}], \"expiresMs\", \"replaces\":{\"id\",\"daemon\"}",
            os_task_notify },
    { "notify.close", "Take a notification away", NULL, "\"id\", \"daemon\"",
            os_task_notify_close },
    { "locate", "Say where this machine is: GeoClue, then gpsd", oc_locate_params, NULL,
            os_task_locate },
    { "power", "Say what UPower knows of this machine's battery", NULL, NULL, os_task_power },
};

static const struct os_serve_program program = {
    .name = "openclaw-desktop",
    .summary = "notifications, location and battery for an OpenClaw node",
    .tasks = tasks,
    .count = OC_COUNT(tasks),
};

int main(int argc, char **argv) {
    (void)os_helper_enter_sandbox(&(struct os_helper_sandbox_opts){
            .memory_bytes = (int64_t)512 << 20, .has_network = true }); /* gpsd */
    /* GIO would look for, and load, file systems and proxies that nobody needs here. */
    setenv("GIO_USE_VFS", "local", 1);
    setenv("GIO_USE_PROXY_RESOLVER", "dummy", 1);
    setenv("GSETTINGS_BACKEND", "memory", 1);
    int rc = os_serve(&program, argc, argv);
    fflush(NULL);
    _exit(rc); /* the last check of a sanitizer would trace us, which is forbidden */
}

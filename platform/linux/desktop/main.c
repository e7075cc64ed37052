/* openclaw-desktop: notifications and location, through D-Bus. One request per process (platform/linux/helper/serve.h). */
#include "base/mem.h"
#include "platform/linux/desktop/confine.h"
#include "platform/linux/desktop/tasks.h"

#include <stdlib.h>

static const struct oc_serve_task tasks[] = {
    { "notify",
            "{\"title\",\"body\",\"priority\":\"passive|active|timeSensitive\",\"sound\","
            "\"delivery\":\"system|overlay|auto\",\"actions\":[{\"key\",\"label\"}],\"expiresMs\","
            "\"replaces\":{\"id\",\"daemon\"}}",
            "Show a notification; with actions it stays until one is chosen", oc_task_notify },
    { "notify.close", "{\"id\",\"daemon\"}", "Take a notification away", oc_task_notify_close },
    { "locate",
            "{\"desiredAccuracy\":\"coarse|balanced|precise\",\"timeoutMs\",\"gpsd\":\"HOST:"
            "PORT\"}",
            "Say where this machine is: GeoClue, then gpsd", oc_task_locate },
};

static const struct oc_serve_program program = {
    .name = "openclaw-desktop",
    .summary = "notifications and location for an OpenClaw node",
    .tasks = tasks,
    .count = OC_COUNT(tasks),
};

int main(int argc, char **argv) {
    oc_desktop_confine();
    /* GIO would look for, and load, file systems and proxies that nobody needs here. */
    setenv("GIO_USE_VFS", "local", 1);
    setenv("GIO_USE_PROXY_RESOLVER", "dummy", 1);
    setenv("GSETTINGS_BACKEND", "memory", 1);
    return oc_serve(&program, argc, argv);
}

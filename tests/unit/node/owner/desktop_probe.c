/* In the place of openclaw-desktop, for node_desktop_prompt_test: a person who does what the test
 * says. It writes the notification that it is to show to $TMPDIR/prompt/request where there is such
 * a folder, and reads from the pipe $TMPDIR/person what is done with it:
 *
 *   action KEY, closed REASON      the event of the real one          end      it dies
 *
 * A command that begins with "no-" makes it answer as a desktop that cannot ask: no-buttons,
 * no-daemon. */
#include "platform/linux/helper/serve.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *path_of(const char *name) {
    return oc_path_join(getenv("TMPDIR"), name);
}

static void write_params(const char *name, const cJSON *params) {
    OC_AUTO_FREE char *folder = path_of("prompt");
    OC_AUTO_FREE char *path = oc_path_join(folder, name);
    OC_AUTO_FREE char *text = cJSON_PrintUnformatted(params);
    struct oc_error err;
    if (access(folder, F_OK) == 0 &&
            oc_file_write_private(path, text, strlen(text), &err) != OC_OK) {
        abort();
    }
}

static cJSON *place(void) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "id", 7);
    oc_json_set_str(o, "daemon", ":1.9");
    return o;
}

static void notify(const struct os_serve_request *r) {
    const char *body = oc_json_get_str(r->params, "body");
    write_params("request", r->params);
    if (oc_starts_with(body, "no-daemon")) {
        os_serve_error("UNAVAILABLE", "no notification daemon");
        return;
    }
    if (oc_starts_with(body, "no-buttons")) {
        os_serve_result(place(), -1);
        return;
    }
    os_serve_result_and_stay(place());
    OC_AUTO_FREE char *path = path_of("person");
    char kind[32], word[64];
    FILE *f = fopen(path, "re"); /* opens when the test does */
    bool has_event = f && fscanf(f, "%31s %63s", kind, word) == 2;
    if (f) {
        (void)fclose(f); /* before the next one opens it */
    }
    if (has_event) {
        cJSON *event = cJSON_CreateObject();
        oc_json_set_str(event, kind, word);
        os_serve_event(event);
        pause(); /* the node ends it */
    }
}

static void notify_close(const struct os_serve_request *r) {
    write_params("closed", r->params);
    os_serve_result(NULL, -1);
}

int main(int argc, char **argv) {
    static const struct os_serve_task tasks[] = {
        { .name = "notify", .summary = "Ask", .run = notify },
        { .name = "notify.close", .summary = "Take away", .run = notify_close },
    };
    static const struct os_serve_program program = { "desktop_probe", "a person", tasks,
        OC_COUNT(tasks) };
    return os_serve(&program, argc, argv);
}

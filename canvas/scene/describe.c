#include "canvas/scene/describe.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"

#include <string.h>

#define MAX_TEXT 300 /* bytes of one part */

static const struct {
    const char *widget, *role;
} roles[] = {
    { "AudioPlayer", "audio" },
    { "Button", "button" },
    { "CheckBox", "check box" },
    { "DateTimeInput", NULL }, /* its text says what it is */
    { "Icon", "icon" },
    { "Image", "picture" },
    { "Modal", "opens a dialog" },
    { "MultipleChoice", "choice" },
    { "Slider", "slider" },
    { "Tabs", "tabs" },
    { "TextField", "text field" },
    { "Video", "video" },
};

static void describe_add(struct oc_buf *out, size_t from, const char *text) {
    if (!text || !text[0]) {
        return;
    }
    if (out->len > from) {
        (void)oc_buf_puts(out, ", ");
    }
    (void)oc_buf_append(out, text, oc_utf8_cut(text, strlen(text), MAX_TEXT));
}

/* Role, name (of a button: what stands on it), state. */
enum oc_code cv_item_describe(struct oc_buf *out, struct cv_scene *s, const struct cv_item *it) {
    size_t from = out->len;
    for (size_t i = 0; i < OC_COUNT(roles); i++) {
        if (strcmp(roles[i].widget, it->widget->name) == 0) {
            describe_add(out, from, roles[i].role);
        }
    }
    describe_add(out, from, it->text);
    for (unsigned i = 1; !it->text && i <= it->below; i++) {
        if (!it[i].overlay) {
            describe_add(out, from, it[i].text);
        }
        if (out->len - from > MAX_TEXT) {
            break;
        }
    }
    if (it->widget->input && it->widget->input->state) {
        OC_AUTO_BUF struct oc_buf state = OC_BUF_INIT(CV_MAX_STRING);
        it->widget->input->state(s, it, &state);
        describe_add(out, from, state.data);
    }
    return out->failed ? OC_E_TOO_LARGE : OC_OK;
}

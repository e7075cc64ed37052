#include "cli/nodes/command_change.h"

#include "cli/text.h"
#include "lib/base/mem.h"

#include <string.h>

#define LABEL_WIDTH 10 /* behind two spaces, as cli_waiting_print_one has it */
#define TEXT_WIDTH 66  /* so that lines fit into 80 columns */

static void read_commands(const cJSON *array, struct oc_strv *ret) {
    const cJSON *item;
    cJSON_ArrayForEach(item, array) {
        if (cJSON_IsString(item) && !oc_str_blank(item->valuestring)) {
            oc_strv_add(ret, item->valuestring);
        }
    }
    oc_strv_sort_unique(ret);
}

void cli_command_change_of(
        const cJSON *record, const cJSON *asked, struct cli_command_change *ret) {
    OC_AUTO_STRV struct oc_strv before = { 0 }, after = { 0 };
    *ret = (struct cli_command_change){ 0 };
    read_commands(oc_json_get(record, "commands"), &before);
    read_commands(asked, &after);
    ret->is_first = before.count == 0;
    for (size_t i = 0; i < after.count; i++) {
        bool was = oc_strv_has(&before, after.items[i]);
        oc_strv_add(was ? &ret->kept : &ret->added, after.items[i]);
    }
    for (size_t i = 0; i < before.count; i++) {
        if (!oc_strv_has(&after, before.items[i])) {
            oc_strv_add(&ret->removed, before.items[i]);
        }
    }
}

void cli_command_change_finish(struct cli_command_change *c) {
    oc_strv_finish(&c->added);
    oc_strv_finish(&c->removed);
    oc_strv_finish(&c->kept);
}

void cli_command_change_json(const struct cli_command_change *c, cJSON *to) {
    if (!c->is_first) {
        oc_json_set_strv(to, "added", &c->added);
        oc_json_set_strv(to, "removed", &c->removed);
    }
}

/* "  label     text", wrapped behind the label. */
static void put_lines(struct oc_buf *out, const char *label, const char *text) {
    while (*text) {
        size_t next, len = cli_text_wrap(text, TEXT_WIDTH, &next);
        (void)oc_buf_printf(out, "  %-*s%.*s\n", LABEL_WIDTH, label, (int)len, text);
        label = "";
        text += next;
    }
}

static size_t family_of(const char *command) {
    return strcspn(command, ".");
}

/* "camera: clip, list, snap", a line for what begins with the same word. */
static void put_families(struct oc_buf *out, const char *label, const struct oc_strv *commands) {
    for (size_t i = 0; i < commands->count;) {
        const char *first = commands->items[i];
        size_t len = family_of(first);
        OC_AUTO_BUF struct oc_buf line = OC_BUF_INIT(1 << 20);
        OC_AUTO_FREE char *family = oc_printable(first, len, len);
        (void)oc_buf_puts(&line, family);
        for (const char *before = ": "; i < commands->count; i++, before = ", ") {
            const char *name = commands->items[i];
            if (family_of(name) != len || strncmp(name, first, len) != 0) {
                break;
            }
            if (name[len] == '.') {
                OC_AUTO_FREE char *rest = cli_shown(name + len + 1);
                (void)oc_buf_printf(&line, "%s%s", before, rest);
            }
        }
        put_lines(out, label, line.data);
        label = "";
    }
}

static void put_signed(
        struct oc_buf *out, const char *label, char sign, const struct oc_strv *commands) {
    for (size_t i = 0; i < commands->count; i++) {
        OC_AUTO_FREE char *name = cli_shown(commands->items[i]);
        (void)oc_buf_printf(out, "  %-*s%c %s\n", LABEL_WIDTH, i ? "" : label, sign, name);
    }
}

void cli_command_change_print(const struct cli_command_change *c, struct oc_buf *out) {
    if (c->is_first) {
        put_families(out, "commands", &c->added);
        return;
    }
    put_signed(out, "new", '+', &c->added);
    put_signed(out, "goes", '-', &c->removed);
    if (c->kept.count > 0) {
        (void)oc_buf_printf(out, "  %-*s%zu command%s as before\n", LABEL_WIDTH, "stays",
                c->kept.count, c->kept.count == 1 ? "" : "s");
    }
}

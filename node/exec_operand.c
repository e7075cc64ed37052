#include "node/exec_operand.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "node/exec_carriers.h"
#include "node/exec_path.h"
#include "protocol/identity.h"
#include "protocol/limits.h"

#include <string.h>
#include <sys/stat.h>

#define MAX_SCRIPT_FILE (16u << 20)

/* Options after which the program comes from the command line, not from a file. */
static bool is_inline_code(const char *arg) {
    return strcmp(arg, "-m") == 0 || strcmp(arg, "-e") == 0 || strcmp(arg, "--eval") == 0 ||
           strcmp(arg, "-p") == 0 || strcmp(arg, "--print") == 0 ||
           (arg[0] == '-' && arg[1] != '-' && strchr(arg, 'c'));
}

static char *in_dir(const char *name, const char *cwd) {
    return name[0] == '/' || !cwd ? oc_strdup(name) : oc_path_join(cwd, name);
}

static bool snapshot(
        const struct oc_strv *argv, size_t index, const char *cwd, struct oc_exec_operand *ret) {
    OC_AUTO_FREE char *path = in_dir(argv->items[index], cwd);
    OC_AUTO_FREE char *real = oc_exec_real(path);
    struct stat st;
    OC_AUTO_BUF struct oc_buf text = { 0 };
    if (!real || stat(real, &st) != 0 || !S_ISREG(st.st_mode) ||
            oc_file_read(real, MAX_SCRIPT_FILE, &text, NULL) != OC_OK) {
        return false;
    }
    *ret = (struct oc_exec_operand){ .index = index, .path = oc_take(&real) };
    oc_sha256_hex(text.len > 0 ? text.data : "", text.len, ret->sha256);
    return true;
}

static bool is_script_file(const char *name, const char *cwd) {
    OC_AUTO_FREE char *path = in_dir(name, cwd);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    return strchr(name, '/') && oc_file_read(path, MAX_SCRIPT_FILE, &text, NULL) == OC_OK &&
           text.len > 2 && memcmp(text.data, "#!", 2) == 0;
}

bool oc_exec_operand_find(
        const struct oc_strv *argv, const char *cwd, struct oc_exec_operand *ret) {
    if (!oc_exec_is_carrier(oc_path_name(argv->items[0]))) {
        return is_script_file(argv->items[0], cwd) && snapshot(argv, 0, cwd, ret);
    }
    for (size_t i = 1; i < argv->count; i++) {
        const char *arg = argv->items[i];
        if (is_inline_code(arg)) {
            return false;
        }
        if (arg[0] != '-' && snapshot(argv, i, cwd, ret)) {
            return true;
        }
    }
    return false;
}

void oc_exec_operand_finish(struct oc_exec_operand *o) {
    oc_free(o->path);
    *o = (struct oc_exec_operand){ 0 };
}

static void key_of(const struct oc_strv *argv, const char *cwd, char ret[65]) {
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT((size_t)2 * OC_MAX_REQUEST_BYTES);
    oc_buf_puts(&b, cwd ? cwd : "");
    for (size_t i = 0; i < argv->count; i++) {
        oc_buf_append(&b, "", 1);
        oc_buf_puts(&b, argv->items[i]);
    }
    oc_sha256_hex(b.len > 0 ? b.data : "", b.len, ret);
}

static size_t find_key(const struct oc_exec_plans *plans, const char *key) {
    size_t i = 0;
    while (i < OC_EXEC_PLANS && strcmp(plans->ring[i].key, key) != 0) {
        i++;
    }
    return i;
}

void oc_exec_plans_add(struct oc_exec_plans *plans, const struct oc_strv *argv, const char *cwd,
        const char *sha256) {
    char key[65];
    key_of(argv, cwd, key);
    if (find_key(plans, key) < OC_EXEC_PLANS) {
        return;
    }
    size_t at = plans->next;
    plans->next = (at + 1) % OC_EXEC_PLANS;
    memcpy(plans->ring[at].key, key, sizeof(key));
    memcpy(plans->ring[at].sha256, sha256, sizeof(plans->ring[at].sha256));
}

bool oc_exec_plans_take(struct oc_exec_plans *plans, const struct oc_strv *argv, const char *cwd,
        char ret_sha256[65]) {
    char key[65];
    key_of(argv, cwd, key);
    size_t at = find_key(plans, key);
    if (at == OC_EXEC_PLANS) {
        return false;
    }
    memcpy(ret_sha256, plans->ring[at].sha256, sizeof(plans->ring[at].sha256));
    plans->ring[at].key[0] = '\0';
    return true;
}

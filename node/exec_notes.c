#include "node/exec_notes.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "node/exec_argv.h"
#include "node/exec_harden.h"
#include "node/exec_path.h"
#include "node/exec_remember.h"
#include "node/run_cwd.h"
#include "node/skill_bins.h"
#include "protocol/exec_approvals.h"
#include "protocol/identity.h"

#include <string.h>

void oc_exec_ask(const struct oc_node_host *host, const struct oc_run_params *p,
        struct oc_exec_verdict *ret) {
    OC_AUTO_FREE char *home = oc_dir_home();
    oc_exec_decide(&(struct oc_exec_request){ .approvals_path = host->approvals_path,
                           .config = host->config,
                           .argv = &p->argv,
                           .cwd = p->cwd,
                           .path_env = oc_exec_search_path(),
                           .home = home,
                           .agent_id = p->agent_id,
                           .is_approved = p->approved,
                           .is_unanswered = p->is_unanswered,
                           .skills = oc_skill_bins_now(host->skills) },
            ret);
}

void oc_exec_look_at(const struct oc_strv *argv, const char *cwd, const struct oc_strv *remember,
        struct oc_exec_look *ret, struct oc_exec_operand *ret_operand) {
    struct oc_exec_operand o;
    *ret = (struct oc_exec_look){ 0 };
    if (oc_exec_operand_find(argv, cwd, oc_exec_search_path(), &o)) {
        memcpy(ret->files, o.all, sizeof(o.all));
    }
    if (o.program) {
        oc_sha256_hex(o.program, strlen(o.program), ret->program);
    }
    OC_AUTO_FREE char *would = oc_strv_join(remember, "\n");
    oc_sha256_hex(would, strlen(would), ret->would);
    if (ret_operand) {
        *ret_operand = o;
    } else {
        oc_exec_operand_finish(&o);
    }
}

static int64_t now_of(const struct oc_node_host *host) {
    return oc_mono_ms(oc_loop_clock(host->loop));
}

static struct oc_exec_plan_key key_of(
        const struct oc_run_params *p, const struct oc_strv *argv, const char *cwd) {
    return (struct oc_exec_plan_key){
        .argv = argv, .cwd = cwd, .agent_id = p->agent_id, .session_key = p->session_key
    };
}

/* The file behind "bin/tool" is part of what is remembered; "bin/tool" is what it is remembered by. */
static void note(struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_strv *argv, const char *cwd, const struct oc_strv *remember,
        struct oc_exec_operand *ret_operand) {
    struct oc_exec_plan_key key = key_of(p, argv, cwd);
    struct oc_exec_look look;
    oc_exec_look_at(argv, cwd, remember, &look, ret_operand);
    oc_exec_plans_add(&host->plans, &key, &look, now_of(host));
}

void oc_exec_note_prepared(struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_strv *given, const struct oc_strv *remember,
        struct oc_exec_operand *ret_operand) {
    if (strcmp(given->items[0], p->argv.items[0]) != 0) {
        note(host, p, given, p->cwd, remember, NULL);
    }
    note(host, p, &p->argv, p->cwd, remember, ret_operand);
}

void oc_exec_note_asked(
        struct oc_node_host *host, const struct oc_run_params *p, const struct oc_exec_verdict *v) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    OC_AUTO_FREE char *cwd = oc_strdup(p->cwd);
    struct oc_error err;
    oc_strv_copy(&argv, &p->argv);
    if ((!cwd || oc_run_harden_cwd(&cwd, &err) == OC_OK) &&
            oc_exec_harden_program(&argv, cwd, &err) == OC_OK) {
        if (strcmp(argv.items[0], p->argv.items[0]) != 0) {
            note(host, p, &argv, cwd, &v->remember, NULL);
        }
        note(host, p, &p->argv, cwd, &v->remember, NULL);
    }
}

#define REFUSED "SYSTEM_RUN_DENIED: execution plan mismatch ("

static char *changed_text(const struct oc_exec_operand *now) {
    OC_AUTO_FREE char *shown =
            now->newest ? oc_printable(now->newest, strlen(now->newest), 200) : NULL;
    return oc_strfmt(REFUSED "%s is not what was approved; fix: look at it and approve the command "
                             "again)",
            shown ? shown : "the script of this command");
}

static char *other_program_text(const char *name, const struct oc_exec_operand *now) {
    OC_AUTO_FREE char *shown = oc_printable(name, strlen(name), 200);
    OC_AUTO_FREE char *program =
            now->program ? oc_printable(now->program, strlen(now->program), 200) : NULL;
    return oc_strfmt(REFUSED "\"%s\" is %s now, which is not the program that was approved; fix: "
                             "look at it and approve the command again)",
            shown, program ? program : "nothing that can run");
}

static char *unseen_text(const struct oc_exec_operand *now) {
    OC_AUTO_FREE char *shown = oc_printable(now->path, strlen(now->path), 200);
    return oc_strfmt(REFUSED
            "the node did not look at %s before the approval was asked for, or has "
            "forgotten it; fix: prepare the command again (system.run.prepare) and "
            "have it approved; openclaw nodes run does both)",
            shown);
}

/* Gateways of the reference keep working: 2026.9.6 brings the plan along, and the agents of 2026.2.26 ask before they try,
 * always with a whole script in one word. A gateway of ours knows better. */
static bool is_excused(const struct oc_run_params *p, const struct oc_exec_verdict *v,
        const struct oc_exec_operand *now, const cJSON *planned) {
    struct oc_argv_shape shape;
    oc_argv_shape_of(&v->argv, &shape);
    return p->approval_age_ms < 0 &&
           (planned || (now->count == 1 && shape.script == v->argv.items[now->index]));
}

/* What argv[0] is now was looked at after the file to execute was found. Whoever moves links in between must not win. */
static bool is_what_runs(const struct oc_exec_verdict *v, const struct oc_exec_operand *now) {
    OC_AUTO_FREE char *real = v->path ? oc_exec_real(v->path) : NULL;
    return oc_streq(real, now->program);
}

bool oc_exec_is_as_approved(struct oc_node_host *host, const struct oc_run_params *p,
        struct oc_exec_verdict *v, const struct oc_exec_look *shown, char **ret_message) {
    if (!v->is_by_approval) {
        return true;
    }
    /* By the words that were approved: the real path of "bin/tool" is another one when somebody moves that link, and
     * may be one that was looked at, too, but for another command. */
    struct oc_exec_plan_key key = key_of(p, &p->argv, v->cwd), real = key_of(p, &v->argv, v->cwd);
    struct oc_exec_look now;
    struct oc_exec_operand files;
    oc_exec_look_at(&p->argv, v->cwd, &v->remember, &now, &files);
    const struct oc_exec_look *then =
            shown ? shown
                  : oc_exec_plans_find(&host->plans, &key, p->approval_age_ms, now_of(host));
    /* The plan comes from whoever asked, so it can only ask for more. */
    const cJSON *planned = oc_json_get(p->plan, "mutableFileOperand");
    char *refusal = NULL;
    if ((then && strcmp(then->program, now.program) != 0) || !is_what_runs(v, &files)) {
        refusal = other_program_text(p->argv.items[0], &files);
    } else if ((then && strcmp(then->files, now.files) != 0) ||
               (planned && !oc_streq(oc_json_get_str(planned, "sha256"), files.sha256))) {
        refusal = changed_text(&files);
    } else if (!then && files.count > 0 && !is_excused(p, v, &files, planned)) {
        refusal = unseen_text(&files);
    }
    if (then ? strcmp(then->would, now.would) != 0 : p->approval_age_ms >= 0) {
        oc_strv_finish(&v->remember);
    }
    if (!shown && p->approval_age_ms < 0) {
        oc_exec_plans_forget(&host->plans, &key);
        oc_exec_plans_forget(&host->plans, &real);
    }
    if (!refusal && files.is_program_theirs) {
        oc_free(v->path);
        v->path = oc_take(&files.program);
    }
    oc_exec_operand_finish(&files);
    *ret_message = refusal;
    return !refusal;
}

static void ignore(enum oc_code rc, const struct oc_error *err) {
    if (rc != OC_OK) {
        oc_log(OC_LOG_WARN, "node.exec", "cannot note the use of an approval, ignoring: %s",
                err->text);
    }
}

void oc_exec_note_use(const struct oc_node_host *host, const struct oc_run_params *p,
        const struct oc_exec_verdict *v, struct oc_strv *ret_remembered) {
    const char *agent = p->agent_id ? p->agent_id : "main";
    int64_t now_ms = oc_wall_ms(oc_loop_clock(host->loop));
    struct oc_error err = { 0 };
    bool is_always = oc_streq(p->decision, "allow-always");
    for (size_t i = 0; is_always && host->memory && i < v->remember.count; i++) {
        oc_exec_memory_add(host->memory, agent, v->remember.items[i], now_ms);
        oc_strv_add(ret_remembered, v->remember.items[i]);
    }
    OC_AUTO_FREE struct oc_exec_use *uses = oc_new_array(struct oc_exec_use, v->hit_count + 1);
    for (size_t i = 0; i < v->hit_count; i++) {
        uses[i] = (struct oc_exec_use){ v->hits[i].pattern, v->hits[i].path };
    }
    enum oc_code rc = oc_exec_approvals_note_use(
            host->approvals_path, agent, uses, v->hit_count, p->shown, now_ms, &err);
    ignore(rc, &err);
}

cJSON *oc_exec_path_json(const char *path) {
    OC_AUTO_FREE char *shown = path ? oc_printable(path, strlen(path), SIZE_MAX) : NULL;
    return shown ? cJSON_CreateString(shown) : cJSON_CreateNull();
}

cJSON *oc_exec_paths_json(const struct oc_strv *paths) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < paths->count; i++) {
        cJSON_AddItemToArray(list, oc_exec_path_json(paths->items[i]));
    }
    return list;
}

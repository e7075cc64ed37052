#include "node/policy/exec_notes.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/state/exec_approvals.h"
#include "node/argv/exec_argv.h"
#include "node/argv/paths/exec_path.h"
#include "node/looks/exec_seal.h"
#include "node/policy/exec_remember.h"
#include "node/policy/skill_bins.h"

#include <inttypes.h>
#include <string.h>

void nd_exec_notes_judge(struct nd_exec_notes *notes, const cJSON *caller,
        const struct nd_run_params *p, struct nd_exec_verdict *ret) {
    OC_AUTO_FREE char *home = oc_dir_home();
    nd_exec_decide(&(struct nd_exec_request){ .approvals_path = notes->machine->approvals_path,
                           .config = notes->machine->config,
                           .argv = &p->argv,
                           .cwd = p->cwd,
                           .path_env = nd_exec_search_path(),
                           .home = home,
                           .agent_id = p->agent_id,
                           .env = p->env,
                           .is_approved = p->approved,
                           .is_unanswered = p->is_unanswered,
                           .skills = nd_skill_bins_now(notes->skills),
                           .state_dir = notes->machine->state_dir,
                           .is_discreet = !oc_json_get_bool(caller, "admin", false) },
            ret);
    ret->config_number = notes->machine->config_number;
    notes->judged++;
}

bool nd_exec_is_current(const struct nd_exec_notes *notes, const struct nd_exec_verdict *v) {
    return v->config_number == notes->machine->config_number &&
           nd_exec_stamp_holds(&v->stamp, notes->machine->approvals_path);
}

void nd_exec_look_of(
        const struct nd_exec_operand *o, const struct oc_strv *remember, struct nd_exec_look *ret) {
    *ret = (struct nd_exec_look){ 0 };
    memcpy(ret->files, o->all, sizeof(o->all));
    if (o->program) {
        nd_exec_seal(o->program, strlen(o->program), ret->program);
    }
    OC_AUTO_FREE char *joined = oc_strv_join(remember, "\n");
    OC_AUTO_FREE char *would = oc_strfmt("always\n%s", joined);
    nd_exec_seal(would, strlen(would), ret->would);
}

static int64_t now_of(const struct nd_exec_notes *notes) {
    return oc_mono_ms(oc_loop_clock(notes->machine->loop));
}

static struct nd_exec_plan_key key_of(
        const struct nd_run_params *p, const struct oc_strv *argv, const char *cwd) {
    return (struct nd_exec_plan_key){
        .argv = argv, .cwd = cwd, .agent_id = p->agent_id, .session_key = p->session_key
    };
}

/* "epoch.number.program.files.would" */
static char *text_of(const struct nd_exec_look *look, uint64_t number) {
    return oc_strfmt("%s.%" PRIu64 ".%s.%s.%s", nd_exec_seal_epoch(), number,
            look->program[0] ? look->program : "-", look->files[0] ? look->files : "-",
            look->would);
}

static bool take_seal(const char **at, char ret[65]) {
    size_t len = strcspn(*at, ".");
    if (len > ND_SEAL_LEN) {
        return false;
    }
    memcpy(ret, *at, len);
    ret[len] = '\0';
    if (strcmp(ret, "-") == 0) {
        ret[0] = '\0';
    }
    *at += len;
    *at += **at == '.';
    return true;
}

/* False: it was not made by this process. */
static bool read_text(const char *text, struct nd_exec_look *ret, uint64_t *ret_number) {
    const char *epoch = nd_exec_seal_epoch();
    size_t len = strlen(epoch);
    char number[65];
    int64_t n;
    if (strncmp(text, epoch, len) != 0 || text[len] != '.') {
        return false;
    }
    const char *at = text + len + 1;
    *ret = (struct nd_exec_look){ 0 };
    if (!take_seal(&at, number) || !oc_parse_int(number, 0, INT64_MAX, &n) ||
            !take_seal(&at, ret->program) || !take_seal(&at, ret->files) ||
            !take_seal(&at, ret->would) || *at) {
        return false;
    }
    *ret_number = (uint64_t)n;
    return true;
}

char *nd_exec_note_look(struct nd_exec_notes *notes, const struct nd_run_params *p,
        const struct nd_exec_looked *l, const struct oc_strv *remember) {
    struct nd_exec_look look;
    const struct oc_strv *given = l->argv ? l->argv : &p->argv;
    if (l->found->has_real) {
        OC_AUTO_STRV struct oc_strv argv = { 0 };
        oc_strv_copy(&argv, given);
        oc_free(argv.items[0]);
        argv.items[0] = oc_strdup(l->real);
        struct nd_exec_plan_key key = key_of(p, &argv, l->cwd);
        nd_exec_look_of(&l->found->real, remember, &look);
        nd_exec_plans_add(&notes->plans, &key, &look, now_of(notes));
    }
    struct nd_exec_plan_key key = key_of(p, given, l->cwd);
    nd_exec_look_of(&l->found->given, remember, &look);
    return text_of(&look, nd_exec_plans_add(&notes->plans, &key, &look, now_of(notes)));
}

/* "execution plan mismatch (…)" is what the reference says. Caller frees. */
static char *exec_notes_mismatch(
        struct oc_grounds *ret, enum oc_remedy remedy, const char *subject, char *take_why) {
    OC_AUTO_FREE char *why = take_why;
    *ret = (struct oc_grounds){
        .cause = OC_CAUSE_APPROVAL_CHANGED, .gate = OC_GATE_LOCAL, .remedy = remedy
    };
    oc_grounds_set_subject(ret, subject);
    return oc_strfmt("SYSTEM_RUN_DENIED: execution plan mismatch (%s)", why);
}

/* Caller frees. */
static char *newest_of(const struct nd_exec_operand *now, const char *otherwise) {
    return now->newest ? oc_printable(now->newest, strlen(now->newest), 200) : oc_strdup(otherwise);
}

static char *refuse_changed(const struct nd_exec_operand *now, struct oc_grounds *ret) {
    OC_AUTO_FREE char *shown = newest_of(now, "the script of this command");
    return exec_notes_mismatch(ret, OC_REMEDY_APPROVE_AGAIN, now->newest,
            oc_strfmt("%s is not what was approved", shown));
}

static char *refuse_other_program(
        const char *name, const struct nd_exec_operand *now, struct oc_grounds *ret) {
    OC_AUTO_FREE char *shown = oc_printable(name, strlen(name), 200);
    OC_AUTO_FREE char *program =
            now->program ? oc_printable(now->program, strlen(now->program), 200) : NULL;
    return exec_notes_mismatch(ret, OC_REMEDY_APPROVE_AGAIN, name,
            oc_strfmt("\"%s\" is %s now, which is not the program that was approved", shown,
                    program ? program : "nothing that can run"));
}

static char *refuse_unseen(const struct nd_exec_operand *now, struct oc_grounds *ret) {
    OC_AUTO_FREE char *shown = newest_of(now, "what this command runs");
    return exec_notes_mismatch(ret, OC_REMEDY_PREPARE_AGAIN, now->newest,
            oc_strfmt("the node did not look at %s when the approval was asked for, or has "
                      "forgotten it",
                    shown));
}

static char *refuse_torn(const struct nd_exec_operand *now, struct oc_grounds *ret) {
    OC_AUTO_FREE char *shown = newest_of(now, "the program of this command");
    return exec_notes_mismatch(ret, OC_REMEDY_APPROVE_UNTOUCHED, now->newest,
            oc_strfmt("%s was changed while the approval was asked for or waited, so nobody knows "
                      "what was seen",
                    shown));
}

/* Gateways of the reference keep working: 2026.9.6 brings the plan along, and the agents of
 * 2026.2.26 ask before they try, always with a whole script in one word. A gateway of ours knows
 * better. */
static bool is_excused(const struct nd_run_params *p, const struct nd_exec_verdict *v,
        const struct nd_exec_operand *now, const cJSON *planned) {
    struct nd_argv_shape shape;
    nd_argv_shape_of(&v->argv, &shape);
    size_t first = now->path ? now->index : now->last;
    return !p->look && (planned || (now->last == first && now->last < v->argv.count &&
                                           shape.script == v->argv.items[now->last]));
}

/* What argv[0] is now was looked at after the file to execute was found. Whoever moves links in
 * between must not win. */
static bool is_what_runs(const struct nd_exec_verdict *v, const struct nd_exec_operand *now) {
    OC_AUTO_FREE char *real = v->path ? nd_exec_real(v->path) : NULL;
    return oc_streq(real, now->program);
}

/* What was approved, and whether it still can be. */
struct bound {
    struct nd_exec_look copy;
    const struct nd_exec_look *then; /* NULL: nobody looked */
    bool is_torn;                    /* there were looks that saw different things */
};

static void find_bound(const struct nd_exec_notes *notes, const struct nd_run_params *p,
        const struct nd_exec_plan_key *key, const struct nd_exec_look *shown, struct bound *ret) {
    uint64_t number = 0;
    *ret = (struct bound){ .then = shown };
    if (shown) {
        return;
    }
    if (!p->look) {
        ret->then = nd_exec_plans_find(&notes->plans, key, now_of(notes), &ret->is_torn);
    } else if (read_text(p->look, &ret->copy, &number)) {
        ret->then = &ret->copy;
        ret->is_torn = nd_exec_plans_changed(&notes->plans, key, &ret->copy, number);
    }
}

static char *refusal_of(const struct nd_run_params *p, const struct nd_exec_verdict *v,
        const struct bound *b, const struct nd_exec_operand *files, const struct nd_exec_look *now,
        struct oc_grounds *ret) {
    /* The plan comes from whoever asked, so it can only ask for more. */
    const cJSON *planned = oc_json_get(p->plan, "mutableFileOperand");
    const struct nd_exec_look *then = b->then;
    bool is_bound = files->unbound.count == 0;
    if ((then && strcmp(then->program, now->program) != 0) || !is_what_runs(v, files)) {
        return refuse_other_program(p->argv.items[0], files, ret);
    }
    if ((then && strcmp(then->files, now->files) != 0) ||
            (planned && !oc_streq(oc_json_get_str(planned, "sha256"), files->content))) {
        return refuse_changed(files, ret);
    }
    if (b->is_torn) {
        return refuse_torn(files, ret);
    }
    if (!then && (files->count > 0 || (p->look && !is_bound)) &&
            !is_excused(p, v, files, planned)) {
        return refuse_unseen(files, ret);
    }
    if (p->look && !is_bound && p->decision == OC_DECISION_ALLOW_ALWAYS) {
        *ret = (struct oc_grounds){ .cause = OC_CAUSE_APPROVAL_REQUIRED,
            .gate = OC_GATE_LOCAL,
            .remedy = OC_REMEDY_APPROVE_ONCE };
        oc_grounds_set_subject(ret, files->unbound.items[0]);
        return oc_strfmt("SYSTEM_RUN_DENIED: approval required (content not bound: %s; such a "
                         "command is allowed once at a time)",
                files->unbound.items[0]);
    }
    return NULL;
}

bool nd_exec_is_as_approved(struct nd_exec_notes *notes, const struct nd_run_params *p,
        struct nd_exec_verdict *v, const struct nd_exec_looked *l, const struct nd_exec_look *shown,
        char **ret_message, struct oc_grounds *ret_grounds) {
    struct nd_exec_operand *files = &l->found->given;
    /* By the words that were approved: the real path of "bin/tool" is another one when somebody
     * moves that link, and may be one that was looked at, too, but for another command. */
    struct nd_exec_plan_key key = key_of(p, &p->argv, v->cwd), real = key_of(p, &v->argv, v->cwd);
    struct nd_exec_look now;
    struct bound bound;
    nd_exec_look_of(files, &v->remember, &now);
    find_bound(notes, p, &key, shown, &bound);
    char *refusal = oc_streq(l->cwd, v->cwd) ? refusal_of(p, v, &bound, files, &now, ret_grounds)
                                             : refuse_changed(files, ret_grounds);
    if (files->unbound.count > 0 ||
            (bound.then ? strcmp(bound.then->would, now.would) != 0 : p->look != NULL)) {
        oc_strv_finish(&v->remember);
    }
    if (!shown && !p->look) {
        nd_exec_plans_forget(&notes->plans, &key);
        nd_exec_plans_forget(&notes->plans, &real);
    } else if (refusal) {
        nd_exec_plans_add(
                &notes->plans, &key, &now, now_of(notes)); /* who changes it back gains nothing */
    }
    if (!refusal && files->is_program_theirs) {
        oc_free(v->path);
        v->path = oc_take(&files->program);
    }
    *ret_message = refusal;
    return !refusal;
}

static void exec_notes_ignore(enum oc_code rc, const struct oc_error *err) {
    if (rc != OC_OK) {
        oc_log(OC_LOG_WARN, "node.exec", "cannot note the use of an approval, ignoring: %s",
                err->text);
    }
}

void nd_exec_note_use(const struct nd_exec_notes *notes, const struct nd_run_params *p,
        const struct nd_exec_verdict *v, struct oc_strv *ret_remembered) {
    const char *agent = p->agent_id ? p->agent_id : "main";
    int64_t now_ms = oc_wall_ms(oc_loop_clock(notes->machine->loop));
    struct oc_error err = { 0 };
    bool is_always = p->decision == OC_DECISION_ALLOW_ALWAYS;
    for (size_t i = 0; is_always && notes->memory && i < v->remember.count; i++) {
        nd_exec_memory_add(notes->memory, agent, v->remember.items[i], now_ms);
        oc_strv_add(ret_remembered, v->remember.items[i]);
    }
    OC_AUTO_FREE struct oc_exec_use *uses = oc_new_array(struct oc_exec_use, v->hit_count + 1);
    for (size_t i = 0; i < v->hit_count; i++) {
        uses[i] = (struct oc_exec_use){ v->hits[i].pattern, v->hits[i].path };
    }
    enum oc_code rc = oc_exec_approvals_note_use(
            notes->machine->approvals_path, agent, uses, v->hit_count, p->shown, now_ms, &err);
    exec_notes_ignore(rc, &err);
}

cJSON *nd_exec_path_json(const char *path) {
    OC_AUTO_FREE char *shown = path ? oc_printable(path, strlen(path), SIZE_MAX) : NULL;
    return shown ? cJSON_CreateString(shown) : cJSON_CreateNull();
}

cJSON *nd_exec_paths_json(const struct oc_strv *paths) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < paths->count; i++) {
        cJSON_AddItemToArray(list, nd_exec_path_json(paths->items[i]));
    }
    return list;
}

void nd_exec_put_bound(
        cJSON *o, const struct nd_exec_operand *files, const struct oc_strv *remember) {
    static const struct oc_strv nothing;
    bool is_bound = files->unbound.count == 0;
    oc_json_set(o, "wouldAllow", nd_exec_paths_json(is_bound ? remember : &nothing));
    oc_json_set_bool(o, "contentBound", is_bound);
    oc_json_set(o, "bound", nd_exec_paths_json(&files->files));
    oc_json_set(o, "unbound", nd_exec_paths_json(&files->unbound));
}

#include "lib/text/fix.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/text/paste.h"

#include <string.h>

#define MAX_FIX 4096

/* {} is the subject, {at} the node for those who are not at it: " --node …". `bare`: without a
 * subject, or with one that no command line may have; NULL: there is no such sentence.
 * is_of_handshake: a gateway that does not let us in may name it. Anybody can be that gateway, and
 * all else would be the command that opens this machine to them. */
static const struct fix_form {
    const char *form, *bare;
    bool is_of_node, is_of_handshake;
} forms[] = {
    [OC_REMEDY_ADD_PROGRAM] = { "openclaw approvals allowlist add {}{at}",
            "openclaw approvals allowlist add{at} <path of the program>", true },
    [OC_REMEDY_ADD_READABLE] = { "add it or its directory to node.exec.readable in openclaw.json "
                                 "of the node",
            NULL, true },
    [OC_REMEDY_ADD_WORKSPACE] = { "run it in a workspace of the node, or add the directory to "
                                  "node.exec.workspace in openclaw.json of the node",
            NULL, true },
    [OC_REMEDY_ALLOW_COMMAND] = { "openclaw nodes allow {}",
            "add the command to gateway.nodes.commands.allow in the gateway's openclaw.json, and "
            "remove it from the denied ones" },
    [OC_REMEDY_ALLOW_HOST] = { "on the node name {} in the list node.canvas.allowHosts of "
                               "openclaw.json",
            "on the node name the host in the list node.canvas.allowHosts of openclaw.json", true },
    [OC_REMEDY_ALLOW_IN_APP] = { "allow {} in the settings of the app on the node",
            "allow it in the settings of the app on the node" },
    [OC_REMEDY_ALLOW_UNSANDBOXED] = { "install what is missing, or set node.exec.sandboxFallback "
                                      "to allow in openclaw.json of the node",
            NULL, true },
    [OC_REMEDY_ALLOW_VARIABLE] = { "on the node name {} in the list node.exec.env.allow of "
                                   "openclaw.json",
            "on the node name the variables in the list node.exec.env.allow of openclaw.json",
            true },
    [OC_REMEDY_APPROVE_AGAIN] = { "look at it and approve the command again", NULL, true },
    [OC_REMEDY_APPROVE_DEVICE] = { "openclaw devices approve {}", "openclaw devices list",
            .is_of_handshake = true },
    [OC_REMEDY_APPROVE_NODE] = { "openclaw nodes approve {}", "openclaw nodes approve",
            .is_of_handshake = true },
    [OC_REMEDY_APPROVE_ONCE] = { "openclaw approvals approve without --always", NULL, true },
    [OC_REMEDY_APPROVE_SCOPE] = { "this device may not do that; someone with {} must, or approve "
                                  "this device for it (openclaw devices list)",
            "this device may not do that; approve it for more scopes (openclaw devices list)",
            .is_of_handshake = true },
    [OC_REMEDY_APPROVE_UNTOUCHED] = { "leave it as it is and approve the command again", NULL,
            true },
    [OC_REMEDY_APPROVE_WAITING] = { "wait a minute, or let somebody approve the request that waits "
                                    "(openclaw devices list)",
            NULL, .is_of_handshake = true },
    [OC_REMEDY_ASK_AGAIN] = { "ask again and approve it: openclaw approvals watch; \"askFallback\" "
                              "in exec-approvals.json of the node is for commands that nobody "
                              "decides about",
            NULL, true },
    [OC_REMEDY_ASK_ON_MISS] = { "openclaw approvals ask on-miss{at}", NULL, true },
    [OC_REMEDY_CHECK_GATEWAY] = { "check that the gateway runs there and listens on that address "
                                  "and port",
            NULL },
    [OC_REMEDY_CLOSE_PAGES] = { "close some of the pages that watch a canvas", NULL },
    [OC_REMEDY_CORRECT_SETTINGS] = { "on the node correct it: openclaw config validate", NULL,
            true },
    [OC_REMEDY_DECIDE_DEVICES] = { "approve or reject some (openclaw devices list), or try again "
                                   "in 5 minutes",
            NULL, .is_of_handshake = true },
    [OC_REMEDY_DECIDE_NODES] = { "approve or reject some (openclaw nodes pending), or try again in "
                                 "5 minutes",
            NULL, .is_of_handshake = true },
    [OC_REMEDY_ENABLE_CANVAS_HOST] = { OC_FIX_AT_GATEWAY
            "openclaw config set canvasHost.enabled true",
            NULL },
    [OC_REMEDY_ENABLE_SWITCH] = { OC_FIX_AT_NODE "openclaw node enable {}", NULL, true },
    [OC_REMEDY_END_RUNS] = { "wait, end some (openclaw nodes runs list), or raise the limit on the "
                             "node: openclaw config set node.exec.maxConcurrent <n>",
            NULL, true },
    [OC_REMEDY_INSTALL_PACKAGE] = { "on the node install the package {}", NULL, true },
    [OC_REMEDY_LARGER_PIECES] = { "send fewer and larger pieces", NULL },
    [OC_REMEDY_LIST_APPROVALS] = { "see what still waits: openclaw approvals pending", NULL },
    [OC_REMEDY_LIST_NODES] = { "openclaw nodes status lists the nodes that are paired", NULL },
    [OC_REMEDY_LIST_REQUESTS] = { "requests expire after five minutes; see openclaw nodes pending "
                                  "and openclaw devices list",
            NULL },
    [OC_REMEDY_NEW_CODE] = { "copy it whole, or make a new one with: openclaw devices join-code",
            NULL },
    [OC_REMEDY_NEW_ID] = { "ask again with a new id, or with none", NULL },
    [OC_REMEDY_OPEN_INPUT] = { "openclaw approvals security full{at}, then openclaw approvals ask "
                               "off{at}",
            NULL, true },
    [OC_REMEDY_OTHER_CLIENT] = { "use the client that started it, or one with operator.admin", NULL,
            true },
    [OC_REMEDY_OTHER_FILES] = { "try again later, with other files", NULL, true },
    [OC_REMEDY_OTHER_NODE] = { "use a node that has it: openclaw nodes status lists what each "
                               "offers",
            NULL },
    [OC_REMEDY_OTHER_OPERATOR] = { "decide it as another operator: openclaw approvals pending",
            NULL },
    [OC_REMEDY_PREPARE_AGAIN] = { "prepare the command again (system.run.prepare) and have it "
                                  "approved; openclaw nodes run does both",
            NULL, true },
    [OC_REMEDY_REAL_PATHS] = { "use real paths and approve again", NULL, true },
    [OC_REMEDY_REMOVE_DEVICES] = { "remove some: openclaw devices remove <device>", NULL,
            .is_of_handshake = true },
    [OC_REMEDY_RENAME_FILE] = { "rename {}", "rename it", true },
    [OC_REMEDY_REPAIR_FILE] = { "repair or remove {} on the node",
            "repair or remove exec-approvals.json on the node", true },
    [OC_REMEDY_REQUEST_AGAIN] = { "have it asked for again, with files that nobody changes "
                                  "meanwhile",
            NULL },
    [OC_REMEDY_RESTART_NODE] = { "restart the node, then openclaw nodes approve", NULL },
    [OC_REMEDY_SEE_FINGERPRINT] = { "openclaw gateway status on the gateway host shows it", NULL },
    [OC_REMEDY_SEE_OFFERS] = { "see what the node offers, and what waits: openclaw nodes describe, "
                               "openclaw nodes pending",
            NULL },
    [OC_REMEDY_SECURITY_ALLOWLIST] = { "openclaw approvals security allowlist{at}", NULL, true },
    [OC_REMEDY_SECURITY_FULL] = { "openclaw approvals security full{at}", NULL, true },
    [OC_REMEDY_SHORTER_COMMANDS] = { "ask for shorter commands, or try again later", NULL },
    [OC_REMEDY_START_GATEWAY] = { "start it with: openclaw gateway run", NULL },
    [OC_REMEDY_START_NODE] = { OC_FIX_AT_NODE "openclaw node run", NULL },
    [OC_REMEDY_TRY_LATER] = { "try again later", NULL, true, .is_of_handshake = true },
    [OC_REMEDY_WAIT_FOR_NODE] = { "approve it again when the node answers: openclaw nodes status",
            NULL },
};
_Static_assert(OC_COUNT(forms) == OC_REMEDY_COUNT, "every remedy has its words");

bool oc_remedy_is_of_node(enum oc_remedy remedy) {
    return forms[remedy].is_of_node;
}

bool oc_remedy_names_node(enum oc_remedy remedy) {
    return forms[remedy].form && strstr(forms[remedy].form, "{at}") != NULL;
}

bool oc_remedy_is_of_handshake(enum oc_remedy remedy) {
    return forms[remedy].is_of_handshake;
}

/* NULL: it needs the subject, which there is not. */
static char *fix_fill(const char *form, const char *subject, const char *at) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_FIX);
    while (form && *form) {
        if (oc_starts_with(form, "{}")) {
            if (!subject) {
                return NULL;
            }
            oc_buf_puts(&out, subject);
            form += strlen("{}");
        } else if (oc_starts_with(form, "{at}")) {
            oc_buf_puts(&out, at);
            form += strlen("{at}");
        } else {
            oc_buf_putc(&out, *form++);
        }
    }
    return out.len > 0 && !out.failed ? oc_buf_take(&out) : NULL;
}

/* What the form says, for any subject and node; * is a word that the peer chose. */
static bool says_form(const char *fix, const struct fix_form *f, enum oc_speaker by) {
    static const char *const places[] = { "", " --node *", " --node <its id>" };
    bool is_node = by == OC_SPEAKER_NODE;
    const char *const both[] = { f->form, f->bare };
    for (size_t i = 0; i < OC_COUNT(places) * OC_COUNT(both); i++) {
        const char *form = both[i % OC_COUNT(both)], *place = places[i / OC_COUNT(both)];
        OC_AUTO_FREE char *any = fix_fill(form, "*", place);
        /* At the machine itself nobody names it. */
        bool is_command = any && !place[0] && oc_starts_with(any, "openclaw ");
        OC_AUTO_FREE char *at_node = is_command ? oc_strfmt(OC_FIX_AT_NODE "%s", any) : NULL;
        /* What a node says of itself is for its own machine; a gateway names the node, or its
         * words would be about the machine of who reads them. */
        bool is_here = !place[0] && form && strstr(form, "{at}");
        bool may_say =
                any && (is_node ? f->is_of_node && oc_starts_with(any, "on the node ") : !is_here);
        if ((may_say && oc_paste_is_form(fix, any)) ||
                (at_node && f->is_of_node && oc_paste_is_form(fix, at_node))) {
            return true;
        }
    }
    return false;
}

static char *fix_told(enum oc_speaker by, const char *fix, bool is_of_handshake) {
    if (!fix) {
        return NULL;
    }
    const char *who = by == OC_SPEAKER_NODE ? "the node" : "the gateway";
    if (oc_str_blank(fix) || !oc_paste_is_plain(fix)) {
        return oc_strfmt("%s named a fix that is not plain text; it is not shown here", who);
    }
    bool is_ours = false;
    for (size_t i = 0; i < OC_COUNT(forms) && !is_ours; i++) {
        is_ours = (!is_of_handshake || forms[i].is_of_handshake) && says_form(fix, &forms[i], by);
    }
    bool is_there = is_of_handshake && oc_starts_with(fix, "openclaw ");
    return is_ours ? oc_strfmt("%s%s", is_there ? OC_FIX_AT_GATEWAY : "", fix)
                   : oc_strfmt("%s says: %s", who, fix);
}

char *oc_fix_told(enum oc_speaker by, const char *fix) {
    return fix_told(by, fix, false);
}

char *oc_fix_text(const struct oc_grounds *g) {
    const struct fix_form *f = &forms[g->remedy];
    if (!f->form) {
        return g->told[0] ? fix_told(g->told_by, g->told, g->is_of_handshake) : NULL;
    }
    bool is_far = g->node_id[0] && !g->is_at_node;
    OC_AUTO_FREE char *subject = g->subject[0] ? oc_paste(NULL, "%s", g->subject) : NULL;
    OC_AUTO_FREE char *id = oc_paste_id(g->node_id);
    OC_AUTO_FREE char *at = is_far ? oc_paste(" --node <its id>", " --node %s", id) : oc_strdup("");
    OC_AUTO_FREE char *fix = fix_fill(f->form, subject, at);
    if (!fix) {
        fix = fix_fill(f->bare, NULL, at);
    }
    bool is_command = fix && oc_starts_with(f->form, "openclaw ");
    /* Who does not let us in speaks of its own machine: pasted here, the command would be for
     * another gateway. */
    const char *where = !is_command          ? NULL
                        : g->is_at_node      ? OC_FIX_AT_NODE
                        : g->is_of_handshake ? OC_FIX_AT_GATEWAY
                                             : NULL;
    return where ? oc_strfmt("%s%s", where, fix) : oc_take(&fix);
}

char *oc_fix_error(const struct oc_error *err) {
    OC_AUTO_FREE char *fix = oc_fix_text(&err->grounds);
    return oc_fix_sentence(err->text, &err->grounds, fix);
}

char *oc_fix_sentence(const char *text, const struct oc_grounds *g, const char *fix) {
    const char *gate = oc_gate_name(g->gate);
    if (!gate && !fix) {
        return oc_strdup(text);
    }
    return oc_strfmt("%s (%s%s%s%s%s)", text, gate ? "gate: " : "", gate ? gate : "",
            gate && fix ? "; " : "", fix ? "fix: " : "", fix ? fix : "");
}

/* The owner's sandbox around every command that comes from a gateway (node.exec.* in
 * openclaw.json).
 *
 *   off        a command can do what the node's user can
 *   workspace  it changes files only in the workspace and its own temporary directory, and reads
 *              only those and the system's; no network unless node.exec.network says on, and then
 *              this machine's own services are open to it like any others
 *   strict     the same, and no setting opens the network or makes do with less
 *
 * In both it cannot see or signal other processes, talk to local services, gain privileges, or read
 * the node's variables and the owner's home. A mode that this kernel cannot build refuses every
 * command; only workspace can be told to make do (node.exec.sandboxFallback).
 *
 * Ceilings (node.exec.limits.*) hold in every mode. */
#ifndef NODE_SANDBOX_SANDBOX_H
#define NODE_SANDBOX_SANDBOX_H

#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"
#include "platform/platform.h"

#include <stdbool.h>

enum nd_sandbox_mode { ND_SANDBOX_OFF, ND_SANDBOX_WORKSPACE, ND_SANDBOX_STRICT };

struct nd_sandbox_opts {
    const struct os_platform *platform; /* outlives the sandbox */
    const cJSON *config;                /* openclaw.json, or NULL */
    const char *mode, *workspace;       /* from the command line; NULL: as in the config */
    const char *state_dir;
    const char *approvals_path;                 /* exec-approvals.json */
    const struct oc_strv *config_files;         /* openclaw.json and what it includes; NULL: none */
    const char *token_file;                     /* --token-file; NULL: none */
    const struct os_sandbox_features *features; /* NULL: what this kernel has */
    bool is_only_asking;                        /* make nothing */
};

/* What the owner has set, checked; all paths are real ones. */
struct nd_sandbox {
    const struct os_platform *platform;
    enum nd_sandbox_mode mode;
    struct oc_strv workspaces;         /* the first is where commands without a directory run */
    struct oc_strv readable, writable; /* beyond the system's and the workspace */
    struct oc_strv env;                /* names of our variables that commands get too */
    bool no_network, unix_sockets, may_fall_back;
    struct os_limits limits;
    struct os_sandbox_features features;
    struct oc_strv missing; /* what the mode needs and this machine lacks, one sentence each */
    char *label;            /* for results: the mode, and what it lacks; NULL: off */
    char *wrong;    /* why the owner's newer settings cannot be used: nothing starts; NULL */
    char *runs_dir; /* holds the temporary directories of running commands */
};

/* Errors name the setting and what would be right. Makes the default workspace if it is needed. */
enum oc_code nd_sandbox_create(const struct nd_sandbox_opts *opts, struct nd_sandbox **ret,
        struct oc_error *err) OC_MUST_USE;
void nd_sandbox_destroy(struct nd_sandbox *s);
/* Removes what an earlier process of this node left behind. Call once nobody else uses the state
 * directory. */
void nd_sandbox_sweep(const struct nd_sandbox *s);

/* One ceiling at least is set. */
bool nd_limits_any(const struct os_limits *l);
/* Adds what of the system every sandboxed command reads. */
void nd_sandbox_system(struct oc_strv *ret);
const char *nd_sandbox_mode_name(enum nd_sandbox_mode mode);
/* "strict in /home/me/.openclaw/workspace (Landlock 7, seccomp, namespaces)", and what is missing.
 * Caller frees. */
char *nd_sandbox_summary(const struct nd_sandbox *s);
/* "256M of memory for a command …": what holds, and how. Caller frees; NULL: there are no
 * ceilings. */
char *nd_limits_summary(const struct os_limits *limits);
/* What the mode needs and these features (NULL: none at all) do not give: a sentence each, with
 * what would help. */
void nd_sandbox_gaps(
        enum nd_sandbox_mode mode, const struct os_sandbox_features *features, struct oc_strv *ret);

/* False: commands run wherever they ask for, and no path is looked at to say so. */
bool nd_sandbox_places(const struct nd_sandbox *s);
/* Where a command runs. Fills in *cwd when it is NULL; a relative one is relative to the workspace.
 * Gives NULL, or why it may not run there (caller frees), also in *ret_grounds, which may be NULL.
 * s may be NULL: off. */
char *nd_sandbox_place(const struct nd_sandbox *s, char **cwd, struct oc_grounds *ret_grounds);

/* One command's share. */
struct nd_sandboxed {
    const struct os_platform *platform;
    struct os_sandbox_built *sandbox; /* NULL: none */
    bool has_env;                     /* env is in force, else the command's own */
    struct oc_strv env;
    char *run_dir;
    char *label; /* of the sandbox it was opened in, which may not be there any more; NULL: off */
};
/* Prepares a command that was placed. path is the file to execute, env all that it was to get.
 * Gives NULL, or why it does not run (caller frees), also in *ret_grounds. ret needs
 * nd_sandbox_close in every case. */
char *nd_sandbox_open(const struct nd_sandbox *s, const char *path, const char *cwd,
        const struct oc_strv *env, struct nd_sandboxed *ret, struct oc_grounds *ret_grounds);
/* The command has ended: its temporary directory goes. */
void nd_sandbox_close(struct nd_sandboxed *b);
/* The refusal for a sandbox that could not be built after all. Caller frees. */
char *nd_sandbox_refusal(
        const struct nd_sandbox *s, const char *why, struct oc_grounds *ret_grounds);

#endif

/* What kind of script an eval is, found out before anything of it runs: in a process of its own, because a short text can keep
 * JavaScript's parser busy for years. */
#ifndef CANVAS_WEB_PARSE_H
#define CANVAS_WEB_PARSE_H

#include <stdbool.h>

enum oc_script {
    OC_SCRIPT_EXPRESSION, /* as of oc_script_bare */
    OC_SCRIPT_STATEMENTS,
    OC_SCRIPT_BODY, /* of an async function */
    OC_SCRIPT_NONSENSE,
};

struct oc_parser;
/* why: NONSENSE, and when the process died. */
typedef void oc_parsed(void *user, enum oc_script kind, const char *why);

/* The process is started with the first script, and again after it was stopped. */
struct oc_parser *oc_parser_create(oc_parsed *on_parsed, void *user);
void oc_parser_destroy(struct oc_parser *p);
/* One at a time; false when there is no process for it. */
bool oc_parser_ask(struct oc_parser *p, const char *script);
/* It takes too long: there will be no answer. */
void oc_parser_stop(struct oc_parser *p);

/* Without the semicolons and spaces at its end; g_free. */
char *oc_script_bare(const char *script);

/* The process: reads scripts at a socket until that ends. */
int oc_parser_main(int socket);

#endif

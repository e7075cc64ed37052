/* What kind of script an eval is, found out before anything of it runs: in a process of its own,
 * because a short text can keep JavaScript's parser busy for years. */
#ifndef CANVAS_WEB_PARSE_H
#define CANVAS_WEB_PARSE_H

#include <stdbool.h>

enum cv_script {
    CV_SCRIPT_EXPRESSION, /* as of cv_script_bare */
    CV_SCRIPT_STATEMENTS,
    CV_SCRIPT_BODY, /* of an async function */
    CV_SCRIPT_NONSENSE,
};

struct cv_parser;
/* why: NONSENSE, and when the process died. */
typedef void cv_parsed(void *user, enum cv_script kind, const char *why);

/* The process is started with the first script, and again after it was stopped. */
struct cv_parser *cv_parser_create(cv_parsed *on_parsed, void *user);
void cv_parser_destroy(struct cv_parser *p);
/* One at a time; false when there is no process for it. */
bool cv_parser_ask(struct cv_parser *p, const char *script);
/* It takes too long: there will be no answer. */
void cv_parser_stop(struct cv_parser *p);

/* Without the semicolons and spaces at its end; g_free. */
char *cv_script_bare(const char *script);

/* The process: reads scripts at a socket until that ends. */
int cv_parser_main(int socket);

#endif

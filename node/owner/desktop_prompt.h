/* Asks the person at this machine by a notification with buttons, when nobody serves the local
 * approvals socket. What it can give is one run of exactly the command that it shows: a longer
 * permission is not given in passing. */
#ifndef NODE_OWNER_DESKTOP_PROMPT_H
#define NODE_OWNER_DESKTOP_PROMPT_H

#include "node/owner/desktop.h"
#include "node/owner/prompter.h"

#define ND_MAX_DESKTOP_PROMPTS 2 /* at a time; more would hide each other */
/* A notification shows so much of a command, a directory or names before it cuts. What does not fit
 * is not asked about here. */
#define ND_MAX_PROMPT_CHARS 300

struct nd_desktop_prompt;

struct nd_desktop_prompt_how {
    bool others_are_asked;        /* closing it leaves the decision to them; otherwise it denies */
    void (*on_shown)(void *user); /* somebody can see it now; before done. May be NULL */
};

/* request as nd_prompter_ask's. how: static; NULL: nothing of it. NULL: nobody can be asked here,
 * and done never fires. Otherwise it fires once, from the loop, with allow-once, deny (the button,
 * or the notification was closed) or NULL (nobody has decided in time, or it cannot be shown). */
struct nd_desktop_prompt *nd_desktop_prompt_ask(struct nd_desktop *desktop, const cJSON *request,
        const struct nd_desktop_prompt_how *how, nd_prompter_done *done, void *user);
/* done does not fire any more, and the notification goes away. NULL is fine. */
void nd_desktop_prompt_cancel(struct nd_desktop_prompt *p);

#endif

/* Who starts openclaw-web for a canvas program: a process that the program leaves behind before it
 * enters its sandbox (canvas/serve/canvas_sandbox.h). The web engine brings a sandbox of its own,
 * which could not be set up inside ours.
 *
 * All that it can be told is one letter: start, or end. What is started, and with which arguments,
 * was settled before anything of an agent was read. It ends, and the web program with it, when the
 * canvas program does. */
#ifndef CANVAS_SERVE_WEB_STARTER_H
#define CANVAS_SERVE_WEB_STARTER_H

#include <stdbool.h>

struct cv_web_starter_opts {
    const char *path; /* of the program */
    const char *root; /* folder of canvas files; NULL: none */
    bool is_headless; /* its window is on a display of its own, that nobody sees */
};

/* The socket to it, or -1. Before there are threads. */
int cv_web_starter_create(const struct cv_web_starter_opts *opts);
/* The web program's socket, or -1. One at a time. */
int cv_web_starter_start(int starter);
/* Kills it; how it ended, as waitpid has it. */
int cv_web_starter_end(int starter);

#endif

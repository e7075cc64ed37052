/* From argv to a running command. */
#ifndef CLI_DISPATCH_H
#define CLI_DISPATCH_H

/* Everything main does; returns the exit code. argv's secrets are overwritten. */
int cli_main(int argc, char **argv);

#endif

/* What people read about a run who have to allow it, at the gateway and at the node alike. */
#ifndef LIB_PROTOCOL_RUN_TEXTS_H
#define LIB_PROTOCOL_RUN_TEXTS_H

/* Among the reasons why what runs is not bound. */
#define OC_STDIN_UNBOUND                                                                        \
    "its standard input, which the caller sends while it runs: what a program such as a shell " \
    "reads "                                                                                    \
    "there may be code"

#endif

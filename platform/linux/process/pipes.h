/* Descriptors for a new process. They are all above OS_SUPERVISOR_FDS and close on exec. */
#ifndef PLATFORM_LINUX_PROCESS_PIPES_H
#define PLATFORM_LINUX_PROCESS_PIPES_H

/* The supervisor makes its first descriptors with dup2: a source among them would be overwritten
 * before it is copied. Takes fd; -1: errno says why. */
int os_fd_above(int take_fd);
/* 0, or why not. */
int os_pipe_above(int *ret_read, int *ret_write);
/* A connected pair that keeps messages apart. Sockets, because a pipe whose reader was killed would
 * cost us a SIGPIPE. */
int os_control_above(int *ret_ours, int *ret_theirs);

#endif

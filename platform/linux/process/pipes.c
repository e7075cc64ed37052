#include "platform/linux/process/pipes.h"

#include "platform/linux/process/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

int os_fd_above(int take_fd) {
    if (take_fd < 0 || take_fd >= OS_SUPERVISOR_FDS) {
        return take_fd;
    }
    int moved = fcntl(take_fd, F_DUPFD_CLOEXEC, OS_SUPERVISOR_FDS);
    int saved = errno;
    close(take_fd);
    errno = saved;
    return moved;
}

static int pipes_above(const int fds[2], int *ret_first, int *ret_second) {
    *ret_first = os_fd_above(fds[0]);
    *ret_second = os_fd_above(fds[1]);
    return *ret_first < 0 || *ret_second < 0 ? errno : 0;
}

int os_pipe_above(int *ret_read, int *ret_write) {
    int fds[2];
    return pipe2(fds, O_CLOEXEC) != 0 ? errno : pipes_above(fds, ret_read, ret_write);
}

int os_control_above(int *ret_ours, int *ret_theirs) {
    int fds[2];
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0
                   ? errno
                   : pipes_above(fds, ret_ours, ret_theirs);
}

/* Landlock by direct system calls: a set of rules forbids all that it handles, and the places that
 * are allowed are opened again.
 *
 * The names of newer rights are spelt out here: our oldest build machine's headers end at version
 * 2, while the kernel that runs us may know more. Nothing here makes other calls than the system's:
 * it may run in a child of a process with threads. */
#ifndef PLATFORM_LINUX_KERNEL_LANDLOCK_H
#define PLATFORM_LINUX_KERNEL_LANDLOCK_H

#include <stdint.h>

enum {
    OS_LANDLOCK_EXECUTE = 1 << 0,
    OS_LANDLOCK_WRITE_FILE = 1 << 1,
    OS_LANDLOCK_READ_FILE = 1 << 2,
    OS_LANDLOCK_READ_DIR = 1 << 3,
    OS_LANDLOCK_MAKE_CHAR = 1 << 6,
    OS_LANDLOCK_MAKE_BLOCK = 1 << 11,
    OS_LANDLOCK_IOCTL_DEV = 1 << 15, /* ABI 5 */
    OS_LANDLOCK_READ = OS_LANDLOCK_READ_FILE | OS_LANDLOCK_READ_DIR,
};

/* The kernel's struct of ABI 6. Older kernels take it as long as what they do not know is zero. */
struct os_landlock_handled {
    uint64_t fs, net, scoped;
};

int os_landlock_abi(void); /* -1 and errno: none */
uint64_t os_landlock_file_rights(int abi);
uint64_t os_landlock_tcp_rights(int abi);   /* bind and connect */
uint64_t os_landlock_scope_rights(int abi); /* abstract unix sockets, signals */

int os_landlock_create(const struct os_landlock_handled *handled); /* -1 and errno */
/* A place that does not exist, or not for us, needs no rule. Of a file only what files have counts.
 * Errno or 0. */
int os_landlock_allow(int rules, const char *path, uint64_t access);
int os_landlock_restrict(int rules); /* errno or 0 */

#endif

/* Landlock by direct system calls: a set of rules forbids all that it handles, and the places that are allowed are opened again.
 *
 * The names of newer rights are spelt out here: our oldest build machine's headers end at version 2, while the kernel that runs us
 * may know more. Nothing here makes other calls than the system's: it may run in a child of a process with threads. */
#ifndef PLATFORM_LINUX_KERNEL_LANDLOCK_H
#define PLATFORM_LINUX_KERNEL_LANDLOCK_H

#include <stdint.h>

enum {
    OC_LANDLOCK_EXECUTE = 1 << 0,
    OC_LANDLOCK_WRITE_FILE = 1 << 1,
    OC_LANDLOCK_READ_FILE = 1 << 2,
    OC_LANDLOCK_READ_DIR = 1 << 3,
    OC_LANDLOCK_MAKE_CHAR = 1 << 6,
    OC_LANDLOCK_MAKE_BLOCK = 1 << 11,
    OC_LANDLOCK_IOCTL_DEV = 1 << 15, /* ABI 5 */
    OC_LANDLOCK_READ = OC_LANDLOCK_READ_FILE | OC_LANDLOCK_READ_DIR,
};

/* The kernel's struct of ABI 6. Older kernels take it as long as what they do not know is zero. */
struct oc_landlock_handled {
    uint64_t fs, net, scoped;
};

int oc_landlock_abi(void); /* -1 and errno: none */
uint64_t oc_landlock_file_rights(int abi);
uint64_t oc_landlock_tcp_rights(int abi);   /* bind and connect */
uint64_t oc_landlock_scope_rights(int abi); /* abstract unix sockets, signals */

int oc_landlock_create(const struct oc_landlock_handled *handled); /* -1 and errno */
/* A place that does not exist, or not for us, needs no rule. Of a file only what files have counts. Errno or 0. */
int oc_landlock_allow(int rules, const char *path, uint64_t access);
int oc_landlock_restrict(int rules); /* errno or 0 */

#endif

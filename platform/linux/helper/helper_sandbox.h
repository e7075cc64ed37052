/* What a helper cannot do even when what it decodes or who it talks to has taken it over. As far as
 * this kernel can:
 *
 *   files      read what programs need (not the homes: no keys, no tokens of ours), change nothing
 *              but one directory of its own
 *   rights     none: no capabilities, none to be gained
 *   kernel     the refusals of sandboxed commands (sandbox_seccomp.c), and no file's mode, owner or
 *              time is changed
 *   memory     a ceiling
 *
 * Sockets of local services stay open to it, the session bus among them: that is what it is for.
 * One that is alone has none, signals nobody else, and reads libraries and fonts only. */
#ifndef PLATFORM_LINUX_HELPER_HELPER_SANDBOX_H
#define PLATFORM_LINUX_HELPER_HELPER_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

struct os_helper_sandbox_opts {
    const char *cache; /* a directory of this name in the user's cache may be changed; NULL: none */
    int64_t memory_bytes;
    bool has_network;
    bool has_devices;
    bool is_alone;
    bool starts_programs;        /* those in our own folder, wherever that is */
    const char *const *readable; /* more places to read, a list that ends with NULL; NULL: none */
    const char *const *changeable;
};

/* Before there are threads. The path of the cache directory, which exists then, or NULL; caller
 * frees. */
char *os_helper_enter_sandbox(const struct os_helper_sandbox_opts *opts);

#endif

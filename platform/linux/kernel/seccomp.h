/* A seccomp filter, written out as the small program that it is: looks at the processor, then at
 * the number of the call, then rule by rule. docs/DEPENDENCIES.md says why this is not libseccomp.
 *
 *   os_seccomp_begin(&s);
 *   os_seccomp_refuse(&s, SYS_ptrace, EPERM);
 *   os_seccomp_end(&s, SECCOMP_RET_ALLOW);
 *   rc = os_seccomp_enter(&s);
 *
 * Nothing here allocates, and os_seccomp_enter makes no other calls than the system's: it may run
 * in a child of a process with threads. */
#ifndef PLATFORM_LINUX_KERNEL_SECCOMP_H
#define PLATFORM_LINUX_KERNEL_SECCOMP_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OS_SECCOMP_MAX_INSNS 1024

struct os_seccomp {
    struct sock_filter insns[OS_SECCOMP_MAX_INSNS];
    unsigned short len;
    bool is_too_long; /* no such filter is entered */
};

bool os_seccomp_is_known(void); /* this processor; for another one no filter is entered */

/* Between rules the call's number is loaded. Calls of another processor's numbers kill the
 * process. */
void os_seccomp_begin(struct os_seccomp *s);
void os_seccomp_end(struct os_seccomp *s, uint32_t otherwise); /* an action: SECCOMP_RET_… */
int os_seccomp_enter(const struct os_seccomp *s); /* errno or 0; the process can gain no rights */

void os_seccomp_allow(struct os_seccomp *s, int nr);
void os_seccomp_refuse(struct os_seccomp *s, int nr, int errnum);
void os_seccomp_refuse_all(struct os_seccomp *s, const int *nrs, size_t count, int errnum);
void os_seccomp_refuse_bits(struct os_seccomp *s, int nr, int arg, uint32_t bits, int errnum);
void os_seccomp_refuse_value(struct os_seccomp *s, int nr, int arg, uint32_t value, int errnum);

/* A rule of one's own about a call's arguments: it answers, or falls out at its end for "go on". */
unsigned short os_seccomp_rule(struct os_seccomp *s, int nr);
void os_seccomp_rule_end(struct os_seccomp *s, unsigned short rule);
void os_seccomp_load_arg(struct os_seccomp *s, int i); /* its low half */
void os_seccomp_mask(struct os_seccomp *s, uint32_t bits);
/* On `k`, which is compared with or tested for bits: skips that many instructions if so, or if
 * not. */
void os_seccomp_if_equal(struct os_seccomp *s, uint32_t k, uint8_t yes, uint8_t no);
void os_seccomp_if_bits(struct os_seccomp *s, uint32_t k, uint8_t yes, uint8_t no);
void os_seccomp_answer(struct os_seccomp *s, uint32_t action);
void os_seccomp_fail(struct os_seccomp *s, int errnum);

#endif

/* A seccomp filter, written out as the small program that it is: looks at the processor, then at the number of the call, then rule by
 * rule. docs/DEPENDENCIES.md says why this is not libseccomp.
 *
 *   oc_seccomp_begin(&s);
 *   oc_seccomp_refuse(&s, SYS_ptrace, EPERM);
 *   oc_seccomp_end(&s, SECCOMP_RET_ALLOW);
 *   rc = oc_seccomp_enter(&s);
 *
 * Nothing here allocates, and oc_seccomp_enter makes no other calls than the system's: it may run in a child of a process with
 * threads. */
#ifndef PLATFORM_LINUX_KERNEL_SECCOMP_H
#define PLATFORM_LINUX_KERNEL_SECCOMP_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_SECCOMP_MAX_INSNS 1024

struct oc_seccomp {
    struct sock_filter insns[OC_SECCOMP_MAX_INSNS];
    unsigned short len;
    bool is_too_long; /* no such filter is entered */
};

bool oc_seccomp_is_known(void); /* this processor; for another one no filter is entered */

/* Between rules the call's number is loaded. Calls of another processor's numbers kill the process. */
void oc_seccomp_begin(struct oc_seccomp *s);
void oc_seccomp_end(struct oc_seccomp *s, uint32_t otherwise); /* an action: SECCOMP_RET_… */
int oc_seccomp_enter(const struct oc_seccomp *s); /* errno or 0; the process can gain no rights */

void oc_seccomp_allow(struct oc_seccomp *s, int nr);
void oc_seccomp_refuse(struct oc_seccomp *s, int nr, int errnum);
void oc_seccomp_refuse_all(struct oc_seccomp *s, const int *nrs, size_t count, int errnum);
void oc_seccomp_refuse_bits(struct oc_seccomp *s, int nr, int arg, uint32_t bits, int errnum);
void oc_seccomp_refuse_value(struct oc_seccomp *s, int nr, int arg, uint32_t value, int errnum);

/* A rule of one's own about a call's arguments: it answers, or falls out at its end for "go on". */
unsigned short oc_seccomp_rule(struct oc_seccomp *s, int nr);
void oc_seccomp_rule_end(struct oc_seccomp *s, unsigned short rule);
void oc_seccomp_load_arg(struct oc_seccomp *s, int i); /* its low half */
void oc_seccomp_mask(struct oc_seccomp *s, uint32_t bits);
/* On `k`, which is compared with or tested for bits: skips that many instructions if so, or if not. */
void oc_seccomp_if_equal(struct oc_seccomp *s, uint32_t k, uint8_t yes, uint8_t no);
void oc_seccomp_if_bits(struct oc_seccomp *s, uint32_t k, uint8_t yes, uint8_t no);
void oc_seccomp_answer(struct oc_seccomp *s, uint32_t action);
void oc_seccomp_fail(struct oc_seccomp *s, int errnum);

#endif

#include "platform/linux/kernel/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__ILP32__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OUR_ARCH AUDIT_ARCH_RISCV64
#else
#define OUR_ARCH 0u
#endif

#define X32_BIT 0x40000000u

bool oc_seccomp_is_known(void) {
    return OUR_ARCH != 0;
}

static void emit(struct oc_seccomp *s, unsigned code, uint32_t k, uint8_t yes, uint8_t no) {
    if (s->len == OC_SECCOMP_MAX_INSNS) {
        s->is_too_long = true;
        return;
    }
    s->insns[s->len++] =
            (struct sock_filter){ .code = (uint16_t)code, .jt = yes, .jf = no, .k = k };
}

static void load(struct oc_seccomp *s, size_t offset) {
    emit(s, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void load_nr(struct oc_seccomp *s) {
    load(s, offsetof(struct seccomp_data, nr));
}

void oc_seccomp_answer(struct oc_seccomp *s, uint32_t action) {
    emit(s, BPF_RET | BPF_K, action, 0, 0);
}

void oc_seccomp_fail(struct oc_seccomp *s, int errnum) {
    oc_seccomp_answer(s, SECCOMP_RET_ERRNO | (uint32_t)errnum);
}

void oc_seccomp_if_equal(struct oc_seccomp *s, uint32_t k, uint8_t yes, uint8_t no) {
    emit(s, BPF_JMP | BPF_JEQ | BPF_K, k, yes, no);
}

void oc_seccomp_if_bits(struct oc_seccomp *s, uint32_t k, uint8_t yes, uint8_t no) {
    emit(s, BPF_JMP | BPF_JSET | BPF_K, k, yes, no);
}

void oc_seccomp_mask(struct oc_seccomp *s, uint32_t bits) {
    emit(s, BPF_ALU | BPF_AND | BPF_K, bits, 0, 0);
}

/* All arguments that rules look at are 32 bits wide in the kernel. */
void oc_seccomp_load_arg(struct oc_seccomp *s, int i) {
    size_t at = offsetof(struct seccomp_data, args) + (size_t)i * 8;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    at += 4;
#endif
    load(s, at);
}

void oc_seccomp_begin(struct oc_seccomp *s) {
    s->len = 0;
    s->is_too_long = false;
    load(s, offsetof(struct seccomp_data, arch));
    oc_seccomp_if_equal(s, OUR_ARCH, 1, 0);
    oc_seccomp_answer(s, SECCOMP_RET_KILL_PROCESS); /* 32-bit calls have other numbers */
    load_nr(s);
#ifdef __x86_64__
    emit(s, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    oc_seccomp_answer(s, SECCOMP_RET_KILL_PROCESS);
#endif
}

void oc_seccomp_end(struct oc_seccomp *s, uint32_t otherwise) {
    oc_seccomp_answer(s, otherwise);
}

int oc_seccomp_enter(const struct oc_seccomp *s) {
    struct sock_fprog program = { .len = s->len, .filter = (struct sock_filter *)s->insns };
    if (!oc_seccomp_is_known() || s->is_too_long) {
        return EINVAL;
    }
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

void oc_seccomp_allow(struct oc_seccomp *s, int nr) {
    oc_seccomp_if_equal(s, (uint32_t)nr, 0, 1);
    oc_seccomp_answer(s, SECCOMP_RET_ALLOW);
}

void oc_seccomp_refuse(struct oc_seccomp *s, int nr, int errnum) {
    oc_seccomp_if_equal(s, (uint32_t)nr, 0, 1);
    oc_seccomp_fail(s, errnum);
}

void oc_seccomp_refuse_all(struct oc_seccomp *s, const int *nrs, size_t count, int errnum) {
    for (size_t i = 0; i < count; i++) {
        oc_seccomp_refuse(s, nrs[i], errnum);
    }
}

unsigned short oc_seccomp_rule(struct oc_seccomp *s, int nr) {
    unsigned short rule = s->len;
    oc_seccomp_if_equal(s, (uint32_t)nr, 0, 0);
    return rule;
}

void oc_seccomp_rule_end(struct oc_seccomp *s, unsigned short rule) {
    if (!s->is_too_long) {
        s->insns[rule].jf = (uint8_t)(s->len - rule - 1);
    }
    load_nr(s); /* also reached by the jump: the number is loaded either way */
}

void oc_seccomp_refuse_bits(struct oc_seccomp *s, int nr, int arg, uint32_t bits, int errnum) {
    unsigned short rule = oc_seccomp_rule(s, nr);
    oc_seccomp_load_arg(s, arg);
    oc_seccomp_if_bits(s, bits, 0, 1);
    oc_seccomp_fail(s, errnum);
    oc_seccomp_rule_end(s, rule);
}

void oc_seccomp_refuse_value(struct oc_seccomp *s, int nr, int arg, uint32_t value, int errnum) {
    unsigned short rule = oc_seccomp_rule(s, nr);
    oc_seccomp_load_arg(s, arg);
    oc_seccomp_if_equal(s, value, 0, 1);
    oc_seccomp_fail(s, errnum);
    oc_seccomp_rule_end(s, rule);
}

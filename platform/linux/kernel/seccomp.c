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

bool os_seccomp_is_known(void) {
    return OUR_ARCH != 0;
}

static void seccomp_emit(struct os_seccomp *s, unsigned code, uint32_t k, uint8_t yes, uint8_t no) {
    if (s->len == OS_SECCOMP_MAX_INSNS) {
        s->is_too_long = true;
        return;
    }
    s->insns[s->len++] =
            (struct sock_filter){ .code = (uint16_t)code, .jt = yes, .jf = no, .k = k };
}

static void seccomp_load(struct os_seccomp *s, size_t offset) {
    seccomp_emit(s, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void load_nr(struct os_seccomp *s) {
    seccomp_load(s, offsetof(struct seccomp_data, nr));
}

void os_seccomp_answer(struct os_seccomp *s, uint32_t action) {
    seccomp_emit(s, BPF_RET | BPF_K, action, 0, 0);
}

void os_seccomp_fail(struct os_seccomp *s, int errnum) {
    os_seccomp_answer(s, SECCOMP_RET_ERRNO | (uint32_t)errnum);
}

void os_seccomp_if_equal(struct os_seccomp *s, uint32_t k, uint8_t yes, uint8_t no) {
    seccomp_emit(s, BPF_JMP | BPF_JEQ | BPF_K, k, yes, no);
}

void os_seccomp_if_bits(struct os_seccomp *s, uint32_t k, uint8_t yes, uint8_t no) {
    seccomp_emit(s, BPF_JMP | BPF_JSET | BPF_K, k, yes, no);
}

void os_seccomp_mask(struct os_seccomp *s, uint32_t bits) {
    seccomp_emit(s, BPF_ALU | BPF_AND | BPF_K, bits, 0, 0);
}

/* All arguments that rules look at are 32 bits wide in the kernel. */
void os_seccomp_load_arg(struct os_seccomp *s, int i) {
    size_t at = offsetof(struct seccomp_data, args) + (size_t)i * 8;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    at += 4;
#endif
    seccomp_load(s, at);
}

void os_seccomp_begin(struct os_seccomp *s) {
    s->len = 0;
    s->is_too_long = false;
    seccomp_load(s, offsetof(struct seccomp_data, arch));
    os_seccomp_if_equal(s, OUR_ARCH, 1, 0);
    os_seccomp_answer(s, SECCOMP_RET_KILL_PROCESS); /* 32-bit calls have other numbers */
    load_nr(s);
#ifdef __x86_64__
    seccomp_emit(s, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    os_seccomp_answer(s, SECCOMP_RET_KILL_PROCESS);
#endif
}

void os_seccomp_end(struct os_seccomp *s, uint32_t otherwise) {
    os_seccomp_answer(s, otherwise);
}

int os_seccomp_enter(const struct os_seccomp *s) {
    struct sock_fprog program = { .len = s->len, .filter = (struct sock_filter *)s->insns };
    if (!os_seccomp_is_known() || s->is_too_long) {
        return EINVAL;
    }
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

void os_seccomp_allow(struct os_seccomp *s, int nr) {
    os_seccomp_if_equal(s, (uint32_t)nr, 0, 1);
    os_seccomp_answer(s, SECCOMP_RET_ALLOW);
}

void os_seccomp_refuse(struct os_seccomp *s, int nr, int errnum) {
    os_seccomp_if_equal(s, (uint32_t)nr, 0, 1);
    os_seccomp_fail(s, errnum);
}

void os_seccomp_refuse_all(struct os_seccomp *s, const int *nrs, size_t count, int errnum) {
    for (size_t i = 0; i < count; i++) {
        os_seccomp_refuse(s, nrs[i], errnum);
    }
}

unsigned short os_seccomp_rule(struct os_seccomp *s, int nr) {
    unsigned short rule = s->len;
    os_seccomp_if_equal(s, (uint32_t)nr, 0, 0);
    return rule;
}

void os_seccomp_rule_end(struct os_seccomp *s, unsigned short rule) {
    if (!s->is_too_long) {
        s->insns[rule].jf = (uint8_t)(s->len - rule - 1);
    }
    load_nr(s); /* also reached by the jump: the number is loaded either way */
}

void os_seccomp_refuse_bits(struct os_seccomp *s, int nr, int arg, uint32_t bits, int errnum) {
    unsigned short rule = os_seccomp_rule(s, nr);
    os_seccomp_load_arg(s, arg);
    os_seccomp_if_bits(s, bits, 0, 1);
    os_seccomp_fail(s, errnum);
    os_seccomp_rule_end(s, rule);
}

void os_seccomp_refuse_value(struct os_seccomp *s, int nr, int arg, uint32_t value, int errnum) {
    unsigned short rule = os_seccomp_rule(s, nr);
    os_seccomp_load_arg(s, arg);
    os_seccomp_if_equal(s, value, 0, 1);
    os_seccomp_fail(s, errnum);
    os_seccomp_rule_end(s, rule);
}

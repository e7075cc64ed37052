/* Which addresses are this machine's: with the interfaces that it has, and when they cannot be
 * asked for. */
#include "lib/address/address_own.h"

#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <sys/resource.h>

static struct sockaddr_storage parse(const char *text) {
    struct sockaddr_storage ret = { 0 };
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        memcpy(&ret, &v4, sizeof(v4));
    } else {
        assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
        memcpy(&ret, &v6, sizeof(v6));
    }
    return ret;
}

static bool is_own(const char *text) {
    struct sockaddr_storage a = parse(text);
    return oc_address_is_own((struct sockaddr *)&a);
}

static enum oc_address_class reach(const char *text) {
    struct sockaddr_storage a = parse(text);
    return oc_address_reach((struct sockaddr *)&a);
}

static void an_own_address_is_own_in_both_spellings(void **state) {
    (void)state;
    assert_true(is_own("127.0.0.1"));
    assert_true(is_own("::ffff:127.0.0.1"));
    assert_false(is_own("8.8.8.8"));
    assert_false(is_own("::ffff:8.8.8.8"));
    assert_false(is_own("2606:4700::1111"));
    assert_int_equal(reach("::ffff:8.8.8.8"), OC_ADDRESS_PUBLIC);
    assert_int_equal(reach("::ffff:10.0.0.1"), OC_ADDRESS_PRIVATE);
    assert_int_equal(reach("::ffff:169.254.169.254"), OC_ADDRESS_LINK);
    assert_int_equal(reach("::ffff:127.0.0.1"), OC_ADDRESS_MACHINE);
    struct sockaddr other = { .sa_family = AF_UNIX };
    assert_true(oc_address_is_own(&other));
    assert_int_equal(oc_address_reach(&other), OC_ADDRESS_NOWHERE);
}

/* Without a descriptor the kernel cannot be asked. */
static void who_cannot_tell_does_not_go_there(void **state) {
    (void)state;
    struct rlimit was, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    none = (struct rlimit){ 0, was.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    bool is_ours = is_own("8.8.8.8");
    enum oc_address_class class = reach("8.8.8.8");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
    assert_true(is_ours);
    assert_int_equal(class, OC_ADDRESS_NOWHERE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_own_address_is_own_in_both_spellings),
        cmocka_unit_test(who_cannot_tell_does_not_go_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

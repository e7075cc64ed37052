#include "lib/net/peer.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/net/addr.h"
#include "lib/net/guard.h"
#include "lib/net/tls.h"
#include "platform/platform.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

char *oc_peer_name(unsigned uid) {
    struct passwd entry, *found = NULL;
    char text[4096];
    if (getpwuid_r(uid, &entry, text, sizeof(text), &found) == 0 && found) {
        return oc_strfmt("user %s (uid %u)", found->pw_name, uid);
    }
    return oc_strfmt("the user with uid %u", uid);
}

char *oc_gateway_name(
        const char *host, uint16_t port, const char *path, bool tls, const char *tls_fingerprint) {
    char pin[OC_TLS_PIN_LEN + 1];
    const char *below = path && strcmp(path, "/") != 0 ? path : "";
    if (tls && tls_fingerprint && oc_tls_pin_normalize(tls_fingerprint, pin)) {
        return oc_strfmt("sha256:%s%s", pin, below);
    }
    OC_AUTO_FREE char *name = oc_strdup(host);
    oc_ascii_lower(name);
    bool is_here = strcmp(name, "localhost") == 0 || strcmp(name, "::1") == 0;
    const char *shown = is_here ? "127.0.0.1" : name;
    bool is_v6 = strchr(shown, ':') && shown[0] != '[';
    return oc_strfmt("%s://%s%s%s:%u%s", tls ? "wss" : "ws", is_v6 ? "[" : "", shown,
            is_v6 ? "]" : "", port, below);
}

static bool is_account(const char *account, uid_t uid) {
    struct passwd entry, *found = NULL;
    char text[4096];
    int64_t number;
    if (oc_str_blank(account)) {
        return false;
    }
    if (getpwnam_r(account, &entry, text, sizeof(text), &found) == 0 && found) {
        return found->pw_uid == uid;
    }
    return oc_parse_int(account, 0, UINT32_MAX - 1, &number) && (uid_t)number == uid;
}

/* Where a connection to it ends in this machine, unless it is passed on to another (a container,
 * for one), which nobody can tell from one that is hidden here. */
static bool is_of_this_machine(const struct oc_addr *us, const struct oc_addr *them) {
    char us_text[OC_MAX_ADDR_TEXT], them_text[OC_MAX_ADDR_TEXT];
    oc_addr_host(us, us_text);
    oc_addr_host(them, them_text);
    return oc_addr_is_loopback(them) || strcmp(us_text, them_text) == 0 || oc_addr_is_own(them);
}

enum oc_code oc_peer_check(int fd, const char *account, struct oc_error *err) {
    struct oc_addr us = { .len = sizeof(us.u) }, them = { .len = sizeof(them.u) };
    uid_t uid;
    if (getsockname(fd, &us.u.any, &us.len) != 0 || getpeername(fd, &them.u.any, &them.len) != 0) {
        return oc_fail(err, OC_E_UNAVAILABLE, "the connection is gone");
    }
    oc_addr_unmap(&us);
    oc_addr_unmap(&them);
    char host[OC_MAX_ADDR_TEXT];
    oc_addr_host(&them, host);
    enum os_peer_sight sight = os_peer(fd, &uid);
    if (sight == OS_PEER_UNSEEN && !is_of_this_machine(&us, &them)) {
        return OC_OK;
    }
    if (sight != OS_PEER_NAMED) {
        return oc_fail(err, OC_E_UNAVAILABLE,
                "the system does not tell who listens on port %u of %s: somebody holds that "
                "address of this machine and hides. Nothing proves the gateway: set "
                "gateway.tls.enabled and connect with TLS",
                oc_addr_port(&them), host);
    }
    if (uid == geteuid() || uid == 0 || is_account(account, uid)) {
        return OC_OK;
    }
    OC_AUTO_FREE char *name = oc_peer_name(uid);
    return oc_fail_cause(err, OC_E_AUTH, OC_CAUSE_STRANGER_LISTENS,
            "port %u on %s is held by %s, not by your gateway", oc_addr_port(&them), host, name);
}

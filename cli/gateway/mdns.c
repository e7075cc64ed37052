#include "cli/gateway/mdns.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/net/tls.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SERVICE "_openclaw-gw._tcp"
#define MAX_BEACONS 256
#define MAX_FIELD 512

static void add_txt(struct oc_strv *argv, const char *key, const char *value) {
    if (value && *value) {
        OC_AUTO_FREE char *pair = oc_strfmt("%s=%s", key, value);
        oc_strv_add(argv, pair);
    }
}

void cli_mdns_publish_argv(const struct cli_mdns_ad *ad, struct oc_strv *ret) {
    OC_AUTO_FREE char *port = oc_strfmt("%u", ad->port);
    OC_AUTO_FREE char *short_name = oc_strndup(ad->host_name, strcspn(ad->host_name, "."));
    OC_AUTO_FREE char *service = oc_strfmt("%s (OpenClaw)", short_name);
    OC_AUTO_FREE char *lan_host = oc_strfmt("%s.local", short_name);
    oc_strv_add(ret, "avahi-publish-service");
    oc_strv_add(ret, "-f"); /* waits for the daemon, also when that restarts */
    oc_strv_add(ret, "--");
    oc_strv_add(ret, service);
    oc_strv_add(ret, SERVICE);
    oc_strv_add(ret, port);
    add_txt(ret, "role", "gateway");
    add_txt(ret, "displayName", short_name);
    add_txt(ret, "lanHost", lan_host);
    add_txt(ret, "gatewayPort", port);
    add_txt(ret, "transport", "gateway");
    add_txt(ret, "gatewayTls", ad->tls_pin ? "1" : NULL);
    add_txt(ret, "gatewayTlsSha256", ad->tls_pin);
    if (ad->is_full) {
        add_txt(ret, "sshPort", "22");
        add_txt(ret, "cliPath", ad->cli_path);
    }
}

void cli_mdns_browse_argv(struct oc_strv *ret) {
    static const char *const words[] = { "avahi-browse", "--resolve", "--parsable", "--terminate",
        "--no-db-lookup", SERVICE };
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        oc_strv_add(ret, words[i]);
    }
}

enum oc_code cli_mdns_mode(const cJSON *config, const char **ret, struct oc_error *err) {
    static const char *const modes[] = { "off", "minimal", "full" };
    const char *disabled = getenv("OPENCLAW_DISABLE_BONJOUR");
    const char *mode = oc_json_get_str(oc_json_path(config, "discovery.mdns"), "mode");
    *ret = "off";
    if (!mode || (disabled && *disabled && !oc_streq(disabled, "0"))) {
        return OC_OK;
    }
    for (size_t i = 0; i < OC_COUNT(modes); i++) {
        if (oc_streq(mode, modes[i])) {
            *ret = modes[i];
            return OC_OK;
        }
    }
    return oc_fail(err, OC_E_INVALID,
            "discovery.mdns.mode '%.40s' is not known; use \"off\", \"minimal\" or \"full\"", mode);
}

/* Avahi writes a byte as \DDD (decimal), and a character that would end the field as \c. Reads up
 * to one of `ends` and moves *at behind it. Caller frees. */
static char *mdns_unescape(const char **at, const char *ends) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_FIELD);
    const char *p = *at;
    while (*p && !oc_is_one_of(*p, ends)) {
        if (*p == '\\' && isdigit((unsigned char)p[1]) && isdigit((unsigned char)p[2]) &&
                isdigit((unsigned char)p[3])) {
            int value = (p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0');
            const unsigned char byte = value > 0 && value < 256 ? (unsigned char)value : '?';
            oc_buf_append(&out, &byte, 1);
            p += 4;
        } else {
            p += *p == '\\' && p[1] ? 1 : 0;
            oc_buf_putc(&out, *p++);
        }
    }
    *at = *p ? p + 1 : p;
    return oc_strndup(out.data ? out.data : "", out.len);
}

/* "k=v" "k=v" … */
static void parse_txt(const char *at, cJSON *ret) {
    while ((at = strchr(at, '"')) != NULL) {
        at++;
        OC_AUTO_FREE char *pair = mdns_unescape(&at, "\"");
        char *equals = strchr(pair, '=');
        if (equals && equals != pair) {
            *equals = '\0';
            OC_AUTO_FREE char *clean = oc_printable(equals + 1, strlen(equals + 1), MAX_FIELD);
            if (!oc_json_get(ret, pair)) { /* the first one counts (RFC 6763) */
                oc_json_set_str(ret, pair, clean);
            }
        }
    }
}

/* Letters a host name or address has; everything else comes from someone who plays. */
static bool is_host(const char *s) {
    return *s &&
           s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:%")] ==
                   '\0';
}

static cJSON *mdns_beacon(
        const char *name, const char *host, const char *address, int64_t port, const cJSON *txt) {
    bool tls = oc_streq(oc_json_get_str(txt, "gatewayTls"), "1");
    bool is_v6 = strchr(address, ':') != NULL;
    OC_AUTO_FREE char *shown = oc_printable(name, strlen(name), 100);
    OC_AUTO_FREE char *url = oc_strfmt("%s://%s%s%s:%lld", tls ? "wss" : "ws", is_v6 ? "[" : "",
            address, is_v6 ? "]" : "", (long long)port);
    const char *pin = oc_json_get_str(txt, "gatewayTlsSha256");
    char normal[OC_TLS_PIN_LEN + 1];
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "name", shown);
    oc_json_set_str(o, "displayName", oc_json_get_str(txt, "displayName"));
    oc_json_set_str(o, "host", host);
    oc_json_set_str(o, "address", address);
    oc_json_set_int(o, "port", port);
    oc_json_set_str(o, "url", url);
    oc_json_set_bool(o, "tls", tls);
    oc_json_set_str(o, "tlsFingerprint", pin && oc_tls_pin_normalize(pin, normal) ? normal : NULL);
    return o;
}

/* =;interface;protocol;name;type;domain;host;address;port;txt */
static cJSON *parse_line(const char *line) {
    enum { NAME = 3, HOST = 6, ADDRESS = 7, PORT = 8, FIELDS = 9 };
    if (line[0] != '=' || line[1] != ';') {
        return NULL;
    }
    char *fields[FIELDS] = { 0 };
    const char *at = line;
    for (size_t i = 0; i < FIELDS; i++) {
        fields[i] = mdns_unescape(&at, ";");
    }
    int64_t port = 0;
    cJSON *found = NULL;
    if (oc_parse_int(fields[PORT], 1, 65535, &port) && is_host(fields[ADDRESS]) &&
            is_host(fields[HOST]) && fields[NAME][0]) {
        OC_AUTO_JSON cJSON *txt = cJSON_CreateObject();
        parse_txt(at, txt);
        found = mdns_beacon(fields[NAME], fields[HOST], fields[ADDRESS], port, txt);
    }
    for (size_t i = 0; i < FIELDS; i++) {
        oc_free(fields[i]);
    }
    return found;
}

/* One gateway is heard on every interface. */
static bool is_known(const cJSON *all, const cJSON *one) {
    const cJSON *other = NULL;
    cJSON_ArrayForEach(other, all) {
        if (oc_streq(oc_json_get_str(other, "name"), oc_json_get_str(one, "name")) &&
                oc_streq(oc_json_get_str(other, "url"), oc_json_get_str(one, "url"))) {
            return true;
        }
    }
    return false;
}

cJSON *cli_mdns_parse(const char *text) {
    cJSON *all = cJSON_CreateArray();
    int count = 0;
    while (*text && count < MAX_BEACONS) {
        size_t len = strcspn(text, "\n");
        OC_AUTO_FREE char *line = oc_strndup(text, len);
        cJSON *one = parse_line(line);
        if (one && !is_known(all, one)) {
            cJSON_AddItemToArray(all, one);
            count++;
        } else {
            cJSON_Delete(one);
        }
        text += len + (text[len] == '\n');
    }
    return all;
}

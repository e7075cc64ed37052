#include "gateway/settings/tls_setup.h"

#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/net/tls_cert.h"

#include <sys/stat.h>

#define TAG "gateway.tls"

/* *ret_exists is false when the pair is still to be made. */
static enum oc_code look_for_pair(
        const struct gw_config *c, bool *ret_exists, struct oc_error *err) {
    const char *cert = c->tls_cert, *key = c->tls_key;
    bool has_cert = oc_file_exists(cert), has_key = oc_file_exists(key);
    *ret_exists = has_cert && has_key;
    if (*ret_exists) {
        return OC_OK;
    }
    if (has_cert || has_key) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.tls",
                "%s is there, but %s is not; put it back, or move the first away to "
                "have a new pair made (clients then need the new fingerprint)",
                has_cert ? cert : key, has_cert ? key : cert);
    }
    if (!c->tls_auto) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.tls",
                "is enabled, but %s does not exist and gateway.tls.autoGenerate is "
                "false; make a pair with: openssl req -x509 -newkey rsa:3072 -nodes -days 3650 "
                "-subj /CN=openclaw-gateway -keyout <keyPath> -out <certPath>",
                cert);
    }
    return OC_OK;
}

static enum oc_code ensure_pair(const struct gw_config *c, struct oc_error *err) {
    bool exists;
    enum oc_code rc = look_for_pair(c, &exists, err);
    if (rc != OC_OK || exists) {
        return rc;
    }
    rc = oc_tls_cert_create(c->tls_cert, c->tls_key, err);
    if (rc == OC_OK) {
        oc_log(OC_LOG_INFO, TAG, "made a self-signed certificate file=%s", c->tls_cert);
    }
    return rc;
}

/* Keys from elsewhere are used as they are, but not in silence. */
static void warn_if_readable(const char *key) {
    struct stat st;
    if (stat(key, &st) == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        oc_log(OC_LOG_WARN, TAG, "others can read the private key; run: chmod 600 %s", key);
    }
}

enum oc_code gw_tls_read(
        const struct gw_config *c, struct oc_tls_server **ret, struct oc_error *err) {
    struct oc_error why;
    struct oc_tls_server *tls = NULL;
    enum oc_code rc = oc_tls_server_create(c->tls_cert, c->tls_key, &tls, &why);
    if (rc != OC_OK) {
        return oc_fail_setting(err, rc, "gateway.tls",
                "the certificate and key cannot be used (%s); repair the files, or "
                "move both away to have a new pair made (clients then need the new fingerprint)",
                why.text);
    }
    rc = c->tls_ca ? oc_tls_server_add_chain(tls, c->tls_ca, &why) : OC_OK;
    if (rc != OC_OK) {
        oc_tls_server_destroy(tls);
        return oc_fail_setting(err, rc, "gateway.tls.caPath",
                "%s cannot be used (%s); name a PEM file with the certificates "
                "between yours and its authority, or remove it: openclaw config unset "
                "gateway.tls.caPath",
                c->tls_ca, why.text);
    }
    *ret = tls;
    return OC_OK;
}

enum oc_code gw_tls_load(
        const struct gw_config *c, struct oc_tls_server **ret, struct oc_error *err) {
    if (!c->tls_cert) {
        *ret = NULL;
        return OC_OK;
    }
    enum oc_code rc = ensure_pair(c, err);
    if (rc == OC_OK) {
        rc = gw_tls_read(c, ret, err);
    }
    if (rc == OC_OK) {
        warn_if_readable(c->tls_key);
    }
    return rc;
}

enum oc_code gw_tls_check(const struct gw_config *c, struct oc_error *err) {
    bool exists = false;
    struct oc_tls_server *tls = NULL;
    enum oc_code rc = c->tls_cert ? look_for_pair(c, &exists, err) : OC_OK;
    if (rc == OC_OK && exists) {
        rc = gw_tls_read(c, &tls, err);
        if (rc == OC_OK) {
            oc_tls_server_destroy(tls);
        }
    } else if (rc == OC_OK && c->tls_ca && !oc_file_exists(c->tls_ca)) {
        rc = oc_fail_setting(
                err, OC_E_INVALID, "gateway.tls.caPath", "%s does not exist", c->tls_ca);
    }
    return rc;
}

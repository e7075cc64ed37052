#include "lib/net/tls_cert.h"

#include "lib/base/buf.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

#define VALID_DAYS 3650
#define SERIAL_BYTES 16
#define MAX_CERT_BYTES 65536
#define CLOCK_SLACK_S 86400 /* clients whose clock is behind see it as valid already */

static bool add_extension(X509 *cert, int nid, const char *value) {
    X509V3_CTX ctx;
    X509V3_set_ctx(&ctx, cert, cert, NULL, NULL, 0);
    X509_EXTENSION *ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    bool ok = ext && X509_add_ext(cert, ext, -1) == 1;
    X509_EXTENSION_free(ext);
    return ok;
}

/* OpenSSL reads this as configuration: a comma in a host's name would start another entry. */
static bool is_dns_name(const char *s) {
    return *s && strlen(s) <= 253 &&
           strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") ==
                   strlen(s);
}

static char *alternative_names(void) {
    char host[256] = "";
    static const char always[] = "DNS:localhost,IP:127.0.0.1,IP:::1";
    if (gethostname(host, sizeof(host) - 1) != 0 || !is_dns_name(host) ||
            strcmp(host, "localhost") == 0) {
        return oc_strdup(always);
    }
    return oc_strfmt("%s,DNS:%s", always, host);
}

static bool set_serial(X509 *cert) {
    uint8_t bytes[SERIAL_BYTES];
    if (RAND_bytes(bytes, sizeof(bytes)) != 1) {
        return false;
    }
    bytes[0] = (uint8_t)((bytes[0] & 0x7f) | 0x40); /* positive, and of one length */
    BIGNUM *n = BN_bin2bn(bytes, sizeof(bytes), NULL);
    bool ok = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert));
    BN_free(n);
    return ok;
}

static X509 *sign_own(EVP_PKEY *key) {
    X509 *cert = X509_new();
    X509_NAME *name = cert ? X509_get_subject_name(cert) : NULL;
    OC_AUTO_FREE char *names = alternative_names();
    bool ok = name && X509_set_version(cert, 2) == 1 && set_serial(cert) &&
              X509_gmtime_adj(X509_getm_notBefore(cert), -CLOCK_SLACK_S) &&
              X509_time_adj_ex(X509_getm_notAfter(cert), VALID_DAYS, 0, NULL) &&
              X509_set_pubkey(cert, key) == 1 &&
              X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                      (const unsigned char *)"openclaw-gateway", -1, -1, 0) == 1 &&
              X509_set_issuer_name(cert, name) == 1 &&
              add_extension(cert, NID_basic_constraints, "critical,CA:FALSE") &&
              add_extension(cert, NID_ext_key_usage, "serverAuth") &&
              add_extension(cert, NID_subject_alt_name, names) &&
              X509_sign(cert, key, EVP_sha256()) > 0;
    if (!ok) {
        X509_free(cert);
        return NULL;
    }
    return cert;
}

/* O_EXCL: whatever is there, even a link to nowhere, is not ours to replace. */
static enum oc_code write_new(const char *path, BIO *pem, struct oc_error *err) {
    char *data;
    long len = BIO_get_mem_data(pem, &data);
    OC_AUTO_FD int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return oc_fail(err, errno == EEXIST ? OC_E_EXISTS : OC_E_IO, "create '%s': %s", path,
                strerror(errno));
    }
    for (long done = 0; done < len;) {
        ssize_t n = write(fd, data + done, (size_t)(len - done));
        if (n < 0 && errno != EINTR) {
            enum oc_code rc = oc_fail(err, OC_E_IO, "write '%s': %s", path, strerror(errno));
            (void)unlink(path);
            return rc;
        }
        done += n > 0 ? n : 0;
    }
    if (fsync(fd) != 0) {
        enum oc_code rc = oc_fail(err, OC_E_IO, "write '%s': %s", path, strerror(errno));
        (void)unlink(path);
        return rc;
    }
    return OC_OK;
}

static enum oc_code ensure_folder_of(const char *path, struct oc_error *err) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) {
        return OC_OK;
    }
    OC_AUTO_FREE char *dir = oc_strndup(path, (size_t)(slash - path));
    return oc_dir_ensure_private(dir, err);
}

static enum oc_code write_pair(
        const char *cert_path, const char *key_path, BIO *cert, BIO *key, struct oc_error *err) {
    enum oc_code rc = ensure_folder_of(key_path, err);
    if (rc == OC_OK) {
        rc = ensure_folder_of(cert_path, err);
    }
    if (rc == OC_OK) {
        rc = write_new(key_path, key, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    rc = write_new(cert_path, cert, err);
    if (rc != OC_OK) {
        (void)unlink(key_path); /* ours, made above: half a pair would only be in the way */
    }
    return rc;
}

enum oc_code oc_tls_cert_create(const char *cert_path, const char *key_path, struct oc_error *err) {
    ERR_clear_error();
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = key ? sign_own(key) : NULL;
    BIO *cert_pem = BIO_new(BIO_s_mem()), *key_pem = BIO_new(BIO_s_secmem());
    enum oc_code rc;
    if (cert && cert_pem && key_pem && PEM_write_bio_X509(cert_pem, cert) == 1 &&
            PEM_write_bio_PKCS8PrivateKey(key_pem, key, NULL, NULL, 0, NULL, NULL) == 1) {
        rc = write_pair(cert_path, key_path, cert_pem, key_pem, err);
    } else {
        unsigned long e = ERR_get_error();
        rc = oc_fail(err, OC_E_IO, "make a certificate: %s",
                e ? ERR_reason_error_string(e) : "unknown error");
    }
    ERR_clear_error();
    BIO_free(cert_pem);
    BIO_free(key_pem);
    X509_free(cert);
    EVP_PKEY_free(key);
    return rc;
}

bool oc_tls_cert_pin(const char *cert_path, char ret[OC_TLS_PIN_LEN + 1]) {
    OC_AUTO_BUF struct oc_buf pem = OC_BUF_INIT(MAX_CERT_BYTES);
    if (oc_file_read(cert_path, MAX_CERT_BYTES, &pem, NULL) != OC_OK || pem.len == 0) {
        return false;
    }
    BIO *bio = BIO_new_mem_buf(pem.data, (int)pem.len);
    X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    bool is_read =
            cert && X509_digest(cert, EVP_sha256(), digest, &len) == 1 && len * 2 == OC_TLS_PIN_LEN;
    if (is_read) {
        oc_hex(digest, len, ret);
    }
    X509_free(cert);
    BIO_free(bio);
    ERR_clear_error();
    return is_read;
}

void oc_tls_pin_shown(const char *pin, char ret[OC_TLS_SHOWN_LEN + 1]) {
    size_t n = 0;
    for (size_t i = 0; i < OC_TLS_PIN_LEN && pin[i]; i++) {
        if (i > 0 && i % 2 == 0) {
            ret[n++] = ':';
        }
        ret[n++] = (char)toupper((unsigned char)pin[i]);
    }
    ret[n] = '\0';
}

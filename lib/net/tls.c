#include "lib/net/tls.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/loop.h"

#include <arpa/inet.h>
#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <strings.h>

struct tls {
    struct oc_stream stream; /* first: a struct oc_stream * of ours is a struct tls * */
    struct oc_stream *under;
    SSL *ssl;
    char *host;                   /* clients: for error texts */
    char pin[OC_TLS_PIN_LEN + 1]; /* "" : by certificate authority */
    bool is_client, under_ended, is_up;
    bool read_wants_write, write_wants_read;
};

struct oc_tls_server {
    SSL_CTX *ctx;
    char pin[OC_TLS_PIN_LEN + 1];
};

bool oc_tls_pin_normalize(const char *text, char ret[OC_TLS_PIN_LEN + 1]) {
    static const char prefix[] = "sha256:";
    size_t n = 0;
    while (*text == ' ' || *text == '\t') {
        text++;
    }
    if (strncasecmp(text, prefix, sizeof(prefix) - 1) == 0) {
        text += sizeof(prefix) - 1;
    }
    char digits[OC_TLS_PIN_LEN + 1];
    for (; *text; text++) {
        char c = *text;
        if (c >= 'A' && c <= 'F') {
            c = (char)(c - 'A' + 'a');
        }
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
            continue;
        }
        if (n == OC_TLS_PIN_LEN) {
            return false;
        }
        digits[n++] = c;
    }
    if (n != OC_TLS_PIN_LEN) {
        return false;
    }
    digits[n] = '\0';
    memcpy(ret, digits, sizeof(digits));
    return true;
}

static bool cert_pin(const X509 *cert, char ret[OC_TLS_PIN_LEN + 1]) {
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (!cert || X509_digest(cert, EVP_sha256(), digest, &len) != 1 || len != 32) {
        return false;
    }
    oc_hex(digest, len, ret);
    return true;
}

/* OpenSSL's own socket layer would raise SIGPIPE; this one goes through the stream below. */
static int bio_write(BIO *b, const char *data, int len) {
    struct tls *t = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    ssize_t n = oc_stream_write(t->under, data, (size_t)len);
    if (n == OC_STREAM_AGAIN) {
        BIO_set_retry_write(b);
    }
    return n > 0 ? (int)n : -1;
}

static int bio_read(BIO *b, char *ret, int max) {
    struct tls *t = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    ssize_t n = oc_stream_read(t->under, ret, (size_t)max);
    if (n == OC_STREAM_AGAIN) {
        BIO_set_retry_read(b);
    }
    t->under_ended = n == 0;
    return n >= 0 ? (int)n : -1;
}

static long bio_ctrl(BIO *b, int cmd, long num, void *ptr) {
    (void)num;
    (void)ptr;
    const struct tls *t = BIO_get_data(b);
    switch (cmd) {
    case BIO_CTRL_FLUSH:
        return 1;
    case BIO_CTRL_EOF:
        return t->under_ended;
    default:
        return 0;
    }
}

static BIO *new_bio(void) {
    static BIO_METHOD *method; /* one for the process: it only names the three functions */
    if (!method) {
        method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "oc_stream");
        BIO_meth_set_write(method, bio_write);
        BIO_meth_set_read(method, bio_read);
        BIO_meth_set_ctrl(method, bio_ctrl);
    }
    return BIO_new(method);
}

static enum oc_code ssl_failed(struct oc_error *err, const char *what) {
    unsigned long e = ERR_get_error();
    const char *reason = e ? ERR_reason_error_string(e) : NULL;
    ERR_clear_error();
    return oc_fail(err, OC_E_IO, "tls: %s: %s", what, reason ? reason : "unknown error");
}

static enum oc_code verify_failed(const struct tls *t, long result, struct oc_error *err) {
    const char *reason = X509_verify_cert_error_string(result);
    switch (result) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return oc_fail_cause(err, OC_E_AUTH, OC_CAUSE_UNKNOWN_CERTIFICATE,
                "the certificate of %s is not known here: no authority vouches for it, and no pin "
                "is given",
                t->host);
    default:
        return oc_fail(err, OC_E_AUTH, "tls: certificate of %s: %s", t->host, reason);
    }
}

static enum oc_code handshake_failed(const struct tls *t, struct oc_error *err) {
    if (t->is_client && !t->pin[0]) {
        long result = SSL_get_verify_result(t->ssl);
        if (result != X509_V_OK) {
            ERR_clear_error();
            return verify_failed(t, result, err);
        }
    }
    unsigned long e = ERR_peek_error();
    if (e == 0 || ERR_GET_REASON(e) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        ERR_clear_error();
        return oc_fail(err, OC_E_CLOSED, "tls: connection closed during the handshake");
    }
    if (ERR_GET_REASON(e) == SSL_R_HTTP_REQUEST) {
        ERR_clear_error();
        return oc_fail_cause(err, OC_E_IO, OC_CAUSE_NEEDS_TLS, "tls: the peer began with HTTP");
    }
    if (ERR_GET_REASON(e) == SSL_R_WRONG_VERSION_NUMBER) {
        ERR_clear_error();
        return oc_fail_cause(
                err, OC_E_IO, OC_CAUSE_NO_TLS, "tls: the peer does not speak TLS on this port");
    }
    return ssl_failed(err, "handshake");
}

static enum oc_code tls_handshake(struct oc_stream *s, bool *ret_done, struct oc_error *err) {
    struct tls *t = (struct tls *)s;
    t->read_wants_write = t->write_wants_read = false;
    ERR_clear_error();
    int rc = SSL_do_handshake(t->ssl);
    if (rc != 1) {
        int why = SSL_get_error(t->ssl, rc);
        if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
            return handshake_failed(t, err);
        }
        t->read_wants_write = why == SSL_ERROR_WANT_WRITE;
        t->write_wants_read = why == SSL_ERROR_WANT_READ;
        *ret_done = false;
        return OC_OK;
    }
    if (t->is_client) {
        X509 *cert = SSL_get1_peer_certificate(t->ssl);
        bool is_read = cert_pin(cert, s->peer_pin);
        X509_free(cert);
        if (!is_read || (t->pin[0] && !oc_secret_equal(s->peer_pin, t->pin))) {
            return oc_fail_cause(err, OC_E_AUTH, OC_CAUSE_CERTIFICATE_CHANGED,
                    "gateway tls fingerprint mismatch");
        }
        /* The authorities were only needed for this; they are a megabyte of parsed certificates. */
        SSL_CTX_set_cert_store(SSL_get_SSL_CTX(t->ssl), X509_STORE_new());
    } else {
        oc_tcp_acknowledge(s->fd);
    }
    t->is_up = true;
    *ret_done = true;
    return OC_OK;
}

static ssize_t tls_read(struct oc_stream *s, void *ret, size_t max) {
    struct tls *t = (struct tls *)s;
    t->read_wants_write = false;
    ERR_clear_error();
    int n = SSL_read(t->ssl, ret, max > INT_MAX ? INT_MAX : (int)max);
    if (n > 0) {
        return n;
    }
    switch (SSL_get_error(t->ssl, n)) {
    case SSL_ERROR_WANT_READ:
        return OC_STREAM_AGAIN;
    case SSL_ERROR_WANT_WRITE:
        t->read_wants_write = true;
        return OC_STREAM_AGAIN;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    default:
        /* Many peers just close. WebSocket says itself when a conversation is complete. */
        return t->under_ended ? 0 : OC_STREAM_BROKEN;
    }
}

static ssize_t tls_write(struct oc_stream *s, const void *data, size_t len) {
    struct tls *t = (struct tls *)s;
    t->write_wants_read = false;
    ERR_clear_error();
    int n = SSL_write(t->ssl, data, len > INT_MAX ? INT_MAX : (int)len);
    if (n > 0) {
        return n;
    }
    switch (SSL_get_error(t->ssl, n)) {
    case SSL_ERROR_WANT_READ:
        t->write_wants_read = true;
        return OC_STREAM_AGAIN;
    case SSL_ERROR_WANT_WRITE:
        return OC_STREAM_AGAIN;
    default:
        return OC_STREAM_BROKEN;
    }
}

static unsigned tls_events(const struct oc_stream *s, unsigned wanted) {
    const struct tls *t = (const struct tls *)s;
    unsigned events = 0;
    if (wanted & OC_IO_READ) {
        events |= t->read_wants_write ? OC_IO_WRITE : OC_IO_READ;
    }
    if (wanted & OC_IO_WRITE) {
        events |= t->write_wants_read ? OC_IO_READ : OC_IO_WRITE;
    }
    return events;
}

static bool tls_has_buffered(const struct oc_stream *s) {
    return SSL_pending(((const struct tls *)s)->ssl) > 0;
}

static void tls_end(struct oc_stream *s) {
    struct tls *t = (struct tls *)s;
    if (t->is_up) {
        ERR_clear_error();
        (void)SSL_shutdown(t->ssl);
        ERR_clear_error();
    }
    oc_stream_end(t->under);
}

static void tls_destroy(struct oc_stream *s) {
    struct tls *t = (struct tls *)s;
    if (t->is_up && !(SSL_get_shutdown(t->ssl) & SSL_SENT_SHUTDOWN)) {
        ERR_clear_error();
        (void)SSL_shutdown(t->ssl);
        ERR_clear_error();
    }
    SSL_free(t->ssl);
    oc_stream_destroy(t->under);
    oc_free(t->host);
    oc_free(t);
}

struct oc_stream *oc_tls_unwrap(struct oc_stream *take_s) {
    struct tls *t = (struct tls *)take_s;
    struct oc_stream *under = oc_take(&t->under);
    SSL_free(t->ssl);
    oc_free(t->host);
    oc_free(t);
    return under;
}

static const struct oc_stream_ops tls_ops = {
    .handshake = tls_handshake,
    .read = tls_read,
    .write = tls_write,
    .events = tls_events,
    .has_buffered = tls_has_buffered,
    .end = tls_end,
    .destroy = tls_destroy,
};

static SSL_CTX *new_context(const SSL_METHOD *method) {
    SSL_CTX *ctx = SSL_CTX_new(method);
    if (!ctx) {
        return NULL;
    }
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(ctx, 0);
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    return ctx;
}

/* Puts a TLS stream of ctx on top of the one below, which is taken. NULL: OpenSSL refused. */
static struct tls *tls_wrap(SSL_CTX *ctx, struct oc_stream *take_under) {
    struct tls *t = oc_new(struct tls);
    t->stream = (struct oc_stream){ .ops = &tls_ops, .fd = take_under->fd };
    t->under = take_under;
    t->ssl = ctx ? SSL_new(ctx) : NULL;
    BIO *bio = t->ssl ? new_bio() : NULL;
    if (!bio) {
        tls_destroy(&t->stream);
        return NULL;
    }
    BIO_set_data(bio, t);
    BIO_set_init(bio, 1);
    SSL_set_bio(t->ssl, bio, bio);
    return t;
}

static bool is_address(const char *host) {
    unsigned char addr[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, host, addr) == 1 || inet_pton(AF_INET6, host, addr) == 1;
}

static bool check_by_authority(struct tls *t, const char *host) {
    SSL_CTX *ctx = SSL_get_SSL_CTX(t->ssl);
    SSL_set_verify(t->ssl, SSL_VERIFY_PEER, NULL);
    if (SSL_CTX_set_default_verify_paths(ctx) != 1) {
        return false;
    }
    if (is_address(host)) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(t->ssl), host) == 1;
    }
    SSL_set_hostflags(t->ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(t->ssl, host) == 1;
}

enum oc_code oc_tls_client(struct oc_stream *take_under, const char *host, const char *pin,
        struct oc_stream **ret, struct oc_error *err) {
    char normal[OC_TLS_PIN_LEN + 1] = "";
    if (pin && !oc_tls_pin_normalize(pin, normal)) {
        oc_stream_destroy(take_under);
        return oc_fail(err, OC_E_INVALID,
                "tls fingerprint: expected the SHA-256 of the certificate (64 hex digits)");
    }
    SSL_CTX *ctx = new_context(TLS_client_method());
    struct tls *t = tls_wrap(ctx, take_under);
    SSL_CTX_free(ctx); /* the SSL holds its own reference */
    if (!t) {
        return ssl_failed(err, "set up");
    }
    t->is_client = true;
    t->host = oc_strdup(host);
    memcpy(t->pin, normal, sizeof(normal));
    SSL_set_connect_state(t->ssl);
    bool is_ready = true;
    if (!is_address(host)) {
        is_ready = SSL_set_tlsext_host_name(t->ssl, host) == 1;
    }
    if (!pin) {
        is_ready = is_ready && check_by_authority(t, host);
    }
    if (!is_ready) {
        tls_destroy(&t->stream);
        return ssl_failed(err, "set up");
    }
    *ret = &t->stream;
    return OC_OK;
}

enum oc_code oc_tls_server_create(const char *cert_path, const char *key_path,
        struct oc_tls_server **ret, struct oc_error *err) {
    ERR_clear_error();
    struct oc_tls_server *t = oc_new(struct oc_tls_server);
    t->ctx = new_context(TLS_server_method());
    enum oc_code rc = OC_OK;
    if (!t->ctx) {
        rc = ssl_failed(err, "set up");
    } else if (SSL_CTX_use_certificate_chain_file(t->ctx, cert_path) != 1) {
        rc = ssl_failed(err, cert_path);
    } else if (SSL_CTX_use_PrivateKey_file(t->ctx, key_path, SSL_FILETYPE_PEM) != 1 ||
               SSL_CTX_check_private_key(t->ctx) != 1) {
        rc = ssl_failed(err, key_path);
    } else if (!cert_pin(SSL_CTX_get0_certificate(t->ctx), t->pin)) {
        rc = ssl_failed(err, "fingerprint");
    }
    if (rc != OC_OK) {
        oc_tls_server_destroy(t);
        return rc;
    }
    *ret = t;
    return OC_OK;
}

enum oc_code oc_tls_server_add_chain(
        struct oc_tls_server *t, const char *ca_path, struct oc_error *err) {
    ERR_clear_error();
    /* OpenSSL completes the chain it sends from what is trusted; clients are not asked for a
     * certificate. */
    return SSL_CTX_load_verify_locations(t->ctx, ca_path, NULL) == 1 ? OC_OK
                                                                     : ssl_failed(err, ca_path);
}

const char *oc_tls_server_pin(const struct oc_tls_server *t) {
    return t->pin;
}

void oc_tls_server_destroy(struct oc_tls_server *t) {
    if (t) {
        SSL_CTX_free(t->ctx);
        oc_free(t);
    }
}

enum oc_code oc_tls_accept(struct oc_tls_server *t, struct oc_stream *take_under,
        struct oc_stream **ret, struct oc_error *err) {
    struct tls *tls = tls_wrap(t->ctx, take_under);
    if (!tls) {
        return ssl_failed(err, "set up");
    }
    SSL_set_accept_state(tls->ssl);
    *ret = &tls->stream;
    return OC_OK;
}

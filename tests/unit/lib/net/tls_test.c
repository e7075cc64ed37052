/* TLS on both sides, with certificates made here. */
#include "tests/unit/lib/net/net_testing.h"

#include "lib/base/encode.h"
#include "lib/net/dial.h"
#include "lib/net/server/server.h"
#include "lib/net/tls.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

struct fixture {
    char *dir;
    char *ca_path, *leaf_path, *leaf_key, *self_path, *self_key;
    struct oc_loop *loop;
    struct oc_tls_server *tls;
    struct oc_server *server;
    struct oc_ws *accepted, *ws;
    int done_count;
    struct oc_error err;
    size_t client_got, server_got;
    int client_closed, server_closed;
};

/* Certificates. */

static void add_extension(X509 *cert, X509 *issuer, int nid, const char *value) {
    X509V3_CTX ctx;
    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    assert_non_null(ext);
    assert_int_equal(X509_add_ext(cert, ext, -1), 1);
    X509_EXTENSION_free(ext);
}

static X509 *make_cert(const char *name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key,
        bool is_ca, const char *alt) {
    static long serial = 1;
    X509 *cert = X509_new();
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    X509_NAME *subject = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(cert, issuer ? X509_get_subject_name(issuer) : subject);
    add_extension(cert, issuer ? issuer : cert, NID_basic_constraints,
            is_ca ? "critical,CA:TRUE" : "CA:FALSE");
    if (alt) {
        add_extension(cert, issuer ? issuer : cert, NID_subject_alt_name, alt);
    }
    assert_true(X509_sign(cert, issuer_key ? issuer_key : key, EVP_sha256()) > 0);
    return cert;
}

static void write_pem(const char *path, X509 *cert, EVP_PKEY *key) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (cert) {
        assert_int_equal(PEM_write_X509(file, cert), 1);
    } else {
        assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
    }
    fclose(file);
}

static int set_up(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_temp_setup((void **)&f->dir);
    f->ca_path = oc_strfmt("%s/ca.pem", f->dir);
    f->leaf_path = oc_strfmt("%s/leaf.pem", f->dir);
    f->leaf_key = oc_strfmt("%s/leaf-key.pem", f->dir);
    f->self_path = oc_strfmt("%s/self.pem", f->dir);
    f->self_key = oc_strfmt("%s/self-key.pem", f->dir);
    EVP_PKEY *ca_key = EVP_EC_gen("P-256"), *leaf_key = EVP_EC_gen("P-256"),
             *self_key = EVP_EC_gen("P-256");
    X509 *ca = make_cert("Test CA", ca_key, NULL, NULL, true, NULL);
    X509 *leaf = make_cert("gateway", leaf_key, ca, ca_key, false, "DNS:localhost,IP:127.0.0.1");
    X509 *self = make_cert("openclaw-gateway", self_key, NULL, NULL, true, NULL);
    write_pem(f->ca_path, ca, NULL);
    write_pem(f->leaf_path, leaf, NULL);
    write_pem(f->leaf_key, NULL, leaf_key);
    write_pem(f->self_path, self, NULL);
    write_pem(f->self_key, NULL, self_key);
    X509_free(ca);
    X509_free(leaf);
    X509_free(self);
    EVP_PKEY_free(ca_key);
    EVP_PKEY_free(leaf_key);
    EVP_PKEY_free(self_key);
    unsetenv("SSL_CERT_FILE");
    setenv("SSL_CERT_DIR", f->dir, 1); /* no authority of this machine has a say */
    f->loop = make_loop(&oc_clock_system);
    *state = f;
    return 0;
}

static void reset(struct fixture *f) {
    oc_ws_destroy(oc_take(&f->ws));
    oc_ws_destroy(oc_take(&f->accepted));
    oc_server_destroy(oc_take(&f->server));
    oc_tls_server_destroy(oc_take(&f->tls));
    f->done_count = f->client_closed = f->server_closed = 0;
    f->client_got = f->server_got = 0;
    f->err = (struct oc_error){ 0 };
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    reset(f);
    oc_loop_destroy(f->loop);
    oc_free(f->ca_path);
    oc_free(f->leaf_path);
    oc_free(f->leaf_key);
    oc_free(f->self_path);
    oc_free(f->self_key);
    oc_temp_teardown((void **)&f->dir);
    oc_free(f);
    return 0;
}

/* A server with one of the certificates, or none. */

static void server_message(void *user, struct oc_blob *text) {
    ((struct fixture *)user)->server_got = text->len;
}

static void client_message(void *user, struct oc_blob *text) {
    ((struct fixture *)user)->client_got = text->len;
}

static void server_closed(void *user, uint16_t code, const char *reason) {
    (void)reason;
    ((struct fixture *)user)->server_closed = code;
}

static void client_closed(void *user, uint16_t code, const char *reason) {
    (void)reason;
    ((struct fixture *)user)->client_closed = code;
}

static void on_request(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret) {
    (void)user;
    (void)head;
    (void)peer;
    (void)ret;
}

static void on_ws(void *user, struct oc_ws *take_ws, const struct oc_http_head *head,
        const struct oc_peer *peer) {
    (void)head;
    (void)peer;
    struct fixture *f = user;
    f->accepted = take_ws;
    oc_ws_set_events(take_ws,
            &(struct oc_ws_events){ .on_message = server_message, .on_closed = server_closed }, f);
}

static void start(struct fixture *f, const char *cert, const char *key) {
    static const struct oc_server_handlers handlers = { .on_request = on_request, .on_ws = on_ws };
    static const char *const hosts[] = { "127.0.0.1" };
    struct oc_error err;
    reset(f);
    if (cert) {
        assert_int_equal(oc_tls_server_create(cert, key, &f->tls, &err), OC_OK);
    }
    const struct oc_server_opts opts = { .hosts = hosts, .host_count = 1, .tls = f->tls };
    assert_int_equal(oc_server_create(f->loop, &opts, &handlers, f, &f->server, &err), OC_OK);
}

static void on_done(void *user, struct oc_ws *take_ws, const struct oc_error *err) {
    struct fixture *f = user;
    f->done_count++;
    f->ws = take_ws;
    if (err) {
        f->err = *err;
    } else {
        oc_ws_set_events(take_ws,
                &(struct oc_ws_events){ .on_message = client_message, .on_closed = client_closed },
                f);
    }
}

static void dial(struct fixture *f, const char *host, const char *pin, bool tls) {
    const struct oc_dial_opts opts = {
        .host = host, .port = oc_server_port(f->server), .tls = tls, .tls_fingerprint = pin
    };
    oc_dial_start(f->loop, &opts, on_done, f);
    STEP_UNTIL(f->loop, f->done_count);
}

static void expect_open(struct fixture *f) {
    if (!f->ws) {
        fail_msg("%s", f->err.text);
    }
    STEP_UNTIL(f->loop, f->accepted);
    oc_ws_send_text(f->ws, "hello", 5);
    STEP_UNTIL(f->loop, f->server_got == 5);
}

static void expect_refused(struct fixture *f, enum oc_code code, const char *text) {
    assert_null(f->ws);
    assert_int_equal(f->err.code, code);
    if (!strstr(f->err.text, text)) {
        fail_msg("'%s' is not in: %s", text, f->err.text);
    }
    assert_null(f->accepted); /* nothing reached the application */
}

static void test_pin_spellings(void **state) {
    (void)state;
    char pin[OC_TLS_PIN_LEN + 1];
    static const char hex[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    assert_true(oc_tls_pin_normalize(hex, pin));
    assert_string_equal(pin, hex);
    assert_true(oc_tls_pin_normalize(
            " SHA256:01:23:45:67:89:AB:CD:EF 0123456789abcdef-0123456789abcdef:0123456789ABCDEF\n",
            pin));
    assert_string_equal(pin, hex);
    assert_false(oc_tls_pin_normalize("", pin));
    assert_false(oc_tls_pin_normalize("sha256:", pin));
    assert_false(oc_tls_pin_normalize(hex + 1, pin));
    OC_AUTO_FREE char *longer = oc_strfmt("%s0", hex);
    assert_false(oc_tls_pin_normalize(longer, pin));
}

static void test_right_pin(void **state) {
    struct fixture *f = *state;
    start(f, f->self_path, f->self_key);
    OC_AUTO_FREE char *pin = oc_strfmt("sha256:%s", oc_tls_server_pin(f->tls));
    dial(f, "127.0.0.1", pin, true);
    expect_open(f);
    oc_ws_close(f->ws, 1000, "");
    STEP_UNTIL(f->loop, f->client_closed && f->server_closed);
    assert_int_equal(f->server_closed, 1000);
}

static void test_wrong_pin(void **state) {
    struct fixture *f = *state;
    start(f, f->self_path, f->self_key);
    char pin[OC_TLS_PIN_LEN + 1];
    memcpy(pin, oc_tls_server_pin(f->tls), sizeof(pin));
    pin[63] = pin[63] == '0' ? '1' : '0';
    dial(f, "127.0.0.1", pin, true);
    expect_refused(f, OC_E_AUTH, "gateway tls fingerprint mismatch");
}

static void test_self_signed_without_pin(void **state) {
    struct fixture *f = *state;
    start(f, f->self_path, f->self_key);
    dial(f, "127.0.0.1", NULL, true);
    expect_refused(f, OC_E_AUTH, "no authority vouches for it, and no pin is given");
    assert_int_equal(f->err.grounds.cause, OC_CAUSE_UNKNOWN_CERTIFICATE);
}

static void test_by_authority(void **state) {
    struct fixture *f = *state;
    start(f, f->leaf_path, f->leaf_key);
    dial(f, "127.0.0.1", NULL, true); /* the authority is not known */
    expect_refused(f, OC_E_AUTH, "no authority vouches for it");

    setenv("SSL_CERT_FILE", f->ca_path, 1);
    start(f, f->leaf_path, f->leaf_key);
    dial(f, "127.0.0.1", NULL, true);
    expect_open(f);
    start(f, f->leaf_path, f->leaf_key);
    dial(f, "localhost", NULL, true);
    expect_open(f);
    start(f, f->leaf_path, f->leaf_key);
    dial(f, "127.1", NULL, true); /* the right place under another name */
    expect_refused(f, OC_E_AUTH, "ostname mismatch");
}

static void test_plain_against_tls(void **state) {
    struct fixture *f = *state;
    start(f, NULL, NULL);
    dial(f, "127.0.0.1", NULL, true);
    expect_refused(f, OC_E_IO, "does not speak TLS");
    start(f, f->self_path, f->self_key);
    dial(f, "127.0.0.1", NULL, false);
    assert_null(f->ws);
    assert_int_equal(f->err.code, OC_E_CLOSED);
}

static void test_large_messages(void **state) {
    struct fixture *f = *state;
    start(f, f->self_path, f->self_key);
    dial(f, "127.0.0.1", oc_tls_server_pin(f->tls), true);
    expect_open(f);
    size_t len = 5u << 20;
    char *data = oc_realloc(NULL, len + 1);
    memset(data, 'x', len);
    struct oc_blob *blob = oc_blob_take(data, len);
    /* both ways at once, so that each side has to read while it writes */
    assert_int_equal(oc_ws_send_blob(f->ws, blob), OC_OK);
    assert_int_equal(oc_ws_send_blob(f->accepted, blob), OC_OK);
    oc_blob_unref(blob);
    STEP_UNTIL(f->loop, f->client_got == len && f->server_got == len);
    oc_ws_close(f->accepted, 1012, "service restart");
    STEP_UNTIL(f->loop, f->client_closed);
    assert_int_equal(f->client_closed, 1012);
}

static void test_server_files(void **state) {
    struct fixture *f = *state;
    struct oc_tls_server *t = NULL;
    struct oc_error err;
    assert_int_equal(oc_tls_server_create("/nonexistent/cert.pem", f->self_key, &t, &err), OC_E_IO);
    assert_non_null(strstr(err.text, "/nonexistent/cert.pem"));
    assert_int_equal(oc_tls_server_create(f->self_path, f->leaf_key, &t, &err), OC_E_IO);
    assert_non_null(strstr(err.text, f->leaf_key)); /* the key of another certificate */
    assert_null(t);
}

static void test_old_versions_are_refused(void **state) {
    struct fixture *f = *state;
    start(f, f->self_path, f->self_key);
    int fd = connect_to(oc_server_port(f->server));
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(ctx, 0);
    SSL_CTX_set_min_proto_version(ctx, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(ctx, TLS1_1_VERSION);
    SSL *ssl = SSL_new(ctx);
    SSL_set_fd(ssl, fd);
    int rc = -1;
    for (int i = 0; i < 200; i++) {
        rc = SSL_connect(ssl);
        if (rc == 1 || SSL_get_error(ssl, rc) != SSL_ERROR_WANT_READ) {
            break;
        }
        oc_loop_step(f->loop, 10);
    }
    assert_int_not_equal(rc, 1);
    assert_int_not_equal(SSL_get_error(ssl, rc), SSL_ERROR_WANT_READ);
    SSL_free(ssl);
    SSL_CTX_free(ctx);
    close(fd);
    step_some(f->loop);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pin_spellings),
        TEST(test_right_pin),
        TEST(test_wrong_pin),
        TEST(test_self_signed_without_pin),
        TEST(test_by_authority),
        TEST(test_plain_against_tls),
        TEST(test_large_messages),
        TEST(test_server_files),
        TEST(test_old_versions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

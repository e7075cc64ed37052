/* The incremental validator of json_scan.h: a state machine with one bit of stack per level.
 *
 * Nearly all bytes of a large message are plain characters inside a string; those are taken eight
 * at a time. */
#include "lib/base/one_of.h"
#include "lib/json/json_run.h"
#include "lib/json/json_scan.h"

#include <string.h>

enum json_state {
    VALUE,      /* a value must start */
    FIRST_ITEM, /* after '[': a value or ']' */
    FIRST_KEY,  /* after '{': a key or '}' */
    KEY,        /* after ',' in an object */
    COLON,      /* after a key */
    AFTER,      /* after a value: ',', a closing bracket, or the end */
    STRING,     /* inside quotes */
    UTF8,       /* inside a character of several bytes, inside quotes */
    ESCAPE,     /* after a backslash */
    HEX,        /* inside \uXXXX */
    LITERAL,    /* inside true, false, null */
    MINUS,      /* after '-' */
    ZERO,       /* after a leading 0 */
    INT,        /* digits before the point */
    POINT,      /* after '.' */
    FRACTION,   /* digits behind the point */
    EXPONENT,   /* after 'e' */
    EXPONENT_SIGN,
    EXPONENT_INT,
    BAD,
};

#define MAX_LEVELS 256

void oc_json_check_init(struct oc_json_check *c, unsigned max_depth) {
    *c = (struct oc_json_check){
        .state = VALUE,
        .max_depth = max_depth < MAX_LEVELS ? max_depth : MAX_LEVELS,
        .steps_left = SIZE_MAX,
    };
}

static bool json_check_push(struct oc_json_check *c, bool is_object) {
    if (c->depth == c->max_depth) {
        return false;
    }
    uint64_t bit = UINT64_C(1) << (c->depth % 64);
    uint64_t *word = &c->stack[c->depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    c->depth++;
    c->state = is_object ? FIRST_KEY : FIRST_ITEM;
    return true;
}

static bool in_object(const struct oc_json_check *c) {
    unsigned top = c->depth - 1;
    return c->depth > 0 && (c->stack[top / 64] >> (top % 64) & 1);
}

static bool json_check_pop(struct oc_json_check *c, char bracket) {
    if (c->depth == 0 || in_object(c) != (bracket == '}')) {
        return false;
    }
    c->depth--;
    c->state = AFTER;
    return true;
}

static bool start_string(struct oc_json_check *c, bool is_key) {
    c->in_key = is_key;
    c->state = STRING;
    return true;
}

static bool start_literal(struct oc_json_check *c, const char *word) {
    c->literal = word;
    c->literal_pos = 1;
    c->state = LITERAL;
    return true;
}

static bool start_value(struct oc_json_check *c, char ch) {
    switch (ch) {
    case '{':
        return json_check_push(c, true);
    case '[':
        return json_check_push(c, false);
    case '"':
        return start_string(c, false);
    case 't':
        return start_literal(c, "true");
    case 'f':
        return start_literal(c, "false");
    case 'n':
        return start_literal(c, "null");
    case '-':
        c->state = MINUS;
        return true;
    case '0':
        c->state = ZERO;
        return true;
    default:
        c->state = INT;
        return ch >= '1' && ch <= '9';
    }
}

static bool after_value(struct oc_json_check *c, char ch) {
    if (ch == ',') {
        c->state = in_object(c) ? KEY : VALUE;
        return c->depth > 0;
    }
    return (ch == '}' || ch == ']') && json_check_pop(c, ch);
}

/* One character of a number, or the first one behind it. */
static bool in_number(struct oc_json_check *c, char ch) {
    bool is_digit = ch >= '0' && ch <= '9';
    switch ((enum json_state)c->state) {
    case MINUS:
        c->state = ch == '0' ? ZERO : INT;
        return is_digit;
    case POINT:
        c->state = FRACTION;
        return is_digit;
    case EXPONENT:
        c->state = is_digit ? EXPONENT_INT : EXPONENT_SIGN;
        return is_digit || ch == '+' || ch == '-';
    case EXPONENT_SIGN:
        c->state = EXPONENT_INT;
        return is_digit;
    default:
        break;
    }
    if (is_digit) {
        return c->state != ZERO; /* 01 is not a number */
    }
    if (ch == '.' && (c->state == ZERO || c->state == INT)) {
        c->state = POINT;
        return true;
    }
    if ((ch == 'e' || ch == 'E') && c->state != EXPONENT_INT) {
        c->state = EXPONENT;
        return true;
    }
    c->state = AFTER;
    return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' || after_value(c, ch);
}

static bool is_hex(char ch) {
    return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f') || (ch >= 'A' && ch <= 'F');
}

static bool in_escape(struct oc_json_check *c, char ch) {
    if (c->state == HEX) {
        if (--c->hex_left == 0) {
            c->state = STRING;
        }
        return is_hex(ch);
    }
    if (ch == 'u') {
        c->hex_left = 4;
        c->state = HEX;
        return true;
    }
    c->state = STRING;
    return oc_is_one_of(ch, "\"\\/bfnrt");
}

/* First byte of a character of several bytes. The ranges rule out overlong forms and surrogates. */
static bool start_utf8(struct oc_json_check *c, uint8_t b) {
    c->state = UTF8;
    c->utf8_lo = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
    c->utf8_hi = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
    c->utf8_need = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
    return b >= 0xc2 && b <= 0xf4;
}

static bool in_utf8(struct oc_json_check *c, uint8_t b) {
    bool fits = b >= c->utf8_lo && b <= c->utf8_hi;
    c->utf8_lo = 0x80;
    c->utf8_hi = 0xbf;
    if (--c->utf8_need == 0) {
        c->state = STRING;
    }
    return fits;
}

static bool in_string(struct oc_json_check *c, char ch) {
    uint8_t b = (uint8_t)ch;
    if (ch == '"') {
        c->state = c->in_key ? COLON : AFTER;
        return true;
    }
    if (ch == '\\') {
        c->state = ESCAPE;
        return true;
    }
    return b < 0x80 ? b >= 0x20 : start_utf8(c, b);
}

static bool json_check_between(struct oc_json_check *c, char ch) {
    if (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r') {
        return true;
    }
    switch ((enum json_state)c->state) {
    case FIRST_ITEM:
        return ch == ']' ? json_check_pop(c, ch) : start_value(c, ch);
    case FIRST_KEY:
        return ch == '}' ? json_check_pop(c, ch) : ch == '"' && start_string(c, true);
    case KEY:
        return ch == '"' && start_string(c, true);
    case COLON:
        c->state = VALUE;
        return ch == ':';
    case AFTER:
        return after_value(c, ch);
    default:
        return start_value(c, ch);
    }
}

static bool json_check_step(struct oc_json_check *c, char ch) {
    switch ((enum json_state)c->state) {
    case STRING:
        return in_string(c, ch);
    case UTF8:
        return in_utf8(c, (uint8_t)ch);
    case ESCAPE:
    case HEX:
        return in_escape(c, ch);
    case LITERAL:
        if (ch != c->literal[c->literal_pos++]) {
            return false;
        }
        if (!c->literal[c->literal_pos]) {
            c->state = AFTER;
        }
        return true;
    case MINUS:
    case ZERO:
    case INT:
    case POINT:
    case FRACTION:
    case EXPONENT:
    case EXPONENT_SIGN:
    case EXPONENT_INT:
        return in_number(c, ch);
    case BAD:
        return false;
    default:
        return json_check_between(c, ch);
    }
}

bool oc_json_check_feed(struct oc_json_check *c, const char *data, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (c->state == STRING) {
            i += oc_json_plain_run(data + i, len - i);
            if (i == len) {
                break;
            }
        }
        if (c->steps_left == 0 || !json_check_step(c, data[i])) {
            c->state = BAD;
            return false;
        }
        c->steps_left--;
    }
    return c->state != BAD;
}

bool oc_json_check_end(struct oc_json_check *c) {
    switch ((enum json_state)c->state) {
    case AFTER:
    case ZERO:
    case INT:
    case FRACTION:
    case EXPONENT_INT:
        return c->depth == 0;
    default:
        return false;
    }
}

bool oc_json_valid(const char *text, size_t len, unsigned max_depth) {
    struct oc_json_check c;
    oc_json_check_init(&c, max_depth);
    return oc_json_check_feed(&c, text, len) && oc_json_check_end(&c);
}

bool oc_json_valid_within(
        const char *text, size_t len, unsigned max_depth, size_t max_steps, bool *ret_is_heavy) {
    struct oc_json_check c;
    oc_json_check_init(&c, max_depth);
    c.steps_left = max_steps;
    bool is_valid = oc_json_check_feed(&c, text, len) && oc_json_check_end(&c);
    *ret_is_heavy = c.steps_left == 0;
    return is_valid;
}

bool oc_json_valid_escaped(struct oc_slice body, unsigned max_depth, size_t max_steps) {
    struct oc_json_check c;
    oc_json_check_init(&c, max_depth);
    c.steps_left = max_steps;
    while (body.len > 0) {
        /* What is not escaped is checked where it lies; only the escapes go through a small buffer.
         */
        const char *slash = memchr(body.ptr, '\\', body.len);
        size_t plain = slash ? (size_t)(slash - body.ptr) : body.len;
        if (!oc_json_check_feed(&c, body.ptr, plain)) {
            return false;
        }
        body.ptr += plain;
        body.len -= plain;
        char text[4];
        size_t n = body.len ? oc_json_unescape_step(&body, text, sizeof(text)) : 0;
        if (!oc_json_check_feed(&c, text, n)) {
            return false;
        }
    }
    return oc_json_check_end(&c);
}

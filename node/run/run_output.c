#include "node/run/run_output.h"

#include "lib/base/utf8.h"

void nd_run_output_init(struct nd_run_output *log) {
    *log = (struct nd_run_output){ .bytes = OC_BUF_INIT(ND_MAX_RUN_OUTPUT) };
}

void nd_run_output_finish(struct nd_run_output *log) {
    oc_buf_finish(&log->bytes);
}

void nd_run_output_append(struct nd_run_output *log, const char *bytes, size_t len) {
    if (len > ND_MAX_RUN_OUTPUT) {
        log->start += log->bytes.len + (len - ND_MAX_RUN_OUTPUT);
        oc_buf_clear(&log->bytes);
        bytes += len - ND_MAX_RUN_OUTPUT;
        len = ND_MAX_RUN_OUTPUT;
    }
    if (log->bytes.len + len > ND_MAX_RUN_OUTPUT) {
        size_t drop = log->bytes.len + len - ND_MAX_RUN_OUTPUT;
        oc_buf_consume(&log->bytes, drop);
        log->start += drop;
    }
    oc_buf_append(&log->bytes, bytes, len);
}

uint64_t nd_run_output_end(const struct nd_run_output *log) {
    return log->start + log->bytes.len;
}

struct oc_slice nd_run_output_read(const struct nd_run_output *log, uint64_t from, size_t max,
        bool is_over, uint64_t *ret_from) {
    uint64_t end = nd_run_output_end(log);
    from = from < log->start ? log->start : from > end ? end : from;
    *ret_from = from;
    struct oc_slice s = { .ptr = log->bytes.data, .len = (size_t)(end - from) };
    if (s.len == 0) {
        return s;
    }
    s.ptr += from - log->start;
    bool is_cut = s.len > max;
    s.len = is_cut ? max : s.len;
    size_t tail = is_cut || !is_over ? oc_utf8_incomplete_tail(s.ptr, s.len) : 0;
    s.len -=
            is_cut && tail == s.len ? 0 : tail; /* who has no room for a character gets its bytes */
    return s;
}

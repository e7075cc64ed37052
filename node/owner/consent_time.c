#include "node/owner/consent_time.h"

enum { USUAL_MS = 30000, SHORTEST_MS = 1000, MARGIN_MS = 5000 };

int64_t nd_consent_time_add(cJSON *params, int64_t timeout_ms, int64_t capture_ms) {
    int64_t ms = USUAL_MS, most_ms = timeout_ms - capture_ms - MARGIN_MS;
    if (timeout_ms > 0 && most_ms < ms) {
        ms = most_ms > SHORTEST_MS ? most_ms : SHORTEST_MS;
    }
    oc_json_set_int(params, "consentMs", ms);
    return ms;
}

/* Dates and times as inputs hold them: ISO 8601 texts, shown in local time. */
#ifndef CANVAS_INPUT_WHEN_H
#define CANVAS_INPUT_WHEN_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct cv_when {
    bool has_date, has_time;
    int year, month, day; /* 1…9999, 1…12, 1…31 */
    int hour, minute;
};

/* "2026-03-15", "2026-03-15T10:30[:00[.000]][Z|±hh[:mm]]", "10:30[:00]". Without a zone it is
 * local, dates alone too; with one it is converted. False: none of these. */
bool cv_when_parse(struct oc_slice text, struct cv_when *ret);
struct cv_when cv_when_local(int64_t wall_ms);
/* As it is stored: date, time, or date T time. ret holds 24 bytes. */
void cv_when_format(const struct cv_when *w, bool with_date, bool with_time, char ret[24]);

/* Days since 1970-01-01 in the Gregorian calendar; kept within years 1…9999. */
int cv_day_number(int year, int month, int day);
void cv_day_date(int number, struct cv_when *ret);
int cv_day_weekday(int number); /* 0: Monday */
int cv_days_of_month(int year, int month);

#endif

#include "canvas/input/when.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int cv_days_of_month(int year, int month) {
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* Years are counted from March, so that the leap day is the last one. */
int cv_day_number(int year, int month, int day) {
    year -= month <= 2;
    int era = year / 400, of_era = year - era * 400;
    int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void cv_day_date(int number, struct cv_when *ret) {
    int first = cv_day_number(1, 1, 1), last = cv_day_number(9999, 12, 31);
    number = number < first ? first : number > last ? last : number;
    int days = number + 719468, era = days / 146097, of_era = days - era * 146097;
    int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int of_year = of_era - (365 * year + year / 4 - year / 100);
    int month = (5 * of_year + 2) / 153;
    ret->has_date = true;
    ret->day = of_year - (153 * month + 2) / 5 + 1;
    ret->month = month < 10 ? month + 3 : month - 9;
    ret->year = year + era * 400 + (ret->month <= 2);
}

int cv_day_weekday(int number) {
    return ((number + 3) % 7 + 7) % 7;
}

struct cv_when cv_when_local(int64_t wall_ms) {
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;
    struct cv_when w = { true, true, 1970, 1, 1, 0, 0 };
    if (!localtime_r(&seconds, &tm) || tm.tm_year < -1899 || tm.tm_year > 8099) {
        return w;
    }
    return (struct cv_when){ true, true, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
        tm.tm_min };
}

struct when_reader {
    const char *p, *end;
};

/* Exactly n digits. */
static bool when_digits(struct when_reader *r, int n, int *ret) {
    int v = 0;
    for (int i = 0; i < n; i++, r->p++) {
        if (r->p == r->end || !isdigit((unsigned char)*r->p)) {
            return false;
        }
        v = 10 * v + (*r->p - '0');
    }
    *ret = v;
    return true;
}

static bool is_next(struct when_reader *r, char c) {
    if (r->p == r->end || *r->p != c) {
        return false;
    }
    r->p++;
    return true;
}

static bool read_date(struct when_reader *r, struct cv_when *w) {
    return when_digits(r, 4, &w->year) && is_next(r, '-') && when_digits(r, 2, &w->month) &&
           is_next(r, '-') && when_digits(r, 2, &w->day) && w->year >= 1 && w->month >= 1 &&
           w->month <= 12 && w->day >= 1 && w->day <= cv_days_of_month(w->year, w->month);
}

static bool read_time(struct when_reader *r, struct cv_when *w) {
    int seconds;
    if (!when_digits(r, 2, &w->hour) || !is_next(r, ':') || !when_digits(r, 2, &w->minute) ||
            w->hour > 23 || w->minute > 59) {
        return false;
    }
    if (!is_next(r, ':')) {
        return true;
    }
    if (!when_digits(r, 2, &seconds) || seconds > 60) {
        return false;
    }
    if (is_next(r, '.')) {
        if (r->p == r->end || !isdigit((unsigned char)*r->p)) {
            return false;
        }
        while (r->p < r->end && isdigit((unsigned char)*r->p)) {
            r->p++;
        }
    }
    return true;
}

static bool read_zone(struct when_reader *r, int *ret_minutes) {
    if (is_next(r, 'Z') || is_next(r, 'z')) {
        *ret_minutes = 0;
        return true;
    }
    bool west = is_next(r, '-');
    int hours, minutes = 0;
    if (!west && !is_next(r, '+')) {
        return false;
    }
    if (!when_digits(r, 2, &hours)) {
        return false;
    }
    bool more = is_next(r, ':') || r->p < r->end;
    if ((more && !when_digits(r, 2, &minutes)) || hours > 23 || minutes > 59) {
        return false;
    }
    *ret_minutes = (west ? -1 : 1) * (60 * hours + minutes);
    return true;
}

bool cv_when_parse(struct oc_slice text, struct cv_when *ret) {
    struct cv_when w = { 0 };
    if (!text.ptr) {
        return false;
    }
    struct when_reader r = { text.ptr, text.ptr + text.len };
    if (text.len >= 3 && text.ptr[2] == ':') {
        w.has_time = true;
        if (!read_time(&r, &w) || r.p != r.end) {
            return false;
        }
        *ret = w;
        return true;
    }
    if (!read_date(&r, &w)) {
        return false;
    }
    w.has_date = true;
    if (r.p == r.end) {
        *ret = w;
        return true;
    }
    if (!is_next(&r, 'T') && !is_next(&r, 't') && !is_next(&r, ' ')) {
        return false;
    }
    if (!read_time(&r, &w)) {
        return false;
    }
    w.has_time = true;
    if (r.p != r.end) {
        int east;
        if (!read_zone(&r, &east) || r.p != r.end) {
            return false;
        }
        int of_day = w.hour * 60 + w.minute - east;
        int64_t minutes = (int64_t)cv_day_number(w.year, w.month, w.day) * 1440 + of_day;
        w = cv_when_local(minutes * 60000);
    }
    *ret = w;
    return true;
}

void cv_when_format(const struct cv_when *w, bool with_date, bool with_time, char ret[24]) {
    char date[16] = "", time[16] = "";
    if (with_date) {
        snprintf(date, sizeof(date), "%04u-%02u-%02u", (unsigned)w->year % 10000,
                (unsigned)w->month % 100, (unsigned)w->day % 100);
    }
    if (with_time) {
        snprintf(time, sizeof(time), "%02u:%02u", (unsigned)w->hour % 100,
                (unsigned)w->minute % 100);
    }
    snprintf(ret, 24, "%.10s%s%.5s", date, with_date && with_time ? "T" : "", time);
}

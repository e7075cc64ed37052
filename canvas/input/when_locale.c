#include "canvas/input/when_locale.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define MAX_FORMAT 64

static const struct cv_when_words english = { "", "Clear", "Today", "Now", "Done", "Date", "Time",
    "Date & Time", "Choose a date", "Choose a time" };
static const struct cv_when_words all_words[] = {
#define WORDS(...) { __VA_ARGS__ },
#include "canvas/input/when_words.def"
#undef WORDS
};

struct words {
    bool is_read;
    locale_t locale; /* 0: C */
    const struct cv_when_words *words;
    int week_start;
    bool has_12_hours;
    char date[MAX_FORMAT]; /* for strftime */
};

/* "de_DE.UTF-8"; "": none. */
static const char *locale_name(void) {
    static const char *const names[] = { "LC_ALL", "LC_TIME", "LANG" };
    const char *value = NULL;
    for (size_t i = 0; i < OC_COUNT(names) && !(value && value[0]); i++) {
        value = getenv(names[i]);
    }
    return value ? value : "";
}

/* Those with a country come first. */
static const struct cv_when_words *find_words(const char *locale) {
    for (size_t i = 0; i < OC_COUNT(all_words); i++) {
        size_t n = strlen(all_words[i].language);
        if (strncmp(locale, all_words[i].language, n) == 0 &&
                (locale[n] == '\0' || oc_is_one_of(locale[n], "_.@"))) {
            return &all_words[i];
        }
    }
    return &english;
}

static bool is_c(void) {
    const char *value = locale_name();
    return !value[0] || strcmp(value, "POSIX") == 0 ||
           (value[0] == 'C' && (value[1] == '\0' || value[1] == '.'));
}

/* Its own, but with all four digits of the year. */
static void take_date_format(const char *from, char ret[MAX_FORMAT]) {
    size_t n = 0;
    for (; *from && n + 2 < MAX_FORMAT; from++) {
        ret[n++] = *from;
        if (*from == '%' && from[1]) {
            from++;
            ret[n++] = (char)(*from == 'y' ? 'Y' : *from);
        }
    }
    ret[n] = '\0';
}

/* glibc counts from the day of a date that it gives, 1997-11-30 (a Sunday) or 1997-12-01, in the
 * lower half of a pointer. */
static int find_week_start(locale_t l) {
#ifdef __GLIBC__
    uint32_t day = (uint32_t)(uintptr_t)nl_langinfo_l(_NL_TIME_WEEK_1STDAY, l);
    int from = day == 19971130 ? 6 : 0;
    return (from + nl_langinfo_l(_NL_TIME_FIRST_WEEKDAY, l)[0] - 1 + 7) % 7;
#else
    (void)l;
    return 0;
#endif
}

static const struct words *when_locale_here(void) {
    static struct words w;
    if (w.is_read) {
        return &w;
    }
    w.is_read = true;
    w.words = &english;
    locale_t l = is_c() ? (locale_t)0 : newlocale(LC_TIME_MASK | LC_CTYPE_MASK, "", (locale_t)0);
    if (l && strcasecmp(nl_langinfo_l(CODESET, l), "UTF-8") != 0) {
        freelocale(l);
        l = (locale_t)0;
    }
    if (!l) {
        return &w;
    }
    const char *time = nl_langinfo_l(T_FMT, l);
    w.locale = l;
    w.words = find_words(locale_name());
    w.week_start = find_week_start(l);
    w.has_12_hours = nl_langinfo_l(AM_STR, l)[0] &&
                     (strstr(time, "%r") || strstr(time, "%I") || strstr(time, "%l"));
    take_date_format(nl_langinfo_l(D_FMT, l), w.date);
    return &w;
}

const char *cv_month_name(int month) {
    static const char *const names[] = { "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December" };
    unsigned i = (unsigned)(month - 1) % 12;
#ifdef ALTMON_1
    nl_item first = ALTMON_1;
#else
    nl_item first = MON_1;
#endif
    return when_locale_here()->locale
                   ? nl_langinfo_l(first + (nl_item)i, when_locale_here()->locale)
                   : names[i];
}

const char *cv_weekday_name(int weekday) {
    static const char *const names[] = { "Mo", "Tu", "We", "Th", "Fr", "Sa", "Su" };
    unsigned i = (unsigned)weekday % 7;
    return when_locale_here()->locale
                   ? nl_langinfo_l(ABDAY_1 + (nl_item)((i + 1) % 7), when_locale_here()->locale)
                   : names[i];
}

const struct cv_when_words *cv_when_words_here(void) {
    return when_locale_here()->words;
}

int cv_week_start(void) {
    return when_locale_here()->week_start;
}

static void show_here(const struct cv_when *w, bool with_date, bool with_time, char *ret) {
    const struct words *words = when_locale_here();
    struct tm tm = { .tm_year = w->year - 1900,
        .tm_mon = w->month - 1,
        .tm_mday = w->day,
        .tm_hour = w->hour,
        .tm_min = w->minute };
    if (with_date) {
        tm.tm_wday = (cv_day_weekday(cv_day_number(w->year, w->month, w->day)) + 1) % 7;
    } else {
        tm.tm_mon = tm.tm_mday = 1;
    }
    char date[CV_WHEN_SHOWN / 2] = "", time[CV_WHEN_SHOWN / 4] = "";
    if (with_date) {
        (void)strftime_l(date, sizeof(date), words->date, &tm, words->locale);
    }
    if (with_time) {
        (void)strftime_l(time, sizeof(time), words->has_12_hours ? "%-I:%M %p" : "%H:%M", &tm,
                words->locale);
    }
    snprintf(ret, CV_WHEN_SHOWN, "%s%s%s", date, with_date && with_time ? ", " : "", time);
}

void cv_when_show(
        const struct cv_when *w, bool with_date, bool with_time, char ret[CV_WHEN_SHOWN]) {
    if (when_locale_here()->locale) {
        show_here(w, with_date, with_time, ret);
        return;
    }
    char date[24] = "", time[16] = "";
    if (with_date) {
        snprintf(date, sizeof(date), "%u %.3s %u", (unsigned)w->day % 100, cv_month_name(w->month),
                (unsigned)w->year % 10000);
    }
    if (with_time) {
        snprintf(time, sizeof(time), "%02u:%02u", (unsigned)w->hour % 100,
                (unsigned)w->minute % 100);
    }
    snprintf(ret, CV_WHEN_SHOWN, "%s%s%s", date, with_date && with_time ? ", " : "", time);
}

/* How dates are written where the person lives: LC_ALL, LC_TIME or LANG say it. In the C locale, in
 * one that is not there, and in one that is not UTF-8 it is "15 Mar 2026, 10:30", with weeks from
 * Monday. Read once. */
#ifndef CANVAS_INPUT_WHEN_LOCALE_H
#define CANVAS_INPUT_WHEN_LOCALE_H

#include "canvas/input/when.h"

const char *cv_month_name(int month);     /* 1…12, as it stands alone */
const char *cv_weekday_name(int weekday); /* 0: Monday; short */
int cv_week_start(void);                  /* 0: Monday */
/* Words of a calendar and of the field that opens it, in the language of the months. */
struct cv_when_words {
    const char *language; /* "de", "zh_TW"; "": English */
    const char *clear, *today, *now, *done;
    const char *date, *time, *date_and_time, *choose_date, *choose_time;
};
const struct cv_when_words *cv_when_words_here(void);
/* As people read it. ret holds CV_WHEN_SHOWN bytes. */
#define CV_WHEN_SHOWN 160
void cv_when_show(const struct cv_when *w, bool with_date, bool with_time, char ret[CV_WHEN_SHOWN]);

#endif

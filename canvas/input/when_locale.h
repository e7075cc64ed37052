/* How dates are written where the person lives: LC_ALL, LC_TIME or LANG say it. In the C locale, in one that is not there, and in
 * one that is not UTF-8 it is "15 Mar 2026, 10:30", with weeks from Monday. Read once. */
#ifndef CANVAS_INPUT_WHEN_LOCALE_H
#define CANVAS_INPUT_WHEN_LOCALE_H

#include "canvas/input/when.h"

const char *oc_month_name(int month);     /* 1…12, as it stands alone */
const char *oc_weekday_name(int weekday); /* 0: Monday; short */
int oc_week_start(void);                  /* 0: Monday */
/* As people read it. ret holds OC_WHEN_SHOWN bytes. */
#define OC_WHEN_SHOWN 160
void oc_when_show(const struct oc_when *w, bool with_date, bool with_time, char ret[OC_WHEN_SHOWN]);

#endif

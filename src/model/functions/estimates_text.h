/* Which of a recording's times are estimates, for those that show them.  Any thread. */
#ifndef KYMO_ESTIMATES_TEXT_H
#define KYMO_ESTIMATES_TEXT_H

#include <stdbool.h>

struct recording;

/* Visits were counted and not timed, in one of its processes at least. */
bool estimates_have_positions(const struct recording *recording);
/* What is to be said beside times, and beside calls by caller or path; NULL = none is estimated. */
const char *estimates_text(const struct recording *recording);

#endif

/* The few lines that Kymo says to the user from inside of a program: "kymo: ..." on stderr and
 * nowhere else. */
#ifndef KYMO_LOG_H
#define KYMO_LOG_H

#include "runtime/runtime.h"

enum kymo_log_level {
	KYMO_LOG_ERROR,	  /* what was asked for is not recorded, or not all of it */
	KYMO_LOG_WARNING, /* it is, but not as it was asked for */
	KYMO_LOG_NOTE,	  /* good to know */
};

/* Say one line, with "kymo: " in front; more than 1 KB is cut.  It is one write(2), and nothing
 * when stderr is no longer the program's first one.  format: as lineformat() takes it.  Nothing of
 * the C library's stdio, no lock, no memory but the stack's.  Context: any; errno is kept. */
KYMO_EXPORT void kymo_log(enum kymo_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Say nothing that is less urgent; until then all is said.  Context: init. */
void log_choose(enum kymo_log_level least);

#endif

/* The few lines that Kymo prints to the user from within a program: "kymo: ..." on stderr only. */
#ifndef KYMO_LOG_H
#define KYMO_LOG_H

#include "runtime/runtime.h"

enum kymo_log_level {
	KYMO_LOG_ERROR,	  /* something requested is not recorded, or not completely */
	KYMO_LOG_WARNING, /* it is, but not as requested */
	KYMO_LOG_NOTE,	  /* for information */
};

/* Print one line, prefixed by "kymo: "; more than 1 KB is cut.  It is one write(2), and nothing
 * if stderr is no longer the program's first one.  format: as for lineformat().  Uses no stdio,
 * no lock, no memory but the stack.  Context: any; errno is kept. */
KYMO_EXPORT void kymo_log(enum kymo_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print nothing less urgent; until then all is printed.  Context: init. */
void log_choose(enum kymo_log_level least);

#endif

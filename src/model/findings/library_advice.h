/* Where an instrumented program works in what was not instrumented: which libraries those are, and
 * what to type.
 *
 * One thread. */
#ifndef KYMO_LIBRARY_ADVICE_H
#define KYMO_LIBRARY_ADVICE_H

#include "model/profile/flat_view.h"
#include "model/profile/loaded_run.h"

struct library_advice {
	char *libraries;    /* a sentence, from malloc; NULL = nothing to say */
	char *go;	    /* likewise, of functions that are Go's */
	uint32_t region;    /* whose own time it is, FINDING_NO_REGION where samples tell */
	double libraries_s; /* the time it is about */
};

/* Of the first process whose functions were recorded, or the program that it became.  False: out of
 * memory, advice is empty. */
bool library_advice_init(struct library_advice *advice, const struct loaded_run *loaded,
			 const struct flat_view *view);
void library_advice_release(struct library_advice *advice);

#endif

/* Which libraries an instrumented program spends its time in without their being instrumented, and
 * the command that records them.
 *
 * One thread. */
#ifndef KYMO_LIBRARY_ADVICE_H
#define KYMO_LIBRARY_ADVICE_H

#include "model/profile/flat_view.h"
#include "model/profile/loaded_run.h"

struct library_advice {
	char *libraries;    /* a sentence, from malloc; NULL = none */
	char *go;	    /* likewise, for functions written in Go */
	uint32_t region;    /* whose self time it is, FINDING_NO_REGION if it is from samples */
	double libraries_s; /* the time it concerns */
};

/* For the first process whose functions were recorded, or the program that it became by exec.
 * False: out of memory, advice is empty. */
bool library_advice_init(struct library_advice *advice, const struct loaded_run *loaded,
			 const struct flat_view *view);
void library_advice_release(struct library_advice *advice);

#endif

/* One finding: a sentence, the view that shows it, and the time it concerns. */
#ifndef KYMO_FINDING_H
#define KYMO_FINDING_H

#include <stdint.h>

#define FINDING_NO_REGION UINT32_MAX

struct finding {
	char *text;	  /* valid UTF-8 on one line, ends in a full stop; names in `backticks` */
	const char *kind; /* "own lines", "idle ranks", ...: as docs/report.md has them */
	const char *view; /* that shows it: the option of `kymo report` without its dashes */
	uint32_t region;  /* number in the union, or FINDING_NO_REGION */
	double cost_s;	  /* seconds that it concerns; the sort key */
};

#endif

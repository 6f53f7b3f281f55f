/* The nearest of several names, for "did you mean".  Context: any. */
#ifndef KYMO_NEAREST_H
#define KYMO_NEAREST_H

#include <stddef.h>

#define NEAREST_NAME_MAX 63

/* Edits that turn a into b: insert, delete, replace, swap of neighbours; letters of
 * either case are equal.  NEAREST_NAME_MAX + 1 when a name is longer than that. */
size_t nearest_distance(const char *a, const char *b);

struct nearest { /* a search under way */
	const char *name;
	const char *best; /* NULL = none was near enough */
	size_t distance;  /* of best; else the first distance that is too far */
};

/* Names farther away than a third of the name's length are not near. */
void nearest_begin(struct nearest *search, const char *name);
/* candidate must live as long as the search; of equally near ones the first stays. */
void nearest_offer(struct nearest *search, const char *candidate);

#endif

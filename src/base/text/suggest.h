/* The nearest of several names, for "did you mean".  Context: any. */
#ifndef KYMO_SUGGEST_H
#define KYMO_SUGGEST_H

#include <stddef.h>

#define SUGGEST_NAME_MAX 63

/* Edits that turn a into b: insertion, deletion, substitution, transposition; case-insensitive.
 * SUGGEST_NAME_MAX + 1 if a name is longer than that. */
size_t suggest_distance(const char *a, const char *b);

struct suggestion { /* a search in progress */
	const char *name;
	const char *best; /* NULL = none was near enough */
	size_t distance;  /* of best; else the first distance that is too far */
};

/* Names are near if their distance is at most a third of the name's length. */
void suggest_begin(struct suggestion *search, const char *name);
/* candidate must live as long as the search; among equally near ones the first wins. */
void suggest_offer(struct suggestion *search, const char *candidate);

#endif

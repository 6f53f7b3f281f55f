/* Sort order of merged data: for qsort, of numbers and of texts. */
#ifndef KYMO_MERGE_COMPARE_H
#define KYMO_MERGE_COMPARE_H

#include <stdint.h>
#include <string.h>

static inline int merge_compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* NULL, which means unknown, comes first. */
static inline int merge_compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

#endif

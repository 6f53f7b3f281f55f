/* Distance of names: restricted Damerau-Levenshtein.  Three rows of the table are enough: a
 * transposition refers two rows back. */
#include "base/text/suggest.h"

#include <ctype.h>
#include <string.h>

#define ROW_SIZE (SUGGEST_NAME_MAX + 1)

static int lower(char character)
{
	return tolower((unsigned char)character);
}

static size_t suggest_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t suggest_distance(const char *a, const char *b)
{
	size_t rows[3][ROW_SIZE], *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	size_t a_length = strlen(a), b_length = strlen(b), i, j, cost;

	if (a_length > SUGGEST_NAME_MAX || b_length > SUGGEST_NAME_MAX)
		return SUGGEST_NAME_MAX + 1;
	for (j = 0; j <= b_length; j++)
		before[j] = last[j] = j;
	for (i = 1; i <= a_length; i++) {
		row[0] = i;
		for (j = 1; j <= b_length; j++) {
			cost = lower(a[i - 1]) != lower(b[j - 1]);
			row[j] = suggest_least(suggest_least(last[j] + 1, row[j - 1] + 1),
					       last[j - 1] + cost);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				row[j] = suggest_least(row[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[b_length];
}

void suggest_begin(struct suggestion *search, const char *name)
{
	size_t length = strlen(name);

	search->name = name;
	search->best = NULL;
	search->distance = length / 3 + 1;
	if (length < 2) /* every name of one letter is one edit away */
		search->distance = 0;
	else if (length < 6)
		search->distance = 2;
}

void suggest_offer(struct suggestion *search, const char *candidate)
{
	size_t distance = suggest_distance(search->name, candidate);

	if (distance >= search->distance)
		return;
	search->distance = distance;
	search->best = candidate;
}

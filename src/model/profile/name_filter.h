/* Selects regions by name: a regular expression, or one name that must exist. */
#ifndef KYMO_NAME_FILTER_H
#define KYMO_NAME_FILTER_H

#include <regex.h>

#include "model/profile/region_union.h"

struct name_filter {
	regex_t expression;
	bool has_expression; /* else every name is accepted */
};

/* expression: extended, searched in names and labels; NULL = accept all. */
enum kymo_status name_filter_init(struct name_filter *filter, const char *expression,
				  struct problem *problem);
void name_filter_release(struct name_filter *filter);
bool name_filter_accepts(const struct name_filter *filter, const struct region *region);
bool name_filter_accepts_text(const struct name_filter *filter, const char *text);

/* Marks, per region of the union, those called name: by plain, qualified or full name or
 * by label.  Fails, with the nearest name, when there is none.  The caller frees. */
enum kymo_status name_find(const struct region_union *regions, const char *name, bool **marks_out,
			   struct problem *problem);
/* The most similar name; NULL = none.  Borrowed from the regions. */
const char *name_nearest(const struct region_union *regions, const char *name);

#endif

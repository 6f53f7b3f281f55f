/* Matches names of regions with the user's input. */
#include "model/profile/name_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/plaintext.h"
#include "base/text/suggest.h"

#define NAME_BYTES 512

enum kymo_status name_filter_init(struct name_filter *filter, const char *expression,
				  struct problem *problem)
{
	char reason[128];
	int error;

	*filter = (struct name_filter){0};
	if (!expression)
		return KYMO_OK;
	error = regcomp(&filter->expression, expression, REG_EXTENDED | REG_NOSUB);
	if (error) {
		regerror(error, &filter->expression, reason, sizeof(reason));
		return problem_set(problem, KYMO_USAGE,
				   "cannot use '%s' as a regular expression: %s", expression,
				   reason);
	}
	filter->has_expression = true;
	return KYMO_OK;
}

void name_filter_release(struct name_filter *filter)
{
	if (filter->has_expression)
		regfree(&filter->expression);
	filter->has_expression = false;
}

bool name_filter_accepts_text(const struct name_filter *filter, const char *text)
{
	return !filter->has_expression || regexec(&filter->expression, text, 0, NULL, 0) == 0;
}

bool name_filter_accepts(const struct name_filter *filter, const struct region *region)
{
	char name[NAME_BYTES];

	if (!filter->has_expression)
		return true;
	region_name(region, name, sizeof(name));
	if (name_filter_accepts_text(filter, name))
		return true;
	region_text(region, name, sizeof(name));
	return name_filter_accepts_text(filter, name);
}

/* Also as it is printed, since users type that. */
static bool filter_is_text(const char *text, const char *name)
{
	char shown[NAME_BYTES];

	plaintext_clean(text, shown, sizeof(shown));
	return strcmp(text, name) == 0 || strcmp(shown, name) == 0;
}

static bool filter_is_called(const struct region *region, const char *name)
{
	char text[NAME_BYTES];

	if (strcmp(region->name, name) == 0 ||
	    (region->qualname && strcmp(region->qualname, name) == 0))
		return true;
	region_name(region, text, sizeof(text));
	if (filter_is_text(text, name))
		return true;
	region_text(region, text, sizeof(text));
	return filter_is_text(text, name);
}

const char *name_nearest(const struct region_union *regions, const char *name)
{
	struct suggestion search;

	suggest_begin(&search, name);
	for (uint32_t i = 0; i < regions->count; i++) {
		if (regions->regions[i]->kind == KYMO_REGION_ROOT)
			continue;
		suggest_offer(&search, regions->regions[i]->name);
		if (regions->regions[i]->qualname)
			suggest_offer(&search, regions->regions[i]->qualname);
	}
	return search.best;
}

static enum kymo_status no_such_name(const struct region_union *regions, const char *name,
				     struct problem *problem)
{
	const char *best = name_nearest(regions, name);

	if (best)
		return problem_set(problem, KYMO_USAGE,
				   "no region '%s' in this run; did you mean '%s'?", name, best);
	return problem_set(problem, KYMO_USAGE,
			   "no region '%s' in this run; 'kymo report --filter REGEX' finds names",
			   name);
}

enum kymo_status name_find(const struct region_union *regions, const char *name, bool **marks_out,
			   struct problem *problem)
{
	bool *marks = calloc(regions->count + 1, sizeof(*marks));
	bool is_found = false;

	if (!marks)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (uint32_t i = 0; i < regions->count; i++) {
		marks[i] = regions->regions[i]->kind != KYMO_REGION_ROOT &&
			   filter_is_called(regions->regions[i], name);
		is_found |= marks[i];
	}
	if (!is_found) {
		free(marks);
		return no_such_name(regions, name, problem);
	}
	*marks_out = marks;
	return KYMO_OK;
}

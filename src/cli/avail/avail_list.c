/* Lists of `kymo avail`: filling, filtering, sorting. */
#include "cli/avail/avail_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void avail_list_add(struct avail_list *list, bool is_available, const char *const *cells)
{
	struct avail_row *rows, *row;

	if (list->has_failed)
		return;
	rows = array_grow(list->rows, &list->row_capacity, list->row_count + 1, sizeof(*rows));
	if (rows == NULL) {
		list->has_failed = true;
		return;
	}
	list->rows = rows;
	row = &rows[list->row_count++];
	*row = (struct avail_row){.is_available = is_available};
	for (unsigned int column = 0; column < list->column_count; column++) {
		row->cells[column] = strdup(cells[column]);
		if (row->cells[column] == NULL)
			list->has_failed = true;
	}
}

static void list_row_release(struct avail_row *row)
{
	for (unsigned int column = 0; column < AVAIL_COLUMNS_MAX; column++)
		free(row->cells[column]);
}

void avail_list_release(struct avail_list *list)
{
	for (size_t i = 0; i < list->row_count; i++)
		list_row_release(&list->rows[i]);
	free(list->rows);
	*list = (struct avail_list){0};
}

static int compare_rows(const void *a, const void *b)
{
	const struct avail_row *first = a, *second = b;

	return strcmp(first->cells[0], second->cells[0]);
}

void avail_list_sort(struct avail_list *list)
{
	if (list->row_count > 1)
		qsort(list->rows, list->row_count, sizeof(*list->rows), compare_rows);
}

static enum kymo_status avail_list_compile(struct avail_patterns *patterns, const char *word,
					   bool ignores_case, struct problem *problem)
{
	int flags = REG_EXTENDED | (ignores_case ? REG_ICASE : 0), error;
	bool excludes = word[0] == '~';
	char reason[128];

	error = regcomp(&patterns->expressions[patterns->count], word + excludes, flags);
	if (error != 0) {
		regerror(error, &patterns->expressions[patterns->count], reason, sizeof(reason));
		return problem_set(problem, KYMO_USAGE, "bad regular expression '%s': %s", word,
				   reason);
	}
	patterns->excludes[patterns->count++] = excludes;
	return KYMO_OK;
}

enum kymo_status avail_patterns_compile(struct avail_patterns *patterns,
					const struct option_words *words, bool ignores_case,
					struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	*patterns = (struct avail_patterns){0};
	if (words->count == 0)
		return KYMO_OK;
	patterns->expressions = calloc(words->count, sizeof(*patterns->expressions));
	patterns->excludes = calloc(words->count, sizeof(*patterns->excludes));
	if (patterns->expressions == NULL || patterns->excludes == NULL)
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; status == KYMO_OK && i < words->count; i++)
		status = avail_list_compile(patterns, words->items[i], ignores_case, problem);
	return status;
}

void avail_patterns_release(struct avail_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		regfree(&patterns->expressions[i]);
	free(patterns->expressions);
	free(patterns->excludes);
	*patterns = (struct avail_patterns){0};
}

static bool row_matches(const struct avail_list *list, const struct avail_row *row,
			const regex_t *expression, unsigned int roles)
{
	for (unsigned int column = 0; column < list->column_count; column++)
		if ((roles & 1u << list->columns[column].role) != 0 &&
		    regexec(expression, row->cells[column], 0, NULL, 0) == 0)
			return true;
	return false;
}

static bool list_is_kept(const struct avail_list *list, const struct avail_row *row,
			 const struct avail_patterns *patterns, unsigned int roles)
{
	bool has_including = false, is_included = false;

	for (size_t i = 0; i < patterns->count; i++) {
		bool matches = row_matches(list, row, &patterns->expressions[i], roles);

		if (patterns->excludes[i] && matches)
			return false;
		has_including |= !patterns->excludes[i];
		is_included |= !patterns->excludes[i] && matches;
	}
	return is_included || !has_including;
}

void avail_list_filter(struct avail_list *list, const struct avail_patterns *patterns,
		       unsigned int roles, const struct avail_patterns *categories,
		       bool is_only_available)
{
	size_t kept = 0;

	if (list->has_failed)
		return;
	for (size_t i = 0; i < list->row_count; i++) {
		struct avail_row *row = &list->rows[i];

		if ((row->is_available || !is_only_available) &&
		    list_is_kept(list, row, patterns, roles) &&
		    list_is_kept(list, row, categories, 1u << AVAIL_CATEGORY))
			list->rows[kept++] = *row;
		else
			list_row_release(row);
	}
	list->row_count = kept;
}

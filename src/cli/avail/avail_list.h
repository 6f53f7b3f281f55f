/* A list that `kymo avail` shows: rows of texts under columns with roles, filtered, sorted
 * and written in one of several forms.  The list owns its texts.  One thread. */
#ifndef KYMO_AVAIL_LIST_H
#define KYMO_AVAIL_LIST_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "cli/options/options.h"

#define AVAIL_COLUMNS_MAX 8

enum avail_role { /* which option shows a column */
		  AVAIL_NAME,
		  AVAIL_VALUE,
		  AVAIL_DESCRIPTION,
		  AVAIL_TYPE,
		  AVAIL_STRINGS,
		  AVAIL_FILENAME,
		  AVAIL_CATEGORY,
};

struct avail_column {
	const char *heading;
	enum avail_role role;
	bool is_extra; /* not a column of the CSV form, whose columns are fixed */
};

struct avail_row {
	char *cells[AVAIL_COLUMNS_MAX];
	bool is_available;
};

struct avail_list {
	const char *title;
	const struct avail_column *columns;
	unsigned int column_count;
	struct avail_row *rows;
	size_t row_count, row_capacity;
	bool has_failed; /* memory ran out while it was filled */
};

/* cells: column_count texts, copied. */
void avail_list_add(struct avail_list *list, bool is_available, const char *const *cells);
void avail_list_sort(struct avail_list *list);
void avail_list_release(struct avail_list *list);

struct avail_patterns { /* regular expressions; those that began with '~' exclude */
	regex_t *expressions;
	bool *excludes;
	size_t count;
};

enum kymo_status avail_patterns_compile(struct avail_patterns *patterns,
					const struct option_words *words, bool ignores_case,
					struct problem *problem);
void avail_patterns_release(struct avail_patterns *patterns);

/* Keep the rows of which a cell in a column of roles (bits 1 << role) matches one of the patterns
 * and none an excluding one; categories are matched with the category column only. */
void avail_list_filter(struct avail_list *list, const struct avail_patterns *patterns,
		       unsigned int roles, const struct avail_patterns *categories,
		       bool is_only_available);

#endif

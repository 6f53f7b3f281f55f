/* Lists of `kymo avail` as text tables, Markdown and CSV. */
#ifndef KYMO_AVAIL_WRITE_H
#define KYMO_AVAIL_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "cli/avail/avail_list.h"

struct avail_form {
	unsigned int roles;	   /* bits 1 << role that are shown */
	unsigned int column_width; /* longest cell, 0 = no limit */
	unsigned int total_width;  /* longest line, 0 = no limit */
	bool is_markdown, is_csv;
	const char *separator;			 /* of the CSV form */
	const struct avail_patterns *highlights; /* matches are coloured; may be NULL */
};

enum kymo_status avail_list_write(const struct avail_list *list, const struct avail_form *form,
				  FILE *out, struct problem *problem);

#endif

/* Lists of functions on standard output, one per line, and the summary line. */
#include "cli/instrument/instrument_print.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/basename.h"
#include "base/text/plaintext.h"
#include "cli/instrument/instrument_item.h"
#include "cli/instrument/instrument_report.h"

static void print_modules(const struct instrument_report *report, enum instrument_list list)
{
	struct textbuf text = {0};

	for (size_t i = 0; i < report->choice_count; i++) {
		const struct function_choice *choice = &report->choices[i];
		bool is_shown = false;

		for (size_t j = 0; !is_shown && j < choice->plan.header->function_count; j++)
			is_shown = instrument_list_has(list, choice, j);
		if (is_shown)
			puts(plaintext_of(&text, choice->path));
	}
	textbuf_release(&text);
}

void instrument_report_print(const struct instrument_report *report, enum instrument_list list,
			     const char *word)
{
	bool has_module = strncmp(word, "pair", 4) == 0, is_whole = strchr(word, '+') != NULL;
	char buffer[FUNCTION_NAME_SIZE];
	struct textbuf text = {0};

	if (strcmp(word, "modules") == 0) {
		print_modules(report, list);
		return;
	}
	for (size_t i = 0; i < report->choice_count; i++) {
		const struct function_choice *choice = &report->choices[i];

		for (size_t j = 0; j < choice->plan.header->function_count; j++) {
			const char *name;

			if (!instrument_list_has(list, choice, j))
				continue;
			name = plaintext_of(
				&text, function_choice_name(choice, j, report->symbols, buffer));
			if (has_module)
				plaintext_print(stdout, "[%s] ", path_base_name(choice->path));
			printf("%.*s\n", is_whole ? INT_MAX : (int)instrument_bare_length(name),
			       name);
		}
	}
	textbuf_release(&text);
}

void instrument_report_summary(const struct function_choice *choice, char *line, size_t size)
{
	const struct function_counts *counts = &choice->counts;
	int length = snprintf(line, size, "%s: %" PRIu64 " of %" PRIu64 " functions instrumented",
			      path_base_name(choice->path), counts->taken, counts->found);

	/* Counting calls needs few patched exits. */
	if (choice->plan.header->cost != PATCH_COST_COUNTS && length > 0 && (size_t)length < size)
		snprintf(line + length, size - (size_t)length, ", %" PRIu64 " with all exits",
			 counts->with_exits);
}

/* kymo avail: lists settings, metrics, output keys, collectors and exporters, and generates
 * configuration files. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "cli/avail/avail_config.h"
#include "cli/avail/avail_list.h"
#include "cli/avail/avail_sources.h"
#include "cli/avail/avail_write.h"
#include "cli/commands.h"
#include "cli/counter_names.h"
#include "cli/options/command_settings.h"
#include "cli/options/options.h"
#include "cli/terminal.h"

struct avail_options {
	bool has_settings, has_components, has_keys, has_collectors, has_counters, has_exporters,
		has_categories, has_not_built;
	bool has_all, has_advanced, is_expanded;
	bool is_only_available, ignores_case, is_highlighted, is_alphabetical;
	bool is_brief, has_description, has_strings, has_value, has_filename, has_category;
	bool is_markdown, is_csv, is_forced;
	struct option_words filters, category_filters, formats;
	uint64_t column_width, total_width;
	const char *separator, *config_path, *output_path, *tag;
};

struct avail {
	struct avail_options options;
	struct settings *settings;
	struct avail_patterns patterns, category_patterns;
	bool has_printed; /* a list was printed before this one */
};

#define TOTAL_WIDTH_AUTO UINT64_MAX

/* Positional arguments are filters too. */
static enum kymo_status add_positional(struct avail_options *options, int argc, char **argv,
				       struct problem *problem)
{
	for (int i = 0; i < argc; i++) {
		if (options->filters.count == OPTION_WORDS_MAX)
			return problem_set(problem, KYMO_USAGE, "more than %d filters",
					   OPTION_WORDS_MAX);
		options->filters.items[options->filters.count++] = argv[i];
	}
	return KYMO_OK;
}

static enum options_result avail_parse(struct avail_options *options, int *argc, char **argv,
				       struct problem *problem)
{
	struct avail_options *o = options;
	const struct option_row rows[] = {
		{'S', "settings", OPTION_FLAG, &o->has_settings, NULL,
		 "List the settings and their values (the default)"},
		{'C', "components", OPTION_FLAG, &o->has_components, NULL,
		 "List the metrics for TIMEMORY_COMPONENTS"},
		{0, "list-keys", OPTION_FLAG, &o->has_keys, NULL,
		 "List the keys for names of outputs"},
		{0, "expand-keys", OPTION_FLAG, &o->is_expanded, NULL,
		 "List them with their current values"},
		{0, "collectors", OPTION_FLAG, &o->has_collectors, NULL,
		 "List the collectors, and the packages that provide missing ones"},
		{'H', "hw-counters", OPTION_FLAG, &o->has_counters, NULL,
		 "List hardware and software counters, and why some are not available"},
		{0, "exporters", OPTION_FLAG, &o->has_exporters, NULL,
		 "List the formats of 'kymo export'"},
		{0, "list-categories", OPTION_FLAG, &o->has_categories, NULL,
		 "List the categories of settings and metrics"},
		{0, "not-built", OPTION_FLAG, &o->has_not_built, NULL,
		 "List known features that are not in this build, and what they need"},
		{'a', "all", OPTION_FLAG, &o->has_all, NULL,
		 "List everything; in a generated configuration: describe each setting"},
		{0, "advanced", OPTION_FLAG, &o->has_advanced, NULL, "Include advanced settings"},
		{'A', "available", OPTION_FLAG, &o->is_only_available, NULL,
		 "Only available items"},
		{'r', "filter", OPTION_WORDS, &o->filters, "REGEX",
		 "Only rows of which a visible column matches one of these; '~' in front: none of "
		 "these"},
		{'R', "category-filter", OPTION_WORDS, &o->category_filters, "REGEX",
		 "The same for the categories"},
		{'i', "ignore-case", OPTION_FLAG, &o->ignores_case, NULL, "Ignore case in matches"},
		{'p', "highlight", OPTION_FLAG, &o->is_highlighted, NULL,
		 "Colour the matches of the filters"},
		{0, "hl", OPTION_FLAG, &o->is_highlighted, NULL, "The same as --highlight"},
		{0, "alphabetical", OPTION_FLAG, &o->is_alphabetical, NULL, "Sort by name"},
		{'b', "brief", OPTION_FLAG, &o->is_brief, NULL, "Omit values and availability"},
		{'d', "description", OPTION_FLAG, &o->has_description, NULL,
		 "Show the descriptions"},
		{'s', "string", OPTION_FLAG, &o->has_strings, NULL,
		 "Show the accepted names and choices"},
		{'v', "value", OPTION_FLAG, &o->has_value, NULL, "Show the types"},
		{'f', "filename", OPTION_FLAG, &o->has_filename, NULL,
		 "Show the names of output files"},
		{'c', "categories", OPTION_FLAG, &o->has_category, NULL, "Show the categories"},
		{'w', "column-width", OPTION_COUNT, &o->column_width, "N",
		 "Wrap cells that are wider than N columns"},
		{'W', "max-total-width", OPTION_COUNT, &o->total_width, "N",
		 "Wrap cells so that lines have at most N columns, 0 = no limit (default: the "
		 "terminal's width)"},
		{'G', "generate-config", OPTION_TEXT, &o->config_path, "FILE",
		 "Write a configuration file with the current settings"},
		{'F', "config-format", OPTION_WORDS, &o->formats, "FORMAT",
		 "Its format: txt, json or xml; several write several files"},
		{'O', "output", OPTION_TEXT, &o->output_path, "FILE", "Write the lists to a file"},
		{'t', "tag", OPTION_TEXT, &o->tag, "TEXT",
		 "Put into the first lines of a generated configuration"},
		{'M', "markdown", OPTION_FLAG, &o->is_markdown, NULL, "Write Markdown tables"},
		{0, "csv", OPTION_FLAG, &o->is_csv, NULL, "Write comma-separated values"},
		{0, "csv-separator", OPTION_TEXT, &o->separator, "TEXT", "The separator (',')"},
		{0, "force", OPTION_FLAG, &o->is_forced, NULL, "Overwrite existing files"},
	};
	const struct option_table table = {
		.command = "kymo avail",
		.usage = "[options] [REGEX...]",
		.description = "Lists settings, metrics and other available items, and generates "
			       "configuration files.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};

	return options_parse(&table, argc, argv, problem);
}

static enum kymo_status avail_check(const struct avail_options *options, struct problem *problem)
{
	if (options->separator[0] == '\0')
		return problem_set(problem, KYMO_USAGE, "--csv-separator cannot be empty");
	if (options->is_csv && options->is_markdown)
		return problem_set(problem, KYMO_USAGE, "--csv and --markdown exclude each other");
	if (options->formats.count > 0 && options->config_path == NULL)
		return problem_set(problem, KYMO_USAGE, "--config-format needs --generate-config");
	return KYMO_OK;
}

/* Without a column option: value and description; else the selected ones.  The CSV form has all
 * columns. */
static unsigned int shown_roles(const struct avail_options *options)
{
	unsigned int roles = options->is_csv ? ~0u : 1u << AVAIL_NAME;
	bool has_column = options->is_brief || options->has_description || options->has_strings ||
			  options->has_value || options->has_filename || options->has_category;

	roles |= options->is_brief ? 0 : 1u << AVAIL_VALUE;
	roles |= options->has_description || !has_column ? 1u << AVAIL_DESCRIPTION : 0;
	roles |= options->has_value ? 1u << AVAIL_TYPE : 0;
	roles |= options->has_strings ? 1u << AVAIL_STRINGS : 0;
	roles |= options->has_filename ? 1u << AVAIL_FILENAME : 0;
	roles |= options->has_category ? 1u << AVAIL_CATEGORY : 0;
	return roles;
}

static unsigned int total_width(const struct avail_options *options, FILE *out)
{
	if (options->total_width != TOTAL_WIDTH_AUTO)
		return options->total_width < 100000 ? (unsigned int)options->total_width : 0;
	return isatty(fileno(out)) ? terminal_width(out) : 0;
}

static void avail_narrow(const struct avail *avail, struct avail_list *list)
{
	avail_list_filter(list, &avail->patterns, shown_roles(&avail->options),
			  &avail->category_patterns, avail->options.is_only_available);
	if (avail->options.is_alphabetical && !list->has_failed)
		avail_list_sort(list);
}

/* Write the list and release it; empty lists are skipped. */
static enum kymo_status avail_show(struct avail *avail, struct avail_list *list, FILE *out,
				   struct problem *problem)
{
	const struct avail_options *options = &avail->options;
	struct avail_form form = {
		.roles = shown_roles(options),
		.column_width =
			options->column_width < 100000 ? (unsigned int)options->column_width : 0,
		.total_width = total_width(options, out),
		.is_markdown = options->is_markdown,
		.is_csv = options->is_csv,
		.separator = options->separator,
		.highlights = options->is_highlighted ? &avail->patterns : NULL,
	};
	enum kymo_status status = KYMO_OK;

	avail_narrow(avail, list);
	if (list->row_count > 0 || list->has_failed) {
		if (avail->has_printed)
			putc('\n', out);
		status = avail_list_write(list, &form, out, problem);
		avail->has_printed = true;
	}
	avail_list_release(list);
	return status;
}

static enum kymo_status show_all(struct avail *avail, FILE *out, struct problem *problem)
{
	const struct avail_options *options = &avail->options;
	bool has_other = options->has_components || options->has_keys || options->is_expanded ||
			 options->has_collectors || options->has_exporters ||
			 options->has_counters || options->has_categories || options->has_not_built;
	enum kymo_status status = KYMO_OK;
	struct avail_list list;

	if (options->has_settings || options->has_all || !has_other) {
		avail_settings(&list, avail->settings, options->has_advanced);
		status = avail_show(avail, &list, out, problem);
	}
	if (status == KYMO_OK && (options->has_components || options->has_all)) {
		avail_components(&list);
		status = avail_show(avail, &list, out, problem);
	}
	if (status == KYMO_OK && (options->has_collectors || options->has_all)) {
		avail_collectors(&list);
		status = avail_show(avail, &list, out, problem);
	}
	if (status == KYMO_OK && (options->has_counters || options->has_all)) {
		avail_counters(&list);
		status = avail_show(avail, &list, out, problem);
	}
	if (status == KYMO_OK && (options->has_exporters || options->has_all)) {
		avail_exporters(&list);
		status = avail_show(avail, &list, out, problem);
	}
	if (status == KYMO_OK && (options->has_keys || options->is_expanded || options->has_all)) {
		avail_keys(&list, avail->settings, options->is_expanded);
		status = avail_show(avail, &list, out, problem);
	}
	if (status == KYMO_OK && options->has_categories) {
		avail_categories(&list);
		status = avail_show(avail, &list, out, problem);
	}
	if (status == KYMO_OK && options->has_not_built) {
		avail_not_built(&list);
		status = avail_show(avail, &list, out, problem);
	}
	return status;
}

static enum kymo_status show_into_file(struct avail *avail, struct problem *problem)
{
	const char *path = avail->options.output_path;
	enum kymo_status status;
	struct outfile file;

	if (!avail->options.is_forced && strcmp(path, "-") != 0 && access(path, F_OK) == 0)
		return problem_set(problem, KYMO_ERROR,
				   "'%s' exists and is not overwritten without --force", path);
	status = outfile_open_stream(&file, path, problem);
	if (status != KYMO_OK)
		return status;
	status = show_all(avail, file.stream, problem);
	if (status == KYMO_OK)
		return outfile_commit(&file, problem);
	outfile_discard(&file);
	return status;
}

/* Advanced settings are written on request, and when they differ from their default. */
static bool avail_is_hidden(const struct avail *avail, const struct avail_row *row)
{
	int id = settings_find(row->cells[0]);

	return id >= 0 && strstr(setting_table[id].categories, "advanced") != NULL &&
	       strcmp(settings_text(avail->settings, (enum setting_id)id),
		      setting_table[id].default_text) == 0;
}

static enum kymo_status generate(struct avail *avail, struct problem *problem)
{
	const struct avail_options *options = &avail->options;
	struct avail_list list;
	struct avail_config config = {
		.settings = avail->settings,
		.list = &list,
		.path = options->config_path,
		.tag = options->tag,
		.has_details = options->has_all,
		.is_forced = options->is_forced,
	};
	enum kymo_status status;

	avail_settings(&list, avail->settings, true);
	for (size_t i = 0; !list.has_failed && !options->has_advanced && i < list.row_count; i++)
		list.rows[i].is_available = !avail_is_hidden(avail, &list.rows[i]);
	avail_list_filter(&list, &avail->patterns, shown_roles(options), &avail->category_patterns,
			  true);
	if (options->is_alphabetical && !list.has_failed)
		avail_list_sort(&list);
	if (list.has_failed)
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	else
		status = avail_config_write(&config, &options->formats, problem);
	avail_list_release(&list);
	return status;
}

static enum kymo_status avail_prepare(struct avail *avail, struct problem *problem)
{
	const struct avail_options *options = &avail->options;
	enum kymo_status status;

	status = avail_patterns_compile(&avail->patterns, &options->filters, options->ignores_case,
					problem);
	if (status == KYMO_OK)
		status = avail_patterns_compile(&avail->category_patterns,
						&options->category_filters, options->ignores_case,
						problem);
	if (status != KYMO_OK)
		return status;
	return command_settings_new(&avail->settings, problem);
}

static enum kymo_status avail_run(struct avail *avail, struct problem *problem)
{
	enum kymo_status status = avail_prepare(avail, problem);

	if (status != KYMO_OK)
		return status;
	if (avail->options.config_path != NULL)
		return generate(avail, problem);
	if (avail->options.output_path != NULL)
		return show_into_file(avail, problem);
	return show_all(avail, stdout, problem);
}

int cmd_avail(int argc, char **argv)
{
	struct avail avail = {
		.options = {.separator = ",", .total_width = TOTAL_WIDTH_AUTO},
	};
	struct problem problem;
	enum kymo_status status;
	enum options_result parsed = avail_parse(&avail.options, &argc, argv, &problem);

	if (parsed != OPTIONS_PARSED)
		return command_end_options(parsed, &problem);
	status = add_positional(&avail.options, argc, argv, &problem);
	if (status == KYMO_OK)
		status = avail_check(&avail.options, &problem);
	if (status == KYMO_OK)
		status = avail_run(&avail, &problem);
	avail_patterns_release(&avail.patterns);
	avail_patterns_release(&avail.category_patterns);
	settings_free(avail.settings);
	return status == KYMO_OK ? command_finish_output() : command_fail(status, &problem);
}

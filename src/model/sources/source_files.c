/* Groups lines and functions by file. */
#include "model/sources/source_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "model/samples/sampled_lines.h"

static int lines_by_location(const void *left, const void *right)
{
	const struct sampled_line *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (order == 0)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : strcmp(a->function, b->function);
}

/* Lines of Python and of native code are in different files, so a sum has one of both only. */
static size_t merge_lines(struct sampled_line *lines, size_t count)
{
	size_t kept = 0;

	if (count > 0)
		qsort(lines, count, sizeof(*lines), lines_by_location);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && lines[kept - 1].line == lines[i].line &&
		    strcmp(lines[kept - 1].file, lines[i].file) == 0)
			sampled_line_add(&lines[kept - 1], &lines[i]);
		else
			lines[kept++] = lines[i];
	}
	return kept;
}

/* Add those of one process; *squares: for the effective number of samples. */
static bool files_collect_process(struct source_lines *all, double *squares,
				  struct sampled_lines *lines)
{
	struct sampled_line *grown =
		realloc(all->lines, (all->count + lines->count + 1) * sizeof(*grown));

	all->owners[all->owner_count++] = lines;
	if (!grown)
		return false;
	all->lines = grown;
	all->total_ns += lines->total_ns;
	if (lines->effective_count > 0)
		*squares += lines->total_ns * lines->total_ns / lines->effective_count;
	for (size_t i = 0; i < lines->count; i++) {
		if (lines->lines[i].file && lines->lines[i].line)
			grown[all->count++] = lines->lines[i];
	}
	return true;
}

static enum kymo_status files_collect_lines(struct source_lines *all,
					    const struct loaded_run *loaded,
					    const struct sampled_options *options)
{
	double squares = 0;

	all->owners = calloc(loaded->tree_count + 1, sizeof(struct sampled_lines *));
	if (!all->owners)
		return KYMO_MEMORY;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		struct recording *recording = (struct recording *)loaded->trees[i]->recording;
		const struct samples *samples = loaded_samples(loaded, i);
		struct sampled_lines *lines;
		enum kymo_status status;

		if (!samples || samples->count == 0)
			continue;
		status = sampled_lines_new(recording, samples, options, &lines);
		if (status < 0)
			return status;
		if (!files_collect_process(all, &squares, lines))
			return KYMO_MEMORY;
	}
	all->effective_count = squares > 0 ? all->total_ns * all->total_ns / squares : 0;
	all->count = merge_lines(all->lines, all->count);
	return KYMO_OK;
}

enum kymo_status source_lines_new(const struct loaded_run *loaded,
				  const struct sampled_options *options, struct source_lines **out)
{
	struct source_lines *all = calloc(1, sizeof(*all));
	enum kymo_status status = all ? files_collect_lines(all, loaded, options) : KYMO_MEMORY;

	if (status < 0) {
		source_lines_free(all);
		return status;
	}
	*out = all;
	return KYMO_OK;
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->owner_count; i++)
		sampled_lines_free(lines->owners[i]);
	free(lines->owners);
	free(lines->lines);
	free(lines);
}

struct sorted_function { /* a function for sorting */
	const char *file;
	struct source_function function;
	double self_ns;
};

static int by_file(const void *left, const void *right)
{
	const struct sorted_function *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (order == 0)
		order = (a->function.line > b->function.line) -
			(a->function.line < b->function.line);
	if (order == 0)
		order = (a->function.region > b->function.region) -
			(a->function.region < b->function.region);
	return order;
}

static struct sorted_function *sort_functions(const struct region_union *regions,
					      const struct flat_view *flat, size_t *count_out)
{
	struct sorted_function *sorted_function = calloc(flat->count + 1, sizeof(*sorted_function));
	size_t count = 0;

	for (size_t i = 0; sorted_function && i < flat->count; i++) {
		const struct flat_entry *entry = &flat->entries[i];
		const struct region *region = regions->regions[entry->region];

		if (region->file && *region->file)
			sorted_function[count++] = (struct sorted_function){
				region->file, {entry->region, region->line}, entry->self_ns};
	}
	if (sorted_function && count > 0)
		qsort(sorted_function, count, sizeof(*sorted_function), by_file);
	*count_out = count;
	return sorted_function;
}

static int files_by_self(const void *left, const void *right)
{
	const struct source_file *a = left, *b = right;

	if (a->self_ns != b->self_ns)
		return a->self_ns < b->self_ns ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Both lists are sorted by file name. */
static void make_files(struct source_files *all, const struct source_lines *lines,
		       const struct sorted_function *sorted_function, size_t placed_count)
{
	size_t line = 0, function = 0;

	while (line < lines->count || function < placed_count) {
		struct source_file *file = &all->files[all->count++];
		const char *lines_name = line < lines->count ? lines->lines[line].file : NULL;
		const char *name =
			function < placed_count ? sorted_function[function].file : lines_name;
		double function_ns = 0;

		if (lines_name && strcmp(lines_name, name) < 0)
			name = lines_name;
		*file = (struct source_file){.name = name,
					     .lines = lines->lines ? lines->lines + line : NULL,
					     .functions = &all->functions[function]};
		for (; line < lines->count && strcmp(lines->lines[line].file, name) == 0; line++) {
			file->self_ns += lines->lines[line].self_ns;
			file->line_count++;
		}
		for (; function < placed_count && strcmp(sorted_function[function].file, name) == 0;
		     function++) {
			function_ns += sorted_function[function].self_ns;
			all->functions[function] = sorted_function[function].function;
			file->function_count++;
		}
		if (file->line_count == 0)
			file->self_ns = function_ns;
	}
}

static enum kymo_status files_fill(struct source_files *all, const struct loaded_run *loaded,
				   const struct region_union *regions, const struct flat_view *flat,
				   const struct source_lines *lines)
{
	size_t placed_count = 0;
	const char *directory;
	struct sorted_function *sorted_function = sort_functions(regions, flat, &placed_count);

	all->functions = calloc(placed_count + 1, sizeof(*all->functions));
	all->files = calloc(lines->count + placed_count + 1, sizeof(*all->files));
	if (!sorted_function || !all->functions || !all->files) {
		free(sorted_function);
		return KYMO_MEMORY;
	}
	make_files(all, lines, sorted_function, placed_count);
	free(sorted_function);
	directory = recording_note(loaded->trees[0]->recording, KYMO_NOTE_INFO, "directory");
	for (size_t i = 0; i < all->count; i++)
		all->files[i].directory = directory;
	if (all->count > 0)
		qsort(all->files, all->count, sizeof(*all->files), files_by_self);
	return KYMO_OK;
}

enum kymo_status source_files_new(const struct loaded_run *loaded,
				  const struct region_union *regions, const struct flat_view *flat,
				  const struct source_lines *lines, struct source_files **out)
{
	struct source_files *all = calloc(1, sizeof(*all));
	enum kymo_status status = all ? files_fill(all, loaded, regions, flat, lines) : KYMO_MEMORY;

	if (status < 0) {
		source_files_free(all);
		return status;
	}
	*out = all;
	return KYMO_OK;
}

void source_files_free(struct source_files *files)
{
	if (!files)
		return;
	free(files->files);
	free(files->functions);
	free(files);
}

char *source_file_path(const struct source_file *file)
{
	char *path = NULL;

	if (file->name[0] == '/')
		return strdup(file->name);
	if (file->name[0] == '<' || !file->name[0] || !file->directory || file->directory[0] != '/')
		return NULL;
	return asprintf(&path, "%s/%s", file->directory, file->name) < 0 ? NULL : path;
}

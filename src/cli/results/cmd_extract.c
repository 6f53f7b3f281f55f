/* kymo extract: a region with its callees, as a run of its own. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemode.h"
#include "base/owner.h"
#include "cli/commands.h"
#include "cli/options/common_options.h"
#include "cli/options/options.h"
#include "cli/results/find_run.h"
#include "command/xalloc.h"
#include "model/profile/loaded_run.h"
#include "model/profile/name_filter.h"
#include "writer/extract.h"

struct extract_command {
	const char *region, *output;
	const char *run; /* NULL = the newest */
};

static enum options_result extract_parse(void *given, int argc, char **argv,
					 struct problem *problem)
{
	struct extract_command *command = given;
	const struct option_row rows[] = {
		{'r', "region", OPTION_TEXT, &command->region, "NAME",
		 "The region to extract, with everything below it"},
		{'o', "output", OPTION_TEXT, &command->output, "RUN",
		 "Directory to write: new, or empty"},
		ROW_FORCE,
	};
	const struct option_table table = {
		.command = "kymo extract",
		.usage = "[options] --region NAME -o RUN [RUN]",
		.description =
			"Writes a region with everything below it as a separate run: it becomes "
			"the outermost call, with the threads that it created. RUN is the "
			"directory of a run or one recording, which may still be growing; by "
			"default the newest run below the working directory.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result = options_parse(&table, &argc, argv, problem);

	if (result != OPTIONS_PARSED)
		return result;
	if (argc > 1 || !command->region || !command->output || !*command->output) {
		problem_set(problem, KYMO_USAGE,
			    "name the region, where to write, and one run at most: "
			    "'kymo extract --region NAME -o NEW RUN'");
		return OPTIONS_FAILED;
	}
	command->run = argc == 1 ? argv[0] : NULL;
	return result;
}

static enum kymo_status extract_make_output(const char *path, struct problem *problem)
{
	const struct dirent *entry;
	bool is_empty = true;
	DIR *directory;

	if (mkdir(path, filemode_folder()) == 0)
		return KYMO_OK;
	if (errno == EEXIST)
		errno = owner_check_folder(path);
	if (errno != 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot make '%s': %s", path,
				   strerror(errno));
	directory = opendir(path);
	if (!directory)
		return problem_set(problem, KYMO_SYSTEM, "cannot write to '%s': %s", path,
				   strerror(errno));
	while ((entry = readdir(directory)))
		is_empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	closedir(directory);
	if (is_empty)
		return KYMO_OK;
	return problem_set(problem, KYMO_USAGE, "'%s' is not empty: name a new directory", path);
}

/* marks: per region of the union; returns those of the tree's own regions. */
static bool *own_marks(const struct calltree *tree, const struct region_union *regions,
		       size_t index, const bool *marks)
{
	bool *own = xcalloc(tree->recording->region_count + (size_t)1, sizeof(*own));

	for (uint32_t i = 0; i < regions->region_counts[index]; i++)
		own[i] = marks[region_union_number(regions, index, i)];
	return own;
}

static enum kymo_status extract_write_process(const struct extract_command *command,
					      const struct calltree *tree, const bool *marks,
					      size_t *written, struct problem *problem)
{
	char path[4096];

	if (!extract_has_any(tree, marks))
		return KYMO_OK;
	++*written;
	snprintf(path, sizeof(path), "%s/extract-%u-%zu.kymo", command->output,
		 tree->recording->header.pid, *written);
	return extract_write(tree, marks, path, command->region, problem);
}

static enum kymo_status write_processes(const struct extract_command *command,
					const struct loaded_run *loaded,
					const struct region_union *regions, const bool *marks,
					struct problem *problem)
{
	enum kymo_status status = extract_make_output(command->output, problem);
	size_t written = 0;

	for (size_t i = 0; status == KYMO_OK && i < loaded->tree_count; i++) {
		bool *own = own_marks(loaded->trees[i], regions, i, marks);

		status = extract_write_process(command, loaded->trees[i], own, &written, problem);
		xfree(own);
	}
	if (status == KYMO_OK && written == 0)
		return problem_set(problem, KYMO_ERROR, "region '%s' was never entered",
				   command->region);
	return status;
}

static enum kymo_status extract(const struct extract_command *command,
				const struct loaded_run *loaded, struct problem *problem)
{
	struct region_union *regions;
	bool *marks = NULL;
	enum kymo_status status;

	if (loaded->is_sampled)
		return problem_set(problem, KYMO_USAGE,
				   "'%s' has samples, no calls: nothing can be extracted",
				   loaded->run->path);
	xneed(region_union_new(loaded->trees, loaded->tree_count, &regions) == KYMO_OK);
	status = name_find(regions, command->region, &marks, problem);
	if (status == KYMO_OK)
		status = write_processes(command, loaded, regions, marks, problem);
	free(marks);
	region_union_free(regions);
	return status;
}

static enum kymo_status load_and_extract(void *given, struct problem *problem)
{
	const struct extract_command *command = given;
	struct loaded_run *loaded = NULL;
	char *found = NULL;
	enum kymo_status status = find_run_or_newest(command->run, &found, problem);

	if (status == KYMO_OK)
		status = loaded_run_open(found, NULL, &loaded, problem);
	if (status == KYMO_OK)
		status = extract(command, loaded, problem);
	loaded_run_free(loaded);
	return status;
}

int cmd_extract(int argc, char **argv)
{
	struct extract_command command = {0};

	return command_run(&command, extract_parse, load_and_extract, argc, argv);
}

/* kymo import: other tools' files as a run, for all other commands. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/basename.h"
#include "base/filemode.h"
#include "base/owner.h"
#include "base/text/plaintext.h"
#include "base/text/suggest.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "import/import.h"
#include "import/imported_write.h"

struct import_command {
	const char *format, *output, *unit;
	uint64_t unpack_limit; /* bytes, or IMPORT_UNPACK_OWN */
	bool is_forced, lists_formats;
	char **files;
	int file_count;
};

struct import_files { /* what this command has written to the directory */
	char **paths;
	size_t count;
	uint8_t run_id[16];
	bool has_made_directory;
};

static uint64_t unpack_limit(uint64_t megabytes)
{
	if (megabytes == UINT64_MAX)
		return IMPORT_UNPACK_OWN;
	return megabytes && megabytes < UINT64_MAX >> 20 ? megabytes << 20 : IMPORT_UNPACK_OWN - 1;
}

static enum options_result import_parse(void *given, int argc, char **argv, struct problem *problem)
{
	struct import_command *command = given;
	uint64_t megabytes = UINT64_MAX;
	const struct option_row rows[] = {
		{'o', "output", OPTION_TEXT, &command->output, "RUN",
		 "Directory of the run (default: kymo-NAME-output, by the first file)"},
		{0, "format", OPTION_TEXT, &command->format, "NAME",
		 "The files' format (default: detected from the content)"},
		{'u', "unit", OPTION_TEXT, &command->unit, "UNIT",
		 "Unit of weights without one: ns, us, ms, s; or any other word, such as samples "
		 "or bytes"},
		{0, "unpack-limit", OPTION_COUNT, &megabytes, "MB",
		 "Limit of a decompressed file, 0 = none (default: 100 times its size, 256 at "
		 "least)"},
		{0, "force", OPTION_FLAG, &command->is_forced, NULL,
		 "Replace the run in an existing directory, and read files that belong to other "
		 "users"},
		{0, "list-formats", OPTION_FLAG, &command->lists_formats, NULL,
		 "List the formats and end"},
	};
	const struct option_table table = {
		.command = "kymo import",
		.usage = "[options] FILE...",
		.description =
			"Reads other tools' profiles and traces and writes a run that report, "
			"export and the other commands read. FILE may be compressed by gzip; - is "
			"standard "
			"input. Several files become one run.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result = options_parse(&table, &argc, argv, problem);

	command->unpack_limit = unpack_limit(megabytes);
	command->files = argv;
	command->file_count = argc;
	if (result == OPTIONS_PARSED && argc == 0 && !command->lists_formats) {
		problem_set(problem, KYMO_USAGE, "name a file to import");
		return OPTIONS_FAILED;
	}
	return result;
}

static void list_formats(void)
{
	for (size_t i = 0; i < importer_count; i++)
		printf("%-12s%s\n", importer_table[i]->name, importer_table[i]->description);
}

/* NULL with KYMO_OK: determined by content. */
static enum kymo_status find_importer(const char *name, const struct importer **out,
				      struct problem *problem)
{
	struct suggestion search;

	*out = NULL;
	if (!name)
		return KYMO_OK;
	*out = importer_find(name);
	if (*out)
		return KYMO_OK;
	suggest_begin(&search, name);
	for (size_t i = 0; i < importer_count; i++)
		suggest_offer(&search, importer_table[i]->name);
	if (search.best)
		return problem_set(problem, KYMO_USAGE, "unknown format '%s'; did you mean '%s'?",
				   name, search.best);
	return problem_set(problem, KYMO_USAGE, "unknown format '%s'; see --list-formats", name);
}

static void set_unit(const char *unit, struct imported *imported)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	for (size_t i = 0; unit && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(unit, units[i].name) == 0)
			imported->unit_ns = units[i].ns;
	}
	imported->default_unit = unit;
}

/* "app" of "/tmp/app.prof.gz": up to the first dot that is not the first character. */
static void stem_of(const char *path, char *stem, size_t size)
{
	const char *name = path_base_name(path);
	size_t length = strcspn(name + (*name == '.'), ".") + (*name == '.');

	if (strcmp(path, "-") == 0)
		name = "stdin";
	if (strncmp(name, "callgrind.out.", 14) == 0) /* of several processes */
		length = strlen(name);
	snprintf(stem, size, "%.*s", (int)(length < 200 ? length : 200), name);
	if (strcmp(path, "-") == 0)
		snprintf(stem, size, "stdin");
	if (stem[0] == '\0' || strcmp(stem, ".") == 0)
		snprintf(stem, size, "imported");
}

static bool import_is_recording(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && strcmp(dot, ".kymo") == 0;
}

/* Removes the recordings of an earlier run, of which more or others may exist than are written
 * now. */
static enum kymo_status clear_recordings(const char *directory, bool is_forced,
					 struct problem *problem)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;
	bool is_blocked = false;

	if (!stream)
		return problem_set(problem, KYMO_SYSTEM, "cannot read the directory '%s': %s",
				   directory, strerror(errno));
	while (!is_blocked && (entry = readdir(stream))) {
		if (!import_is_recording(entry->d_name))
			continue;
		is_blocked = !is_forced || unlinkat(dirfd(stream), entry->d_name, 0) < 0;
	}
	closedir(stream);
	if (!is_blocked)
		return KYMO_OK;
	return problem_set(problem, KYMO_ERROR,
			   "'%s' holds a run already; -o names another directory, --force takes "
			   "its place",
			   directory);
}

static enum kymo_status make_directory(const char *directory, struct import_files *written,
				       struct problem *problem)
{
	struct stat status;

	if (mkdir(directory, filemode_folder()) == 0) {
		written->has_made_directory = true;
		return KYMO_OK;
	}
	if (errno != EEXIST || stat(directory, &status) < 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot make the directory '%s': %s",
				   directory, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return problem_set(problem, KYMO_SYSTEM, "'%s' is not a directory", directory);
	if (owner_check_folder(directory) == EPERM)
		return problem_set(problem, KYMO_SYSTEM,
				   "'%s' belongs to another user; -o names another directory",
				   directory);
	return KYMO_OK;
}

static bool keep_paths(struct import_files *written, char **paths, size_t count)
{
	bool is_kept = true;

	for (size_t i = 0; i < count; i++)
		is_kept &= lines_add(&written->paths, &written->count, "%s", paths[i]);
	lines_free(paths, count);
	return is_kept;
}

static enum kymo_status import_write_file(struct imported *imported,
					  const struct import_source *source, const char *path,
					  const char *directory, struct import_files *written,
					  struct problem *problem)
{
	char stem[256], *absolute = strcmp(path, "-") == 0 ? NULL : realpath(path, NULL);
	struct imported_target target = {
		.directory = directory,
		.program = stem,
		.source = absolute ? absolute : source->title,
		.modified_ns = source->modified_ns,
		.first_number = (uint32_t)written->count,
	};
	char **paths = NULL;
	size_t count = 0;
	enum kymo_status status;

	memcpy(target.run_id, written->run_id, sizeof(target.run_id));
	stem_of(path, stem, sizeof(stem));
	status = imported_write(imported, &target, &paths, &count, problem);
	free(absolute);
	if (status == KYMO_OK && !keep_paths(written, paths, count))
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	return status;
}

static enum kymo_status import_file(const struct import_command *command,
				    const struct importer *importer, const char *path,
				    const char *directory, struct import_files *written,
				    struct problem *problem)
{
	struct import_source source;
	struct imported imported;
	enum kymo_status status = import_source_open(&source, path, command->unpack_limit, problem);

	if (status < 0)
		return status;
	imported_init(&imported);
	set_unit(command->unit, &imported);
	status = import_read(importer, &source, &imported, problem);
	if (status == KYMO_OK && written->count == 0)
		status = make_directory(directory, written, problem);
	if (status == KYMO_OK && written->count == 0)
		status = clear_recordings(directory, command->is_forced, problem);
	if (status == KYMO_OK)
		status = import_write_file(&imported, &source, path, directory, written, problem);
	imported_release(&imported);
	import_source_close(&source);
	return status;
}

static void import_abandon(const struct import_files *written, const char *directory)
{
	for (size_t i = 0; i < written->count; i++)
		unlink(written->paths[i]);
	if (written->has_made_directory)
		rmdir(directory);
}

static enum kymo_status import_all(const struct import_command *command, struct problem *problem)
{
	struct import_files written = {0};
	const struct importer *importer;
	char stem[256], *directory = NULL;
	enum kymo_status status = find_importer(command->format, &importer, problem);

	stem_of(command->files[0], stem, sizeof(stem));
	if (status == KYMO_OK &&
	    (command->output ? asprintf(&directory, "%s", command->output)
			     : asprintf(&directory, "kymo-%s-output", stem)) < 0)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	imported_run_id(written.run_id);
	for (int i = 0; i < command->file_count && status == KYMO_OK; i++)
		status = import_file(command, importer, command->files[i], directory, &written,
				     problem);
	if (status == KYMO_OK)
		plaintext_print(stderr, "kymo: wrote %zu recording%s into '%s'\n", written.count,
				written.count == 1 ? "" : "s", directory);
	else if (directory)
		import_abandon(&written, directory);
	lines_free(written.paths, written.count);
	free(directory);
	return status;
}

static enum kymo_status import_act(void *given, struct problem *problem)
{
	const struct import_command *command = given;

	*owner_force() = command->is_forced;
	if (!command->lists_formats)
		return import_all(command, problem);
	list_formats();
	return KYMO_OK;
}

int cmd_import(int argc, char **argv)
{
	struct import_command command = {0};

	return command_run(&command, import_parse, import_act, argc, argv);
}

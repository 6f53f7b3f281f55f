/* The run that a program is recorded into.
 *
 * Started by a recorded process, `kymo run` is one more process of that run, unless another folder
 * is given. */
#include "cli/run/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/run_command.h"
#include "config/run/rundirectory.h"
#include "config/run/rundirectory_elsewhere.h"
#include "config/run/runjob.h"
#include "format/format.h"
#include "platform/proc/proc_maps.h"
#include "platform/systemclock.h"
#include "platform/ticks.h"

struct mapped_file {
	ino_t inode;
	bool is_found;
};

static bool folder_match_mapping(const struct proc_map *map, const char *path, void *context)
{
	struct mapped_file *file = context;

	(void)path;
	file->is_found = map->inode == file->inode;
	return !file->is_found;
}

/* Whether the process maps the file.  Unknown counts as true. */
static bool folder_is_mapped_by(pid_t pid, const struct stat *file)
{
	struct mapped_file mapped = {.inode = file->st_ino};
	int error = proc_maps_each(pid, NULL, 0, folder_match_mapping, &mapped);

	return mapped.is_found || error == EACCES || error == EPERM;
}

/* The process that writes the recording; 0 = none any more. */
static pid_t writer_of(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct kymo_header header;
	struct stat file;
	pid_t pid = 0;

	if (fd < 0)
		return 0;
	if (read(fd, &header, sizeof(header)) == sizeof(header) && fstat(fd, &file) == 0 &&
	    memcmp(header.magic, KYMO_FORMAT_MAGIC, sizeof(header.magic)) == 0 &&
	    header.state == KYMO_STATE_OPEN && header.pid > 0)
		pid = (pid_t)header.pid;
	close(fd);
	return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) && folder_is_mapped_by(pid, &file)
		       ? pid
		       : 0;
}

pid_t run_folder_writer(const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;
	pid_t pid = 0;

	while (stream && pid == 0 && (entry = readdir(stream))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot && strcmp(dot, ".kymo") == 0)
			pid = writer_of(dirfd(stream), entry->d_name);
	}
	if (stream)
		closedir(stream);
	return pid;
}

bool run_folder_is_empty(const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;
	bool is_empty = true;

	while (stream && is_empty && (entry = readdir(stream)))
		is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	if (stream)
		closedir(stream);
	return is_empty;
}

/* The directory was set by a process of the run, not by the user. */
static bool is_handed_down(void)
{
	return getenv(RUN_ROOT_VARIABLE) || getenv("KYMO_PYTHON_OPTIONS");
}

static bool is_asked_to_join(const struct run_command *run)
{
	const struct vocabulary_choice *choices = run->request.choices;

	if (settings_text(run->settings, SET_RUN_DIR)[0] == '\0')
		return false;
	return choices[SET_RUN_DIR].value || !choices[SET_OUTPUT_PATH].value;
}

static enum kymo_status run_folder_join(struct run_command *run, struct problem *problem)
{
	const char *directory = settings_text(run->settings, SET_RUN_DIR);
	pid_t writer;

	if (!realpath(directory, run->folder.directory))
		return problem_set(problem, KYMO_SYSTEM, "cannot join the run in '%s': %s",
				   directory, strerror(errno));
	writer = is_handed_down() || run->request.choices[SET_RUN_DIR].value
			 ? 0
			 : run_folder_writer(directory);
	if (writer > 0)
		return problem_set(problem, KYMO_ERROR,
				   "another run is writing into '%s' (process %d)", directory,
				   (int)writer);
	return KYMO_OK;
}

/* The longest existing prefix of path, absolute. */
static void find_kept(const char *wanted, char *kept)
{
	char part[PATH_MAX], *slash;

	snprintf(part, sizeof(part), "%s", wanted);
	while (!realpath(part, kept)) {
		slash = strrchr(part, '/');
		if (slash == part || !slash) {
			if (!realpath(slash ? "/" : ".", kept))
				kept[0] = '\0';
			return;
		}
		*slash = '\0';
	}
}

/* The parent folder of a path, which is kept. */
static void keep_folder_of(struct run_folder *folder)
{
	char *slash;

	snprintf(folder->kept, sizeof(folder->kept), "%s", folder->directory);
	slash = strrchr(folder->kept, '/');
	if (slash)
		*slash = '\0';
}

static enum kymo_status make_elsewhere(struct run_folder *folder,
				       const struct output_context *context,
				       struct problem *problem)
{
	enum kymo_status status = rundirectory_elsewhere(context, folder->directory,
							 sizeof(folder->directory), problem);

	if (status < 0)
		return status;
	keep_folder_of(folder);
	if (!settings_bool(context->settings, SET_QUIET))
		run_print("%s", problem->text);
	return KYMO_OK;
}

struct output_context run_output_context(const struct run_command *run)
{
	return (struct output_context){
		.argv = (const char *const *)run->program,
		.pid = getpid(),
		.parent_pid = getppid(),
		.launch_time = systemclock_seconds(),
		.settings = run->settings,
		.environment = environ,
	};
}

static enum kymo_status run_folder_make(struct run_command *run, struct problem *problem)
{
	const struct output_context context = run_output_context(run);
	char *wanted = output_directory(&context), job[RUNJOB_NAME_MAX];
	struct run_folder *folder = &run->folder;
	enum kymo_status status;
	pid_t writer;

	if (!wanted)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	find_kept(wanted, folder->kept);
	free(wanted);
	status = rundirectory_make(&context, folder->directory, sizeof(folder->directory), problem);
	if (status == KYMO_OK && access(folder->directory, W_OK | X_OK) < 0)
		status = problem_set(problem, KYMO_SYSTEM,
				     "cannot write into the output directory '%s': %s",
				     folder->directory, strerror(errno));
	if (status == KYMO_SYSTEM)
		status = make_elsewhere(folder, &context, problem);
	/* Ranks of one job write to the same folder. */
	writer = status == KYMO_OK && !runjob_name(&context, job, sizeof(job))
			 ? run_folder_writer(folder->directory)
			 : 0;
	if (writer > 0)
		status = problem_set(problem, KYMO_ERROR,
				     "another run is writing into '%s' (process %d); --output "
				     "chooses another folder",
				     folder->directory, (int)writer);
	if (status < 0)
		run_folder_undo(folder);
	return status;
}

enum kymo_status run_folder_open(struct run_command *run, struct problem *problem)
{
	run->folder.is_own = !is_asked_to_join(run);
	return run->folder.is_own ? run_folder_make(run, problem) : run_folder_join(run, problem);
}

void run_folder_undo(const struct run_folder *folder)
{
	char path[PATH_MAX], *slash;

	if (!folder->is_own || !folder->kept[0])
		return;
	snprintf(path, sizeof(path), "%s", folder->directory);
	while (strlen(path) > strlen(folder->kept) && rmdir(path) == 0) {
		slash = strrchr(path, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

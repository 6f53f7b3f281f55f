/* kymo ctl: switch the recording of a running program off and on, and inspect it.
 *
 * Everything is done through the recordings: the program is not interrupted and need not be able to
 * respond. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemode.h"
#include "base/owner.h"
#include "base/text/plaintext.h"
#include "cli/commands.h"
#include "cli/ctl/ctl_run.h"
#include "cli/ctl/ctl_snapshot.h"
#include "cli/ctl/ctl_status.h"
#include "cli/options/common_options.h"
#include "cli/options/options.h"
#include "cli/results/cmd_finish.h"
#include "format/gateword.h"
#include "platform/ticks.h"

/* Checked by processes that join a stopped run: runtime/control/gate.c. */
#define STOPPED_FILE "stopped"

struct ctl_command {
	const char *run, *action, *target;
	bool is_json;
};

static enum kymo_status deny(const char *path, struct problem *problem)
{
	return problem_set(problem, KYMO_SYSTEM, "cannot control '%s': %s%s", path, strerror(errno),
			   errno == EACCES || errno == EPERM ? "; only its owner can" : "");
}

/* Instrumented functions check a page of its own. */
static void ctl_turn_switch(const struct kymo_header *header, int file)
{
	uint64_t offset = __atomic_load_n(&header->switch_offset, __ATOMIC_SEQ_CST);
	struct stat is;
	void *page;

	if (offset == 0 || offset % KYMO_SWITCH_BYTES != 0 || fstat(file, &is) < 0 ||
	    offset > (uint64_t)is.st_size || (uint64_t)is.st_size - offset < KYMO_SWITCH_BYTES)
		return;
	page = mmap(NULL, KYMO_SWITCH_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file,
		    (off_t)offset);
	if (page == MAP_FAILED)
		return;
	gateword_switch(header, page);
	munmap(page, KYMO_SWITCH_BYTES);
}

/* Checked again: the name may refer to another file by now. */
static bool ctl_is_recording(int file)
{
	char magic[sizeof(KYMO_FORMAT_MAGIC) - 1];
	struct stat info;

	return fstat(file, &info) == 0 && S_ISREG(info.st_mode) && owner_is_trusted(&info) &&
	       pread(file, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       memcmp(magic, KYMO_FORMAT_MAGIC, sizeof(magic)) == 0;
}

static enum kymo_status change_gate(const struct ctl_process *process, bool is_off,
				    struct problem *problem)
{
	const char *path = process->recording->path;
	int file = open(path, O_RDWR | O_CLOEXEC);
	struct kymo_header *header;

	if (file < 0)
		return deny(path, problem);
	if (!ctl_is_recording(file)) {
		close(file);
		return problem_set(problem, KYMO_FORMAT, "'%s' is not a recording of kymo", path);
	}
	header = mmap(NULL, KYMO_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (header == MAP_FAILED) {
		int error = errno;

		close(file);
		errno = error;
		return deny(path, problem);
	}
	ctl_clock_select(header->clock_kind);
	gateword_change(header, KYMO_GATE_BY_CONTROL, is_off, ticks_now());
	ctl_turn_switch(header, file);
	munmap(header, KYMO_HEADER_SIZE);
	close(file);
	return KYMO_OK;
}

/* Processes that join the run later start stopped, or not. */
static enum kymo_status mark_directory(const char *directory, bool is_off, struct problem *problem)
{
	char *path = NULL;
	int file = -1;
	bool is_done;

	if (asprintf(&path, "%s/" STOPPED_FILE, directory) < 0)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	if (is_off) {
		file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, filemode_file());
		is_done = file >= 0;
	} else {
		is_done = unlink(path) == 0 || errno == ENOENT;
	}
	free(path);
	if (file >= 0)
		close(file);
	return is_done ? KYMO_OK : deny(directory, problem);
}

/* If one cannot be changed the others are; the first problem is reported. */
static enum kymo_status change_all(const struct ctl_run *run, bool is_off, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	struct problem first;

	for (size_t i = 0; i < run->count; i++) {
		if (!ctl_is_living(&run->processes[i]) ||
		    change_gate(&run->processes[i], is_off, &first) == KYMO_OK)
			continue;
		if (status == KYMO_OK)
			status = problem_set(problem, KYMO_SYSTEM, "%s", first.text);
	}
	return status;
}

static void ctl_print_changed(size_t count, bool is_off)
{
	printf("%s %zu process%s\n", is_off ? "stopped" : "started", count, count == 1 ? "" : "es");
}

/* Processes that join meanwhile see the file, or are found in the second scan. */
static enum kymo_status ctl_change(const struct ctl_command *command, bool is_off,
				   struct problem *problem)
{
	struct ctl_run run;
	enum kymo_status status = ctl_run_open_living(command->run, &run, problem);

	if (status != KYMO_OK)
		return status;
	if (run.directory) {
		status = mark_directory(run.directory, is_off, problem);
		ctl_run_release(&run);
		if (status == KYMO_OK)
			status = ctl_run_open(command->run, &run, problem);
		if (status != KYMO_OK)
			return status;
	}
	status = change_all(&run, is_off, problem);
	if (status == KYMO_OK)
		ctl_print_changed(run.living_count, is_off);
	ctl_run_release(&run);
	return status;
}

static enum kymo_status ctl_stop(const struct ctl_command *command, struct problem *problem)
{
	return ctl_change(command, true, problem);
}

static enum kymo_status ctl_start(const struct ctl_command *command, struct problem *problem)
{
	return ctl_change(command, false, problem);
}

static enum kymo_status ctl_flush(const struct ctl_command *command, struct problem *problem)
{
	struct ctl_run run;
	enum kymo_status status = ctl_run_open_living(command->run, &run, problem);
	size_t count = 0;

	if (status != KYMO_OK)
		return status;
	for (size_t i = 0; i < run.count && status == KYMO_OK; i++) {
		const char *path = run.processes[i].recording->path;
		int file = open(path, O_RDONLY | O_CLOEXEC);

		if (file < 0 || fsync(file) < 0)
			status = problem_set(problem, KYMO_SYSTEM, "cannot flush '%s': %s", path,
					     strerror(errno));
		if (file >= 0)
			close(file);
		count++;
	}
	if (status == KYMO_OK)
		printf("flushed %zu recording%s\n", count, count == 1 ? "" : "s");
	ctl_run_release(&run);
	return status;
}

static enum kymo_status snapshot(const struct ctl_command *command, struct problem *problem)
{
	struct ctl_run run;
	char *path = NULL, *finish[] = {(char *)"finish", (char *)"--", NULL, NULL};
	enum kymo_status status = ctl_run_open_living(command->run, &run, problem);

	if (status != KYMO_OK)
		return status;
	if (!run.directory && !command->target)
		status = problem_set(problem, KYMO_USAGE,
				     "name a directory for the snapshot of one recording");
	else
		status = ctl_snapshot(&run, command->target, &path, problem);
	ctl_run_release(&run);
	if (status != KYMO_OK)
		return status;
	plaintext_print(stdout, "%s\n", path);
	fflush(stdout);
	finish[2] = path;
	if (command_finish_run(3, finish) != 0)
		status =
			problem_set(problem, KYMO_ERROR,
				    "the snapshot '%s' was made, but not all of its outputs", path);
	free(path);
	return status;
}

static enum kymo_status show_status(const struct ctl_command *command, struct problem *problem)
{
	struct ctl_run run;
	enum kymo_status status = ctl_run_open(command->run, &run, problem);

	if (status != KYMO_OK)
		return status;
	ctl_status(&run, command->is_json);
	ctl_run_release(&run);
	return KYMO_OK;
}

static const struct {
	const char *name;
	enum kymo_status (*run)(const struct ctl_command *command, struct problem *problem);
	bool takes_target;
} actions[] = {
	{"start", ctl_start, false},  {"stop", ctl_stop, false},      {"flush", ctl_flush, false},
	{"snapshot", snapshot, true}, {"status", show_status, false},
};

static enum kymo_status ctl_use(struct problem *problem, const char *reason)
{
	return problem_set(problem, KYMO_USAGE, "%s; see 'kymo ctl --help'", reason);
}

static enum kymo_status ctl_act(void *given, struct problem *problem)
{
	const struct ctl_command *command = given;

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		if (strcmp(actions[i].name, command->action) != 0)
			continue;
		if (command->target && !actions[i].takes_target)
			return ctl_use(problem, "only snapshot takes a directory");
		if (command->is_json && actions[i].run != show_status)
			return ctl_use(problem, "only status has a form as JSON");
		return actions[i].run(command, problem);
	}
	return problem_set(problem, KYMO_USAGE,
			   "'%s' is not one of start, stop, flush, snapshot, status",
			   command->action);
}

static enum options_result ctl_parse(void *given, int argc, char **argv, struct problem *problem)
{
	struct ctl_command *command = given;
	const struct option_row rows[] = {
		{'j', "json", OPTION_FLAG, &command->is_json, NULL, "status as JSON"},
		ROW_FORCE,
	};
	const struct option_table table = {
		.command = "kymo ctl",
		.usage = "[options] RUN start|stop|flush|status|snapshot [DIR]",
		.description = "Stops and resumes the recording of a running program, writes its "
			       "current recording to disk or as separate outputs, and shows its "
			       "state.  RUN is the directory of the run.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result = options_parse(&table, &argc, argv, problem);

	if (result != OPTIONS_PARSED)
		return result;
	if (argc < 2 || argc > 3) {
		ctl_use(problem, "give the directory of a run and what to do");
		return OPTIONS_FAILED;
	}
	command->run = argv[0];
	command->action = argv[1];
	command->target = argc > 2 ? argv[2] : NULL;
	return OPTIONS_PARSED;
}

int cmd_ctl(int argc, char **argv)
{
	struct ctl_command command = {.run = NULL};

	return command_run(&command, ctl_parse, ctl_act, argc, argv);
}

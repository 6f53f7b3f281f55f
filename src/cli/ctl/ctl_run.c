/* Which processes of a run live.
 *
 * A process id may have been reused since: the process that has it now must have started before the
 * recording began.  After exec() the same process has a new recording, and the old one may not be
 * marked. */
#include "cli/ctl/ctl_run.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "model/recording/recording_open.h"
#include "platform/proc/proc_stat.h"
#include "platform/ticks.h"
#include "platform/usage.h"

#define SLACK_NS      UINT64_C(20000000)    /* the kernel counts in hundredths of a second */
#define BOOT_SLACK_NS UINT64_C(60000000000) /* the time of day may have been adjusted a little */

/* False for recordings from before the last boot. */
static bool is_of_this_boot(const struct kymo_header *header)
{
	uint64_t boot = usage_clock_ns(CLOCK_REALTIME) - usage_clock_ns(CLOCK_BOOTTIME);

	return header->start_realtime_ns + BOOT_SLACK_NS > boot &&
	       header->pairs[0].monotonic_ns <= usage_clock_ns(CLOCK_MONOTONIC);
}

static bool is_living(const struct kymo_header *header)
{
	uint64_t suspended = usage_clock_ns(CLOCK_BOOTTIME) - usage_clock_ns(CLOCK_MONOTONIC);
	long ticks_a_second = sysconf(_SC_CLK_TCK);
	uint64_t fields[PROC_STAT_FIELDS], state, start_ns;

	if (header->pid > INT32_MAX || !is_of_this_boot(header) ||
	    !proc_stat_read((int32_t)header->pid, 0, fields) || ticks_a_second <= 0)
		return false;
	state = fields[PROC_STAT_STATE];
	if (state == 'Z' || state == 'X')
		return false;
	start_ns = fields[PROC_STAT_START] * (1000000000u / (uint64_t)ticks_a_second);
	return start_ns <= header->pairs[0].monotonic_ns + suspended + SLACK_NS;
}

static bool is_here(const struct recording *recording)
{
	const char *host = recording_note(recording, KYMO_NOTE_INFO, "hostname");
	struct utsname here;

	return !host || uname(&here) < 0 || strcmp(host, here.nodename) == 0;
}

/* A later recording of the same process, after exec(). */
static bool has_successor(const struct run *run, const struct kymo_header *header)
{
	for (size_t i = 0; i < run->recording_count; i++) {
		const struct kymo_header *other = &run->recordings[i]->header;

		if (other->pid == header->pid &&
		    other->start_realtime_ns > header->start_realtime_ns)
			return true;
	}
	return false;
}

static enum ctl_state run_state_of(const struct run *run, const struct recording *recording)
{
	const struct kymo_header *header = &recording->header;

	if (header->state == KYMO_STATE_CLOSED)
		return CTL_ENDED;
	if (header->state == KYMO_STATE_ABANDONED)
		return CTL_REPLACED;
	if (!is_here(recording))
		return CTL_ELSEWHERE;
	if (!is_living(header))
		return CTL_KILLED;
	if (has_successor(run, header))
		return CTL_REPLACED;
	return header->gate & KYMO_GATE_OFF ? CTL_STOPPED : CTL_RECORDING;
}

static bool ctl_run_is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The folder of the recordings, which may be below the one that was named. */
static char *run_directory_of(const struct run *run)
{
	char *path = strdup(run->recordings[0]->path), *directory = NULL;

	if (path)
		directory = strdup(dirname(path));
	free(path);
	return directory;
}

enum kymo_status ctl_run_open(const char *path, struct ctl_run *out, struct problem *problem)
{
	struct ctl_run run = {.run = NULL};
	enum kymo_status status = run_open(path, &run.run, problem);

	if (status != KYMO_OK)
		return status;
	run.count = run.run->recording_count;
	run.processes = calloc(run.count, sizeof(*run.processes));
	if (ctl_run_is_directory(path))
		run.directory = run_directory_of(run.run);
	if (!run.processes || (ctl_run_is_directory(path) && !run.directory)) {
		ctl_run_release(&run);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < run.count; i++) {
		const struct recording *recording = run.run->recordings[i];

		run.processes[i] =
			(struct ctl_process){recording, run_state_of(run.run, recording)};
		run.living_count += ctl_is_living(&run.processes[i]);
	}
	*out = run;
	return KYMO_OK;
}

void ctl_run_release(struct ctl_run *run)
{
	free(run->processes);
	free(run->directory);
	run_free(run->run);
}

enum kymo_status ctl_run_open_living(const char *path, struct ctl_run *out, struct problem *problem)
{
	enum kymo_status status = ctl_run_open(path, out, problem);

	if (status != KYMO_OK || out->living_count > 0)
		return status;
	for (size_t i = 0; i < out->count && status == KYMO_OK; i++)
		if (out->processes[i].state == CTL_ELSEWHERE)
			status = problem_set(
				problem, KYMO_ERROR,
				"no process of '%s' runs on this machine; control it on '%s'", path,
				recording_note(out->processes[i].recording, KYMO_NOTE_INFO,
					       "hostname"));
	if (status == KYMO_OK)
		status = problem_set(problem, KYMO_ERROR,
				     "the run '%s' has ended; 'kymo report' shows it", path);
	ctl_run_release(out);
	return status;
}

void ctl_clock_select(uint32_t kind)
{
	static const char *const names[] = {[KYMO_CLOCK_MONOTONIC] = "monotonic",
					    [KYMO_CLOCK_TSC] = "tsc",
					    [KYMO_CLOCK_CNTVCT] = "auto",
					    [KYMO_CLOCK_MONOTONIC_RAW] = "monotonic_raw"};

	clock_select(kind < sizeof(names) / sizeof(*names) ? names[kind] : NULL);
}

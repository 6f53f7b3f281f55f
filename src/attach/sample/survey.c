/* Forty observations in the first second, then as many whenever the time has grown by a half or so:
 * their share of the run's time decreases.  Each is weighted with the CPU time of the process since
 * the previous one; its threads share that equally. */
#include "attach/sample/survey.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/sample/watch_observe.h"
#include "attach/sample/watch_open.h"
#include "base/basename.h"
#include "object/names/system_library.h"
#include "platform/usage.h"

#define FIRST_NS      UINT64_C(30000000) /* shorter runs do not need it */
#define PERIOD_NS     UINT64_C(25000000)
#define PERIOD_SHARE  40 /* of the time so far, at least */
#define MAPS_PERIODS  8	 /* interval for a process without libraries */
#define DEPTH	      64
#define STACKS_MOST   64
#define FAILURES_MOST 25

void survey_begin(struct survey *survey, pid_t pid)
{
	memset(survey, 0, sizeof(*survey));
	survey->pid = pid;
	survey->begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	survey->next_ns = survey->begun_ns + FIRST_NS;
}

static void close_watch(struct survey *survey)
{
	if (survey->is_open)
		watch_close(&survey->watch, NULL);
	survey->is_open = false;
}

void survey_end(struct survey *survey)
{
	close_watch(survey);
	survey->pid = 0;
}

int survey_due_ms(const struct survey *survey)
{
	uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);

	if (!survey->pid)
		return -1;
	return now_ns >= survey->next_ns ? 0 : (int)((survey->next_ns - now_ns + 999999) / 1000000);
}

static uint64_t period_ns(const struct survey *survey, uint64_t now_ns)
{
	uint64_t share_ns = (now_ns - survey->begun_ns) / PERIOD_SHARE;

	return share_ns > PERIOD_NS ? share_ns : PERIOD_NS;
}

static bool is_executable(const struct survey *survey, const struct targetmodule *module)
{
	return strcmp(module->path, survey->executable) == 0;
}

static bool survey_is_of_others(const struct targetmodule *module)
{
	const char *name = path_base_name(module->path);

	return library_is_of_system(name) || library_is_kymo(name);
}

static bool has_library(const struct survey *survey)
{
	const struct targetmaps *maps = &survey->watch.maps;

	for (size_t i = 0; i < maps->module_count; i++)
		if (maps->modules[i].path[0] == '/' && !survey_is_of_others(&maps->modules[i]) &&
		    !is_executable(survey, &maps->modules[i]))
			return true;
	return false;
}

static uint64_t survey_used_ns(const struct survey *survey)
{
	clockid_t clock;

	return clock_getcpuclockid(survey->pid, &clock) == 0 ? usage_clock_ns(clock) : 0;
}

static bool open_watch(struct survey *survey)
{
	const struct watch_options options = {
		.has_native = true, .only_active = true, .depth = DEPTH};
	struct problem problem;
	char link[64];
	ssize_t length;

	memset(&survey->seen, 0, sizeof(survey->seen));
	survey->used_ns = survey_used_ns(survey);
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)survey->pid);
	length = readlink(link, survey->executable, sizeof(survey->executable) - 1);
	survey->executable[length > 0 ? length : 0] = '\0';
	survey->is_open =
		watch_open(&survey->watch, survey->pid, &options, NULL, &problem) == KYMO_OK;
	return survey->is_open;
}

/* A process without libraries needs no new maps. */
static void reread_maps(struct survey *survey)
{
	struct targetmaps maps;
	uint64_t now_ns = survey_used_ns(survey);

	if (now_ns > survey->used_ns)
		survey->seen.all_ns += now_ns - survey->used_ns;
	survey->used_ns = now_ns;
	if (targetmaps_read(&maps, &survey->watch.remote) != 0)
		return;
	targetmaps_release(&survey->watch.maps);
	survey->watch.maps = maps;
	survey->watch.maps_count++;
}

/* Time in system libraries, and in Kymo, is attributed to their callers: an address in the file of
 * the stack's innermost other frame; 0 = in none. */
static uint64_t survey_blame(struct survey *survey, const struct watch_thread *thread)
{
	uint64_t innermost = 0;

	for (size_t i = thread->frame_count; i-- > 0;) {
		uint64_t frame = thread->frames[i], address = kymo_frame_content(frame);
		const struct targetmodule *module =
			kymo_frame_kind(frame) == KYMO_FRAME_NATIVE
				? targetmaps_module(&survey->watch.maps, address)
				: NULL;

		if (!module)
			continue;
		if (is_executable(survey, module) || !survey_is_of_others(module))
			return address;
		if (!innermost && !library_is_kymo(path_base_name(module->path)))
			innermost = address;
	}
	return innermost;
}

static struct kymo_survey_file *survey_file_of(struct survey *survey, uint64_t address)
{
	struct targetmaps *maps = &survey->watch.maps;
	struct kymo_survey *seen = &survey->seen;

	for (uint32_t i = 0; i < seen->file_count; i++)
		if (targetmaps_module(maps, seen->files[i].address) ==
		    targetmaps_module(maps, address))
			return &seen->files[i];
	if (seen->file_count == KYMO_SURVEY_FILES)
		return NULL;
	seen->files[seen->file_count].address = address;
	return &seen->files[seen->file_count++];
}

struct observation {
	struct survey *survey;
	uint64_t addresses[STACKS_MOST]; /* attributed to; 0 = in no file */
	size_t count;
};

static void on_observed(void *context, struct watch_thread *thread)
{
	struct observation *observation = context;

	if (thread->result == WATCH_STACK && !thread->is_same && observation->count < STACKS_MOST)
		observation->addresses[observation->count++] =
			survey_blame(observation->survey, thread);
}

/* CPU time during which no thread was seen running is added to the next observation. */
static void survey_share_out(struct survey *survey, const struct observation *observation)
{
	uint64_t now_ns = survey_used_ns(survey), since_ns = now_ns - survey->used_ns;

	if (observation->count == 0 || now_ns < survey->used_ns)
		return;
	for (size_t i = 0; i < observation->count; i++) {
		struct kymo_survey_file *file =
			observation->addresses[i]
				? survey_file_of(survey, observation->addresses[i])
				: NULL;

		if (file)
			file->ns += since_ns / observation->count;
	}
	survey->used_ns = now_ns;
	survey->seen.all_ns += since_ns;
	survey->seen.stack_count += (uint32_t)observation->count;
}

/* True if it may continue. */
static bool survey_observe(struct survey *survey, uint64_t now_ns)
{
	struct observation observation = {.survey = survey};
	const struct watch_sink sink = {.observed = on_observed, .context = &observation};
	uint64_t lost = survey->watch.lost_count;

	switch (watch_observe(&survey->watch, now_ns, &sink)) {
	case WATCH_ENDED:
		return false;
	case WATCH_REPLACED:
		close_watch(survey);
		return true;
	case WATCH_RUNNING:
		break;
	}
	survey_share_out(survey, &observation);
	if (observation.count > 0)
		survey->failures = 0;
	else
		survey->failures += survey->watch.lost_count > lost;
	return survey->failures < FAILURES_MOST;
}

static bool survey_observe_or_open(struct survey *survey, uint64_t now_ns)
{
	if (!survey->is_open)
		return open_watch(survey);
	if (has_library(survey))
		return survey_observe(survey, now_ns);
	reread_maps(survey);
	return true;
}

bool survey_poll(struct survey *survey)
{
	uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);
	uint64_t begun_ns = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID), cost_ns = survey->seen.cpu_ns;
	bool needs_observing;

	if (!survey->pid || now_ns < survey->next_ns)
		return false;
	if (!survey_observe_or_open(survey, now_ns))
		survey_end(survey);
	needs_observing = survey->is_open && has_library(survey);
	survey->next_ns = now_ns + (needs_observing ? 1 : MAPS_PERIODS) * period_ns(survey, now_ns);
	survey->seen.cpu_ns = cost_ns + usage_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun_ns;
	return true;
}

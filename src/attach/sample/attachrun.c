/* An absolute schedule: the cost of one observation does not shift later ones. */
#include "attach/sample/attachrun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "attach/sample/nativetarget.h"
#include "attach/sample/watch_open.h"
#include "attach/target/descendants.h"
#include "attach/target/sched_boost.h"
#include "base/array.h"
#include "platform/systemclock.h"
#include "platform/ticks.h"
#include "platform/usage.h"

#define CHILDREN_NS UINT64_C(50000000)	 /* from one search for children to the next */
#define YOUNG_NS    UINT64_C(1500000000) /* of a program that was started by exec */
#define COST_NS	    UINT64_C(1000000000) /* interval for recording the cost */
#define LATE_NS	    UINT64_C(2000000)	 /* polling interval for late threads */
#define NS_PER_S    1e9

struct watched { /* a process of the run */
	pid_t pid;
	uint64_t image;		   /* of the program that was found not to be Python */
	uint64_t young_ns;	   /* it may become one until then */
	bool is_closed;		   /* ended */
	struct recorder *recorder; /* NULL = none (yet) */
};

struct run {
	const struct attachrun_options *options;
	struct attachrun_result *result;
	struct recorder_options recording;
	struct watch_options patient, impatient, fresh;
	struct watched *processes; /* the first is the one that was requested */
	size_t count, capacity;
	uint64_t begun_ns, searched_ns;
	uint64_t recorded_cpu_ns,
		recorded_ns; /* CPU time of this process that is in a recording; when */
	uint64_t seed;
};

static void attachrun_report(const struct run *run, const char *line)
{
	run->options->report(run->options->context, line);
}

static struct watched *attachrun_find(const struct run *run, pid_t pid)
{
	for (size_t i = 0; i < run->count; i++)
		if (run->processes[i].pid == pid && !run->processes[i].is_closed)
			return &run->processes[i];
	return NULL;
}

static struct watched *attachrun_add(struct run *run, pid_t pid)
{
	struct watched *grown =
		array_grow(run->processes, &run->capacity, run->count + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	run->processes = grown;
	grown[run->count] = (struct watched){.pid = pid};
	return &grown[run->count++];
}

static double rate_so_far(const struct run *run)
{
	double seconds = (double)(usage_clock_ns(CLOCK_MONOTONIC) - run->begun_ns) / NS_PER_S;

	return seconds > 0 ? (double)run->result->observations / seconds : 0;
}

/* The CPU time of this process is recorded in the first recording that is open. */
static void attachrun_record_cost(struct run *run)
{
	uint64_t used_ns = usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (size_t i = 0; i < run->count; i++) {
		if (!run->processes[i].recorder)
			continue;
		run->processes[i].recorder->writer.file.header->beside_cpu_ns +=
			used_ns - run->recorded_cpu_ns;
		run->recorded_cpu_ns = used_ns;
		return;
	}
}

static void record_cost_sometimes(struct run *run)
{
	if (usage_clock_ns(CLOCK_MONOTONIC) - run->recorded_ns < COST_NS)
		return;
	run->recorded_ns = usage_clock_ns(CLOCK_MONOTONIC);
	attachrun_record_cost(run);
}

static void close_recorder(struct run *run, struct watched *process, enum watch_state state)
{
	struct recorder *recorder = process->recorder;

	if (!recorder)
		return;
	attachrun_record_cost(run);
	run->result->samples += recorder->writer.sample_count;
	run->result->lost += recorder->watch.lost_count;
	recorder_close(recorder, state, rate_so_far(run), run->options->rate);
	free(recorder);
	process->recorder = NULL;
}

/* A descendant of the requested process: recorded if it is Python, checked again while it may
 * become one. */
static void try_child(struct run *run, struct watched *process, pid_t parent, uint64_t now_ns)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	const struct recorder_options options = {
		.watch = &run->impatient,
		.settings = run->options->settings,
		.directory = run->result->directory,
		.parent = parent,
	};
	struct problem problem;
	bool may_appear = false;
	uint64_t image;

	if (!recorder)
		return;
	if (recorder_open(recorder, process->pid, &options, &may_appear, &problem) == KYMO_OK) {
		process->recorder = recorder;
		run->result->processes++;
		return;
	}
	free(recorder);
	image = watch_image(process->pid);
	if (may_appear || image == process->image)
		return;
	process->image = image;
	process->young_ns = now_ns + YOUNG_NS;
}

/* Not recorded so far: is it young, or does it run another program than before? */
static void attachrun_retry(struct run *run, struct watched *process, pid_t parent, uint64_t now_ns)
{
	if (!process->recorder && !process->is_closed &&
	    (now_ns < process->young_ns || process->image != watch_image(process->pid)))
		try_child(run, process, parent, now_ns);
}

static void search_children(struct run *run, uint64_t now_ns)
{
	struct descendant *found;
	size_t count;

	if (!run->options->has_children || now_ns - run->searched_ns < CHILDREN_NS)
		return;
	run->searched_ns = now_ns;
	attachrun_retry(run, run->processes, 0, now_ns);
	found = descendants(run->options->pid, &count);
	for (size_t i = 0; i < count; i++) {
		struct watched *process = attachrun_find(run, found[i].pid);

		if (!process)
			process = attachrun_add(run, found[i].pid);
		if (process)
			attachrun_retry(run, process, found[i].parent, now_ns);
	}
	free(found);
}

/* The process runs another program now. */
static void follow_replaced(struct run *run, struct watched *process)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct recorder_options options = run->recording;
	struct problem problem;
	char line[sizeof(problem.text) + 64];

	close_recorder(run, process, WATCH_REPLACED);
	options.is_root = false;
	options.watch = process == run->processes ? &run->fresh : &run->impatient;
	if (recorder &&
	    recorder_open(recorder, process->pid, &options, NULL, &problem) == KYMO_OK) {
		process->recorder = recorder;
		return;
	}
	free(recorder);
	process->image = watch_image(process->pid);
	if (process != run->processes)
		return;
	snprintf(line, sizeof(line), "the program was replaced by another one (exec): %s",
		 problem.text);
	attachrun_report(run, line);
}

/* Observe all processes; false when none is left. */
static bool attachrun_observe(struct run *run)
{
	bool is_any = false;

	for (size_t i = 0; i < run->count; i++) {
		struct watched *process = &run->processes[i];

		if (!process->recorder)
			continue;
		switch (recorder_observe(process->recorder)) {
		case WATCH_RUNNING:
			is_any = true;
			break;
		case WATCH_ENDED:
			close_recorder(run, process, WATCH_ENDED);
			process->is_closed = true;
			break;
		case WATCH_REPLACED:
			follow_replaced(run, process);
			is_any |= process->recorder != NULL;
			break;
		}
	}
	run->result->observations++;
	/* A program that starts Python programs need not be Python itself. */
	return is_any || (run->options->has_children && watch_image(run->options->pid) != 0);
}

static double attachrun_next_random(struct run *run)
{
	run->seed = run->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(run->seed >> 11) * 0x1p-53;
}

static void attachrun_sleep_until(uint64_t when_ns)
{
	const struct timespec when = {(time_t)(when_ns / 1000000000u),
				      (long)(when_ns % 1000000000u)};

	systemclock_sleep_until(CLOCK_MONOTONIC, &when);
}

/* True while threads are about to stop whose samples were given up. */
static bool have_late_threads(const struct run *run)
{
	bool is_any = false;

	for (size_t i = 0; i < run->count; i++)
		if (run->processes[i].recorder && run->processes[i].recorder->watch.native)
			is_any |= nativetarget_resume(run->processes[i].recorder->watch.native);
	return is_any;
}

/* A thread that stops late must be resumed before the next observation, which may be seconds
 * away. */
static void wait_until(const struct run *run, uint64_t when_ns)
{
	uint64_t now_ns;

	while (!*run->options->must_stop && have_late_threads(run) &&
	       (now_ns = usage_clock_ns(CLOCK_MONOTONIC)) + LATE_NS < when_ns)
		attachrun_sleep_until(now_ns + LATE_NS);
	if (!*run->options->must_stop)
		attachrun_sleep_until(when_ns);
}

/* Intervals are between half a period and one and a half. */
static uint64_t attachrun_next_due(struct run *run, uint64_t due_ns)
{
	double period_ns = NS_PER_S / run->options->rate;
	double factor = run->options->has_jitter ? 0.5 + attachrun_next_random(run) : 1.0;
	uint64_t next = due_ns + (uint64_t)(period_ns * factor);
	uint64_t now = usage_clock_ns(CLOCK_MONOTONIC);

	if (now > next + (uint64_t)period_ns) { /* missed observations are not made up for */
		run->result->missed += (uint64_t)((double)(now - next) / period_ns);
		next = now;
	}
	return next;
}

static void watch_all(struct run *run)
{
	uint64_t due_ns = run->begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	uint64_t end_ns = run->options->duration_s > 0
				  ? due_ns + (uint64_t)(run->options->duration_s * NS_PER_S)
				  : UINT64_MAX;
	bool goes_on = true;

	while (goes_on && !*run->options->must_stop && due_ns < end_ns) {
		wait_until(run, due_ns);
		if (*run->options->must_stop)
			break;
		search_children(run, usage_clock_ns(CLOCK_MONOTONIC));
		goes_on = attachrun_observe(run);
		record_cost_sometimes(run);
		due_ns = attachrun_next_due(run, due_ns);
	}
	if (goes_on && !*run->options->must_stop && end_ns != UINT64_MAX)
		wait_until(run, end_ns);
	run->result->has_ended = !goes_on;
}

static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* A non-Python process may have Python children: workers of a server, of a shell. */
static enum kymo_status begin_without(struct run *run, struct watched *process,
				      struct problem *problem)
{
	const struct attachrun_options *options = run->options;
	struct target target;
	char line[128];
	enum kymo_status status = target_open(options->pid, &target, problem);

	if (status < 0)
		return status;
	process->image = watch_image(options->pid);
	status = options->place(options->context, &target, run->result->directory,
				sizeof(run->result->directory), problem);
	target_close(&target);
	snprintf(line, sizeof(line),
		 "process %d runs no Python that can be read: those below it "
		 "are sampled",
		 (int)options->pid);
	if (status == KYMO_OK)
		attachrun_report(run, line);
	return status;
}

/* The recording is in a run of its own; its folder is created when there is something to record. */
static void report_native(const struct run *run)
{
	char line[128];

	snprintf(line, sizeof(line),
		 "process %d runs no Python: its native stacks are sampled; --children looks for "
		 "Python below it",
		 (int)run->options->pid);
	attachrun_report(run, line);
}

static enum kymo_status attachrun_begin(struct run *run, struct problem *problem)
{
	const struct attachrun_options *options = run->options;
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct watched *process = recorder ? attachrun_add(run, options->pid) : NULL;
	enum kymo_status status;

	if (!process) {
		free(recorder);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	status = watch_open(&recorder->watch, options->pid, &run->patient, NULL, problem);
	if (status == KYMO_UNAVAILABLE && options->has_children) {
		free(recorder);
		return begin_without(run, process, problem);
	}
	if (status == KYMO_OK && recorder->watch.options.has_native && !run->patient.has_native)
		report_native(run);
	if (status == KYMO_OK) {
		status = options->place(options->context, &recorder->watch.target,
					run->result->directory, sizeof(run->result->directory),
					problem);
		if (status == KYMO_OK)
			status = recorder_begin(recorder, &run->recording, problem);
		else
			watch_close(&recorder->watch, NULL);
	}
	if (status < 0) {
		free(recorder);
		return status;
	}
	process->recorder = recorder;
	run->result->processes = 1;
	return KYMO_OK;
}

enum kymo_status attachrun(const struct attachrun_options *options, struct attachrun_result *result,
			   struct problem *problem)
{
	struct run run = {
		.options = options,
		.result = result,
		.patient = options->watch,
		.impatient = options->watch,
		.seed = usage_clock_ns(CLOCK_REALTIME),
	};
	struct sched_boost boost;
	uint64_t cpu_ns;
	enum kymo_status status;

	*result = (struct attachrun_result){0};
	run.patient.is_patient = true;
	run.impatient.is_patient = false;
	run.fresh = run.patient;
	/* The option does not apply to descendants, or after an exec. */
	run.impatient.or_native = run.fresh.or_native = false;
	run.fresh.is_fresh = true;
	run.recording = (struct recorder_options){
		.watch = &run.patient,
		.settings = options->settings,
		.directory = result->directory,
		.is_root = true,
	};
	clock_select("monotonic");
	raise_file_limit();
	status = attachrun_begin(&run, problem);
	if (status < 0) {
		free(run.processes);
		return status;
	}
	cpu_ns = usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	sched_boost_begin(&boost, NULL, 0);
	watch_all(&run);
	sched_boost_end(&boost);
	result->seconds = (double)(usage_clock_ns(CLOCK_MONOTONIC) - run.begun_ns) / NS_PER_S;
	result->rate = rate_so_far(&run);
	result->cpu_s = (double)(usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns) / NS_PER_S;
	for (size_t i = 0; i < run.count; i++)
		close_recorder(&run, &run.processes[i], WATCH_RUNNING);
	free(run.processes);
	return KYMO_OK;
}

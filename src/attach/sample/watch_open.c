/* Opening and closing, and listing threads. */
#include "attach/sample/watch_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/sample/nativetarget.h"
#include "attach/sample/watch.h"
#include "base/array.h"
#include "platform/proc/proc_stat.h"
#include "platform/systemclock.h"
#include "platform/usage.h"

#define RETRY_NS   10000000L
#define YOUNG_S	   1.5 /* limit for a program to load its interpreter */
#define EARLY_NS   UINT64_C(5000000000)
#define LIST_NS	   UINT64_C(100000000) /* interval of listing threads */
#define LIST_SHARE 20u		       /* at most this fraction of the time is spent on listing */

uint64_t watch_image(pid_t pid)
{
	uint64_t fields[PROC_STAT_FIELDS];

	if (!proc_stat_read(pid, 0, fields))
		return 0;
	return fields[PROC_STAT_STACK_START] ^ fields[PROC_STAT_ARGUMENTS] << 1;
}

static enum pythontarget_state open_find_python(struct watch *watch, struct problem *problem)
{
	int error;

	targetmaps_release(&watch->maps);
	watch->maps_count++;
	watch->image = watch_image(watch->target.pid);
	error = targetmaps_read(&watch->maps, &watch->remote);
	if (error == 0 && watch->maps.module_count == 0)
		error = watch->remote.error;
	if (error != 0) {
		target_explain(&watch->target, error, problem);
		return PYTHONTARGET_UNKNOWN;
	}
	return pythontarget_find(&watch->maps, &watch->remote, &watch->python, problem);
}

static bool can_appear(const struct watch *watch, enum pythontarget_state state, uint64_t begun_ns)
{
	uint64_t waited = usage_clock_ns(CLOCK_MONOTONIC) - begun_ns;

	if (!target_is_alive(&watch->target))
		return false;
	if (state == PYTHONTARGET_EARLY)
		return waited < EARLY_NS;
	return state == PYTHONTARGET_NONE && watch->target.age_s + (double)waited * 1e-9 < YOUNG_S;
}

static enum kymo_status wait_for_python(struct watch *watch, bool *may_appear_out,
					struct problem *problem)
{
	const struct timespec pause = {0, RETRY_NS};
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	enum pythontarget_state state;

	while ((state = open_find_python(watch, problem)),
	       (*may_appear_out = can_appear(watch, state, begun_ns)) && watch->options.is_patient)
		systemclock_sleep(&pause);
	watch->has_python = state == PYTHONTARGET_READY;
	watch->options.has_native |= state == PYTHONTARGET_NONE && watch->options.or_native;
	if (watch->has_python || (state == PYTHONTARGET_NONE && watch->options.has_native))
		return KYMO_OK;
	if (!target_is_alive(&watch->target))
		return problem_set(problem, KYMO_ERROR, "process %d has ended",
				   (int)watch->target.pid);
	if (state == PYTHONTARGET_EARLY)
		return problem_set(problem, KYMO_ERROR,
				   "Python in process %d has not begun to run a program",
				   (int)watch->target.pid);
	if (state == PYTHONTARGET_FINALISED)
		return problem_set(problem, KYMO_ERROR, "Python in process %d has ended",
				   (int)watch->target.pid);
	return KYMO_UNAVAILABLE;
}

enum kymo_status watch_open(struct watch *watch, pid_t pid, const struct watch_options *options,
			    bool *may_appear_out, struct problem *problem)
{
	enum kymo_status status;
	bool may_appear = false;

	memset(watch, 0, sizeof(*watch));
	watch->options = *options;
	watch->tasks.folder = -1;
	status = target_open(pid, &watch->target, problem);
	if (status < 0)
		return status;
	if (options->is_fresh)
		watch->target.age_s = 0;
	remote_init(&watch->remote, pid);
	status = wait_for_python(watch, &may_appear, problem);
	if (may_appear_out)
		*may_appear_out = may_appear;
	if (status == KYMO_OK &&
	    (!targettasks_open(&watch->tasks, pid, watch->target.has_own_pids) ||
	     !snapshot_init(&watch->gil, &watch->remote)))
		status = problem_set(problem, KYMO_SYSTEM, "cannot list the threads of process %d",
				     (int)pid);
	if (status == KYMO_OK && (watch->options.has_native || options->is_blocking))
		status = nativetarget_new(watch, &watch->native, problem);
	if (status < 0)
		watch_close(watch, NULL);
	return status;
}

static void thread_free(struct watch_thread *thread)
{
	targettask_close(&thread->task);
	snapshot_release(&thread->snapshot);
	free(thread->frames);
	free(thread);
}

static struct watch_thread *open_thread_new(struct watch *watch, pid_t id)
{
	struct watch_thread **grown =
		array_grow(watch->threads, &watch->capacity, watch->count + 1, sizeof(*grown));
	struct watch_thread *thread = grown ? calloc(1, sizeof(*thread)) : NULL;

	if (!grown)
		return NULL;
	watch->threads = grown;
	if (!thread || !targettask_open(&thread->task, watch->target.pid, id) ||
	    !snapshot_init(&thread->snapshot, &watch->remote)) {
		if (thread)
			targettask_close(&thread->task);
		free(thread);
		return NULL;
	}
	thread->is_new = true;
	grown[watch->count++] = thread;
	return thread;
}

static struct watch_thread *find_thread(const struct watch *watch, pid_t id)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->threads[i]->task.id == id)
			return watch->threads[i];
	return NULL;
}

static struct watch_thread *need_thread(struct watch *watch, pid_t id)
{
	struct watch_thread *thread = find_thread(watch, id);

	if (!thread)
		thread = open_thread_new(watch, id);
	if (thread)
		thread->is_present = true;
	return thread;
}

/* Thread states: of two interpreters in one thread the newer is the running one. */
static void take_states(struct watch *watch)
{
	for (size_t i = watch->states.count; i-- > 0;) /* oldest first */
		if (watch->states.threads[i].id)
			need_thread(watch, watch->states.threads[i].id);
	for (size_t i = 0; i < watch->states.count; i++) {
		const struct pythonthread *state = &watch->states.threads[i];
		struct watch_thread *thread = state->id ? find_thread(watch, state->id) : NULL;

		if (!thread)
			continue;
		if (thread->found_state) {
			thread->found_outer = state->state;
			continue;
		}
		thread->found_state = state->state;
		thread->interpreter = state->interpreter;
		thread->handle = state->handle;
	}
}

/* The kernel's name, if the thread was given one; Python's, if the kernel's is inherited from its
 * creator, as up to 3.13, or truncated. */
static void open_name_of(const struct watch *watch, const struct watch_thread *thread,
			 const char *inherited, char name[WATCH_NAME_SIZE])
{
	const char *pythons =
		thread->handle ? pythonnames_find(&watch->names, thread->handle) : NULL;

	targettask_name(watch->target.pid, thread->task.id, name, WATCH_NAME_SIZE);
	if (pythons && name[0] &&
	    (strcmp(name, inherited) == 0 || strncmp(name, pythons, strlen(name)) == 0))
		snprintf(name, WATCH_NAME_SIZE, "%s", pythons);
}

/* Threads set their names some time after they began. */
static void learn_name(const struct watch *watch, struct watch_thread *thread,
		       const char *inherited)
{
	char name[WATCH_NAME_SIZE];

	open_name_of(watch, thread, inherited, name);
	if (!name[0] || strcmp(name, thread->name) == 0)
		return;
	memcpy(thread->name, name, sizeof(name));
	thread->is_renamed = !thread->is_new;
}

static void resolve_threads(struct watch *watch, const struct watch_sink *sink)
{
	char first[WATCH_NAME_SIZE];
	size_t kept = 0;

	targettask_name(watch->target.pid, watch->target.pid, first, sizeof(first));
	for (size_t i = 0; i < watch->count; i++) {
		struct watch_thread *thread = watch->threads[i];

		if (!thread->is_present) {
			if (sink && sink->end && !thread->is_new)
				sink->end(sink->context, thread);
			thread_free(thread);
			continue;
		}
		if (thread->state != thread->found_state || thread->outer != thread->found_outer) {
			thread->task.is_known = false;
			thread->read_in = 0;
		}
		thread->state = thread->found_state;
		thread->outer = thread->found_outer;
		learn_name(watch, thread, first);
		if (thread->is_new && sink && sink->begin)
			sink->begin(sink->context, thread);
		thread->is_new = false;
		watch->threads[kept++] = thread;
	}
	watch->count = kept;
}

/* A thread exists before its thread state, or before that has its id: threads are listed again soon
 * if a new one has no state. */
static void check_new_states(struct watch *watch)
{
	size_t with_states = 0;
	pid_t newest = 0;

	for (size_t i = 0; i < watch->count; i++)
		with_states += watch->threads[i]->is_present && watch->threads[i]->found_state;
	for (size_t i = 0; i < watch->tasks.count; i++)
		if (watch->tasks.tasks[i].id > newest)
			newest = watch->tasks.tasks[i].id;
	watch->must_list = with_states < watch->tasks.count && newest != watch->newest;
	watch->newest = newest;
}

static void list_threads(struct watch *watch, const struct watch_sink *sink)
{
	const struct pymemory memory = {.read = remote_read, .context = &watch->remote};

	targettasks_list(&watch->tasks);
	for (size_t i = 0; i < watch->count; i++) {
		watch->threads[i]->is_present = false;
		watch->threads[i]->found_state = watch->threads[i]->found_outer = 0;
	}
	/* If the lists cannot be followed now, the previous states remain valid. */
	if (watch->has_python) {
		pythonthreads_list(&watch->states, &watch->python, &memory, &watch->tasks);
		pythonnames_read(&watch->names, &watch->python, &memory, &watch->states,
				 usage_clock_ns(CLOCK_MONOTONIC));
		take_states(watch);
	}
	for (size_t i = 0; i < watch->tasks.count && watch->options.has_native; i++)
		need_thread(watch, watch->tasks.tasks[i].id);
	for (size_t i = 0; i < watch->count; i++)
		if (targettasks_find_id(&watch->tasks, watch->threads[i]->task.id) == 0)
			watch->threads[i]->is_present = false;
	watch->must_list = false;
	if (watch->has_python)
		check_new_states(watch);
	resolve_threads(watch, sink);
}

/* CPU time: on a busy machine most of the wall-clock time belongs to others. */
static void list_and_time(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink)
{
	uint64_t begun_ns = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	list_threads(watch, sink);
	watch->list_ns = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun_ns;
	watch->listed_ns = now_ns;
}

/* Listing thousands of threads takes a while: most of the time is for observing them. */
static bool may_list(const struct watch *watch, uint64_t now_ns)
{
	return !watch->listed_ns || now_ns - watch->listed_ns >= LIST_SHARE * watch->list_ns;
}

static bool is_time_to_list(const struct watch *watch, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - watch->listed_ns;

	if (!watch->listed_ns)
		return true;
	if (!may_list(watch, now_ns))
		return false;
	return since_ns >= LIST_NS || watch->must_list || targettasks_changed(&watch->tasks);
}

enum watch_state watch_refresh(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink)
{
	uint64_t image;

	if (!is_time_to_list(watch, now_ns))
		return WATCH_RUNNING;
	if (!target_is_alive(&watch->target))
		return WATCH_ENDED;
	image = watch_image(watch->target.pid);
	/* None while it ends, or if its main thread has ended before the others. */
	if (image != 0 && image != watch->image)
		return target_is_alive(&watch->target) ? WATCH_REPLACED : WATCH_ENDED;
	list_and_time(watch, now_ns, sink);
	return WATCH_RUNNING;
}

void watch_list_refresh(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink)
{
	if (may_list(watch, now_ns))
		list_and_time(watch, now_ns, sink);
	else
		watch->must_list = true;
}

void watch_close(struct watch *watch, const struct watch_sink *sink)
{
	for (size_t i = 0; i < watch->count; i++) {
		if (sink && sink->end && !watch->threads[i]->is_new)
			sink->end(sink->context, watch->threads[i]);
		thread_free(watch->threads[i]);
	}
	free(watch->threads);
	nativetarget_free(watch->native);
	codetable_release(&watch->codes);
	seencalls_release(&watch->calls);
	pythonthreads_release(&watch->states);
	pythonnames_release(&watch->names);
	targettasks_close(&watch->tasks);
	snapshot_release(&watch->gil);
	targetmaps_release(&watch->maps);
	remote_release(&watch->remote);
	target_close(&watch->target);
	memset(watch, 0, sizeof(*watch));
	watch->tasks.folder = -1;
}

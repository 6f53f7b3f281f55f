/* The stacks of all threads, innermost frame first, as in debuggers. */
#include "cli/attach/attach_dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/python/framecontents.h"
#include "attach/python/threadframes.h"
#include "attach/python/valuetext.h"
#include "attach/sample/watch_observe.h"
#include "attach/sample/watch_open.h"
#include "attach/target/descendants.h"
#include "cli/attach/attach_dump_json.h"
#include "cli/attach/attach_dump_parts.h"
#include "cli/attach/attach_dump_text.h"
#include "cli/commands.h"
#include "platform/systemclock.h"
#include "platform/ticks.h"
#include "platform/usage.h"

#define ATTEMPTS      20 /* until each thread was read */
#define PAUSE_NS      5000000L
#define NAME_MAX_HERE 64u

static void count_lost(void *context, struct watch_thread *thread)
{
	struct dump *dump = context;

	dump->lost += thread->result == WATCH_LOST;
}

/* Repeated while a thread changes. */
static enum kymo_status dump_observe(struct dump *dump, struct problem *problem)
{
	const struct watch_sink sink = {.observed = count_lost, .context = dump};
	const struct timespec pause = {0, PAUSE_NS};
	enum watch_state state = WATCH_RUNNING;

	for (int i = 0; i < ATTEMPTS; i++) {
		dump->lost = 0;
		state = watch_observe(&dump->watch, usage_clock_ns(CLOCK_MONOTONIC), &sink);
		if (state != WATCH_RUNNING || (dump->lost == 0 && !dump->watch.must_list))
			break;
		systemclock_sleep(&pause);
	}
	return state == WATCH_RUNNING ? KYMO_OK
				      : problem_set(problem, KYMO_ERROR, "process %d has ended",
						    (int)dump->watch.target.pid);
}

bool dump_is_shown(const struct watch_thread *thread)
{
	return thread->result != WATCH_PASSED;
}

const char *dump_state_text(const struct watch_thread *thread)
{
	return thread->task.last.is_asleep ? "waits" : "runs";
}

const struct watch_thread *dump_owner(const struct dump *dump, const struct lock_wait *wait)
{
	size_t index = wait->owner ? lockwaits_thread(&dump->watch, wait->owner) : SIZE_MAX;

	return index == SIZE_MAX ? NULL : dump->watch.threads[index];
}

uint64_t dump_owner_frame(const struct dump *dump, const struct lock_wait *wait)
{
	const struct watch_thread *owner = dump_owner(dump, wait);

	if (wait->owner_frame || !owner || owner->result != WATCH_STACK)
		return wait->owner_frame;
	return threadframes_word(owner, 0);
}

void dump_variables(struct dump *dump, const struct threadframes *frames, size_t index,
		    dump_variable_fn tell, void *context)
{
	const struct pymemory memory = {.read = remote_read, .context = &dump->watch.remote};
	char name[NAME_MAX_HERE], value[VALUETEXT_SIZE];
	struct framecontents contents;
	struct pyobjects objects;
	uint64_t object;
	bool is_number;

	if (index >= frames->count ||
	    !pyobjects_init(&objects, &dump->watch.python.runtime, &memory) ||
	    !framecontents_open(&contents, &objects, frames->addresses[index],
				frames->frames[index].code, frames->frames[index].offset))
		return;
	for (uint32_t i = 0; i < contents.variables; i++) {
		if (!framecontents_variable(&contents, i, name, sizeof(name), &object,
					    &is_number) ||
		    (!object && !is_number))
			continue;
		if (is_number)
			snprintf(value, sizeof(value), "%lld", (long long)object);
		else
			valuetext(&objects, object, name, value);
		valuetext_clean_name(name);
		tell(context, name, value);
	}
}

static void dump_show(struct dump *dump)
{
	if (!lockwaits_read(&dump->locks, &dump->watch))
		return;
	if (dump->request->is_json)
		dump_write(dump);
	else
		dump_print(dump);
	lockwaits_release(&dump->locks);
}

/* json is passed from one process to the next. */
static enum kymo_status dump_process(const struct attach_request *request, pid_t pid,
				     struct json_writer *json, struct problem *problem)
{
	struct dump dump = {.request = request, .json = *json};
	enum kymo_status status = watch_open(&dump.watch, pid, &request->watch, NULL, problem);

	if (status < 0)
		return status;
	framenames_init(&dump.names, &dump.watch);
	status = dump_observe(&dump, problem);
	if (status == KYMO_OK)
		dump_show(&dump);
	framenames_release(&dump.names);
	watch_close(&dump.watch, NULL);
	*json = dump.json;
	return status;
}

/* Processes without Python, or that end meanwhile, are skipped; it is an error if all are. */
static enum kymo_status dump_family(const struct attach_request *request, struct json_writer *json,
				    struct problem *problem)
{
	struct attach_request each = *request;
	struct problem ignored;
	size_t count, shown = 0;
	struct descendant *found = descendants(request->pid, &count);
	enum kymo_status status;

	each.watch.is_patient = false;
	if (request->is_json) {
		json_begin_object(json);
		json_key(json, "processes");
		json_begin_array(json);
	}
	status = dump_process(&each, request->pid, json, problem);
	shown += status == KYMO_OK;
	for (size_t i = 0; i < count; i++) {
		if (!request->is_json && shown > 0)
			putchar('\n');
		shown += dump_process(&each, found[i].pid, json, &ignored) == KYMO_OK;
	}
	free(found);
	if (request->is_json) {
		json_end_array(json);
		json_end_object(json);
	}
	return shown > 0 ? KYMO_OK : status;
}

int attach_dump(const struct attach_request *request)
{
	struct json_writer json = {.out = stdout};
	struct problem problem;
	enum kymo_status status;

	clock_select("monotonic");
	status = request->has_children ? dump_family(request, &json, &problem)
				       : dump_process(request, request->pid, &json, &problem);
	if (request->is_json && status == KYMO_OK)
		putchar('\n');
	return status < 0 ? command_fail(status, &problem) : command_finish_output();
}

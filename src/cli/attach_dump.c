/* The stacks of all threads, innermost frame first, as tracebacks of debuggers have them. */
#include "cli/attach_dump.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "attach/framenames.h"
#include "base/plaintext.h"
#include "cli/commands.h"
#include "platform/systemclock.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "report/json_writer.h"

#define ATTEMPTS 20 /* looks, until each thread was seen */
#define PAUSE_NS 5000000L

struct dump {
	const struct attach_request *request;
	struct watch watch;
	struct framenames names;
	struct json_writer json;
	size_t lost; /* threads that could not be read in this look */
};

/* ---- looking ---------------------------------------------------------------------------- */

static void count_lost(void *context, struct watch_thread *thread)
{
	struct dump *dump = context;

	dump->lost += thread->result == WATCH_LOST;
}

/* A thread that changes all the time is looked at again. */
static enum kymo_status look(struct dump *dump, struct problem *problem)
{
	const struct watch_sink sink = {.observed = count_lost, .context = dump};
	const struct timespec pause = {0, PAUSE_NS};
	enum watch_state state = WATCH_GOES_ON;

	for (int i = 0; i < ATTEMPTS; i++) {
		dump->lost = 0;
		state = watch_observe(&dump->watch, usage_clock_ns(CLOCK_MONOTONIC), &sink);
		if (state != WATCH_GOES_ON || (dump->lost == 0 && !dump->watch.must_list))
			break;
		systemclock_sleep(&pause);
	}
	return state == WATCH_GOES_ON ? KYMO_OK
				      : problem_set(problem, KYMO_ERROR, "process %d has ended",
						    (int)dump->request->pid);
}

static bool is_shown(const struct watch_thread *thread)
{
	return thread->result != WATCH_PASSED;
}

static const char *state_of(const struct watch_thread *thread)
{
	return thread->task.last.is_asleep ? "waits" : "runs";
}

static const char *gil_text(enum kymo_gil_state gil)
{
	static const char *const texts[] = {NULL, NULL, "has the GIL", "waits for the GIL"};

	return texts[gil];
}

/* ---- text -------------------------------------------------------------------------------- */

static void print_frame(struct dump *dump, uint64_t frame)
{
	struct framename name;

	framenames_find(&dump->names, frame, &name);
	if (name.kind == KYMO_FRAME_KERNEL)
		plaintext_print(stdout, "    waits in %s\n", name.function);
	else if (name.file && name.line)
		plaintext_print(stdout, "    %s (%s:%u)\n", name.function, name.file, name.line);
	else if (name.file)
		plaintext_print(stdout, "    %s (%s)\n", name.function, name.file);
	else
		plaintext_print(stdout, "    %s\n", name.function);
}

static void print_thread(struct dump *dump, const struct watch_thread *thread)
{
	const char *gil = gil_text(thread->gil);

	plaintext_print(stdout, "\nthread %d \"%s\": %s%s%s\n", (int)thread->task.id, thread->name,
			state_of(thread), gil ? ", " : "", gil ? gil : "");
	if (thread->result == WATCH_LOST)
		printf("    [changed each time it was read]\n");
	for (size_t i = thread->frame_count; i-- > 0 && thread->result == WATCH_STACK;)
		print_frame(dump, thread->frames[i]);
}

static void print_text(struct dump *dump)
{
	const struct watch *watch = &dump->watch;

	plaintext_print(stdout, "process %d: %s", (int)watch->target.pid, watch->target.name);
	if (watch->has_python)
		printf(", Python %u.%u", watch->python.version >> 8, watch->python.version & 0xffu);
	putchar('\n');
	for (size_t i = 0; i < watch->count; i++)
		if (is_shown(watch->threads[i]))
			print_thread(dump, watch->threads[i]);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void write_frame(struct dump *dump, uint64_t frame)
{
	static const char *const kinds[] = {"native", "python", "kernel", "mark"};
	struct json_writer *json = &dump->json;
	struct framename name;

	framenames_find(&dump->names, frame, &name);
	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "kind", kinds[name.kind]);
	json_pair_text(json, "function", name.function);
	json_pair_text(json, "file", name.file);
	json_pair_count(json, "line", name.line);
	json_end_object(json);
}

static void write_thread(struct dump *dump, const struct watch_thread *thread)
{
	static const char *const gils[] = {NULL, "not held", "held", "waited for"};
	struct json_writer *json = &dump->json;

	json_line(json);
	json_begin_object(json);
	json_pair_count(json, "id", (uint64_t)thread->task.id);
	json_pair_text(json, "name", thread->name);
	json_pair_text(json, "state", state_of(thread));
	json_pair_text(json, "gil", gils[thread->gil]);
	json_pair_bool(json, "is_complete", thread->result == WATCH_STACK);
	json_key(json, "frames");
	json_begin_array(json);
	for (size_t i = thread->frame_count; i-- > 0 && thread->result == WATCH_STACK;)
		write_frame(dump, thread->frames[i]);
	json_end_array(json);
	json_end_object(json);
}

static void write_json(struct dump *dump)
{
	struct json_writer *json = &dump->json;
	const struct watch *watch = &dump->watch;
	char version[16];

	json->out = stdout;
	json_begin_object(json);
	json_pair_count(json, "pid", (uint64_t)watch->target.pid);
	json_pair_text(json, "program", watch->target.name);
	snprintf(version, sizeof(version), "%u.%u", watch->python.version >> 8,
		 watch->python.version & 0xffu);
	json_pair_text(json, "python", watch->has_python ? version : NULL);
	json_key(json, "threads");
	json_begin_array(json);
	for (size_t i = 0; i < watch->count; i++)
		if (is_shown(watch->threads[i]))
			write_thread(dump, watch->threads[i]);
	json_end_array(json);
	json_end_object(json);
	putchar('\n');
}

int attach_dump(const struct attach_request *request)
{
	struct dump dump = {.request = request};
	struct problem problem;
	enum kymo_status status;

	clock_select("monotonic");
	status = watch_open(&dump.watch, request->pid, &request->watch, NULL, &problem);
	if (status < 0)
		return command_fail(status, &problem);
	framenames_init(&dump.names, &dump.watch);
	status = look(&dump, &problem);
	if (status == KYMO_OK && request->is_json)
		write_json(&dump);
	else if (status == KYMO_OK)
		print_text(&dump);
	framenames_release(&dump.names);
	watch_close(&dump.watch, NULL);
	return status < 0 ? command_fail(status, &problem) : command_finish_output();
}

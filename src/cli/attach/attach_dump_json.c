/* The stacks of a process as JSON. */
#include "cli/attach/attach_dump_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "attach/python/threadframes.h"
#include "cli/attach/attach_dump_parts.h"

static void write_variable(void *context, const char *name, const char *value)
{
	struct dump *dump = context;

	json_pair_text(&dump->json, name, value);
}

static void write_frame(struct dump *dump, const struct framename *name,
			const struct threadframes *frames, size_t python)
{
	static const char *const kinds[] = {"native", "python", "kernel", "mark"};
	struct json_writer *json = &dump->json;

	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "kind", kinds[name->kind]);
	json_pair_text(json, "function", name->function);
	json_pair_text(json, "file", name->file);
	json_pair_count(json, "line", name->line);
	if (dump->request->has_locals && name->kind == KYMO_FRAME_PYTHON) {
		json_key(json, "locals");
		json_begin_object(json);
		dump_variables(dump, frames, python, write_variable, dump);
		json_end_object(json);
	}
	json_end_object(json);
}

static void write_frames(struct dump *dump, const struct watch_thread *thread)
{
	struct threadframes frames = {0};
	struct framename name;
	size_t python = 0;

	if (dump->request->has_locals)
		threadframes_read(&frames, &dump->watch, thread);
	json_key(&dump->json, "frames");
	json_begin_array(&dump->json);
	for (size_t i = thread->frame_count; i-- > 0 && thread->result == WATCH_STACK;) {
		framenames_find(&dump->names, thread->frames[i], &name);
		write_frame(dump, &name, &frames, python);
		python += name.kind == KYMO_FRAME_PYTHON;
	}
	json_end_array(&dump->json);
	threadframes_release(&frames);
}

static void write_wait(struct dump *dump, const struct lock_wait *wait)
{
	const uint64_t frame = dump_owner_frame(dump, wait);
	struct json_writer *json = &dump->json;
	struct framename name;
	char address[24];

	if (wait->kind == LOCK_NONE)
		return;
	snprintf(address, sizeof(address), "0x%" PRIx64, wait->address);
	json_key(json, "waits_for");
	json_begin_object(json);
	json_pair_text(json, "lock", lockwaits_kind_text(wait->kind));
	json_pair_text(json, "address", address);
	json_key(json, "owner");
	if (wait->owner)
		json_count(json, (uint64_t)wait->owner);
	else
		json_text(json, NULL);
	if (frame) {
		framenames_find(&dump->names, frame, &name);
		json_pair_text(json, "function", name.function);
		json_pair_text(json, "file", name.file);
		json_pair_count(json, "line", name.line);
	}
	json_pair_bool(json, "is_deadlock", wait->is_in_cycle);
	json_end_object(json);
}

static void json_write_thread(struct dump *dump, size_t index)
{
	static const char *const gils[] = {NULL, "not held", "held", "waited for"};
	const struct watch_thread *thread = dump->watch.threads[index];
	struct json_writer *json = &dump->json;

	json_line(json);
	json_begin_object(json);
	json_pair_count(json, "id", (uint64_t)thread->task.id);
	json_pair_text(json, "name", thread->name);
	json_pair_text(json, "state", dump_state_text(thread));
	json_pair_text(json, "gil", gils[thread->gil]);
	json_pair_bool(json, "is_complete", thread->result == WATCH_STACK);
	write_wait(dump, &dump->locks.waits[index]);
	write_frames(dump, thread);
	json_end_object(json);
}

void dump_write(struct dump *dump)
{
	struct json_writer *json = &dump->json;
	const struct watch *watch = &dump->watch;
	char version[16];

	json_begin_object(json);
	json_pair_count(json, "pid", (uint64_t)watch->target.pid);
	json_pair_count(json, "parent", (uint64_t)watch->target.parent);
	json_pair_text(json, "program", watch->target.name);
	snprintf(version, sizeof(version), "%u.%u", watch->python.version >> 8,
		 watch->python.version & 0xffu);
	json_pair_text(json, "python", watch->has_python ? version : NULL);
	json_key(json, "threads");
	json_begin_array(json);
	for (size_t i = 0; i < watch->count; i++)
		if (dump_is_shown(watch->threads[i]))
			json_write_thread(dump, i);
	json_end_array(json);
	json_end_object(json);
}

/* The stacks of a process as text. */
#include "cli/attach/attach_dump_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "attach/python/threadframes.h"
#include "base/text/plaintext.h"
#include "cli/attach/attach_dump_parts.h"

static const char *gil_text(enum kymo_gil_state gil)
{
	static const char *const texts[] = {NULL, NULL, "has the GIL", "waits for the GIL"};

	return texts[gil];
}

static void print_place(const struct framename *name)
{
	if (name->file && name->line)
		plaintext_print(stdout, "%s (%s:%u)", name->function, name->file, name->line);
	else if (name->file)
		plaintext_print(stdout, "%s (%s)", name->function, name->file);
	else
		plaintext_print(stdout, "%s", name->function);
}

static void print_owner(struct dump *dump, const struct lock_wait *wait)
{
	const struct watch_thread *owner = dump_owner(dump, wait);
	const uint64_t frame = dump_owner_frame(dump, wait);
	struct framename name;

	if (wait->kind == LOCK_CONDITION)
		return;
	if (!wait->owner) {
		printf(wait->kind == LOCK_PLAIN || wait->kind == LOCK_INTERNAL
			       ? "; its owner is not recorded by the interpreter"
			       : "; its owner is unknown");
		return;
	}
	printf(", held by thread %d", (int)wait->owner);
	if (owner)
		plaintext_print(stdout, " \"%s\"", owner->name);
	if (wait->count > 1)
		printf(" %" PRIu64 " times", wait->count);
	if (frame) {
		framenames_find(&dump->names, frame, &name);
		printf(" in ");
		print_place(&name);
	}
}

static void print_wait(struct dump *dump, const struct lock_wait *wait)
{
	if (wait->kind == LOCK_NONE)
		return;
	printf("      for %s", lockwaits_kind_text(wait->kind));
	if (wait->kind != LOCK_GIL)
		printf(" at 0x%" PRIx64, wait->address);
	if (wait->kind != LOCK_UNKNOWN)
		print_owner(dump, wait);
	putchar('\n');
}

static void print_variable(void *context, const char *name, const char *value)
{
	(void)context;
	plaintext_print(stdout, "        %s = %s\n", name, value);
}

static void print_frames(struct dump *dump, const struct watch_thread *thread,
			 const struct lock_wait *wait)
{
	struct threadframes frames = {0};
	size_t python = 0;
	struct framename name;

	if (dump->request->has_locals)
		threadframes_read(&frames, &dump->watch, thread);
	for (size_t i = thread->frame_count; i-- > 0;) {
		framenames_find(&dump->names, thread->frames[i], &name);
		printf(name.kind == KYMO_FRAME_KERNEL ? "    waits in " : "    ");
		print_place(&name);
		putchar('\n');
		if (name.kind == KYMO_FRAME_KERNEL)
			print_wait(dump, wait);
		if (name.kind == KYMO_FRAME_PYTHON)
			dump_variables(dump, &frames, python++, print_variable, dump);
	}
	threadframes_release(&frames);
}

static void print_thread(struct dump *dump, size_t index)
{
	const struct watch_thread *thread = dump->watch.threads[index];
	const char *gil = gil_text(thread->gil);

	plaintext_print(stdout, "\nthread %d \"%s\": %s%s%s\n", (int)thread->task.id, thread->name,
			dump_state_text(thread), gil ? ", " : "", gil ? gil : "");
	if (thread->result == WATCH_LOST)
		printf("    [changed each time it was read]\n");
	else
		print_frames(dump, thread, &dump->locks.waits[index]);
}

/* One line a cycle, from the thread in it that is listed first. */
static void print_cycle(struct dump *dump, size_t first, bool *is_printed)
{
	const struct watch *watch = &dump->watch;
	size_t at = first;
	bool is_first = true;

	plaintext_print(stdout, "\ndeadlock: thread %d \"%s\"", (int)watch->threads[at]->task.id,
			watch->threads[at]->name);
	do {
		const struct lock_wait *wait = &dump->locks.waits[at];

		printf("%s waits for %s at 0x%" PRIx64, is_first ? "" : ", which",
		       lockwaits_kind_text(wait->kind), wait->address);
		is_first = false;
		is_printed[at] = true;
		at = lockwaits_thread(watch, wait->owner);
		plaintext_print(stdout, " held by thread %d \"%s\"",
				(int)watch->threads[at]->task.id, watch->threads[at]->name);
	} while (at != first && !is_printed[at]);
	putchar('\n');
}

static void print_cycles(struct dump *dump)
{
	bool *is_printed = calloc(dump->locks.count + 1, sizeof(*is_printed));

	for (size_t i = 0; is_printed && i < dump->locks.count; i++)
		if (dump->locks.waits[i].is_in_cycle && !is_printed[i])
			print_cycle(dump, i, is_printed);
	free(is_printed);
}

void dump_print(struct dump *dump)
{
	const struct watch *watch = &dump->watch;

	plaintext_print(stdout, "process %d: %s", (int)watch->target.pid, watch->target.name);
	if (watch->has_python)
		printf(", Python %u.%u", watch->python.version >> 8, watch->python.version & 0xffu);
	putchar('\n');
	for (size_t i = 0; i < watch->count; i++)
		if (dump_is_shown(watch->threads[i]))
			print_thread(dump, i);
	print_cycles(dump);
}

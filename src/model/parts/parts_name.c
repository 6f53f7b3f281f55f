/* Names of groups of parts: "rank 3", "worker 4711", "thread 2 (tide)". */
#include "model/parts/parts_name.h"

#include <stdio.h>
#include <string.h>

#include "base/basename.h"

/* The length of the common prefix of two folders, up to a slash. */
static size_t common_front(const char *a, const char *b)
{
	size_t front = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		front = a[i] == '/' ? i + 1 : front;
	return front;
}

/* The length of the common suffix, from a slash on. */
static size_t common_back(const char *a, const char *b)
{
	size_t back = 0, a_length = strlen(a), b_length = strlen(b);

	for (size_t i = 1; i <= a_length && i <= b_length && a[a_length - i] == b[b_length - i];
	     i++)
		back = a[a_length - i] == '/' ? i : back;
	return back;
}

/* Names of runs often differ in the middle of their paths: "before/2026-11-21_10.00". */
void parts_resolve_names(struct parts *parts)
{
	const struct parts_groups *runs = &parts->groups[PARTS_BY_RUN];
	const char *first = parts->count ? parts->parts[0].run : NULL;

	for (size_t i = 1; first && i < runs->count; i++) {
		const char *run = parts->parts[runs->first[i]].run;
		size_t front = run ? common_front(first, run) : 0;
		size_t back = run ? common_back(first, run) : 0;

		parts->run_front = i == 1 || front < parts->run_front ? front : parts->run_front;
		parts->run_back = i == 1 || back < parts->run_back ? back : parts->run_back;
	}
	for (size_t i = 0; i < runs->count; i++) {
		const char *run = parts->parts[runs->first[i]].run;

		if (run && parts->run_front + parts->run_back >= strlen(run))
			parts->run_back = 0;
	}
}

static size_t write_run_name(const struct parts *parts, const struct recording_part *part,
			     char *text, size_t size)
{
	size_t length = part->run ? strlen(part->run) : 0;
	int written;

	if (!part->run)
		written = snprintf(text, size, "run");
	else if (parts->run_count < 2 || parts->run_front + parts->run_back >= length)
		written = snprintf(text, size, "%s", path_shown_name(part->run));
	else
		written = snprintf(text, size, "%.*s",
				   (int)(length - parts->run_front - parts->run_back),
				   part->run + parts->run_front);
	return (size_t)written < size ? (size_t)written : size - 1;
}

/* Prefix of names if there are several runs. */
static size_t name_write_run(const struct parts *parts, const struct recording_part *part,
			     char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	if (parts->run_count > 1 && part->run) {
		used = write_run_name(parts, part, text, size);
		used += (size_t)snprintf(text + used, size - used, ": ");
	}
	return used < size ? used : size - 1;
}

static size_t name_write_process(const struct parts *parts, const struct recording_part *part,
				 char *text, size_t size)
{
	size_t used = name_write_run(parts, part, text, size);

	if (part->rank >= 0 && parts->rank_count > 1)
		used += (size_t)snprintf(text + used, size - used, "rank %d, ", part->rank);
	if (used < size)
		used += (size_t)snprintf(text + used, size - used, "%s %u",
					 part->program ? part->program : "process", part->pid);
	return used;
}

static void name_write_thread(const struct parts *parts, const struct recording_part *part,
			      char *text, size_t size)
{
	size_t used = 0;

	if (parts->process_count > 1) {
		used = name_write_process(parts, part, text, size);
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, ", ");
	}
	if (used < size)
		snprintf(text + used, size - used,
			 part->thread_name ? "thread %u (%s)" : "thread %u", part->thread,
			 part->thread_name);
}

void parts_group_name(const struct parts *parts, enum parts_by by, size_t group, char *text,
		      size_t size)
{
	const struct recording_part *part = &parts->parts[parts->groups[by].first[group]];

	switch (by) {
	case PARTS_BY_THREAD:
		name_write_thread(parts, part, text, size);
		break;
	case PARTS_BY_PROCESS:
		name_write_process(parts, part, text, size);
		break;
	case PARTS_BY_RANK:
		snprintf(text, size, part->rank < 0 ? "no rank" : "rank %d", part->rank);
		break;
	case PARTS_BY_RUN:
	case PARTS_BY_COUNT:
		write_run_name(parts, part, text, size);
		break;
	}
}

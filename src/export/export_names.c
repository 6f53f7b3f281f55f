/* Names and ids that all formats share, so that a thread or a slice has the same name in every
 * tool. */
#include "export/export_names.h"

#include <stdio.h>
#include <string.h>

#include "base/hashset.h"
#include "base/text/utf8.h"
#include "model/recording/label.h"
#include "model/recording/run.h"
#include "model/trace/trace_cursor.h"
#include "model/tree/calltree.h"

/* Above every pid: Linux allows at most 2^22. */
#define FIBER_ID_BASE 0x40000000u

const char *region_category(enum kymo_region_kind kind)
{
	static const char *const categories[] = {
		[KYMO_REGION_ROOT] = "host",	   [KYMO_REGION_PYTHON] = "python",
		[KYMO_REGION_PYTHON_C] = "python", [KYMO_REGION_PYTHON_METHOD] = "python",
		[KYMO_REGION_USER] = "user",	   [KYMO_REGION_NATIVE] = "host",
		[KYMO_REGION_PTHREAD] = "pthread", [KYMO_REGION_MPI] = "mpi",
		[KYMO_REGION_IO] = "io",	   [KYMO_REGION_TASK] = "task",
		[KYMO_REGION_PROGRAM] = "host",	   [KYMO_REGION_PHASE] = "phase",
		[KYMO_REGION_PARAMETER] = "user",  [KYMO_REGION_PROGRESS] = "progress",
		[KYMO_REGION_INSTANT] = "user",
	};

	return (size_t)kind < sizeof(categories) / sizeof(categories[0]) ? categories[kind]
									 : "host";
}

void thread_title(const struct recording *recording, uint32_t thread, char *text, size_t size)
{
	const struct thread *row = &recording->threads[thread];

	if (row->name && *row->name)
		utf8_clean(row->name, text, size);
	else if (row->system_id == recording->header.pid)
		snprintf(text, size, "MainThread");
	else
		snprintf(text, size, "thread %u", thread);
}

void region_title(const struct region *region, char *text, size_t size)
{
	char label[EXPORT_NAME_SIZE];
	struct region named = *region;

	/* Every class has an __init__. */
	if (region->kind == KYMO_REGION_PYTHON && region->qualname)
		named.name = region->qualname;
	region_label(&named, label, sizeof(label));
	utf8_clean(label, text, size);
}

uint64_t thread_export_id(const struct recording *recording, uint32_t thread)
{
	const struct thread *row = &recording->threads[thread];

	if ((row->flags & KYMO_THREAD_FIBER) || row->system_id == 0)
		return FIBER_ID_BASE + thread;
	return row->system_id;
}

uint64_t flow_id(const struct recording *recording, const struct trace_event *event)
{
	const struct kymo_header *header = &recording->header;
	const char *name = recording->regions[event->region].name;
	uint64_t hash = hash_bytes(HASH_SEED, header->run_id, sizeof(header->run_id));

	hash = hash_bytes(hash, name, strlen(name));
	return hash_bytes(hash, &event->value, sizeof(event->value));
}

bool region_may_have_values(enum kymo_region_kind kind)
{
	return kind == KYMO_REGION_USER || kind == KYMO_REGION_PHASE ||
	       kind == KYMO_REGION_PROGRESS || kind == KYMO_REGION_INSTANT ||
	       kind == KYMO_REGION_NATIVE;
}

bool region_may_return_values(enum kymo_region_kind kind)
{
	return kind == KYMO_REGION_NATIVE;
}

uint64_t run_origin_ns(const struct run *run)
{
	uint64_t origin = UINT64_MAX;

	for (size_t i = 0; i < run->recording_count; i++) {
		const struct recording *recording = run->recordings[i];
		uint64_t start = recording_realtime_ns(recording, recording->header.start_ticks);

		if (start < origin)
			origin = start;
	}
	return origin;
}

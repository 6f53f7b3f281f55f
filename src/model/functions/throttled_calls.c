/* Calls of throttled functions, which were only counted from some time on. */
#include "model/functions/throttled_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/functions/functions.h"
#include "model/recording/chunks.h"
#include "model/recording/recording_open.h"
#include "text/quantity.h"

#define CALLS_MAX (UINT64_C(1) << 60) /* no real count is as high */
#define NAMES_MAX 3u

static enum kymo_status calls_add(struct throttled_list *list, const struct kymo_throttled *record)
{
	struct throttled_calls *items =
		array_grow(list->items, &list->capacity, list->count + 1, sizeof(*items));

	if (!items)
		return KYMO_MEMORY;
	list->items = items;
	items[list->count++] = (struct throttled_calls){
		.id = record->id, .since = record->since, .calls = record->calls};
	return KYMO_OK;
}

static bool calls_is_function(const struct recording *recording, uint32_t id)
{
	return id < recording->functions->count && recording->functions->items[id].region;
}

enum kymo_status throttled_calls_read(const struct recording *recording, uint32_t thread,
				      struct throttled_list *list, uint64_t *dropped)
{
	enum kymo_status status = KYMO_OK;
	const struct chunk *chunks;
	size_t count = 0;

	if (!recording->functions)
		return KYMO_OK;
	chunks = chunks_of_thread(recording, KYMO_CHUNK_THROTTLED, thread, &count);
	for (size_t i = 0; i < count; i++) {
		const unsigned char *bytes = recording->data + chunks[i].offset;
		uint64_t records = chunks[i].bytes / chunks[i].record_size;

		for (; records > 0 && status == KYMO_OK; records--) {
			struct kymo_throttled record;

			memcpy(&record, bytes, sizeof(record));
			bytes += chunks[i].record_size;
			if (record.calls == 0)
				continue;
			if (calls_is_function(recording, record.id) && record.calls < CALLS_MAX)
				status = calls_add(list, &record);
			else
				++*dropped;
		}
	}
	return status;
}

void throttled_calls_release(struct throttled_list *list)
{
	free(list->items);
	*list = (struct throttled_list){0};
}

/* The most called functions come first. */
static int calls_compare(const void *left, const void *right)
{
	const struct throttled_calls *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int calls_compare_ids(const void *left, const void *right)
{
	const struct throttled_calls *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* One item per function, of all threads. */
static void calls_merge(struct throttled_list *list)
{
	size_t kept = 0;

	qsort(list->items, list->count, sizeof(*list->items), calls_compare_ids);
	for (size_t i = 1; i < list->count; i++) {
		struct throttled_calls *last = &list->items[kept];

		if (last->id != list->items[i].id) {
			list->items[++kept] = list->items[i];
			continue;
		}
		last->calls += list->items[i].calls;
		if (list->items[i].since < last->since)
			last->since = list->items[i].since;
	}
	list->count = kept + 1;
	qsort(list->items, list->count, sizeof(*list->items), calls_compare);
}

static void throttled_calls_format(const struct recording *recording,
				   const struct throttled_list *list, char *text, size_t size)
{
	uint64_t first = UINT64_MAX;
	size_t used;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].since < first)
			first = list->items[i].since;
	used = (size_t)snprintf(text, size,
				"%zu function%s called too often for the budget; from %.2f s on "
				"such calls are only counted, without their times and callers: ",
				list->count, list->count == 1 ? " was" : "s were",
				(double)recording_ns(recording, first) * 1e-9);
	for (size_t i = 0; i < list->count && i < NAMES_MAX && used < size; i++) {
		uint32_t region = functions_region(recording, list->items[i].id);

		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
					 recording->regions[region].name);
	}
	if (list->count > NAMES_MAX && used < size)
		snprintf(text + used, size - used, " and %zu more", list->count - NAMES_MAX);
}

/* Of all threads, one item per function, the most called first; false: there are none. */
static bool calls_read_all(const struct recording *recording, struct throttled_list *list)
{
	enum kymo_status status = KYMO_OK;
	uint64_t dropped = 0;

	for (uint32_t i = 0; i < recording->thread_count && status == KYMO_OK; i++)
		status = throttled_calls_read(recording, i, list, &dropped);
	if (list->count == 0) {
		throttled_calls_release(list);
		return false;
	}
	calls_merge(list);
	return true;
}

bool throttled_calls_text(const struct recording *recording, char *text, size_t size)
{
	struct throttled_list list = {0};

	if (!calls_read_all(recording, &list))
		return false;
	throttled_calls_format(recording, &list, text, size);
	throttled_calls_release(&list);
	return true;
}

double throttled_calls_cost_ns(const struct recording *recording)
{
	const char *ps = recording_note(recording, KYMO_NOTE_INFO, KYMO_COUNTED_CALL_COST_NOTE);

	return ps ? (double)strtoull(ps, NULL, 10) * 1e-3 : 0;
}

static double calls_count_all(const struct throttled_list *list)
{
	double calls = 0;

	for (size_t i = 0; i < list->count; i++)
		calls += (double)list->items[i].calls;
	return calls;
}

/* CPU time of the process, as far as known. */
static double calls_used_ns(const struct recording *recording)
{
	uint64_t cpu_ns = recording->header.process_cpu_ns;

	return cpu_ns > 0 ? (double)cpu_ns : (double)recording_ns(recording, recording->end_ticks);
}

bool throttled_calls_over_budget(const struct recording *recording, char *text, size_t size)
{
	const char *budget = recording_note(recording, KYMO_NOTE_SETTING, "FUNCTIONS_BUDGET");
	double cost_ns = throttled_calls_cost_ns(recording), own_ns, percent;
	char share[QUANTITY_MAX];
	struct throttled_list list = {0};
	const char *name;

	if (!budget || cost_ns <= 0 || !calls_read_all(recording, &list))
		return false;
	cost_ns *= calls_count_all(&list);
	own_ns = calls_used_ns(recording) - cost_ns;
	percent = own_ns > 0 ? 100 * cost_ns / own_ns : 100;
	name = recording->regions[functions_region(recording, list.items[0].id)].name;
	throttled_calls_release(&list);
	if (percent <= strtod(budget, NULL))
		return false;
	snprintf(text, size,
		 "the budget of %s %% was not kept: counting alone took %s of the program's own "
		 "time; leave out %s by -E, or accept the overhead",
		 budget, quantity_percent(percent, share), name);
	return true;
}

/* Collects what is known of the GIL by thread. */
#include "model/findings/gil_threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/recording/recording_open.h"
#include "model/samples/sampled_threads.h"

static const char *const series_names[GIL_NUMBERS] = {
	[GIL_HELD] = "GIL held",
	[GIL_WAITED] = "GIL waited",
	[GIL_TAKEN] = "GIL taken",
	[GIL_CHANGES] = "GIL handed over",
};

double gil_thread_lifetime_s(const struct gil_thread *entry)
{
	return 1e-9 * (double)recording_thread_ns(entry->recording, entry->thread);
}

static struct gil_thread *threads_entry_of(struct gil_threads *list,
					   const struct recording *recording, uint32_t thread)
{
	struct gil_thread *grown;

	for (size_t i = list->count; i-- > 0 && list->threads[i].recording == recording;)
		if (list->threads[i].thread == thread)
			return &list->threads[i];
	grown = array_grow(list->threads, &list->capacity, list->count + 1, sizeof(*grown));
	list->has_failed |= !grown;
	if (!grown)
		return NULL;
	list->threads = grown;
	grown[list->count] = (struct gil_thread){recording, thread, {NAN, NAN, NAN, NAN}};
	return &grown[list->count++];
}

static int threads_number_of(const struct series *series)
{
	for (int i = 0; i < GIL_NUMBERS; i++)
		if (strcmp(series->name, series_names[i]) == 0)
			return i;
	return GIL_NUMBERS;
}

/* Cumulative series: the largest point of each is its total. */
static bool add_series(struct gil_threads *list, const struct recording *recording)
{
	struct kymo_point point;
	uint64_t index = 0;
	bool has_any = false;

	while (recording_point(recording, &index, &point)) {
		const struct series *series = point.series < recording->series_count
						      ? &recording->series[point.series]
						      : NULL;
		int number = series && series->name ? threads_number_of(series) : GIL_NUMBERS;
		struct gil_thread *entry;

		if (number == GIL_NUMBERS || series->thread >= recording->thread_count)
			continue;
		entry = threads_entry_of(list, recording, series->thread);
		if (!entry)
			return true;
		if (!(entry->numbers[number] > point.value))
			entry->numbers[number] = point.value;
		has_any = true;
	}
	return has_any;
}

static void threads_add_samples(struct gil_threads *list, struct recording *recording,
				const struct samples *samples)
{
	struct sampled_threads *threads;

	if (sampled_threads_new(recording, samples, &threads) < 0) {
		list->has_failed = true;
		return;
	}
	for (size_t i = 0; i < threads->count; i++) {
		const struct sampled_thread *thread = &threads->threads[i];
		struct gil_thread *entry;

		if (thread->gil_held_ns + thread->gil_wait_ns <= 0)
			continue;
		entry = threads_entry_of(list, recording, thread->thread);
		if (!entry)
			break;
		entry->numbers[GIL_HELD] = thread->gil_held_ns * 1e-9;
		entry->numbers[GIL_WAITED] = thread->gil_wait_ns * 1e-9;
	}
	sampled_threads_free(threads);
}

static int by_thread(const void *left, const void *right)
{
	const struct gil_thread *a = left, *b = right;

	if (a->recording != b->recording)
		return a->recording->header.start_realtime_ns <
				       b->recording->header.start_realtime_ns
			       ? -1
			       : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

bool gil_threads_init(struct gil_threads *list, const struct loaded_run *loaded)
{
	*list = (struct gil_threads){0};
	for (size_t i = 0; i < loaded->tree_count; i++) {
		struct recording *recording = (struct recording *)loaded->trees[i]->recording;

		if (!add_series(list, recording) && loaded_samples(loaded, i))
			threads_add_samples(list, recording, loaded_samples(loaded, i));
	}
	if (list->count > 0)
		qsort(list->threads, list->count, sizeof(*list->threads), by_thread);
	return !list->has_failed;
}

void gil_threads_release(struct gil_threads *list)
{
	free(list->threads);
	*list = (struct gil_threads){0};
}

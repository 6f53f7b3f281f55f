/* Sorts events of Chrome traces. */
#include "import/formats/chrome_tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/formats/chrome_async.h"

#define ROUNDING_NS 1 /* rounding of doubles in microseconds */

void chrome_tracks_add(struct chrome_tracks *tracks, uint32_t thread,
		       const struct chrome_slice *slice)
{
	size_t before = tracks->track_capacity;
	struct chrome_track *grown = array_grow(tracks->tracks, &tracks->track_capacity,
						thread + (size_t)1, sizeof(*grown));
	struct chrome_track *track;
	struct chrome_slice *slices = NULL;

	if (grown) {
		memset(grown + before, 0, (tracks->track_capacity - before) * sizeof(*grown));
		tracks->tracks = grown;
		track = &grown[thread];
		slices = array_grow(track->slices, &track->capacity, track->count + 1,
				    sizeof(*slices));
	}
	if (!slices) {
		tracks->imported->is_out_of_memory = true;
		return;
	}
	if (thread >= tracks->track_count)
		tracks->track_count = thread + (size_t)1;
	track->slices = slices;
	slices[track->count++] = *slice;
	track->has_complete |= slice->phase == 'X';
	track->has_begins |= slice->phase == 'B' || slice->phase == 'E';
}

void chrome_tracks_operate(struct chrome_tracks *tracks, const struct chrome_operation *operation)
{
	struct chrome_operation *grown =
		tracks->operation_count < UINT32_MAX
			? array_grow(tracks->operations, &tracks->operation_capacity,
				     tracks->operation_count + 1, sizeof(*grown))
			: NULL;

	if (!grown) {
		tracks->imported->is_out_of_memory = true;
		return;
	}
	tracks->operations = grown;
	grown[tracks->operation_count] = *operation;
	grown[tracks->operation_count].sequence = (uint32_t)tracks->operation_count;
	tracks->operation_count++;
}

/* Enclosing events come first. */
static bool is_sorted_pair(const struct chrome_slice *a, const struct chrome_slice *b,
			   bool by_nesting)
{
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns;
	return !by_nesting || a->end_ns >= b->end_ns;
}

static void tracks_merge(struct chrome_slice *out, const struct chrome_slice *from, size_t half,
			 size_t count, bool by_nesting)
{
	size_t left = 0, right = half;

	for (size_t i = 0; i < count; i++) {
		bool takes_left =
			right == count ||
			(left < half && is_sorted_pair(&from[left], &from[right], by_nesting));

		out[i] = from[takes_left ? left++ : right++];
	}
}

/* Files are mostly sorted: runs are merged only where they are out of order. */
static void sort(struct chrome_slice *slices, struct chrome_slice *scratch, size_t count,
		 bool by_nesting)
{
	size_t half = count / 2;

	if (count < 2)
		return;
	sort(slices, scratch, half, by_nesting);
	sort(slices + half, scratch, count - half, by_nesting);
	if (is_sorted_pair(&slices[half - 1], &slices[half], by_nesting))
		return;
	tracks_merge(scratch, slices, half, count, by_nesting);
	memcpy(slices, scratch, count * sizeof(*slices));
}

static bool track_sort(struct chrome_track *track, bool by_nesting)
{
	struct chrome_slice *scratch = calloc(track->count + 1, sizeof(*scratch));

	if (!scratch)
		return false;
	sort(track->slices, scratch, track->count, by_nesting);
	free(scratch);
	return true;
}

static void put_begins(struct imported *imported, uint32_t thread, const struct chrome_track *track)
{
	for (size_t i = 0; i < track->count; i++) {
		const struct chrome_slice *slice = &track->slices[i];

		if (slice->phase == 'B')
			imported_enter(imported, thread, slice->begin_ns, slice->region);
		else if (slice->phase == 'i')
			imported_instant(imported, thread, slice->begin_ns, slice->region);
		else if (!imported_leave(imported, thread, slice->begin_ns))
			imported_count(imported, COUNT_UNMATCHED_ENDS);
	}
}

/* Of a track that also has complete events: convert begins with their ends to complete events. */
static bool complete_begins(struct imported *imported, struct chrome_track *track)
{
	size_t *open = calloc(track->count + 1, sizeof(*open));
	size_t depth = 0, kept = 0;

	if (!open)
		return false;
	for (size_t i = 0; i < track->count; i++) {
		struct chrome_slice slice = track->slices[i];

		if (slice.phase == 'E') {
			if (depth > 0)
				track->slices[open[--depth]].end_ns = slice.begin_ns;
			else
				imported_count(imported, COUNT_UNMATCHED_ENDS);
			continue;
		}
		if (slice.phase == 'B') {
			slice.end_ns = track->slices[track->count - 1].begin_ns;
			slice.phase = 'X';
			open[depth++] = kept;
		}
		track->slices[kept++] = slice;
	}
	for (; depth > 0; depth--)
		imported_count(imported, COUNT_UNENDED);
	track->count = kept;
	free(open);
	return true;
}

struct nesting {
	struct imported *imported;
	uint32_t thread;
	int64_t *ends; /* of open events */
	size_t depth;
};

static void leave_until(struct nesting *nesting, int64_t ns)
{
	while (nesting->depth > 0 && nesting->ends[nesting->depth - 1] <= ns)
		imported_leave(nesting->imported, nesting->thread, nesting->ends[--nesting->depth]);
}

static void put_complete(struct nesting *nesting, const struct chrome_slice *slice)
{
	int64_t end = slice->end_ns;

	leave_until(nesting, slice->begin_ns);
	if (slice->phase == 'i') {
		imported_instant(nesting->imported, nesting->thread, slice->begin_ns,
				 slice->region);
		return;
	}
	if (nesting->depth > 0 && end > nesting->ends[nesting->depth - 1]) {
		if (end - nesting->ends[nesting->depth - 1] > ROUNDING_NS)
			imported_count(nesting->imported, COUNT_OVERLAPS);
		end = nesting->ends[nesting->depth - 1];
	}
	imported_enter(nesting->imported, nesting->thread, slice->begin_ns, slice->region);
	nesting->ends[nesting->depth++] = end;
}

static bool put_nested(struct imported *imported, uint32_t thread, const struct chrome_track *track)
{
	struct nesting nesting = {.imported = imported, .thread = thread};

	nesting.ends = calloc(track->count + 1, sizeof(*nesting.ends));
	if (!nesting.ends)
		return false;
	for (size_t i = 0; i < track->count; i++)
		put_complete(&nesting, &track->slices[i]);
	leave_until(&nesting, INT64_MAX);
	free(nesting.ends);
	return true;
}

static bool track_finish(struct imported *imported, uint32_t thread, struct chrome_track *track)
{
	bool is_done = true;

	if (track->has_begins || !track->has_complete)
		is_done = track_sort(track, false);
	if (is_done && !track->has_complete) {
		put_begins(imported, thread, track);
		return true;
	}
	if (is_done && track->has_begins)
		is_done = complete_begins(imported, track);
	return is_done && track_sort(track, true) && put_nested(imported, thread, track);
}

void chrome_tracks_finish(struct chrome_tracks *tracks)
{
	for (size_t i = 1; i < tracks->track_count; i++) {
		struct chrome_track *track = &tracks->tracks[i];

		if (track->count && !track_finish(tracks->imported, (uint32_t)i, track))
			tracks->imported->is_out_of_memory = true;
		free(track->slices);
		*track = (struct chrome_track){0};
	}
	chrome_async_finish(tracks);
}

void chrome_tracks_release(struct chrome_tracks *tracks)
{
	for (size_t i = 0; i < tracks->track_count; i++)
		free(tracks->tracks[i].slices);
	free(tracks->tracks);
	free(tracks->operations);
}

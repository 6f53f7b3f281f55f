/* Parts and shares. */
#include "merge/merge_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/md5.h"
#include "merge/inputs/merge_compare.h"
#include "merge/inputs/merge_problem.h"
#include "writer/recording_writer_parts.h"

#define PROGRAMS_SHOWN 4

struct share_record { /* record in the spilled file */
	uint64_t region, count, self_ns, total_ns, work_ns, work_total_ns;
};

static const char *parts_keep(struct merge_parts *parts, const char *text, bool *is_kept)
{
	const char *kept = merge_text(&parts->texts, text);

	*is_kept &= kept || !text;
	return kept;
}

uint32_t merge_parts_add(struct merge_parts *parts, const struct recording_part *part)
{
	struct recording_part *items =
		parts->count < UINT32_MAX - 1 ? array_grow(parts->items, &parts->capacity,
							   parts->count + (size_t)1, sizeof(*items))
					      : NULL;
	bool is_kept = true;

	if (!items)
		return UINT32_MAX;
	parts->items = items;
	items[parts->count] = *part;
	items[parts->count].run = parts_keep(parts, part->run, &is_kept);
	items[parts->count].program = parts_keep(parts, part->program, &is_kept);
	items[parts->count].host = parts_keep(parts, part->host, &is_kept);
	items[parts->count].thread_name = parts_keep(parts, part->thread_name, &is_kept);
	return is_kept ? parts->count++ : UINT32_MAX;
}

bool merge_parts_share(struct merge_parts *parts, const struct merge_share *share)
{
	struct merge_share *pending = array_grow(parts->pending, &parts->pending_capacity,
						 parts->pending_count + 1, sizeof(*pending));

	if (!pending)
		return false;
	parts->pending = pending;
	pending[parts->pending_count++] = *share;
	return true;
}

uint64_t merge_parts_bytes(const struct merge_parts *parts)
{
	return parts->pending_capacity * sizeof(*parts->pending);
}

static int merge_parts_compare_shares(const void *left, const void *right)
{
	const struct merge_share *a = left, *b = right;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return a->region < b->region ? -1 : a->region > b->region;
}

/* Merge sorted shares of the same part and region; returns their number. */
static size_t unite(struct merge_share *shares, size_t count)
{
	size_t kept = 0;

	if (count > 1)
		qsort(shares, count, sizeof(*shares), merge_parts_compare_shares);
	for (size_t i = 0; i < count; i++) {
		struct merge_share *last = kept ? &shares[kept - 1] : NULL;

		if (!last || merge_parts_compare_shares(last, &shares[i]) != 0) {
			shares[kept++] = shares[i];
			continue;
		}
		last->count = merge_add(last->count, shares[i].count);
		last->self_ns = merge_add(last->self_ns, shares[i].self_ns);
		last->total_ns = merge_add(last->total_ns, shares[i].total_ns);
		last->work_ns = merge_add(last->work_ns, shares[i].work_ns);
		last->work_total_ns = merge_add(last->work_total_ns, shares[i].work_total_ns);
	}
	return kept;
}

/* Write the pending shares of one part; returns their number, 0 = failed. */
static size_t flush_part(struct merge_parts *parts, struct merge_spill *spill, size_t first,
			 size_t count, struct problem *problem)
{
	struct merge_segment *segments = array_grow(parts->segments, &parts->segment_capacity,
						    parts->segment_count + 1, sizeof(*segments));
	const struct merge_share *shares = &parts->pending[first];
	size_t length = 1;

	if (!segments) {
		merge_no_memory(problem);
		return 0;
	}
	parts->segments = segments;
	while (first + length < count && shares[length].part == shares[0].part)
		length++;
	segments[parts->segment_count] = (struct merge_segment){
		.part = shares[0].part, .run = (uint32_t)spill->run_count - 1, .count = length};
	for (size_t i = 0; i < length; i++) {
		const struct share_record record = {shares[i].region,  shares[i].count,
						    shares[i].self_ns, shares[i].total_ns,
						    shares[i].work_ns, shares[i].work_total_ns};
		uint64_t at;

		if (merge_spill_bytes(spill, &record, sizeof(record), &at, problem) < 0)
			return 0;
		if (i == 0)
			segments[parts->segment_count].at = at;
	}
	parts->segment_count++;
	return length;
}

enum kymo_status merge_parts_flush(struct merge_parts *parts, struct merge_spill *spill,
				   const uint32_t *rank, struct problem *problem)
{
	size_t count, length;

	for (size_t i = 0; i < parts->pending_count; i++)
		parts->pending[i].region = rank[parts->pending[i].region];
	count = unite(parts->pending, parts->pending_count);
	for (size_t first = 0; first < count; first += length) {
		length = flush_part(parts, spill, first, count, problem);
		if (!length)
			return KYMO_ERROR;
	}
	free(parts->pending);
	parts->pending = NULL;
	parts->pending_count = parts->pending_capacity = 0;
	return KYMO_OK;
}

int merge_process_compare(const struct recording_part *a, const struct recording_part *b)
{
	int order = memcmp(a->run_id, b->run_id, sizeof(a->run_id));

	if (order == 0)
		order = merge_compare_numbers(a->start_realtime_ns, b->start_realtime_ns);
	return order ? order : merge_compare_numbers(a->pid, b->pid);
}

/* Processes by run, rank and start, with their threads together; then by all other fields. */
static int compare_parts(const void *left, const void *right)
{
	const struct recording_part *a = left, *b = right;
	int order = merge_compare_texts(a->run, b->run);

	if (order == 0 && a->rank != b->rank)
		order = a->rank < b->rank ? -1 : 1;
	if (order == 0)
		order = merge_compare_numbers(a->start_realtime_ns, b->start_realtime_ns);
	if (order == 0)
		order = merge_process_compare(a, b);
	if (order == 0)
		order = merge_compare_numbers(a->thread, b->thread);
	if (order == 0)
		order = merge_compare_texts(a->thread_name, b->thread_name);
	if (order == 0)
		order = merge_compare_texts(a->host, b->host);
	if (order == 0)
		order = merge_compare_texts(a->program, b->program);
	if (order == 0)
		order = merge_compare_numbers(a->duration_ns, b->duration_ns);
	return order ? order : merge_compare_numbers(a->cpu_ns, b->cpu_ns);
}

static int compare_numbered(const void *left, const void *right, void *context)
{
	const struct recording_part *items = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = compare_parts(&items[a], &items[b]);

	return order ? order : merge_compare_numbers(a, b);
}

static int parts_compare_processes(const void *left, const void *right, void *context)
{
	const struct recording_part *items = context;

	return merge_process_compare(&items[*(const uint32_t *)left],
				     &items[*(const uint32_t *)right]);
}

static uint32_t *sorted(const struct merge_parts *parts,
			int (*compare)(const void *, const void *, void *))
{
	uint32_t *order = malloc((parts->count + (size_t)1) * sizeof(*order));

	for (uint32_t i = 0; order && i < parts->count; i++)
		order[i] = i;
	if (order && parts->count > 1)
		qsort_r(order, parts->count, sizeof(*order), compare, parts->items);
	return order;
}

static int compare_segments(const void *left, const void *right)
{
	const struct merge_segment *a = left, *b = right;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return merge_compare_numbers(a->at, b->at);
}

struct writer {
	struct merge_parts *parts;
	const struct merge_joined *joined;
	struct merge_share *shares;
	size_t capacity;
};

/* Append the shares of a segment, with the regions of the recording. */
static bool take_segment(struct writer *writer, const struct merge_segment *segment, size_t count,
			 uint32_t number)
{
	struct merge_share *shares = array_grow(writer->shares, &writer->capacity,
						count + segment->count, sizeof(*shares));
	struct share_record *records;

	if (!shares)
		return false;
	writer->shares = shares;
	records = malloc(segment->count * sizeof(*records));
	if (!records || !merge_spill_read(writer->joined->spill, records,
					  segment->count * sizeof(*records), segment->at)) {
		free(records);
		return false;
	}
	for (uint64_t i = 0; i < segment->count; i++)
		shares[count + i] = (struct merge_share){
			.part = number,
			.region = merge_join_region(writer->joined, segment->run,
						    (uint32_t)records[i].region),
			.count = records[i].count,
			.self_ns = records[i].self_ns,
			.total_ns = records[i].total_ns,
			.work_ns = records[i].work_ns,
			.work_total_ns = records[i].work_total_ns,
		};
	free(records);
	return true;
}

/* Write the shares of a part, which are in these segments. */
static bool parts_write_shares(struct writer *writer, const struct merge_segment *segments,
			       size_t count, uint32_t number)
{
	size_t length = 0;

	for (size_t i = 0; i < count; i++) {
		if (!take_segment(writer, &segments[i], length, number))
			return false;
		length += segments[i].count;
	}
	length = unite(writer->shares, length);
	for (size_t i = 0; i < length; i++) {
		const struct merge_share *from = &writer->shares[i];
		const struct recording_share share = {
			from->part,	from->region,  from->count,	   from->self_ns,
			from->total_ns, from->work_ns, from->work_total_ns};

		recording_writer_share(writer->joined->maker, &share);
	}
	return true;
}

/* Where the segments of each part begin; plus one at the end. */
static size_t *index_segments(struct merge_parts *parts)
{
	size_t *first = calloc(parts->count + (size_t)2, sizeof(*first));
	size_t at = 0;

	if (!first)
		return NULL;
	if (parts->segment_count > 1)
		qsort(parts->segments, parts->segment_count, sizeof(*parts->segments),
		      compare_segments);
	for (uint32_t i = 0; i <= parts->count; i++) {
		while (at < parts->segment_count && parts->segments[at].part < i)
			at++;
		first[i] = at;
	}
	return first;
}

enum kymo_status merge_parts_write(struct merge_parts *parts, const struct merge_joined *joined,
				   struct problem *problem)
{
	struct writer writer = {.parts = parts, .joined = joined};
	uint32_t *order = sorted(parts, compare_numbered);
	size_t *first = index_segments(parts);
	enum kymo_status status = order && first ? KYMO_OK : merge_no_memory(problem);

	for (uint32_t i = 0; status == KYMO_OK && i < parts->count; i++)
		recording_writer_part(joined->maker, &parts->items[order[i]]);
	errno = 0;
	for (uint32_t i = 0; status == KYMO_OK && i < parts->count; i++) {
		size_t from = first[order[i]];

		if (!parts_write_shares(&writer, &parts->segments[from], first[order[i] + 1] - from,
					i))
			status = problem_set(problem, KYMO_SYSTEM,
					     "cannot read a temporary file: %s",
					     strerror(errno ? errno : EIO));
	}
	free(writer.shares);
	free(order);
	free(first);
	return status;
}

uint64_t merge_parts_process_count(struct merge_parts *parts, struct problem *problem)
{
	uint32_t *order = sorted(parts, parts_compare_processes);
	uint64_t count = 0;

	if (!order) {
		merge_no_memory(problem);
		return 0;
	}
	for (uint32_t i = 0; i < parts->count; i++)
		count += i == 0 || merge_process_compare(&parts->items[order[i]],
							 &parts->items[order[i - 1]]) != 0;
	free(order);
	return count;
}

/* Hash the ids of all processes, in order. */
bool merge_parts_run_id(const struct merge_parts *parts, uint8_t run_id[16])
{
	uint32_t *order = sorted(parts, parts_compare_processes);
	uint64_t(*names)[4] = calloc(parts->count + (size_t)1, sizeof(*names));
	char digest[MD5_TEXT_SIZE];
	size_t count = 0;

	for (uint32_t i = 0; order && names && i < parts->count; i++) {
		const struct recording_part *part = &parts->items[order[i]];

		if (i > 0 && merge_process_compare(part, &parts->items[order[i - 1]]) == 0)
			continue;
		memcpy(names[count], part->run_id, sizeof(part->run_id));
		names[count][2] = part->start_realtime_ns;
		names[count++][3] = part->pid;
	}
	if (order && names) {
		md5_text(names, count * sizeof(*names), digest);
		for (size_t i = 0; i < 16; i++)
			sscanf(&digest[2 * i], "%2hhx", &run_id[i]);
	}
	free(order);
	free(names);
	return order && names;
}

static int compare_programs(const void *left, const void *right, void *context)
{
	const struct recording_part *items = context;

	return merge_compare_texts(items[*(const uint32_t *)left].program,
				   items[*(const uint32_t *)right].program);
}

char *merge_parts_programs(const struct merge_parts *parts)
{
	uint32_t *order = sorted(parts, compare_programs);
	size_t shown = 0, more = 0;
	char *text = NULL, *longer;

	for (uint32_t i = 0; order && i < parts->count; i++) {
		const char *program = parts->items[order[i]].program;

		if (!program ||
		    (i > 0 && compare_programs(&order[i], &order[i - 1], parts->items) == 0))
			continue;
		if (shown == PROGRAMS_SHOWN) {
			more++;
			continue;
		}
		if (asprintf(&longer, "%s%s%s", text ? text : "", text ? ", " : "", program) < 0)
			break;
		free(text);
		text = longer;
		shown++;
	}
	free(order);
	if (more && asprintf(&longer, "%s and %zu more", text, more) >= 0) {
		free(text);
		text = longer;
	}
	return text;
}

void merge_parts_release(struct merge_parts *parts)
{
	merge_texts_release(&parts->texts);
	free(parts->items);
	free(parts->pending);
	free(parts->segments);
	*parts = (struct merge_parts){0};
}

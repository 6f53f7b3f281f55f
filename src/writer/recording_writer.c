/* Makes recordings: header, regions, call paths, series and notes. */
#include "writer/recording_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/metric.h"
#include "format/note_record.h"
#include "writer/recording_writer_private.h"

/* Named metrics are numbered in the file, and a note has the name of each. */
static void writer_make_metrics(struct recording_writer *maker,
				const struct recording_writer_header *made)
{
	for (uint32_t i = 0; i < maker->header.metric_count; i++) {
		const struct metric_info *info = metric_info((enum kymo_metric)made->metrics[i]);
		char key[16], text[512];

		maker->header.metrics[i] = made->metrics[i];
		if (made->metrics[i] < KYMO_METRIC_NAMED)
			continue;
		maker->header.metrics[i] = KYMO_METRIC_NAMED + i;
		snprintf(key, sizeof(key), "%" PRIu32, maker->header.metrics[i]);
		snprintf(text, sizeof(text), "%s\n%s\n%s", info ? info->name : "",
			 info ? info->unit : "", info ? info->description : "");
		recording_writer_note(maker, KYMO_NOTE_METRIC, key, text);
	}
}

static void writer_make_header(struct recording_writer *maker,
			       const struct recording_writer_header *made)
{
	struct kymo_header *header = &maker->header;

	*header = (struct kymo_header){
		.version = KYMO_FORMAT_VERSION,
		.header_size = KYMO_HEADER_SIZE,
		.state = KYMO_STATE_CLOSED,
		.clock_kind = KYMO_CLOCK_MONOTONIC,
		.pid = made->pid,
		.parent_pid = made->parent_pid,
		.start_ticks = RECORDING_WRITER_START_TICKS,
		.start_realtime_ns = made->start_realtime_ns,
		.pair_count = 1,
		.metric_count = made->metric_count,
		.refused_chunks = made->refused_chunks,
		.refused_bytes = made->refused_bytes,
		.lost_events = made->lost_events,
		.stack_aside_count = made->stack_aside_count,
		.cost_enter_exit_ps = made->cost_enter_exit_ps,
		.cost_resume_ps = made->cost_resume_ps,
		.cost_c_call_ps = made->cost_c_call_ps,
		.startup_ns = made->startup_ns,
		.opening_ns = made->opening_ns,
		.startup_cpu_ns = made->startup_cpu_ns,
		.closing_cpu_ns = made->closing_cpu_ns,
		.beside_cpu_ns = made->beside_cpu_ns,
		.coarse_late_ns = made->coarse_late_ns,
		.process_cpu_ns = made->process_cpu_ns,
		.exit_status = made->exit_status,
		.flags = made->flags,
		/* The monotonic clock is not known; this keeps recordings of one machine in
		 * order. */
		.pairs = {{RECORDING_WRITER_START_TICKS, made->start_realtime_ns,
			   made->start_realtime_ns}},
	};
	memcpy(header->magic, KYMO_FORMAT_MAGIC, sizeof(header->magic));
	memcpy(header->run_id, made->run_id, sizeof(header->run_id));
}

static void make_sections(struct recording_writer *maker)
{
	bool is_merged = (maker->header.flags & KYMO_HEADER_MERGED) != 0;

	maker->node_size = KYMO_NODE_UNIT * (1 + maker->header.metric_count + is_merged);
	recording_writer_strings_init(&maker->strings);
	recording_writer_section_init(&maker->regions, KYMO_CHUNK_REGIONS, KYMO_NO_THREAD,
				      sizeof(struct kymo_region));
	recording_writer_section_init(&maker->threads_table, KYMO_CHUNK_THREADS, KYMO_NO_THREAD,
				      sizeof(struct kymo_thread_record));
	recording_writer_section_init(&maker->nodes, KYMO_CHUNK_NODES, KYMO_NO_THREAD,
				      maker->node_size);
	recording_writer_section_init(&maker->series, KYMO_CHUNK_SERIES, KYMO_NO_THREAD,
				      sizeof(struct kymo_series));
	recording_writer_section_init(&maker->points, KYMO_CHUNK_POINTS, KYMO_NO_THREAD,
				      sizeof(struct kymo_point));
	recording_writer_section_init(&maker->notes, KYMO_CHUNK_NOTES, KYMO_NO_THREAD, 0);
	recording_writer_section_init(&maker->parts, KYMO_CHUNK_PARTS, KYMO_NO_THREAD,
				      sizeof(struct kymo_part));
	recording_writer_section_init(&maker->shares.section, KYMO_CHUNK_SHARES, KYMO_NO_THREAD, 0);
	recording_writer_section_init(&maker->work.section, KYMO_CHUNK_WORK, KYMO_NO_THREAD, 0);
	recording_writer_section_init(&maker->totals, KYMO_CHUNK_TOTALS, KYMO_NO_THREAD,
				      sizeof(struct kymo_total));
	recording_writer_section_init(&maker->estimates, KYMO_CHUNK_ESTIMATES, KYMO_NO_THREAD,
				      sizeof(struct kymo_estimate));
}

enum kymo_status recording_writer_new(const char *path, const struct recording_writer_header *made,
				      struct recording_writer **out, struct problem *problem)
{
	const struct region root = {.name = "thread"};
	struct recording_writer *maker;
	enum kymo_status status;

	if (made->metric_count > KYMO_METRICS_MAX)
		return problem_set(problem, KYMO_USAGE, "%u metrics are too many for '%s'",
				   made->metric_count, path);
	maker = calloc(1, sizeof(*maker));
	if (!maker)
		return problem_set(problem, KYMO_MEMORY, "no memory to write '%s'", path);
	status = recording_writer_file_open(&maker->file, path, problem);
	if (status < 0) {
		free(maker);
		return status;
	}
	maker->latest = RECORDING_WRITER_START_TICKS + made->duration_ns;
	writer_make_header(maker, made);
	make_sections(maker);
	writer_make_metrics(maker, made);
	recording_writer_new_region(maker, &root);
	maker->strings.is_bounded = false;
	if (made->program)
		recording_writer_note(maker, KYMO_NOTE_INFO, "program", made->program);
	*out = maker;
	return KYMO_OK;
}

static struct kymo_region region_record(struct recording_writer *maker, const struct region *region)
{
	struct recording_writer_file *file = &maker->file;
	struct recording_writer_strings *strings = &maker->strings;

	return (struct kymo_region){
		.kind = region->kind,
		.flags = region->flags & ~REGION_IS_LINE,
		.name = recording_writer_strings_add(file, strings, region->name),
		.qualname = recording_writer_strings_add(file, strings, region->qualname),
		.module = recording_writer_strings_add(file, strings, region->module),
		.file = recording_writer_strings_add(file, strings, region->file),
		.arguments = recording_writer_strings_add(file, strings, region->arguments),
		.line = region->line,
		.argument_count = region->argument_count,
		.local_count = region->local_count,
		.stack_size = region->stack_size,
	};
}

static uint32_t writer_region_write(struct recording_writer *maker,
				    const struct kymo_region *record)
{
	struct kymo_region *to = recording_writer_section_reserve(&maker->file, &maker->regions,
								  sizeof(*record), NULL, NULL);

	if (!to)
		return 0;
	if (maker->regions.next_base == UINT32_MAX) {
		recording_writer_file_fail(&maker->file, KYMO_FORMAT,
					   "there are too many regions for '%s'",
					   maker->file.out.path);
		return 0;
	}
	*to = *record;
	return (uint32_t)maker->regions.next_base++;
}

uint32_t recording_writer_new_region(struct recording_writer *maker, const struct region *region)
{
	struct kymo_region record;

	maker->strings.is_bounded = true;
	record = region_record(maker, region);
	return writer_region_write(maker, &record);
}

struct region_key {
	const struct recording_writer *maker;
	const struct kymo_region *record;
};

static bool writer_is_same_region(uint64_t value, const void *context)
{
	const struct region_key *key = context;

	return memcmp(&key->maker->known[value - 1], key->record, sizeof(*key->record)) == 0;
}

static uint64_t hash_record(const struct kymo_region *record)
{
	uint64_t words[sizeof(*record) / sizeof(uint64_t)], hash = HASH_SEED;

	memcpy(words, record, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		hash = hash_word(hash ^ words[i]);
		hash ^= hash >> 32;
	}
	return hash;
}

/* Ids of interned regions are their indexes among the known ones, plus one for the root. */
uint32_t recording_writer_region(struct recording_writer *maker, const struct region *region)
{
	struct kymo_region record = region_record(maker, region), *known;
	struct region_key key = {maker, &record};
	uint64_t hash = hash_record(&record);
	uint64_t value = hashset_find(&maker->known_by_content, hash, writer_is_same_region, &key);
	uint32_t id;

	if (value)
		return (uint32_t)value;
	known = array_grow(maker->known, &maker->known_capacity, maker->known_count + 1,
			   sizeof(*known));
	id = known ? writer_region_write(maker, &record) : 0;
	if (known) {
		maker->known = known;
		known[maker->known_count] = record;
	}
	if (!known || !hashset_insert(&maker->known_by_content, hash, maker->known_count + 1)) {
		recording_writer_file_fail(&maker->file, KYMO_MEMORY, "no memory to write '%s'",
					   maker->file.out.path);
		return id;
	}
	maker->known_count++;
	return id;
}

static void fill_blocks(const struct recording_writer *maker,
			const struct recording_writer_node *made, struct kymo_node_metric *blocks)
{
	for (uint32_t k = 0; k < maker->header.metric_count; k++) {
		const struct calltree_metric *from = made->metrics ? &made->metrics[k] : NULL;

		blocks[k].min = INFINITY;
		blocks[k].max = -INFINITY;
		if (!from)
			continue;
		blocks[k].count = from->count;
		blocks[k].sum = from->sum;
		blocks[k].sum_squares = from->sum_squares;
		if (from->count && from->min <= from->max) {
			blocks[k].min = from->min;
			blocks[k].max = from->max;
		}
		if (made->exact && made->exact->rests) {
			blocks[k].sum_rest = made->exact->rests[k][0];
			blocks[k].squares_rest = made->exact->rests[k][1];
		}
	}
}

static void writer_fill_node(const struct recording_writer *maker,
			     const struct recording_writer_node *made, struct kymo_node *node)
{
	struct kymo_node_metric *blocks = (struct kymo_node_metric *)(node + 1);
	struct kymo_node_exact *exact =
		(struct kymo_node_exact *)(void *)(blocks + maker->header.metric_count);
	bool has_visits = made->closed_count && (made->exact || made->closed_count == made->count ||
						 made->closed_count == made->count + 1);

	node->region = made->parent ? made->region : 0;
	node->parent = (uint32_t)made->parent;
	node->flags = made->is_folded ? KYMO_NODE_FOLDED : 0;
	/* Without it those without enters would not be call paths; merged ones store the number of
	 * closed visits themselves. */
	if (!made->count || (!made->exact && has_visits && made->closed_count != made->count))
		node->flags |= KYMO_NODE_INHERITED;
	node->count = made->count;
	node->sum = made->sum_ns;
	node->min = has_visits ? made->min_ns : UINT64_MAX;
	node->max = has_visits ? made->max_ns : 0;
	node->sum_squares = has_visits ? made->sum_squares_ns : 0;
	fill_blocks(maker, made, blocks);
	if (!(maker->header.flags & KYMO_HEADER_MERGED) || !made->exact)
		return;
	exact->closed = made->closed_count;
	exact->self = made->exact->self_ns;
	exact->squares = made->exact->squares;
	exact->squares_high = made->exact->squares_high;
}

/* Its handle is its reference in the file. */
static uint64_t node_write(struct recording_writer *maker, const struct recording_writer_node *made)
{
	uint64_t at;
	struct kymo_node *node = recording_writer_section_reserve(&maker->file, &maker->nodes,
								  maker->node_size, &at, NULL);

	if (!node)
		return 0;
	if (at / KYMO_NODE_UNIT > UINT32_MAX) {
		recording_writer_file_fail(&maker->file, KYMO_FORMAT,
					   "there are too many call paths for '%s'",
					   maker->file.out.path);
		return 0;
	}
	writer_fill_node(maker, made, node);
	return at / KYMO_NODE_UNIT;
}

uint32_t maker_root(struct recording_writer *maker, uint32_t number)
{
	struct maker_thread *thread = &maker->threads[number];
	const struct recording_writer_node root = {.thread = number, .count = 1};

	if (!thread->root_at) { /* its times are written when they are known */
		thread->root_at = node_write(maker, &root) * KYMO_NODE_UNIT;
		thread->record.root_node = (uint32_t)(thread->root_at / KYMO_NODE_UNIT);
	}
	return thread->record.root_node;
}

uint64_t recording_writer_root(struct recording_writer *maker,
			       const struct recording_writer_node *made)
{
	struct maker_thread *thread;
	struct recording_writer_node root = *made;

	if (maker->file.status != KYMO_OK || made->thread >= maker->thread_count)
		return 0;
	thread = &maker->threads[made->thread];
	root.parent = 0;
	maker->header.flags |= KYMO_HEADER_PROFILE;
	thread->root_at = node_write(maker, &root) * KYMO_NODE_UNIT;
	thread->has_root = true;
	thread->record.root_node = (uint32_t)(thread->root_at / KYMO_NODE_UNIT);
	return thread->record.root_node;
}

uint64_t recording_writer_node(struct recording_writer *maker,
			       const struct recording_writer_node *made)
{
	struct recording_writer_node node = *made;

	if (maker->file.status != KYMO_OK || made->thread >= maker->thread_count)
		return 0;
	maker->header.flags |= KYMO_HEADER_PROFILE;
	if (!node.parent)
		node.parent = maker_root(maker, made->thread);
	return node.parent ? node_write(maker, &node) : 0;
}

void recording_writer_sum(struct recording_writer *maker, uint64_t handle, uint64_t sum_ns)
{
	if (handle)
		recording_writer_section_patch(&maker->file, &maker->nodes,
					       handle * KYMO_NODE_UNIT +
						       offsetof(struct kymo_node, sum),
					       &sum_ns, sizeof(sum_ns));
}

void recording_writer_total(struct recording_writer *maker,
			    const struct recording_writer_total *total)
{
	struct kymo_total *to = recording_writer_section_reserve(&maker->file, &maker->totals,
								 sizeof(*to), NULL, NULL);

	if (to)
		*to = (struct kymo_total){
			.thread = total->thread,
			.region = total->region,
			.caller = total->caller,
			.count = total->count,
			.primitive_count = total->primitive_count,
			.self_ns = total->self_ns,
			.total_ns = total->total_ns,
		};
}

void recording_writer_estimate(struct recording_writer *maker, const struct kymo_estimate *estimate)
{
	struct kymo_estimate *to = recording_writer_section_reserve(&maker->file, &maker->estimates,
								    sizeof(*to), NULL, NULL);

	if (to)
		*to = *estimate;
}

uint32_t recording_writer_series(struct recording_writer *maker, const char *name, const char *unit,
				 uint32_t thread)
{
	struct kymo_series series = {
		.name = recording_writer_strings_add(&maker->file, &maker->strings, name),
		.unit = recording_writer_strings_add(&maker->file, &maker->strings, unit),
		.thread = thread,
	};
	struct kymo_series *to = recording_writer_section_reserve(&maker->file, &maker->series,
								  sizeof(series), NULL, NULL);

	if (!to)
		return 0;
	*to = series;
	return (uint32_t)maker->series.next_base++;
}

void recording_writer_point(struct recording_writer *maker, uint32_t series, uint64_t ns,
			    double value)
{
	uint64_t ticks = maker_ticks(maker, ns);
	struct kymo_point *to = recording_writer_section_reserve(&maker->file, &maker->points,
								 sizeof(*to), NULL, NULL);

	if (!to)
		return;
	*to = (struct kymo_point){.ticks = ticks, .series = series, .value = value};
	maker_saw(maker, ticks);
}

void recording_writer_note(struct recording_writer *maker, enum kymo_note_kind kind,
			   const char *key, const char *value)
{
	size_t key_length = strnlen(key, UINT16_MAX), length = strlen(value);
	uint64_t size = note_record_size(key_length, length);
	struct kymo_note *note;

	if (size > UINT32_MAX) {
		recording_writer_file_fail(&maker->file, KYMO_FORMAT,
					   "a note of %zu bytes is too long", length);
		return;
	}
	note = recording_writer_section_reserve(&maker->file, &maker->notes, size, NULL, NULL);
	if (!note)
		return;
	note_record_fill(note, kind, key, key_length, value, length, RECORDING_WRITER_START_TICKS);
}

void recording_writer_costs(struct recording_writer *maker, uint64_t enter_exit_ps,
			    uint64_t c_call_ps)
{
	maker->header.cost_enter_exit_ps = enter_exit_ps;
	maker->header.cost_c_call_ps = c_call_ps;
}

static void maker_finish(struct recording_writer *maker)
{
	struct recording_writer_section *sections[] = {
		&maker->regions,   &maker->threads_table,  &maker->nodes,
		&maker->series,	   &maker->points,	   &maker->notes,
		&maker->parts,	   &maker->shares.section, &maker->totals,
		&maker->estimates, &maker->work.section,
	};

	maker_finish_threads(maker);
	recording_writer_strings_finish(&maker->file, &maker->strings);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		recording_writer_section_finish(&maker->file, sections[i]);
}

static void maker_free(struct recording_writer *maker)
{
	hashset_release(&maker->known_by_content);
	free(maker->known);
	free(maker->threads);
	free(maker);
}

enum kymo_status recording_writer_commit(struct recording_writer *maker, struct problem *problem)
{
	enum kymo_status status;

	maker_finish(maker);
	maker->header.end = maker->header.file_bytes = maker->file.end;
	maker->header.end_ticks = maker->latest;
	status = recording_writer_file_commit(&maker->file, &maker->header, problem);
	maker_free(maker);
	return status;
}

void recording_writer_discard(struct recording_writer *maker)
{
	recording_writer_file_fail(&maker->file, KYMO_ERROR, "given up");
	maker_finish(maker);
	recording_writer_file_discard(&maker->file);
	maker_free(maker);
}

/* The content of a file while it is read: growing tables with hash indexes. */
#include "import/imported.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/imported_reserve.h"

#define TEXT_BLOCK 65536u

void *imported_reserve(struct imported *imported, void **items, size_t count, size_t *capacity,
		       size_t item_size)
{
	void *grown =
		count < UINT32_MAX ? array_grow(*items, capacity, count + 1, item_size) : NULL;

	if (!grown) {
		imported->is_out_of_memory = true;
		return NULL;
	}
	*items = grown;
	return memset((char *)grown + count * item_size, 0, item_size);
}

static void imported_insert(struct imported *imported, struct hashset *set, uint64_t hash,
			    uint64_t value)
{
	if (!hashset_insert(set, hash, value))
		imported->is_out_of_memory = true;
}

/* Blocks are linked by their first word. */
static char *text_reserve(struct imported *imported, size_t size)
{
	size_t block_size = size + sizeof(char *) > TEXT_BLOCK ? size + sizeof(char *) : TEXT_BLOCK;
	char *block;

	if (imported->text_block && size <= imported->text_size - imported->text_used) {
		block = imported->text_block + imported->text_used;
		imported->text_used += size;
		return block;
	}
	block = malloc(block_size);
	if (!block) {
		imported->is_out_of_memory = true;
		return NULL;
	}
	memcpy(block, &imported->text_block, sizeof(char *));
	imported->text_block = block;
	imported->text_size = block_size;
	imported->text_used = sizeof(char *) + size;
	return block + sizeof(char *);
}

static void texts_free(struct imported *imported)
{
	char *block = imported->text_block, *before;

	for (; block; block = before) {
		memcpy(&before, block, sizeof(before));
		free(block);
	}
}

/* A copy that lives as long as imported; NULs in it become '?'.  Never NULL. */
static const char *imported_keep_text(struct imported *imported, struct span text)
{
	char *copy = text_reserve(imported, text.size + 1);

	if (!copy)
		return "";
	for (size_t i = 0; i < text.size; i++)
		copy[i] = text.at[i] ? text.at[i] : '?';
	copy[text.size] = '\0';
	return copy;
}

char *imported_name(struct imported *imported, struct span name)
{
	if (name.size == 0)
		return NULL;
	if (name.size > IMPORT_NAME_MAX) {
		name.size = IMPORT_NAME_MAX;
		imported_count(imported, COUNT_CUT_NAMES);
	}
	return (char *)imported_keep_text(imported, name);
}

void imported_init(struct imported *imported)
{
	*imported = (struct imported){0};
	if (IMPORTED_RESERVE(imported, imported->regions, 0, imported->region_capacity))
		imported->region_count = 1;
	if (IMPORTED_RESERVE(imported, imported->nodes, 0, imported->node_capacity))
		imported->node_count = 1;
	IMPORTED_RESERVE(imported, imported->processes, 0, imported->process_capacity);
	IMPORTED_RESERVE(imported, imported->threads, 0, imported->thread_capacity);
}

void imported_release(struct imported *imported)
{
	for (size_t i = 1; i <= imported->thread_count; i++) {
		free(imported->threads[i].events);
		free(imported->threads[i].samples);
		free(imported->threads[i].open);
	}
	for (uint32_t i = 0; i < imported->metric_count; i++)
		free(imported->metrics[i].amounts);
	texts_free(imported);
	free(imported->regions);
	free(imported->nodes);
	free(imported->processes);
	free(imported->threads);
	free(imported->series);
	free(imported->points);
	free(imported->totals);
	free(imported->notes);
	hashset_release(&imported->region_index);
	hashset_release(&imported->node_index);
	hashset_release(&imported->process_index);
	hashset_release(&imported->thread_index);
	*imported = (struct imported){0};
}

void imported_total(struct imported *imported, const struct imported_total *total)
{
	struct imported_total *added = IMPORTED_RESERVE(
		imported, imported->totals, imported->total_count, imported->total_capacity);

	if (added)
		imported->totals[imported->total_count++] = *total;
}

void imported_count(struct imported *imported, enum imported_count what)
{
	imported->counts[what]++;
}

void imported_note(struct imported *imported, enum kymo_note_kind kind, const char *key,
		   struct span value)
{
	struct imported_note *note = IMPORTED_RESERVE(
		imported, imported->notes, imported->note_count, imported->note_capacity);

	if (!note)
		return;
	note->kind = kind;
	note->key = (char *)imported_keep_text(imported, (struct span){key, strlen(key)});
	note->value = imported_name(imported, value);
	imported->note_count++;
}

struct number_key {
	const struct imported *imported;
	uint64_t process, id;
};

static uint64_t number_hash(uint64_t process, uint64_t id)
{
	return hash_word(hash_word(id) ^ process);
}

static bool match_process(uint64_t value, const void *data)
{
	const struct number_key *key = data;

	return key->imported->processes[value].pid == key->id;
}

static bool match_thread(uint64_t value, const void *data)
{
	const struct number_key *key = data;
	const struct imported_thread *thread = &key->imported->threads[value];

	return thread->process == key->process && thread->system_id == key->id;
}

uint32_t imported_process(struct imported *imported, uint64_t pid)
{
	const struct number_key key = {imported, 0, pid};
	uint64_t hash = number_hash(0, pid);
	uint64_t found = hashset_find(&imported->process_index, hash, match_process, &key);
	struct imported_process *process;

	if (found)
		return (uint32_t)found;
	process = IMPORTED_RESERVE(imported, imported->processes, imported->process_count + 1,
				   imported->process_capacity);
	if (!process)
		return 0;
	process->pid = pid;
	imported_insert(imported, &imported->process_index, hash, ++imported->process_count);
	return (uint32_t)imported->process_count;
}

void imported_process_name(struct imported *imported, uint32_t process, struct span name)
{
	char *copy = imported_name(imported, name);

	if (copy)
		imported->processes[process].name = copy;
}

static uint32_t imported_node_add(struct imported *imported, uint32_t parent, uint32_t region,
				  uint32_t thread)
{
	struct imported_node *node = IMPORTED_RESERVE(
		imported, imported->nodes, imported->node_count, imported->node_capacity);

	if (!node)
		return 0;
	node->region = region;
	node->parent = parent;
	node->thread = thread;
	node->depth = parent ? imported->nodes[parent].depth + 1 : 0;
	node->min_ns = UINT64_MAX;
	return (uint32_t)imported->node_count++;
}

uint32_t imported_thread_new(struct imported *imported, uint32_t process, uint64_t id)
{
	struct imported_thread *thread = IMPORTED_RESERVE(
		imported, imported->threads, imported->thread_count + 1, imported->thread_capacity);
	uint32_t number = (uint32_t)imported->thread_count + 1;

	if (!thread)
		return 0;
	thread->process = process;
	thread->system_id = id;
	thread->first_ns = INT64_MAX;
	thread->last_ns = INT64_MIN;
	thread->root = imported_node_add(imported, 0, 0, number);
	imported->thread_count = number;
	return number;
}

uint32_t imported_thread(struct imported *imported, uint32_t process, uint64_t id)
{
	const struct number_key key = {imported, process, id};
	uint64_t hash = number_hash(process, id);
	uint64_t found = hashset_find(&imported->thread_index, hash, match_thread, &key);
	uint32_t thread;

	if (found)
		return (uint32_t)found;
	thread = imported_thread_new(imported, process, id);
	if (thread)
		imported_insert(imported, &imported->thread_index, hash, thread);
	return thread;
}

void imported_thread_name(struct imported *imported, uint32_t thread, struct span name)
{
	char *copy = imported_name(imported, name);

	if (copy)
		imported->threads[thread].name = copy;
}

static bool spans_equal(struct span a, struct span b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static uint64_t hash_span(uint64_t seed, struct span span)
{
	seed = hash_bytes(seed, &span.size, sizeof(span.size));
	return hash_bytes(seed, span.at, span.size);
}

struct region_key {
	const struct imported *imported;
	const struct imported_function *function;
};

static bool match_region(uint64_t value, const void *data)
{
	const struct region_key *key = data;
	const struct imported_function *a = &key->imported->regions[value], *b = key->function;

	return a->kind == b->kind && a->flags == b->flags && a->line == b->line &&
	       spans_equal(a->name, b->name) && spans_equal(a->module, b->module) &&
	       spans_equal(a->file, b->file);
}

static void imported_cut(struct imported *imported, struct span *text)
{
	if (text->size <= IMPORT_NAME_MAX)
		return;
	text->size = IMPORT_NAME_MAX;
	imported_count(imported, COUNT_CUT_NAMES);
}

static uint32_t imported_region_add(struct imported *imported,
				    const struct imported_function *function, uint64_t hash)
{
	struct imported_function *region = IMPORTED_RESERVE(
		imported, imported->regions, imported->region_count, imported->region_capacity);

	if (!region)
		return 0;
	*region = *function;
	region->name.at = imported_keep_text(imported, function->name);
	region->module.at = imported_keep_text(imported, function->module);
	region->file.at = imported_keep_text(imported, function->file);
	imported_insert(imported, &imported->region_index, hash, imported->region_count);
	return (uint32_t)imported->region_count++;
}

uint32_t imported_region(struct imported *imported, const struct imported_function *given)
{
	struct imported_function function = *given;
	const struct region_key key = {imported, &function};
	uint64_t hash = hash_bytes(HASH_SEED, &function.line, sizeof(function.line));
	uint64_t found;

	imported_cut(imported, &function.name);
	imported_cut(imported, &function.module);
	imported_cut(imported, &function.file);
	if (function.name.size == 0)
		function.name = SPAN("?");
	hash = hash_span(hash, function.name);
	hash = hash_span(hash, function.module);
	hash = hash_word(hash_span(hash, function.file) ^ (function.kind + function.flags));
	found = hashset_find(&imported->region_index, hash, match_region, &key);
	return found ? (uint32_t)found : imported_region_add(imported, &function, hash);
}

uint32_t imported_root(const struct imported *imported, uint32_t thread)
{
	return imported->threads[thread].root;
}

uint32_t imported_child_new(struct imported *imported, uint32_t parent, uint32_t region)
{
	return imported_node_add(imported, parent, region, imported->nodes[parent].thread);
}

uint32_t imported_child(struct imported *imported, uint32_t parent, uint32_t region)
{
	uint64_t found = hashset_find_key(&imported->node_index, hash_pair(parent, region));
	uint32_t child;

	if (found)
		return (uint32_t)found;
	if (imported->nodes[parent].depth >= IMPORT_DEPTH_MAX) {
		imported_count(imported, COUNT_DEEP_FRAMES);
		return parent;
	}
	child = imported_child_new(imported, parent, region);
	if (child)
		imported_insert(imported, &imported->node_index, hash_pair(parent, region), child);
	return child;
}

void imported_weigh(struct imported *imported, uint32_t node, uint64_t count, double self_ns)
{
	struct imported_process *process =
		&imported->processes[imported->threads[imported->nodes[node].thread].process];

	imported->nodes[node].count += count;
	imported->nodes[node].self_ns += self_ns;
	process->weight += self_ns;
	process->squares += count ? self_ns * self_ns / (double)count : 0;
}

uint32_t imported_metric(struct imported *imported, struct span name, const char *unit)
{
	uint32_t metric = 0;

	for (; metric < imported->metric_count; metric++) {
		const char *known = imported->metrics[metric].name;

		if (spans_equal((struct span){known, strlen(known)}, name))
			return metric;
	}
	if (metric == IMPORT_METRICS_MAX)
		return metric;
	imported->metrics[metric].name = (char *)imported_keep_text(imported, name);
	imported->metrics[metric].unit =
		(char *)imported_keep_text(imported, (struct span){unit, strlen(unit)});
	imported->metric_count++;
	return metric;
}

void imported_measure(struct imported *imported, uint32_t metric, uint32_t node, uint64_t count,
		      double self)
{
	struct imported_metric *row = &imported->metrics[metric];
	size_t before = row->capacity;
	struct imported_amount *grown =
		array_grow(row->amounts, &row->capacity, imported->node_count, sizeof(*grown));

	if (!grown) {
		imported->is_out_of_memory = true;
		return;
	}
	if (row->capacity > before)
		memset(grown + before, 0, (row->capacity - before) * sizeof(*grown));
	row->amounts = grown;
	grown[node].self += self;
	grown[node].count += count;
}

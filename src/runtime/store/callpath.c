/* Nodes by (parent, region).  The hot path finds the most recent child itself; other lookups use
 * a private table, so that readers need only the parent references.  It is not that of base/: a
 * short-lived thread needs only the initial slots of its table, which are reused. */
#include "runtime/store/callpath.h"

#include <string.h>

#include "base/hashset.h"
#include "base/keeperrno.h"
#include "base/pages.h"
#include "base/probe.h"
#include "runtime/metricread.h"
#include "runtime/store/fold.h"
#include "runtime/store/store.h"
#include "runtime/threads/helper_control.h"
#include "runtime/user/userstack.h"

#define NODE_PAYLOAD_FIRST    (KYMO_CHUNK_ALIGN - sizeof(struct kymo_chunk))
#define NODE_PAYLOAD_MAX      (UINT64_C(256) << 10)
#define FINDS_PER_CALIBRATION 4096u
#define SLOTS_FIRST	      128u

struct path_slot {
	uint64_t key;  /* parent reference, region */
	uint32_t node; /* reference; 0 = free */
	uint32_t unused;
};

struct kymo_path_table {
	struct path_slot *slots;
	uint32_t capacity, count;
	uint64_t payload;	      /* of the next chunk of nodes */
	struct kymo_path_table *next; /* next spare table */
	struct path_slot first[SLOTS_FIRST];
};

/* Tables of threads that ended are reused: unmapping memory interrupts all threads. */
#define SLAB_BYTES (64u << 10)
static struct kymo_path_table *spare; /* guarded by the store's lock */

#define DEPTH_MAX 65534u /* depths of folded nodes below it still fit 16 bits */

static uint32_t depth_limit = DEPTH_MAX; /* both set before the first thread */
static uint64_t path_limit = UINT64_MAX;
static uint64_t path_count; /* atomic */

void callpath_limit(uint32_t depth_max, uint64_t paths_max)
{
	depth_limit = depth_max < DEPTH_MAX ? depth_max : DEPTH_MAX;
	path_limit = paths_max;
	path_count = 0;
}

static uint64_t path_key(uint32_t parent, uint32_t region)
{
	return (uint64_t)parent << 32 | region;
}

/* The slot of key, or the free slot for it. */
static struct path_slot *callpath_slot_of(struct path_slot *slots, uint32_t capacity, uint64_t key)
{
	return &slots[probe(hash_word(key ^ key >> 29) >> 32, capacity - 1, i,
			    !slots[i].node || slots[i].key == key)];
}

static struct kymo_node *callpath_lookup(const struct kymo_thread *thread, uint64_t key)
{
	const struct kymo_path_table *paths = thread->paths;
	uint32_t node = callpath_slot_of(paths->slots, paths->capacity, key)->node;

	return node ? kymo_node_at(thread, node) : NULL;
}

/* An empty table.  The lock is held. */
static struct kymo_path_table *table_get(void)
{
	struct kymo_path_table *table = spare;

	if (!table) {
		table = pages_new(SLAB_BYTES);
		if (!table)
			return NULL;
		for (size_t i = 0; i < SLAB_BYTES / sizeof(*table) - 1; i++)
			table[i].next = &table[i + 1];
	}
	spare = table->next;
	table->slots = table->first;
	table->capacity = SLOTS_FIRST;
	table->count = 0;
	table->payload = NODE_PAYLOAD_FIRST;
	return table;
}

/* The lock is held, or there is no other thread. */
static void table_put(struct kymo_path_table *table)
{
	if (table->slots != table->first)
		pages_free(table->slots, table->capacity * sizeof(*table->slots));
	if (table->count)
		memset(table->first, 0, sizeof(table->first));
	table->next = spare;
	spare = table;
}

/* Reserve one more slot, at most two thirds used.  A signal handler that leaves by a long jump
 * must find a complete table here, and none that was freed. */
static bool reserve_slot(struct kymo_path_table *paths)
{
	struct path_slot *larger, *before = paths->slots;
	uint32_t capacity = paths->capacity;

	if (paths->count * 3 < capacity * 2)
		return true;
	larger = pages_new(capacity * 2 * sizeof(*larger));
	if (!larger)
		return false;
	for (uint32_t i = 0; i < capacity; i++)
		if (before[i].node)
			*callpath_slot_of(larger, capacity * 2, before[i].key) = before[i];
	paths->slots = larger;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	paths->capacity = capacity * 2;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (before != paths->first)
		pages_free(before, capacity * sizeof(*before));
	return true;
}

static uint32_t node_size(void)
{
	return KYMO_NODE_UNIT * (1 + store.header->metric_count);
}

/* Space for a node in the thread's chunk, or in a new one.  The lock is held. */
static struct kymo_node *callpath_node_space(struct kymo_thread *thread)
{
	struct kymo_chunk *chunk = thread->nodes;
	uint64_t *payload = &thread->paths->payload;

	if (!chunk || chunk->size - sizeof(*chunk) - chunk->used < node_size()) {
		chunk = store_chunk(KYMO_CHUNK_NODES,
				    *payload > node_size() ? *payload : node_size(),
				    thread->record->number, node_size());
		if (!chunk)
			return NULL;
		thread->nodes = chunk;
		if (*payload < NODE_PAYLOAD_MAX)
			*payload = *payload * 2 + sizeof(*chunk);
	}
	return (struct kymo_node *)((char *)(chunk + 1) + chunk->used);
}

static void metrics_init(struct kymo_node *node)
{
	struct kymo_node_metric *metric = (struct kymo_node_metric *)(node + 1);

	for (uint32_t i = 0; i < store.header->metric_count; i++) {
		metric[i].min = __builtin_inf();
		metric[i].max = -__builtin_inf();
	}
}

static struct kymo_node *callpath_node_new(struct kymo_thread *thread,
					   const struct kymo_node *parent, uint32_t region)
{
	struct kymo_node *node = callpath_node_space(thread);

	if (!node)
		return NULL;
	node->region = region;
	node->min = UINT64_MAX;
	if (parent) {
		node->parent = callpath_reference(thread, parent);
		node->depth = (uint16_t)(parent->depth + 1);
	}
	metrics_init(node);
	__atomic_store_n(&thread->nodes->used, thread->nodes->used + node_size(), __ATOMIC_RELEASE);
	return node;
}

/* A new child, entered in the table; NULL if there is no space for it. */
static struct kymo_node *child_new(struct kymo_thread *thread, struct kymo_node *parent,
				   uint32_t region)
{
	struct kymo_node *node = NULL;
	uint64_t key;

	if (__atomic_load_n(&path_count, __ATOMIC_RELAXED) >= path_limit ||
	    !reserve_slot(thread->paths) || !store_lock())
		return NULL;
	node = callpath_node_new(thread, parent, region);
	store_unlock();
	if (!node)
		return NULL;
	key = path_key(node->parent, region);
	*callpath_slot_of(thread->paths->slots, thread->paths->capacity, key) =
		(struct path_slot){.key = key, .node = callpath_reference(thread, node)};
	thread->paths->count++;
	__atomic_add_fetch(&path_count, 1, __ATOMIC_RELAXED);
	return node;
}

static struct kymo_node *child_get(struct kymo_thread *thread, struct kymo_node *parent,
				   uint32_t region)
{
	struct kymo_node *node =
		callpath_lookup(thread, path_key(callpath_reference(thread, parent), region));

	return node ? node : child_new(thread, parent, region);
}

/* Beyond the limits: one flat node per region below the anchor. */
static void callpath_fold(struct kymo_thread *thread, uint32_t region)
{
	struct kymo_node *anchor = fold_is_active(thread) ? fold_anchor(thread) : thread->current;
	struct kymo_node *node = NULL;

	if (anchor->depth >= depth_limit)
		node = child_get(thread, anchor, region);
	if (node) {
		node->flags |= KYMO_NODE_FOLDED;
		thread->record->folded++;
	} else {
		thread->record->lost_events++;
	}
	fold_enter(thread, node, region, kymo_now(thread));
}

/* A thread that makes no new paths and no events would otherwise never calibrate the clocks. */
static void calibrate_periodically(struct kymo_thread *thread)
{
	if (++thread->find_count % FINDS_PER_CALIBRATION != 0 || !store_lock())
		return;
	store_calibrate(false);
	store_unlock();
}

struct kymo_node *callpath_known(const struct kymo_thread *thread, uint32_t region)
{
	const struct kymo_node *parent = thread->current;
	struct kymo_node *node = kymo_node_at(thread, parent->cache);

	if (kymo_likely(node->region == region))
		return node;
	if (fold_is_active(thread) || parent->depth >= depth_limit)
		return NULL;
	return callpath_lookup(thread, path_key(callpath_reference(thread, parent), region));
}

struct kymo_node *kymo_callpath_find(struct kymo_thread *thread, uint32_t region)
{
	struct kymo_node *parent = thread->current, *node = NULL;
	KEEP_ERRNO();

	if (!fold_is_active(thread) && parent->depth < depth_limit)
		node = child_get(thread, parent, region);
	if (node)
		parent->cache = callpath_reference(thread, node);
	else
		callpath_fold(thread, region);
	calibrate_periodically(thread);
	helpers_catch_up();
	return node;
}

void callpath_node_close(struct kymo_node *node, uint64_t now)
{
	if (!(session.mode & KYMO_MODE_POSITIONS))
		kymo_node_close(node, now);
}

static void close_current(struct kymo_thread *thread, uint64_t now)
{
	struct kymo_node *node = thread->current;

	if (store.header->metric_count)
		kymo_callpath_metrics_exit(thread, node);
	callpath_node_close(node, now);
	kymo_thread_move(thread, kymo_node_at(thread, node->parent));
}

/* Steps from the innermost node up to the open one of region; -1 if it is not open. */
static long steps_to(const struct kymo_thread *thread, uint32_t region)
{
	const struct kymo_node *node = callpath_position(thread);

	for (long steps = 0; node != thread->root; steps++) {
		if (node->region == region)
			return steps;
		node = kymo_node_at(thread, node->parent);
	}
	return -1;
}

/* True if a call may end that began before recording did. */
static bool may_be_unseen(const struct kymo_thread *thread)
{
	const struct kymo_node *node = callpath_position(thread);

	return node == thread->root || node->region == thread->pinned;
}

/* Parameters of a user that are open inside of region end with it: at most steps of them. */
static long end_parameters(struct kymo_thread *thread, uint32_t region, long steps, uint64_t now)
{
	while (steps > 0 && thread->current->region != region &&
	       user_drop_parameter(thread, thread->current->region)) {
		if (session.mode & KYMO_MODE_TRACE)
			kymo_event_put(thread, KYMO_EVENT_LEAVE, thread->current->region, now);
		close_current(thread, now);
		steps--;
	}
	return steps;
}

void kymo_callpath_exit_slow(struct kymo_thread *thread, uint32_t region, uint64_t now)
{
	KEEP_ERRNO();
	long steps;

	if (fold_is_active(thread) && fold_leave(thread, region, now))
		return;
	steps = steps_to(thread, region);
	if (steps >= 0) {
		if (fold_is_active(thread)) {
			thread->record->resynced += fold_depth(thread);
			fold_unwind(thread, now);
		}
		steps = end_parameters(thread, region, steps, now);
		thread->record->resynced += (uint64_t)steps;
		while (steps-- >= 0)
			close_current(thread, now);
	} else if (!may_be_unseen(thread)) {
		thread->record->resynced++;
	}
}

bool callpath_init(struct kymo_thread *thread, uint64_t now)
{
	thread->paths = table_get();
	if (!thread->paths)
		return false;
	thread->root = callpath_node_new(thread, NULL, 0);
	if (!thread->root) {
		table_put(thread->paths);
		thread->paths = NULL;
		return false;
	}
	thread->root->count = 1;
	thread->root->enter = now;
	kymo_thread_move(thread, thread->root);
	return true;
}

void callpath_release(struct kymo_thread *thread)
{
	fold_release(thread);
	if (!thread->paths)
		return;
	table_put(thread->paths);
	thread->paths = NULL;
}

void callpath_unwind(struct kymo_thread *thread, uint32_t keep, uint64_t now)
{
	if (fold_is_active(thread))
		fold_unwind(thread, now);
	while (thread->current != thread->root && thread->current->region != keep)
		close_current(thread, now);
}

bool callpath_inherit(struct kymo_thread *thread, uint32_t region, uint64_t now)
{
	struct kymo_node *parent = thread->current;
	struct kymo_node *node = child_new(thread, parent, region);

	if (!node)
		return false;
	node->flags |= KYMO_NODE_INHERITED;
	node->enter = now;
	kymo_thread_move(thread, node);
	return true;
}

uint64_t callpath_latest(const struct kymo_thread *thread)
{
	return fold_is_active(thread) ? fold_latest(thread) : thread->current->enter;
}

struct kymo_node *callpath_position(const struct kymo_thread *thread)
{
	return fold_is_active(thread) ? fold_anchor(thread) : thread->current;
}

uint32_t callpath_reference(const struct kymo_thread *thread, const struct kymo_node *node)
{
	return (uint32_t)(((uint64_t)((const char *)node - thread->base)) / KYMO_NODE_UNIT);
}

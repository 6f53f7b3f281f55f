/* The stack of folded regions of a thread, in private pages; its capacity doubles. */
#include "runtime/store/fold.h"

#include <string.h>

#include "base/pages.h"
#include "runtime/lifecycle/session.h"

#define FIRST_ENTRIES 1024

struct fold_entry {
	struct kymo_node *node; /* NULL = only the balance is kept */
	uint64_t enter;
	uint64_t children; /* ticks spent in folded regions below */
	uint32_t region;
};

struct kymo_fold {
	struct kymo_node stand_in; /* first: fold_is_stand_in() */
	struct kymo_node *anchor;
	struct fold_entry *entries;
	size_t depth, capacity;
	size_t unstacked; /* enters that did not fit the stack when it could not grow */
};

static struct kymo_fold *fold_of(struct kymo_thread *thread)
{
	if (!thread->fold) {
		thread->fold = pages_new(sizeof(*thread->fold));
		if (thread->fold)
			thread->fold->stand_in.region = UINT32_MAX;
	}
	return thread->fold;
}

static bool fold_reserve(struct kymo_fold *fold)
{
	size_t capacity = fold->capacity ? fold->capacity * 2 : FIRST_ENTRIES;
	struct fold_entry *larger, *before = fold->entries;
	size_t used = fold->capacity * sizeof(*larger);

	if (fold->depth < fold->capacity)
		return true;
	larger = pages_new(capacity * sizeof(*larger));
	if (!larger)
		return false;
	if (fold->depth)
		memcpy(larger, fold->entries, fold->depth * sizeof(*larger));
	/* A signal handler that leaves by a long jump must find no freed memory here. */
	fold->entries = larger;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	fold->capacity = capacity;
	pages_free(before, used);
	return true;
}

bool fold_is_active(const struct kymo_thread *thread)
{
	return thread->fold && thread->current == &thread->fold->stand_in;
}

struct kymo_node *fold_anchor(const struct kymo_thread *thread)
{
	return thread->fold->anchor;
}

size_t fold_depth(const struct kymo_thread *thread)
{
	return thread->fold->depth + thread->fold->unstacked;
}

/* Where a thread is that folds, for those who look at it from outside: what they cannot tell from
 * current is told before that. */
static void fold_tell(struct kymo_thread *thread)
{
	const struct kymo_fold *fold = thread->fold;
	struct kymo_node *node = fold->depth ? fold->entries[fold->depth - 1].node : NULL;

	__atomic_store_n(&thread->folded, node ? node : fold->anchor, __ATOMIC_RELEASE);
}

bool fold_is_stand_in(const struct kymo_thread *thread, const struct kymo_node *node)
{
	return (const void *)node == (const void *)__atomic_load_n(&thread->fold, __ATOMIC_RELAXED);
}

void fold_enter(struct kymo_thread *thread, struct kymo_node *node, uint32_t region, uint64_t now)
{
	struct kymo_fold *fold = fold_of(thread);

	if (!fold)
		return;
	if (!fold_is_active(thread)) {
		fold->anchor = thread->current;
		fold_tell(thread);
		__atomic_store_n(&thread->current, &fold->stand_in, __ATOMIC_RELEASE);
	}
	if (fold->unstacked || !fold_reserve(fold)) {
		fold->unstacked++;
		return;
	}
	fold->entries[fold->depth++] = (struct fold_entry){node, now, 0, region};
	if (node)
		node->count++;
	fold_tell(thread);
}

uint64_t fold_latest(const struct kymo_thread *thread)
{
	const struct kymo_fold *fold = thread->fold;

	return fold->depth ? fold->entries[fold->depth - 1].enter : fold->anchor->enter;
}

/* The node's times are exclusive: those of the entry's children are subtracted. */
static void fold_pop(struct kymo_thread *thread, uint64_t now)
{
	struct kymo_fold *fold = thread->fold;
	struct fold_entry *entry = &fold->entries[--fold->depth];
	uint64_t duration = now - entry->enter;

	if (entry->node && !(session.mode & KYMO_MODE_POSITIONS)) {
		entry->node->enter = entry->enter + entry->children;
		kymo_node_close(entry->node, now);
	}
	fold_tell(thread);
	if (fold->depth)
		fold->entries[fold->depth - 1].children += duration;
	else
		kymo_thread_move(thread, fold->anchor);
}

bool fold_leave(struct kymo_thread *thread, uint32_t region, uint64_t now)
{
	struct kymo_fold *fold = thread->fold;
	size_t level = fold->depth;

	if (fold->unstacked) {
		fold->unstacked--;
		return true;
	}
	while (level > 0 && fold->entries[level - 1].region != region)
		level--;
	if (level == 0)
		return false;
	thread->record->resynced += fold->depth - level;
	while (fold->depth >= level)
		fold_pop(thread, now);
	return true;
}

void fold_unwind(struct kymo_thread *thread, uint64_t now)
{
	thread->fold->unstacked = 0;
	while (thread->fold->depth)
		fold_pop(thread, now);
	kymo_thread_move(thread, thread->fold->anchor);
}

void fold_release(struct kymo_thread *thread)
{
	if (!thread->fold)
		return;
	pages_free(thread->fold->entries, thread->fold->capacity * sizeof(struct fold_entry));
	pages_free(thread->fold, sizeof(*thread->fold));
	thread->fold = NULL;
}

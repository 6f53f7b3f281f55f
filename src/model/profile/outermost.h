/* Walks the call tree of a thread and determines which visits are outermost: not inside of another
 * one with the same key.  Only those may be added to an inclusive time.
 *
 *	for (outermost_begin(&walk, tree, root); outermost_next(&walk);)
 *		total[walk.key] += walk.is_outermost ? walk.node->sum_ns : 0;
 *
 * One thread.  The root itself is not visited. */
#ifndef KYMO_OUTERMOST_H
#define KYMO_OUTERMOST_H

#include "model/tree/calltree.h"

struct outermost {
	/* The caller's: */
	const uint32_t *keys; /* per region of the recording; NULL = the region itself */
	uint32_t *open;	      /* per key: zero; and again after a walk */
	/* The current position: */
	const struct calltree_node *node;
	uint32_t key;
	bool is_outermost;
	/* The walk's own: */
	const struct calltree *tree;
	uint32_t root, index;
};

/* root: of a thread; CALLTREE_NONE = an empty walk. */
static inline void outermost_begin(struct outermost *walk, const struct calltree *tree,
				   uint32_t root)
{
	walk->tree = tree;
	walk->root = root;
	walk->index = root;
}

static inline uint32_t outermost_key(const struct outermost *walk, uint32_t index)
{
	uint32_t region = walk->tree->nodes[index].region;

	return walk->keys ? walk->keys[region] : region;
}

/* The next node in preorder, after leaving those whose last child was visited. */
static inline uint32_t outermost_after(struct outermost *walk)
{
	const struct calltree_node *nodes = walk->tree->nodes;
	uint32_t index = walk->index;

	if (nodes[index].first_child != CALLTREE_NONE)
		return nodes[index].first_child;
	while (index != walk->root) {
		walk->open[outermost_key(walk, index)]--;
		if (nodes[index].next_sibling != CALLTREE_NONE)
			return nodes[index].next_sibling;
		index = nodes[index].parent;
	}
	return CALLTREE_NONE;
}

static inline bool outermost_next(struct outermost *walk)
{
	if (walk->index == CALLTREE_NONE)
		return false;
	walk->index = outermost_after(walk);
	if (walk->index == CALLTREE_NONE)
		return false;
	walk->node = &walk->tree->nodes[walk->index];
	walk->key = outermost_key(walk, walk->index);
	walk->is_outermost = walk->open[walk->key]++ == 0;
	return true;
}

#endif

/* Functions of a compilation unit.  One walk over the DIE tree collects the address ranges of all
 * functions and inlined functions; one sweep over the sorted ranges makes segments of them. */
#include "object/debug/debug_scopes_dw.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"

#define TREE_DEPTH_MAX	 200
#define INLINE_MAX	 100
#define TREE_ENTRIES_MAX (1u << 25)

struct span { /* of addresses, of one scope */
	uint64_t start, end;
	uint32_t scope;
	uint32_t depth; /* in the tree */
};

struct spans {
	struct span *items;
	size_t count, capacity;
};

static bool has_functions_inside(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static bool add_span(struct spans *spans, const struct span *span)
{
	struct span *items =
		array_grow(spans->items, &spans->capacity, spans->count + 1, sizeof(*items));

	if (!items)
		return false;
	spans->items = items;
	items[spans->count++] = *span;
	return true;
}

/* The ranges of a DIE, for a scope that may be created; false when it has none.  Functions that the
 * linker discarded are at address 0. */
static bool add_spans(struct spans *spans, Dwarf_Die *die, uint32_t scope, uint32_t depth)
{
	struct span span = {.scope = scope, .depth = depth};
	Dwarf_Addr base = 0, start = 0, end = 0;
	size_t before = spans->count;
	ptrdiff_t place = 0;

	while ((place = dwarf_ranges(die, place, &base, &start, &end)) > 0) {
		if (start == 0 || start >= end)
			continue;
		span.start = start;
		span.end = end;
		if (!add_span(spans, &span))
			break;
	}
	return spans->count > before;
}

/* The scope of die's children. */
static uint32_t dw_take(struct debug_scopes *scopes, struct spans *spans, Dwarf_Die *die, int tag,
			uint32_t outer, uint32_t depth)
{
	struct debug_scope scope = {.die = *die, .parent = outer};
	struct debug_scope *grown;
	uint32_t number = (uint32_t)scopes->scope_count;

	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		return outer;
	scope.is_inlined = tag == DW_TAG_inlined_subroutine && outer != DEBUG_SCOPE_NONE;
	if (scope.is_inlined)
		scope.depth = (uint16_t)(scopes->scopes[outer].depth + 1);
	grown = array_grow(scopes->scopes, &scopes->scope_capacity, scopes->scope_count + 1,
			   sizeof(*grown));
	if (!grown)
		return outer;
	scopes->scopes = grown;
	if (scope.depth > INLINE_MAX || !add_spans(spans, die, number, depth))
		return tag == DW_TAG_subprogram ? DEBUG_SCOPE_NONE : outer;
	grown[scopes->scope_count++] = scope;
	return number;
}

/* The context of die's children; outer when out of memory. */
static uint32_t add_context(struct debug_scopes *scopes, Dwarf_Die *die, int tag, uint32_t outer)
{
	struct debug_context *grown;

	if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
		return outer;
	grown = array_grow(scopes->contexts, &scopes->context_capacity, scopes->context_count + 1,
			   sizeof(*grown));
	if (!grown)
		return outer;
	scopes->contexts = grown;
	grown[scopes->context_count] = (struct debug_context){*die, outer};
	return (uint32_t)scopes->context_count++;
}

static void add_declaration(struct debug_scopes *scopes, Dwarf_Die *die, uint32_t context)
{
	struct debug_declaration *grown;

	if (context == DEBUG_SCOPE_NONE)
		return;
	grown = array_grow(scopes->declarations, &scopes->declaration_capacity,
			   scopes->declaration_count + 1, sizeof(*grown));
	if (!grown)
		return;
	scopes->declarations = grown;
	grown[scopes->declaration_count++] =
		(struct debug_declaration){dwarf_dieoffset(die), context};
}

static void dw_walk(struct debug_scopes *scopes, struct spans *spans, Dwarf_Die *root)
{
	struct {
		Dwarf_Die die;
		uint32_t scope, context;
	} levels[TREE_DEPTH_MAX];
	uint32_t depth = 0;

	levels[0].scope = levels[0].context = DEBUG_SCOPE_NONE;
	if (dwarf_child(root, &levels[0].die) != 0)
		return;
	for (uint32_t entries = 0; entries < TREE_ENTRIES_MAX; entries++) {
		Dwarf_Die *die = &levels[depth].die;
		int tag = dwarf_tag(die);
		uint32_t inner = dw_take(scopes, spans, die, tag, levels[depth].scope, depth);
		uint32_t context = levels[depth].context;

		if (tag == DW_TAG_subprogram)
			add_declaration(scopes, die, context);
		if (has_functions_inside(tag) && depth + 1 < TREE_DEPTH_MAX &&
		    dwarf_child(die, &levels[depth + 1].die) == 0) {
			levels[++depth].scope = inner;
			levels[depth].context = add_context(scopes, die, tag, context);
			continue;
		}
		while (dwarf_siblingof(&levels[depth].die, &levels[depth].die) != 0)
			if (depth-- == 0)
				return;
	}
}

/* Enclosing ones first. */
static int scopes_dw_by_start(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (b->end > a->end) - (b->end < a->end);
}

static void add_segment(struct debug_scopes *scopes, uint64_t start, uint32_t scope)
{
	struct debug_segment *last =
		scopes->segment_count ? &scopes->segments[scopes->segment_count - 1] : NULL;
	struct debug_segment *grown;

	if (last && last->start == start) {
		last->scope = scope;
		return;
	}
	grown = array_grow(scopes->segments, &scopes->segment_capacity, scopes->segment_count + 1,
			   sizeof(*grown));
	if (!grown)
		return;
	scopes->segments = grown;
	grown[scopes->segment_count++] = (struct debug_segment){start, scope};
}

/* Close the spans that end at or before limit; returns how many are open. */
static size_t close_spans(struct debug_scopes *scopes, const struct span *open, size_t count,
			  uint64_t limit)
{
	while (count > 0 && open[count - 1].end <= limit) {
		uint64_t end = open[--count].end;

		add_segment(scopes, end, count ? open[count - 1].scope : DEBUG_SCOPE_NONE);
	}
	return count;
}

static void make_segments(struct debug_scopes *scopes, const struct spans *spans)
{
	struct span *open = calloc(spans->count + 1, sizeof(*open));
	size_t count = 0;

	for (size_t i = 0; open && i < spans->count; i++) {
		struct span span = spans->items[i];

		count = close_spans(scopes, open, count, span.start);
		/* A range beyond its enclosing one is damage, or shared code. */
		if (count > 0 && span.end > open[count - 1].end)
			span.end = open[count - 1].end;
		add_segment(scopes, span.start, span.scope);
		open[count++] = span;
	}
	if (open)
		close_spans(scopes, open, count, UINT64_MAX);
	free(open);
}

void debug_scopes_read(struct debug_scopes *scopes, Dwarf_Die *root)
{
	struct spans spans = {0};

	dw_walk(scopes, &spans, root);
	if (spans.count) {
		qsort(spans.items, spans.count, sizeof(*spans.items), scopes_dw_by_start);
		make_segments(scopes, &spans);
	}
	free(spans.items);
}

void debug_scopes_release(struct debug_scopes *scopes)
{
	for (size_t i = 0; i < scopes->scope_count; i++)
		free(scopes->scopes[i].qualified_name);
	free(scopes->scopes);
	free(scopes->segments);
	free(scopes->contexts);
	free(scopes->declarations);
	memset(scopes, 0, sizeof(*scopes));
}

uint32_t debug_scopes_find(const struct debug_scopes *scopes, uint64_t value)
{
	size_t low = partition_point(scopes->segment_count, i, scopes->segments[i].start <= value);

	return low ? scopes->segments[low - 1].scope : DEBUG_SCOPE_NONE;
}

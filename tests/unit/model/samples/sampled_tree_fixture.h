/* What the tests of trees of samples share. */
#ifndef KYMO_SAMPLED_TREE_FIXTURE_H
#define KYMO_SAMPLED_TREE_FIXTURE_H

#include "model/samples/sampled_tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/metric.h"
#include "model/profile/rows.h"
#include "model/recording/label.h"
#include "sampled_fixture.h"

static inline void print_below(const struct calltree *tree, uint32_t index, FILE *out)
{
	uint32_t child = tree->nodes[index].first_child;
	char label[256];

	for (; child != CALLTREE_NONE; child = tree->nodes[child].next_sibling) {
		const struct calltree_node *node = &tree->nodes[child];

		region_label(&tree->recording->regions[node->region], label, sizeof(label));
		fprintf(out, "%*s%s %g/%g\n", (int)node->depth - 1, "", label, node->sum_ns / UNIT,
			node->self_ns / UNIT);
		print_below(tree, child, out);
	}
}

/* The first thread's paths with their inclusive and own times in units. */
static inline void assert_paths(const struct sampled_fixture *sampled, const char *expected)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	print_below(sampled->tree, sampled->tree->thread_root[0], out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

#endif

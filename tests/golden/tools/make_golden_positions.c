/* The golden recording of a process that was killed while its calls were counted and its positions
 * sampled. */
#include "make_golden.h"
#include "synthetic.h"

struct seen { /* of a node: enters, looks, and the time that these stand for */
	uint64_t count, looks, ticks, last;
	double squares;
};

static uint32_t seen_at(struct synthetic *s, uint32_t thread, uint32_t parent, uint32_t region,
			const struct seen *seen)
{
	uint32_t reference = synthetic_node(s, thread, parent, region);
	struct kymo_node *node = synthetic_node_at(s, reference);

	node->count = seen->count;
	node->enter = seen->last ? SYNTHETIC_START_TICKS + seen->last : 0;
	node->sum = seen->ticks;
	node->max = seen->looks;
	node->sum_squares = seen->squares;
	return reference;
}

static void see_root(struct synthetic *s, uint32_t thread, const struct seen *seen)
{
	struct kymo_node *root = synthetic_node_at(s, synthetic_thread_at(s, thread)->root_node);

	root->sum = seen->ticks;
	root->max = seen->looks;
	root->sum_squares = seen->squares;
	root->enter = SYNTHETIC_START_TICKS + seen->last;
}

struct synthetic *make_positions(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_POSITIONS);
	uint32_t f = synthetic_region(s, KYMO_REGION_PYTHON, "f");
	uint32_t g = synthetic_region(s, KYMO_REGION_PYTHON, "g");
	uint32_t h = synthetic_region(s, KYMO_REGION_PYTHON, "h");
	uint32_t first = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0), second, node;

	synthetic_header(s)->version = KYMO_FORMAT_VERSION_POSITIONS;
	see_root(s, first, &(struct seen){.looks = 1, .ticks = 900, .last = 900, .squares = 81e4});
	node = synthetic_thread_at(s, first)->root_node;
	node = seen_at(s, first, node, f, &(struct seen){3, 2, 2100, 3000, 2.3e6});
	seen_at(s, first, node, g, &(struct seen){70000, 5, 5000, 8000, 5.1e6});
	seen_at(s, first, node, h, &(struct seen){.count = 1}); /* called, and never seen */
	node = seen_at(s, first, node, f, &(struct seen){8, 1, 700, 5000, 4.9e5});
	synthetic_node_at(s, node)->flags = KYMO_NODE_FOLDED;
	second = synthetic_thread(s, first, "worker", 1000);
	see_root(s, second, &(struct seen){.last = 1000});
	node = seen_at(s, second, synthetic_thread_at(s, second)->root_node, g,
		       &(struct seen){2, 4, 4000, 4800, 4.1e6});
	synthetic_thread_end(s, second, 5000);
	synthetic_node_at(s, synthetic_thread_at(s, second)->root_node)->sum = 0;
	synthetic_note(s, KYMO_NOTE_INFO, KYMO_POSITIONS_NOTE, "sampled");
	return s;
}

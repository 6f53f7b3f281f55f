/* What importers fill: regions and call paths found again, events that come late or nest too deep,
 * samples as merged slices, sums that keep what rounding takes. */
#include "import/imported.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "import/imported_slices.h"
#include "import/imported_sums.h"

static uint32_t region(struct imported *imported, const char *name)
{
	struct imported_function function = {.kind = KYMO_REGION_USER,
					     .name = {name, strlen(name)}};

	return imported_region(imported, &function);
}

static uint32_t only_thread(struct imported *imported)
{
	return imported_thread(imported, imported_process(imported, 7), 8);
}

static void test_what_is_the_same_is_found_again(void **state)
{
	struct imported imported;
	uint32_t thread, f, root;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	assert_int_equal(only_thread(&imported), thread);
	assert_int_not_equal(imported_thread(&imported, imported_process(&imported, 9), 8), thread);
	f = region(&imported, "f");
	assert_int_equal(region(&imported, "f"), f);
	assert_int_not_equal(region(&imported, "g"), f);
	root = imported_root(&imported, thread);
	assert_int_equal(imported_child(&imported, root, f), imported_child(&imported, root, f));
	assert_int_not_equal(imported_child_new(&imported, root, f),
			     imported_child(&imported, root, f));
	imported_release(&imported);
}

static void test_events_make_call_paths(void **state)
{
	struct imported imported;
	uint32_t thread, f, g, outer, inner;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	f = region(&imported, "f");
	g = region(&imported, "g");
	imported_enter(&imported, thread, 100, f);
	imported_enter(&imported, thread, 110, g);
	assert_true(imported_leave(&imported, thread, 105)); /* late: counts as of 110 */
	imported_enter(&imported, thread, 120, g);
	assert_true(imported_leave(&imported, thread, 150));
	assert_true(imported_leave(&imported, thread, 200));
	assert_false(imported_leave(&imported, thread, 210));
	outer = imported_child(&imported, imported_root(&imported, thread), f);
	inner = imported_child(&imported, outer, g);
	assert_int_equal(imported.nodes[outer].count, 1);
	assert_int_equal((int)imported.nodes[outer].self_ns, 70);
	assert_int_equal(imported.nodes[inner].count, 2);
	assert_int_equal((int)imported.nodes[inner].self_ns, 30);
	assert_int_equal(imported.nodes[inner].min_ns, 0);
	assert_int_equal(imported.nodes[inner].max_ns, 30);
	assert_int_equal(imported.counts[COUNT_LATE_EVENTS], 1);
	assert_int_equal(imported.threads[thread].event_count, 6);
	imported_release(&imported);
}

static void test_too_deep_is_the_callers(void **state)
{
	struct imported imported;
	uint32_t thread, f;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	f = region(&imported, "f");
	for (uint32_t i = 0; i < IMPORT_DEPTH_MAX + 10; i++)
		imported_enter(&imported, thread, i, f);
	while (imported_leave(&imported, thread, 2 * IMPORT_DEPTH_MAX))
		;
	assert_int_equal(imported.counts[COUNT_DEEP_FRAMES], 10);
	assert_int_equal(imported.node_count, IMPORT_DEPTH_MAX + 2);
	assert_int_equal(imported.threads[thread].event_count, 2 * IMPORT_DEPTH_MAX);
	imported_release(&imported);
}

struct drawing {
	const struct imported *imported;
	char text[256];
};

static void draw(void *context, int64_t ns, uint32_t node)
{
	struct drawing *drawing = context;
	size_t length = strlen(drawing->text);
	uint32_t of = node ? drawing->imported->nodes[node].region : 0;

	snprintf(drawing->text + length, sizeof(drawing->text) - length, "%s%d%s%s",
		 length ? " " : "", (int)ns, node ? "+" : "-",
		 node ? drawing->imported->regions[of].name.at : "");
}

static void test_samples_become_slices(void **state)
{
	struct drawing drawing = {0};
	struct imported imported;
	uint32_t thread, f, g, h;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	f = imported_child(&imported, imported_root(&imported, thread), region(&imported, "f"));
	g = imported_child(&imported, f, region(&imported, "g"));
	h = imported_child(&imported, f, region(&imported, "h"));
	imported_sample(&imported, thread, 20, 30, h); /* in any order */
	imported_sample(&imported, thread, 0, 10, f);
	imported_sample(&imported, thread, 10, 20, g);
	imported_sample(&imported, thread, 25, 28,
			g); /* inside of another: nothing of it is left */
	imported_sample(&imported, thread, 28, 40, h);
	imported_sample(&imported, thread, 50, 60, g); /* after a gap */
	drawing.imported = &imported;
	assert_int_equal(imported_slices(&imported, thread, draw, &drawing), KYMO_OK);
	assert_string_equal(drawing.text, "0+f 10+g 20- 20+h 40- 40- 50+f 50+g 60- 60-");
	imported_release(&imported);
}

/* Ten paths of a third each are three and a third together, not none. */
static void test_rounding_keeps_sums(void **state)
{
	struct imported imported;
	struct imported_sums sums;
	uint32_t thread, f, node;
	uint64_t total;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	imported.threads[thread].is_sampled = true;
	f = region(&imported, "f");
	node = imported_root(&imported, thread);
	for (int i = 0; i < 10; i++) {
		node = imported_child(&imported, node, f);
		imported_weigh(&imported, node, 1, 1.0 / 3);
	}
	assert_int_equal(imported_sums_init(&sums, &imported), KYMO_OK);
	total = sums.nodes[imported_root(&imported, thread)].total_ns;
	assert_int_equal(total, 3);
	assert_int_equal(sums.nodes[imported_root(&imported, thread)].count, 10);
	assert_int_equal(sums.first[1], 0);
	assert_int_equal(sums.first[2], imported.node_count - 1);
	assert_int_equal(sums.duration_ns, 3);
	imported_sums_release(&sums);
	imported_release(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_the_same_is_found_again),
		cmocka_unit_test(test_events_make_call_paths),
		cmocka_unit_test(test_too_deep_is_the_callers),
		cmocka_unit_test(test_samples_become_slices),
		cmocka_unit_test(test_rounding_keeps_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

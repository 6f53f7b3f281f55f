/* Sums of imported call paths, whole and with what they called. */
#include "import/imported_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static uint32_t only_thread(struct imported *imported)
{
	return imported_thread(imported, imported_process(imported, 7), 8);
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
	f = imported_user(&imported, "f");
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
		cmocka_unit_test(test_rounding_keeps_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

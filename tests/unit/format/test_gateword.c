/* The gate of a recording that was never closed, as readers see it. */
#include "format/gateword.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/recording/recording_open.h"
#include "model/tree/calltree.h"
#include "synthetic.h"

static void test_offsets(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct kymo_header, gate), 1840);
	assert_int_equal(offsetof(struct kymo_header, gate_causes), 1844);
	assert_int_equal(offsetof(struct kymo_header, gate_freed_ticks), 1848);
	assert_int_equal(offsetof(struct kymo_header, gate_log), 1856);
	assert_int_equal(offsetof(struct kymo_header, switch_offset), 2368);
	assert_int_equal(offsetof(struct kymo_header, cost_enter_exit_inside_ps), 2376);
	assert_int_equal(offsetof(struct kymo_header, cost_c_call_inside_ps), 2384);
	assert_int_equal(offsetof(struct kymo_header, heartbeat), 2392);
	assert_int_equal(offsetof(struct kymo_header, opening_ns), 2416);
	assert_int_equal(offsetof(struct kymo_header, startup_cpu_ns), 2424);
	assert_int_equal(offsetof(struct kymo_header, closing_cpu_ns), 2432);
	assert_int_equal(offsetof(struct kymo_header, beside_cpu_ns), 2440);
	assert_int_equal(offsetof(struct kymo_header, survey), 2448);
	assert_int_equal(offsetof(struct kymo_header, survey.files), 2472);
	assert_int_equal(offsetof(struct kymo_header, cost_resume_ps), 2984);
	assert_int_equal(offsetof(struct kymo_header, coarse_late_ns), 3000);
	assert_int_equal(sizeof(struct kymo_header), 3008);
}

static void test_changes(void **state)
{
	struct kymo_header header;

	(void)state;
	memset(&header, 0, sizeof(header));
	assert_false(gateword_change(&header, KYMO_GATE_BY_PROGRAM, false, 1));
	assert_true(gateword_change(&header, KYMO_GATE_BY_PROGRAM, true, 10));
	assert_true(gateword_change(&header, KYMO_GATE_BY_CONTROL, true, 20));
	assert_int_equal(header.gate, 1);
	assert_int_equal(header.gate_causes, 3);
	assert_int_equal(header.gate_log[1], 10);
	assert_true(gateword_change(&header, KYMO_GATE_BY_PROGRAM, false, 30));
	assert_int_equal(header.gate, 1);
	assert_true(gateword_change(&header, KYMO_GATE_BY_CONTROL, false, 25));
	assert_int_equal(header.gate, 2);
	assert_int_equal(header.gate_log[2], 30); /* until then the program kept it off */
	assert_true(gateword_change(&header, KYMO_GATE_BY_CONTROL, true, 5));
	assert_int_equal(header.gate_log[3], 30); /* changes are in order */
}

static void test_switch(void **state)
{
	struct kymo_header header;
	struct kymo_switch page = {.is_off = 1};

	(void)state;
	memset(&header, 0, sizeof(header));
	gateword_switch(&header, &page);
	assert_false(page.is_off);
	gateword_change(&header, KYMO_GATE_BY_CONTROL, true, 10);
	gateword_switch(&header, &page);
	assert_true(page.is_off);
	page.is_shut = 1;
	gateword_change(&header, KYMO_GATE_BY_CONTROL, false, 20);
	gateword_switch(&header, &page);
	assert_true(page.is_off);
	page.is_shut = 0;
	gateword_switch(&header, &page);
	assert_false(page.is_off);
}

/* f is entered at 100 and open for ever; recording is off from 500, another thread is seen at
 * 900. */
static void check_cut(uint32_t flags, uint32_t gate, double expected)
{
	struct synthetic *synthetic = synthetic_new(flags);
	uint32_t f = synthetic_region(synthetic, KYMO_REGION_USER, "f");
	uint32_t thread = synthetic_thread(synthetic, KYMO_NO_THREAD, "main", 0), child, other;
	struct kymo_header *header;
	struct recording *recording;
	struct calltree *tree;
	struct problem problem;

	synthetic_enter(synthetic, thread, f, 100);
	other = synthetic_thread(synthetic, KYMO_NO_THREAD, "other", 0);
	synthetic_enter(synthetic, other, f, 900);
	header = synthetic_header(synthetic);
	header->gate = gate;
	header->gate_log[gate % KYMO_GATE_LOG_COUNT] = SYNTHETIC_START_TICKS + 500;
	recording = synthetic_open(synthetic);
	assert_int_equal(calltree_new(recording, &tree, &problem), KYMO_OK);
	child = tree->nodes[tree->thread_root[thread]].first_child;
	assert_true(tree->nodes[child].is_open);
	assert_float_equal(tree->nodes[child].sum_ns, expected, 0.01);
	assert_float_equal(tree->nodes[tree->thread_root[thread]].sum_ns, 900, 0.01);
	child = tree->nodes[tree->thread_root[other]].first_child;
	assert_float_equal(tree->nodes[child].sum_ns, 0, 0.01);
	calltree_free(tree);
	recording_free(recording);
	synthetic_free(synthetic);
}

static void test_cut(void **state)
{
	(void)state;
	check_cut(KYMO_HEADER_PROFILE, 67, 400);
	check_cut(KYMO_HEADER_PROFILE, 66, 800);
	check_cut(KYMO_HEADER_TRACE, 67, 400);
	check_cut(KYMO_HEADER_TRACE, 66, 800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

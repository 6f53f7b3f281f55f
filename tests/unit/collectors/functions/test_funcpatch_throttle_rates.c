/* How often functions are called just now, told by their records or their counts. */
#include "collectors/functions/counts/funcpatch_throttle_rates.c"
#include "collectors/functions/modules/funcpatch_module.h"
#include "patch/apply/patchapplied.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BYTES 256u

struct funcpatch_settings funcpatch_settings;
struct funcpatch_module funcpatch_modules[FUNCPATCH_MODULES_MAX];
uint32_t funcpatch_module_count;

static struct funcpatch_thread thread;
static uint64_t counted[4]; /* calls so far, by id */
static uint32_t throttled = UINT32_MAX;
static struct plan_header header;
static struct plan_copy copies[4];
static uint8_t written[4];

void funcpatch_lock(uint64_t *before)
{
	*before = 0;
}

void funcpatch_unlock(uint64_t before)
{
	(void)before;
}

void funcpatch_threads_each(void (*tell)(struct funcpatch_thread *, void *), void *context)
{
	tell(&thread, context);
}

uint32_t funcpatch_throttle_modules(void)
{
	return 1;
}

bool funcpatch_throttle_is_on(uint32_t id)
{
	return id == throttled;
}

void funcpatch_counts_report(const struct funcpatch_thread *of, uint32_t first, uint32_t end,
			     uint64_t *calls)
{
	(void)of;
	for (uint32_t id = first; id < end; id++)
		calls[id] += counted[id - first];
}

const uint8_t *funcpatch_marked_cursor(const struct funcpatch_thread *of)
{
	return of->hot->cursor;
}

static int begin(void **state)
{
	struct funcpatch_module *module = &funcpatch_modules[0];

	(void)state;
	funcpatch_settings.cost = PATCH_COST_COUNTS;
	header.copy_count = 4;
	for (uint32_t i = 0; i < 4; i++) {
		copies[i].function = i;
		written[i] = PATCHAPPLY_PINNED;
		counted[i] = 0;
	}
	memset(module, 0, sizeof(*module));
	module->first_id = 16;
	module->count = 4;
	module->applied.plan.header = &header;
	module->applied.plan.copies = copies;
	module->applied.is_written = written;
	throttled = UINT32_MAX;
	if (!rates_reserve())
		return -1;
	memset(seen.calls + 16, 0, 4 * sizeof(*seen.calls));
	memset(seen.last + 16, 0, 4 * sizeof(*seen.last));
	return 0;
}

static void test_enters_among_records(void **state)
{
	uint8_t bytes[BYTES] = {0};
	const uint64_t enter = 1 | UINT64_C(17) << PATCH_ENTER_ID_SHIFT;
	const uint64_t late = enter | ((1u << PATCH_ENTER_TICKS_BITS) - 1) << 1;
	const uint32_t exit = 2, end = PATCH_MARK_END << 2, own = PATCH_MARK_OWN << 2;
	size_t at = 0;

	(void)state;
	memcpy(bytes + at, &enter, 8);
	at += PATCH_ENTER_BYTES;
	memcpy(bytes + at, &late, 8); /* with its time behind it */
	at += PATCH_ENTER_BYTES + PATCH_TIME_BYTES;
	memcpy(bytes + at, &exit, 4);
	at += PATCH_EXIT_BYTES;
	memcpy(bytes + at, &own, 4);
	at += PATCH_MARK_BYTES;
	memcpy(bytes + at, &enter, 8);
	at += PATCH_ENTER_BYTES;
	/* What may not be whole is left for the next look. */
	assert_int_equal(count_enters(bytes, at + PATCH_RECORD_MAX - 1, 10), at);
	assert_int_equal(seen.calls[17], 30);
	memcpy(bytes + at, &end, 4);
	assert_int_equal(count_enters(bytes, BYTES, 1), BYTES);
	assert_int_equal(seen.calls[17], 33);
}

static void test_records_with_marks_of_time(void **state)
{
	uint8_t bytes[BYTES] = {0};
	const uint32_t enter = 1 | 18u << PATCH_MARKED_ID_SHIFT;
	const uint16_t exit = 2;

	(void)state;
	memcpy(bytes, &enter, 4);
	memcpy(bytes + 4, &exit, 2);
	/* A byte of nothing lies in between. */
	bytes[7] = PATCH_MARK_TIME << 2;
	memset(bytes + 8, 0xff, PATCH_TIME_BYTES);
	memcpy(bytes + 16, &enter, 4);
	assert_int_equal(count_marked(bytes, 20 + PATCH_RECORD_MAX - 1, 1), 20);
	assert_int_equal(seen.calls[18], 2);
}

static void test_the_most_called_first(void **state)
{
	struct funcpatch_throttle_rate rates[4];
	uint64_t calls;

	(void)state;
	counted[0] = 5;
	counted[1] = 500;
	counted[2] = 50;
	assert_int_equal(funcpatch_throttle_measure(rates, 2, &calls), 2);
	assert_int_equal(calls, 555);
	assert_int_equal(rates[0].id, 17);
	assert_int_equal(rates[1].id, 18);
	assert_int_equal(rates[1].calls, 50);
	counted[0] += 7; /* since then */
	assert_int_equal(funcpatch_throttle_measure(rates, 4, &calls), 1);
	assert_int_equal(calls, 7);
	assert_int_equal(rates[0].id, 16);
	counted[1] = 0; /* a thread has ended, and its counts are gone */
	assert_int_equal(funcpatch_throttle_measure(rates, 4, &calls), 0);
	assert_int_equal(funcpatch_throttle_measure(rates, 0, &calls), 0);
}

static void test_which_could_be_throttled(void **state)
{
	struct funcpatch_throttle_rate rates[4];
	uint64_t calls;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		counted[i] = 10;
	throttled = 16;
	written[1] = PATCHAPPLY_LEFT;
	header.copy_count = 3;
	assert_int_equal(funcpatch_throttle_measure(rates, 4, &calls), 1);
	assert_int_equal(rates[0].id, 18);
	assert_int_equal(calls, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_enters_among_records, begin),
		cmocka_unit_test_setup(test_records_with_marks_of_time, begin),
		cmocka_unit_test_setup(test_the_most_called_first, begin),
		cmocka_unit_test_setup(test_which_could_be_throttled, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

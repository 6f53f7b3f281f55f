/* Stacks as ids of a tree that has every frame below its caller once. */
#include "collectors/sampler/sampler_stacks.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/chunk_fixture.h"

static struct sampler_thread self;
static uint64_t module_address; /* where one is met that was not known */
static unsigned news;

bool kymo_sample_note_address(uint64_t address)
{
	return address == module_address;
}

void sampler_interpreter_note_module(void)
{
	news++;
}

static int begin(void **state)
{
	(void)state;
	memset(&self, 0, sizeof(self));
	news = 0;
	module_address = 1;
	return 0;
}

static int end(void **state)
{
	(void)state;
	pages_free(self.stacks.slots, self.stacks.capacity * sizeof(*self.stacks.slots));
	chunks_release();
	return 0;
}

static uint32_t id_of(uint64_t outer, uint64_t middle, uint64_t inner)
{
	const uint64_t path[] = {outer, middle, inner};

	return sampler_stack_id(&self, path, inner ? 3 : middle ? 2 : 1);
}

static const struct kymo_stack_node *node(uint32_t id)
{
	const struct kymo_chunk *chunk = chunks_given[0];

	assert_true(id >= chunk->base &&
		    (id - chunk->base + 1) * sizeof(struct kymo_stack_node) <= chunk->used);
	return (const struct kymo_stack_node *)(chunk + 1) + (id - chunk->base);
}

static void test_the_same_stack_has_the_same_id(void **state)
{
	uint32_t first = id_of(10, 20, 30), other = id_of(10, 21, 30);

	(void)state;
	assert_int_not_equal(first, other);
	assert_int_equal(id_of(10, 20, 30), first);
	assert_int_equal(id_of(10, 21, 30), other);
	assert_int_equal(self.stacks.count, 5); /* 10 is one frame of both */
	assert_int_equal(node(first)->frame, 30);
	assert_int_equal(node(node(first)->parent)->frame, 20);
	assert_int_equal(node(node(other)->parent)->frame, 21);
	assert_int_equal(node(node(node(first)->parent)->parent)->parent, 0);
}

/* What is shared with the stack before is not looked for: a shorter one is no longer one's. */
static void test_a_stack_after_a_shorter_one(void **state)
{
	uint32_t whole = id_of(10, 20, 30), part = id_of(10, 20, 0);

	(void)state;
	assert_int_equal(node(whole)->parent, part);
	assert_int_equal(id_of(10, 20, 30), whole);
	assert_int_equal(sampler_stack_id(&self, NULL, 0), 0);
	assert_int_equal(id_of(10, 20, 30), whole);
	assert_int_equal(self.stacks.count, 3);
	part = id_of(10, 21, 0); /* what lay below the other one is not below this one */
	assert_int_equal(node(id_of(10, 21, 30))->parent, part);
}

static void test_many_stacks_stay_known_while_the_table_grows(void **state)
{
	uint32_t ids[3000];

	(void)state;
	for (uint64_t i = 0; i < 3000; i++)
		ids[i] = id_of(7, 1000 + i, 0);
	assert_true(self.stacks.capacity >= 3000);
	for (uint64_t i = 0; i < 3000; i++)
		assert_int_equal(id_of(7, 1000 + i, 0), ids[i]);
	assert_int_equal(self.stacks.count, 3001);
}

/* Without room there is no id, and what was told of the stack before holds. */
static void test_no_room(void **state)
{
	uint32_t known;

	(void)state;
	chunks_allowed = 0;
	assert_int_equal(id_of(10, 20, 30), 0);
	chunks_allowed = 1;
	known = id_of(10, 20, 30);
	self.stacks.chunk->used = self.stacks.chunk->size - sizeof(struct kymo_chunk);
	assert_int_equal(id_of(10, 20, 31), 0);
	assert_int_equal(id_of(10, 20, 30), known);
}

static void test_a_new_module_is_news_to_the_interpreter(void **state)
{
	(void)state;
	module_address = 20;
	id_of(10, 20, 30);
	id_of(10, 20, 31);
	assert_int_equal(news, 1);
	id_of(kymo_frame(KYMO_FRAME_PYTHON, 20), 0, 0); /* no address */
	assert_int_equal(news, 1);
}

/* A new recording numbers them anew; a large table is not kept for it. */
static void test_reset(void **state)
{
	(void)state;
	id_of(10, 20, 30);
	sampler_stacks_reset(&self.stacks);
	assert_int_equal(id_of(11, 0, 0), 1);
	assert_int_equal(chunks_given[1]->base, 1);
	for (uint64_t i = 0; self.stacks.capacity <= CAPACITY_KEPT; i++)
		id_of(7, 1000 + i, 0);
	sampler_stacks_reset(&self.stacks);
	assert_null(self.stacks.slots);
	assert_int_equal(id_of(11, 0, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_same_stack_has_the_same_id, begin, end),
		cmocka_unit_test_setup_teardown(test_a_stack_after_a_shorter_one, begin, end),
		cmocka_unit_test_setup_teardown(test_many_stacks_stay_known_while_the_table_grows,
						begin, end),
		cmocka_unit_test_setup_teardown(test_no_room, begin, end),
		cmocka_unit_test_setup_teardown(test_a_new_module_is_news_to_the_interpreter, begin,
						end),
		cmocka_unit_test_setup_teardown(test_reset, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

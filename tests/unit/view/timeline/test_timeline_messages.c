/* Messages: which ends belong together, and how many are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hashset.h"
#include "view/timeline/timeline_messages.h"

static void test_messages_are_bounded_and_counted(void **state)
{
	struct messages messages;
	struct message *pairs;
	uint32_t left_out[MESSAGE_PARTS];
	uint64_t sum = 0;
	size_t count;

	(void)state;
	messages_init(&messages, 1000);
	for (uint64_t i = 0; i < 20000; i++) {
		struct message_end end = {
			.key = hash_pair((uint32_t)i, 7), .ns = i, .is_send = true};

		messages_add(&messages, &end);
		end.is_send = false;
		messages_add(&messages, &end);
	}
	assert_true(messages.count <= 1000);
	assert_int_equal(messages.send_count, 20000);
	pairs = messages_match(&messages, 20000, 1, &count, left_out);
	assert_in_range(count, 100, MESSAGE_PARTS);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(pairs[i].from.ns, pairs[i].to.ns);
	for (size_t i = 0; i < MESSAGE_PARTS; i++)
		sum += left_out[i];
	/* Of those that are kept each has both ends, but for the last. */
	assert_in_range(2 * (sum + count), messages.count - 1, messages.count);
	messages_release(&messages);
}

static void add_end(struct messages *messages, uint64_t key, uint64_t ns, bool is_send)
{
	const struct message_end end = {.key = key, .ns = ns, .is_send = is_send};

	messages_add(messages, &end);
}

static void expect_pair(const struct message *message, uint64_t sent, uint64_t received)
{
	assert_int_equal(message->from.ns, sent);
	assert_int_equal(message->to.ns, received);
}

static void test_first_sent_is_first_received(void **state)
{
	uint32_t left_out[MESSAGE_PARTS];
	struct messages messages;
	struct message *pairs;
	size_t count;

	(void)state;
	messages_init(&messages, 1000);
	add_end(&messages, 5, 40, false);
	add_end(&messages, 5, 20, true);
	add_end(&messages, 5, 30, false);
	add_end(&messages, 5, 10, true);
	add_end(&messages, 5, 50, false); /* the last that was sent went to two */
	add_end(&messages, 6, 1, true);	  /* was never received */
	add_end(&messages, 7, 1, false);  /* nor that one sent */
	pairs = messages_match(&messages, 100, 10, &count, left_out);
	assert_int_equal(count, 3);
	expect_pair(&pairs[0], 10, 30);
	expect_pair(&pairs[1], 20, 40);
	expect_pair(&pairs[2], 20, 50);
	assert_int_equal(messages.send_count, 3);
	messages_release(&messages);
}

static void test_part_that_is_full_counts_the_others(void **state)
{
	uint32_t left_out[MESSAGE_PARTS];
	struct messages messages;
	struct message *pairs;
	size_t count;

	(void)state;
	messages_init(&messages, 1000);
	for (uint64_t i = 0; i < 5; i++) {
		add_end(&messages, i, i, true);
		add_end(&messages, i, 900, false);
	}
	add_end(&messages, 9, 5000, true); /* later than the run is long: of its last part */
	add_end(&messages, 9, 5001, false);
	pairs = messages_match(&messages, 2560, 2, &count, left_out);
	assert_int_equal(count, 3);
	assert_int_equal(left_out[0], 3);
	assert_int_equal(left_out[MESSAGE_PARTS - 1], 0);
	expect_pair(&pairs[2], 5000, 5001);
	messages_release(&messages);
}

static void test_key_is_of_run_name_and_value(void **state)
{
	struct region regions[] = {{.name = "a"}, {.name = "b"}};
	struct recording recording = {.regions = regions, .region_count = 2};
	struct recording other = recording;
	struct trace_event event = {.value = 5}, later = {.value = 5, .ticks = 77};
	uint64_t key = message_key(&recording, &event);

	(void)state;
	other.header.run_id[0] = 1;
	assert_int_equal(message_key(&recording, &later), key);
	assert_int_not_equal(message_key(&other, &event), key);
	event.value = 6;
	assert_int_not_equal(message_key(&recording, &event), key);
	event.value = 5;
	event.region = 1;
	assert_int_not_equal(message_key(&recording, &event), key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages_are_bounded_and_counted),
		cmocka_unit_test(test_first_sent_is_first_received),
		cmocka_unit_test(test_part_that_is_full_counts_the_others),
		cmocka_unit_test(test_key_is_of_run_name_and_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parts and shares of recordings that are made. */
#include "writer/recording_writer.h"

#include "model/recording/recording_open.h"
#include "model/recording/recording_parts.h"
#include "recording_writer_fixture.h"
#include "writer/recording_writer_parts.h"

#define PARTS 3000

static void make_parts(struct recording_writer *maker)
{
	for (uint32_t i = 0; i < PARTS; i++) {
		const struct recording_part part = {
			.run = "first",
			.program = "made.py",
			.host = i % 2 ? "node1" : NULL,
			.pid = i,
			.thread = i % 3,
			.rank = (int32_t)i - 1,
			.run_id = {1, 2, 3},
			.start_realtime_ns = i * UINT64_C(1000),
			.duration_ns = 5,
			.cpu_ns = 4,
			.outside_ns = i,
			.measuring_ns = 2 * i,
			.process_ns = 3 * i,
			.is_complete = i % 2,
			.is_idle = i % 4 == 1,
		};

		assert_int_equal(recording_writer_part(maker, &part), i);
	}
}

static struct recording_share share_of(uint32_t part, uint32_t k)
{
	return (struct recording_share){
		.part = part,
		.region = 1 + k * 31,
		.count = part,
		.self_ns = UINT64_C(1) << k,
		.total_ns = k == 7 ? UINT64_MAX : UINT64_C(2) << k,
		/* All of it, some, none. */
		.work_ns = k < 3   ? UINT64_C(1) << k
			   : k < 6 ? k
				   : 0,
		.work_total_ns = k < 3	 ? UINT64_C(2) << k
				 : k < 6 ? 2 * k
					 : 0,
	};
}

/* Parts in which no region has a share are passed over. */
static void test_parts_and_shares(void **state)
{
	struct recording_writer_header header = {.flags = KYMO_HEADER_MERGED};
	struct recording_writer *maker = maker_of(&header);
	struct share_position position = {0};
	struct recording_share share;
	struct recording *recording;
	char name[2][32];

	(void)state;
	for (uint32_t i = 0; i < REGIONS; i++) {
		struct region region = region_of(i, name);

		recording_writer_new_region(maker, &region);
	}
	make_parts(maker);
	for (uint32_t i = 0; i < PARTS; i += 1 + i % 3)
		for (uint32_t k = 0; k < 8; k++) {
			share = share_of(i, k);
			recording_writer_share(maker, &share);
		}
	recording = made(maker);
	assert_int_equal(recording->part_count, PARTS);
	assert_string_equal(recording->parts[1].host, "node1");
	assert_null(recording->parts[2].host);
	assert_int_equal(recording->parts[0].rank, -1);
	assert_int_equal(recording->parts[PARTS - 1].rank, PARTS - 2);
	assert_int_equal(recording->parts[PARTS - 1].start_realtime_ns, (PARTS - 1) * 1000);
	assert_int_equal(recording->parts[5].run_id[2], 3);
	assert_true(recording->parts[5].is_complete && recording->parts[5].is_idle);
	assert_int_equal(recording->parts[5].outside_ns, 5);
	assert_int_equal(recording->parts[5].measuring_ns, 10);
	assert_int_equal(recording->parts[5].process_ns, 15);
	assert_false(recording->parts[6].is_complete);
	assert_int_equal(recording->parts[6].process_ns, 0);
	for (uint32_t i = 0; i < PARTS; i += 1 + i % 3)
		for (uint32_t k = 0; k < 8; k++) {
			const struct recording_share want = share_of(i, k);

			assert_true(recording_share(recording, &position, &share));
			assert_memory_equal(&share, &want, sizeof(want));
		}
	assert_false(recording_share(recording, &position, &share));
	recording_free(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_and_shares),
	};

	close(mkstemp(path));
	return cmocka_run_group_tests(tests, NULL, remove_file);
}

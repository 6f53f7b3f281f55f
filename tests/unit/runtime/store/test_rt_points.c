/* Room for points: visible when they are published, in chunks that grow. */
#include "runtime/store/points.h"

#include "runtime/store_fixture.h"

static struct kymo_chunk *chunk;

static void put(uint32_t series)
{
	struct kymo_point *point = points_space(&chunk, 3);

	CHECK(point != NULL);
	*point = (struct kymo_point){.series = series};
	points_publish(chunk);
}

static void published_one_by_one(void)
{
	struct kymo_point *point;

	fixture_open(NULL);
	point = points_space(&chunk, 3);
	CHECK(point && chunk && chunk->used == 0 && chunk->thread == 3);
	CHECK(chunk->type == KYMO_CHUNK_POINTS);
	CHECK(points_space(&chunk, 3) == point); /* not published: the same room */
	points_publish(chunk);
	CHECK(chunk->used == sizeof(*point));
	CHECK(points_space(&chunk, 3) == point + 1);
}
CASE(published_one_by_one)

static void chunks_grow(void)
{
	struct kymo_chunk *first, *last;
	unsigned count = 0;

	fixture_open(NULL);
	put(0);
	first = last = chunk;
	for (uint32_t i = 1; i < 100000; i++) {
		put(i);
		if (chunk == last)
			continue;
		CHECK(last->used + sizeof(*last) + sizeof(struct kymo_point) > last->size);
		CHECK(chunk->size >= last->size);
		last = chunk;
		count++;
	}
	CHECK(count > 2 && count < 30);
	CHECK(last->size > first->size);
	for (uint32_t i = 0; i < first->used / sizeof(struct kymo_point); i++)
		CHECK(((struct kymo_point *)(first + 1))[i].series == i);
}
CASE(chunks_grow)

/* A full recording refuses; what there is stays. */
static void none_is_left(void)
{
	struct kymo_chunk *before;

	fixture_open(NULL);
	put(0);
	before = chunk;
	store.is_full = true;
	while (chunk->size - sizeof(*chunk) - chunk->used >= sizeof(struct kymo_point))
		put(1);
	CHECK(points_space(&chunk, 3) == NULL);
	CHECK(chunk == before);
}
CASE(none_is_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_one_by_one),
		cmocka_unit_test(test_chunks_grow),
		cmocka_unit_test(test_none_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a page of the recording costs: summed up, or timed on pages that are not used. */
#include "runtime/store/pagecost.h"

#include "runtime/store_fixture.h"

static void mean_of_chunks(void)
{
	pagecost_add(100 << 10, 1000000);
	pagecost_add(400 << 10, 4120000);
	CHECK(pagecost_byte_ps() == UINT64_C(5120000000) / (500 << 10));
}
CASE(mean_of_chunks)

/* Before enough was begun, pages behind what is used are written to, which stay zero. */
static void timed_on_free_pages(void)
{
	uint64_t end, ps;

	fixture_open(NULL);
	end = store.header->end;
	pagecost_add(1 << 10, UINT64_C(1000000000000)); /* too little to go by */
	ps = pagecost_byte_ps();
	CHECK(ps < UINT64_C(1000000000));
	CHECK(store.header->end == end);
	for (uint64_t at = end; at < store.file.mapped; at++)
		CHECK(store.file.base[at] == 0);
}
CASE(timed_on_free_pages)

static void without_a_recording(void)
{
	CHECK(pagecost_byte_ps() == 0);
	fixture_open(NULL);
	kymo_runtime_close(0);
	CHECK(pagecost_byte_ps() == 0);
}
CASE(without_a_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean_of_chunks),
		cmocka_unit_test(test_timed_on_free_pages),
		cmocka_unit_test(test_without_a_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

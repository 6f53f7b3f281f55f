/* Collectors that wait for the runtime to be open. */
#include "runtime/lifecycle/opening.h"

#include "runtime/lifecycle/session.h"
#include "runtime/store_fixture.h"

static unsigned told[3]; /* in which order */
static unsigned calls;

static void first(void)
{
	CHECK(session.state == KYMO_RUNTIME_ACTIVE);
	told[0] = ++calls;
}

static void second(void)
{
	told[1] = ++calls;
}

static void late(void)
{
	told[2] = ++calls;
}

static void in_their_order(void)
{
	kymo_runtime_on_open(first);
	kymo_runtime_on_open(second);
	CHECK(calls == 0);
	fixture_open(NULL);
	CHECK(calls == 2 && told[0] == 1 && told[1] == 2);
	kymo_runtime_close(0);
	CHECK(calls == 2);
}
CASE(in_their_order)

static void at_once_when_it_is_open(void)
{
	fixture_open(NULL);
	kymo_runtime_on_open(late);
	CHECK(calls == 1 && told[2] == 1);
	kymo_runtime_on_open(late); /* each asks for itself */
	CHECK(calls == 2);
}
CASE(at_once_when_it_is_open)

/* Those beyond the room are not told; nothing else happens. */
static void too_many(void)
{
	for (int i = 0; i < 100; i++)
		kymo_runtime_on_open(late);
	fixture_open(NULL);
	CHECK(calls > 1 && calls < 100);
}
CASE(too_many)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_their_order),
		cmocka_unit_test(test_at_once_when_it_is_open),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* errno is the program's on every way out of what it does not know it calls, also where there is
 * no more room for the recording. */
#include <errno.h>
#include <sys/resource.h>

#include "runtime/hot.h"
#include "runtime_fixture.h"

#define DEPTH  6
#define ROUNDS 20000
#define LEFT   EXDEV /* nobody's who is called here */

#define KEEPS(call)                                                                                \
	do {                                                                                       \
		errno = LEFT;                                                                      \
		call;                                                                              \
		CHECK(errno == LEFT);                                                              \
	} while (0)

/* Deeper than paths go, out of order, and until the limit of the file's size is met. */
static void walk(void)
{
	struct rlimit limit = {1 << 20, RLIM_INFINITY};
	uint32_t regions[DEPTH];

	fixture_open((const char *[]){"MAX_DEPTH=2", "TRACE=ON", "PROFILE=ON", NULL});
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	for (int i = 0; i < DEPTH; i++)
		regions[i] = fixture_region((const char[]){(char)('a' + i), '\0'});
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < DEPTH; i++)
			KEEPS(kymo_enter(kymo_thread(), regions[(i + round) % DEPTH],
					 KYMO_MODE_PROFILE | KYMO_MODE_TRACE));
		for (int i = DEPTH - 1; i >= 0; i--)
			KEEPS(kymo_leave(kymo_thread(), regions[(i + round) % DEPTH],
					 KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE | KYMO_MODE_TRACE));
	}
}

static void test_no_room(void **state)
{
	(void)state;
	fixture_run(walk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which rights that are given up matter, and that the program's call is made as it was. */
#include "collectors/lifecycle/lifecycle_rights.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_restricted;
static unsigned confined, memory_limited, alone;

bool kymo_runtime_is_restricted(void)
{
	return is_restricted;
}

void kymo_confine(void)
{
	confined++;
}

void kymo_limit_memory(void)
{
	memory_limited++;
}

void kymo_alone_begin(void)
{
	alone++;
}

void kymo_alone_end(void)
{
	alone--;
}

static int fake_limit(int resource, const struct rlimit *limit)
{
	(void)limit;
	return 100 + resource;
}

static int fake_limit_of(pid_t process, int resource, const struct rlimit *limit,
			 struct rlimit *before)
{
	(void)process, (void)resource, (void)limit, (void)before;
	return 2;
}

static int fake_user(uid_t user)
{
	(void)user;
	return 3;
}

static int fake_users(uid_t real, uid_t effective)
{
	(void)real, (void)effective;
	return 4;
}

static int fake_unshare(int flags)
{
	(void)flags;
	assert_in_range(alone, 0, 1);
	return 5;
}

static int begin(void **state)
{
	(void)state;
	wrap_slot_setrlimit = (void *)fake_limit;
	wrap_slot_prlimit = (void *)fake_limit_of;
	wrap_slot_setuid = (void *)fake_user;
	wrap_slot_setreuid = (void *)fake_users;
	wrap_slot_unshare = (void *)fake_unshare;
	is_restricted = false;
	confined = memory_limited = alone = 0;
	return 0;
}

static void test_limits_that_leave_too_little(void **state)
{
	static const struct {
		int resource;
		rlim_t enough;
	} limits[] = {
		{RLIMIT_FSIZE, FILE_BYTES_LEAST}, {RLIMIT_NOFILE, FILES_LEAST},
		{RLIMIT_NPROC, FILES_LEAST},	  {RLIMIT_AS, MEMORY_LEAST},
		{RLIMIT_DATA, MEMORY_LEAST},	  {RLIMIT_STACK, STACK_LEAST},
		{RLIMIT_CPU, SECONDS_LEAST},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct rlimit limit = {limits[i].enough, limits[i].enough};

		assert_int_equal(lifecycle_limit(limits[i].resource, &limit),
				 100 + limits[i].resource);
		assert_int_equal(confined, i);
		limit.rlim_cur--;
		lifecycle_limit(limits[i].resource, &limit);
		assert_int_equal(confined, i + 1);
	}
	lifecycle_limit(RLIMIT_CORE, &(struct rlimit){0, 0});
	assert_int_equal(confined, 7);
}

static void test_limits_of_memory(void **state)
{
	(void)state;
	lifecycle_limit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	assert_int_equal(memory_limited, 0);
	lifecycle_limit(RLIMIT_AS, &(struct rlimit){UINT64_C(1) << 40, RLIM_INFINITY});
	assert_int_equal(memory_limited, 1);
	assert_int_equal(confined, 0);
}

static void test_limits_of_other_processes(void **state)
{
	const struct rlimit narrow = {0, 0};

	(void)state;
	assert_int_equal(lifecycle_limit_of(getpid() + 1, RLIMIT_FSIZE, &narrow, NULL), 2);
	assert_int_equal(confined, 0);
	lifecycle_limit_of(getpid(), RLIMIT_FSIZE, &narrow, NULL);
	lifecycle_limit_of(0, RLIMIT_FSIZE, &narrow, NULL);
	assert_int_equal(confined, 2);
	lifecycle_limit_of(0, RLIMIT_FSIZE, NULL, NULL); /* it only asks */
	assert_int_equal(confined, 2);
}

static void test_users(void **state)
{
	(void)state;
	assert_int_equal(lifecycle_set_user(geteuid()), 3);
	assert_int_equal(lifecycle_set_users(geteuid() + 1, (uid_t)-1), 4);
	assert_int_equal(confined, 0);
	lifecycle_set_user(geteuid() + 1);
	lifecycle_set_users((uid_t)-1, geteuid() + 1);
	assert_int_equal(confined, 2);
}

static void test_unshared(void **state)
{
	(void)state;
	assert_int_equal(lifecycle_unshare(CLONE_FILES), 5);
	assert_int_equal(confined, 0);
	lifecycle_unshare(CLONE_NEWNS);
	assert_int_equal(confined, 1);
	lifecycle_unshare(CLONE_NEWUSER);
	assert_int_equal(confined, 2);
	assert_int_equal(alone, 0); /* it was, for the call alone */
}

static void test_by_numbers_of_system_calls(void **state)
{
	const long user[6] = {(long)geteuid() + 1, (long)geteuid() + 1};
	const long new_user[6] = {CLONE_NEWUSER};

	(void)state;
	assert_false(lifecycle_rights_give_up(SYS_setuid, user));
	assert_false(lifecycle_rights_give_up(SYS_chroot, user));
	assert_false(lifecycle_rights_give_up(SYS_getpid, user));
	assert_int_equal(confined, 2);
	assert_true(lifecycle_rights_give_up(SYS_unshare, new_user));
	assert_int_equal(alone, 1);
	lifecycle_rights_given_up();
	assert_int_equal(alone, 0);
}

/* Who has restricted its system calls could be ended by ours. */
static void test_restricted(void **state)
{
	const long user[6] = {(long)geteuid() + 1};

	(void)state;
	is_restricted = true;
	lifecycle_limit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
	lifecycle_set_user(geteuid() + 1);
	lifecycle_unshare(CLONE_NEWUSER);
	assert_false(lifecycle_rights_give_up(SYS_setns, user));
	assert_int_equal(confined + alone, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_limits_that_leave_too_little, begin),
		cmocka_unit_test_setup(test_limits_of_memory, begin),
		cmocka_unit_test_setup(test_limits_of_other_processes, begin),
		cmocka_unit_test_setup(test_users, begin),
		cmocka_unit_test_setup(test_unshared, begin),
		cmocka_unit_test_setup(test_by_numbers_of_system_calls, begin),
		cmocka_unit_test_setup(test_restricted, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

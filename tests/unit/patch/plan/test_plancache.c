/* Plans in the cache: when they are taken, when they are made anew. */
#include "patch/plan/cache/plancache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "patch/analyse/file/patchmodule.h"
#include "patch/read/planreadpath.h"

#define SELF	   "/proc/self/exe"
#define KIND(cost) ((struct plan_kind){cost, 0})

static char home[] = "/tmp/kymo-plans-XXXXXX";
static char place[4096];

static int begin(void **state)
{
	struct patch_module *module;
	struct problem problem;

	(void)state;
	if (!mkdtemp(home) || setenv("XDG_CACHE_HOME", home, 1) < 0)
		return -1;
	if (patchmodule_open(SELF, &module, &problem) != KYMO_OK)
		return -1;
	plancache_path(module->build_id, module->build_id_size, module->identity,
		       (struct plan_kind){PATCH_COST_COUNTS, 0}, place, sizeof(place));
	patchmodule_close(module);
	return 0;
}

static int end(void **state)
{
	char folder[4200];

	(void)state;
	unlink(place);
	snprintf(folder, sizeof(folder), "%s/kymo/plans", home);
	rmdir(folder);
	snprintf(folder, sizeof(folder), "%s/kymo", home);
	rmdir(folder);
	return rmdir(home);
}

static uint64_t get(enum patch_cost cost)
{
	struct problem problem = {""};
	struct plan plan;
	uint64_t sum;
	size_t size;
	void *bytes;

	if (plancache_get(SELF, KIND(cost), &plan, &bytes, &size, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	assert_int_equal(plan.header->cost, cost);
	assert_true(plan.header->function_count > 0);
	sum = plan.header->checksum;
	plancache_release(bytes, size);
	return sum;
}

static ino_t file_number(void)
{
	struct stat info;

	assert_int_equal(stat(place, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	return info.st_ino;
}

/* Another byte at an offset of the kept plan. */
static void damage(long offset)
{
	FILE *file = fopen(place, "r+");
	int byte;

	assert_non_null(file);
	fseek(file, offset, SEEK_SET);
	byte = fgetc(file);
	fseek(file, offset, SEEK_SET);
	fputc(byte ^ 0x55, file);
	fclose(file);
}

static void plans_are_made_once(void **state)
{
	char folder[4200];
	struct stat info;
	uint64_t first;
	ino_t number;

	(void)state;
	first = get(PATCH_COST_COUNTS);
	number = file_number();
	snprintf(folder, sizeof(folder), "%s/kymo/plans", home);
	assert_int_equal(stat(folder, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	assert_int_equal(get(PATCH_COST_COUNTS), first);
	assert_int_equal(file_number(), number);
}

static void what_is_damaged_is_made_anew(void **state)
{
	const long offsets[] = {0, offsetof(struct plan_header, version),
				offsetof(struct plan_header, checksum),
				offsetof(struct plan_header, build_id), sizeof(struct plan_header)};
	uint64_t first = get(PATCH_COST_COUNTS);

	(void)state;
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		ino_t number = file_number();

		damage(offsets[i]);
		assert_int_equal(get(PATCH_COST_COUNTS), first);
		number ^= file_number();
		assert_int_not_equal(number, 0); /* another file took its place */
	}
	assert_int_equal(truncate(place, 100), 0);
	assert_int_equal(get(PATCH_COST_COUNTS), first);
}

static void what_others_can_write_is_not_trusted(void **state)
{
	ino_t number;

	(void)state;
	get(PATCH_COST_COUNTS);
	number = file_number();
	assert_int_equal(chmod(place, 0666), 0);
	get(PATCH_COST_COUNTS);
	assert_int_not_equal(file_number(), number);
}

static void without_a_cache_plans_are_made(void **state)
{
	(void)state;
	setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
	get(PATCH_COST_COARSE);
	setenv("XDG_CACHE_HOME", home, 1);
}

/* Whoever cannot read a plan from there is to be handed it. */
static void what_the_cache_has_is_known(void **state)
{
	struct problem problem = {""};
	struct plan plan;
	size_t size;
	void *bytes;

	(void)state;
	assert_int_equal(
		plancache_get(SELF, KIND(PATCH_COST_COUNTS), &plan, &bytes, &size, &problem),
		KYMO_OK);
	assert_true(plancache_has(&plan));
	setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
	assert_false(plancache_has(&plan));
	setenv("XDG_CACHE_HOME", home, 1);
	assert_int_equal(chmod(place, 0620), 0);
	assert_false(plancache_has(&plan));
	assert_int_equal(chmod(place, 0600), 0);
	assert_true(plancache_has(&plan));
	damage(offsetof(struct plan_header, checksum));
	plancache_release(bytes, size);
	get(PATCH_COST_COUNTS); /* made anew: another file, the same plan */
	assert_int_equal(
		plancache_get(SELF, KIND(PATCH_COST_COUNTS), &plan, &bytes, &size, &problem),
		KYMO_OK);
	assert_true(plancache_has(&plan));
	assert_int_equal(truncate(place, (off_t)size - 16), 0);
	assert_false(plancache_has(&plan));
	plancache_release(bytes, size);
	get(PATCH_COST_COUNTS);
}

static void files_that_are_none_say_why(void **state)
{
	struct problem problem = {""};
	struct plan plan;
	size_t size;
	void *bytes;

	(void)state;
	assert_int_not_equal(plancache_get("/nowhere/at/all", KIND(PATCH_COST_FULL), &plan, &bytes,
					   &size, &problem),
			     KYMO_OK);
	assert_non_null(strstr(problem.text, "/nowhere/at/all"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_are_made_once),
		cmocka_unit_test(what_is_damaged_is_made_anew),
		cmocka_unit_test(what_others_can_write_is_not_trusted),
		cmocka_unit_test(without_a_cache_plans_are_made),
		cmocka_unit_test(what_the_cache_has_is_known),
		cmocka_unit_test(files_that_are_none_say_why),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

/* How often the name that Python has for a thread is looked at, and what is done with it. */
#include "collectors/sampler/python/sampler_names.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct pyruntime runtime;
static const struct pyframe outermost;
static bool has_object;
static const char *name;
static char given[NAME_BYTES];

bool unwind_copy(uint64_t address, void *to, size_t size)
{
	(void)address, (void)to, (void)size;
	return false;
}

bool pyobjects_init(struct pyobjects *out, const struct pyruntime *of,
		    const struct pymemory *memory)
{
	(void)out, (void)of;
	return memory->read != NULL; /* others may rename it meanwhile: checked copies */
}

uint64_t pythreadname_object(const struct pyobjects *objects, const struct pyframe *frame,
			     uint64_t address)
{
	(void)objects, (void)frame;
	return has_object ? address : 0;
}

bool pythreadname_read(const struct pyobjects *objects, uint64_t object, char *text, size_t size)
{
	(void)objects;
	assert_int_equal(object, 0x1000);
	if (!name)
		return false;
	snprintf(text, size, "%s", name);
	return true;
}

bool kymo_sample_name(struct kymo_thread *thread, const char *text, uint64_t *latest)
{
	(void)thread;
	++*latest;
	snprintf(given, sizeof(given), "%s", text);
	return true;
}

static void test_ever_more_seldom(void **state)
{
	static struct sampler_thread self;
	uint32_t due = 0;

	(void)state;
	for (unsigned i = 1; i <= 4096; i++)
		due += sampler_name_is_due(&self);
	assert_int_equal(due, 13); /* 1, 2, 4 … 4096 */
}

static void test_a_name_that_is_there(void **state)
{
	static struct sampler_thread self;

	(void)state;
	has_object = true;
	name = "worker-1";
	sampler_name_read(&self, &runtime, &outermost, 0x1000);
	assert_string_equal(given, "worker-1");
	assert_int_equal(self.name.given, 1);
}

static void test_a_name_that_is_not(void **state)
{
	static struct sampler_thread self;

	(void)state;
	has_object = false;
	sampler_name_read(&self, &runtime, &outermost, 0x1000);
	has_object = true;
	name = NULL;
	sampler_name_read(&self, &runtime, &outermost, 0x1000);
	assert_int_equal(self.name.given, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ever_more_seldom),
		cmocka_unit_test(test_a_name_that_is_there),
		cmocka_unit_test(test_a_name_that_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

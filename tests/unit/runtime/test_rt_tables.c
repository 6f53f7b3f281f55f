/* Interning of strings and regions, and their way into a forked child's recording. */
#include "runtime/store/tables.h"

#include "runtime/store/store.h"
#include "runtime_fixture.h"

static const char *text_at(uint64_t reference)
{
	return ((const struct kymo_string *)(store.file.base + reference))->text;
}

static void strings_are_written_once(void)
{
	uint64_t references[3000], used;
	char text[32];

	fixture_open(NULL);
	CHECK(store_lock());
	CHECK(string_intern(NULL) == 0);
	CHECK(string_intern("") != 0 && string_intern("") == string_intern(""));
	for (int i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		references[i] = string_intern(text);
		CHECK(references[i] != 0 && references[i] % 8 == 0);
	}
	used = store.stream[KYMO_CHUNK_STRINGS]->used;
	for (int i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		CHECK(string_intern(text) == references[i]);
		CHECK(!strcmp(text_at(references[i]), text));
	}
	CHECK(store.stream[KYMO_CHUNK_STRINGS]->used == used);
	store_unlock();
}

static void long_strings_are_cut(void)
{
	char *text = malloc(1 << 20);
	const struct kymo_string *string;

	memset(text, 'x', (1 << 20) - 1);
	text[(1 << 20) - 1] = '\0';
	fixture_open(NULL);
	CHECK(store_lock());
	string = (const struct kymo_string *)(store.file.base + string_intern(text));
	CHECK(string->length == 65536 && strlen(string->text) == 65536);
	store_unlock();
}

static void regions_differ_by_every_property(void)
{
	struct kymo_region_spec same = {.kind = KYMO_REGION_PYTHON, .name = "f"}, other[11];
	uint32_t first, count = sizeof(other) / sizeof(*other);

	fixture_open(NULL);
	first = kymo_region_intern(&same);
	CHECK(first == 1); /* 0 is the root */
	for (uint32_t i = 0; i < count; i++)
		other[i] = same;
	other[0].kind = KYMO_REGION_USER;
	other[1].flags = KYMO_REGION_LABEL_LINE;
	other[2].name = "g";
	other[3].qualname = "f";
	other[4].module = "f";
	other[5].file = "f";
	other[6].arguments = "f";
	other[7].line = 1;
	other[8].argument_count = 1;
	other[9].local_count = 1;
	other[10].stack_size = 1;
	for (uint32_t i = 0; i < count; i++)
		CHECK(kymo_region_intern(&other[i]) == first + 1 + i);
	for (uint32_t i = 0; i < count; i++)
		CHECK(kymo_region_intern(&other[i]) == first + 1 + i);
	CHECK(kymo_region_intern(&same) == first);
	same.name = NULL;
	CHECK(!strcmp(text_at(region_record(kymo_region_intern(&same))->name), "?"));
}

static uint32_t intern_numbered(int number)
{
	struct kymo_region_spec spec = {.kind = KYMO_REGION_PYTHON, .line = (uint32_t)number};
	char name[32], file[32];

	snprintf(name, sizeof(name), "name %d", number);
	snprintf(file, sizeof(file), "file %d", number % 10);
	spec.name = name;
	spec.file = file;
	return kymo_region_intern(&spec);
}

/* In a forked child the same ids stand for the same regions, old and new. */
static void ids_survive_a_fork(void)
{
	struct recording *recording;
	uint32_t ids[2000];
	int status;

	fixture_open(NULL);
	for (int i = 0; i < 1000; i++)
		ids[i] = intern_numbered(i);
	if (fork() == 0) {
		alarm(CASE_TIMEOUT_S);
		kymo_thread_attach(); /* what the first event does */
		for (int i = 0; i < 2000; i++)
			ids[i] = intern_numbered(i);
		for (int i = 0; i < 2000; i++)
			CHECK(ids[i] == (uint32_t)i + 1 && intern_numbered(i) == ids[i]);
		recording = fixture_read(kymo_runtime_recording());
		CHECK(recording->region_count == 2001);
		for (uint32_t i = 0; i < 2000; i++) {
			CHECK(recording->regions[i + 1].line == i);
			CHECK(atoi(recording->regions[i + 1].name + 5) == (int)i);
			CHECK(atoi(recording->regions[i + 1].file + 5) == (int)i % 10);
		}
		_exit(0);
	}
	CHECK(wait(&status) > 0 && status == 0);
	CHECK(region_count() == 1001);
}

static void full_recording_gives_no_ids(void)
{
	static const char *const settings[] = {"RECORD_LIMIT_MB=1", NULL};
	uint32_t id, last = 0;

	fixture_open(settings);
	CHECK(dup2(open("/dev/null", O_WRONLY), 2) == 2);
	for (int i = 0; i < 100000; i++) {
		id = intern_numbered(i);
		CHECK(id == 0 || id == last + 1);
		if (id)
			last = id;
	}
	CHECK(last > 1000 && last < 100000);
	CHECK(intern_numbered(0) == 1);
	CHECK(fixture_read(kymo_runtime_recording())->region_count == last + 1);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(strings_are_written_once)
CASE(long_strings_are_cut)
CASE(regions_differ_by_every_property)
CASE(ids_survive_a_fork)
CASE(full_recording_gives_no_ids)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings_are_written_once),
		cmocka_unit_test(test_long_strings_are_cut),
		cmocka_unit_test(test_regions_differ_by_every_property),
		cmocka_unit_test(test_ids_survive_a_fork),
		cmocka_unit_test(test_full_recording_gives_no_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

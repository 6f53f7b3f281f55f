/* Notes as the runtime writes them, read back. */
#include "runtime/store/notes.h"

#include "model/recording/recording_open.h"
#include "runtime/store/note.h"
#include "runtime/store/store.h"
#include "runtime_fixture.h"

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}

static void read_back(void)
{
	struct recording *recording;

	fixture_open(NULL);
	kymo_note_add(KYMO_NOTE_WARNING, "area", "a sentence");
	kymo_note_add(KYMO_NOTE_INFO, "", "");
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(strcmp(recording_note(recording, KYMO_NOTE_WARNING, "area"), "a sentence") == 0);
	CHECK(strcmp(recording_note(recording, KYMO_NOTE_INFO, ""), "") == 0);
	CHECK(!recording_note(recording, KYMO_NOTE_LOSS, "area"));
	recording_free(recording);
}
CASE(read_back)

/* Commands can be longer than any chunk. */
static void long_ones_are_cut(void)
{
	static char key[3000], value[100000];
	struct recording *recording;
	const char *found = NULL;

	memset(key, 'k', sizeof(key) - 1);
	memset(value, 'v', sizeof(value) - 1);
	fixture_open(NULL);
	kymo_note_add(KYMO_NOTE_INFO, key, value);
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	for (size_t i = 0; i < recording->note_count; i++)
		if (recording->notes[i].key[0] == 'k' && strlen(recording->notes[i].key) == 1024)
			found = recording->notes[i].value;
	CHECK(found && strlen(found) == 65536 && found[65535] == 'v');
	recording_free(recording);
}
CASE(long_ones_are_cut)

static void nothing_is_noted_behind_the_end(void)
{
	fixture_open(NULL);
	kymo_runtime_close(0);
	kymo_note_add(KYMO_NOTE_WARNING, "late", "x");
	CHECK(!recording_note(fixture_read(kymo_runtime_recording()), KYMO_NOTE_WARNING, "late"));
}
CASE(nothing_is_noted_behind_the_end)

/* The program and its settings are the child's, too; what went wrong before is the parent's. */
static void what_a_child_inherits(void)
{
	struct recording *recording;
	int status;
	pid_t child;

	fixture_open(NULL);
	kymo_note_add(KYMO_NOTE_SETTING, "X", "1");
	kymo_note_add(KYMO_NOTE_LOSS, "area", "of the parent");
	child = fork();
	if (child == 0) {
		kymo_note_add(KYMO_NOTE_INFO, "own", "y");
		kymo_runtime_close(0);
		recording = fixture_read(kymo_runtime_recording());
		CHECK(strcmp(recording_note(recording, KYMO_NOTE_SETTING, "X"), "1") == 0);
		CHECK(!recording_note(recording, KYMO_NOTE_LOSS, "area"));
		CHECK(recording_note(recording, KYMO_NOTE_INFO, "own"));
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	kymo_runtime_close(0);
	CHECK(!recording_note(fixture_read(kymo_runtime_recording()), KYMO_NOTE_INFO, "own"));
}
CASE(what_a_child_inherits)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_long_ones_are_cut),
		cmocka_unit_test(test_nothing_is_noted_behind_the_end),
		cmocka_unit_test(test_what_a_child_inherits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

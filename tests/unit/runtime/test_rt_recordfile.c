/* Recordings that appear whole, and those written elsewhere. */
#include "runtime/store/store.h"

#include "model/recording/recording_open.h"
#include "store_fixture.h"

/* Readers find a file of that name only once its header is complete. */
static void appears_whole(void)
{
	char path[400];

	fixture_open(NULL);
	CHECK(!strcmp(session.working, session.recording));
	snprintf(path, sizeof(path), "%s/.fixture-%d.kymo", fixture_directory, (int)getpid());
	CHECK(access(path, F_OK) < 0);
	snprintf(path, sizeof(path), "%s/fixture-%d.kymo", fixture_directory, (int)getpid());
	CHECK(!strcmp(path, kymo_runtime_recording()));
	recording_free(fixture_read(path));
}

/* RECORD_PATH: a link at first, in the end the file itself. */
static void written_elsewhere(void)
{
	char local[300], setting[320];
	const char *settings[] = {setting, NULL};
	char target[400] = "";

	snprintf(local, sizeof(local), "%s/local", fixture_directory);
	snprintf(setting, sizeof(setting), "RECORD_PATH=%s", local);
	CHECK(mkdir(local, 0700) == 0);
	fixture_open(settings);
	CHECK(readlink(kymo_runtime_recording(), target, sizeof(target) - 1) > 0);
	CHECK(!strcmp(target, session.working) && !strncmp(target, local, strlen(local)));
	recording_free(fixture_read(kymo_runtime_recording()));
	kymo_runtime_close(0);
	CHECK(readlink(kymo_runtime_recording(), target, sizeof(target)) < 0);
	CHECK(fixture_read(kymo_runtime_recording())->is_closed);
	CHECK(rmdir(local) == 0); /* nothing was left behind */
}

CASE(appears_whole)
CASE(written_elsewhere)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_appears_whole),
		cmocka_unit_test(test_written_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What the tests of joining share: runs joined into a file, and that read again. */
#ifndef KYMO_JOINED_FIXTURE_H
#define KYMO_JOINED_FIXTURE_H

#include "spilled_fixture.h"

#include "merge/merge_join.h"
#include "model/recording/recording_open.h"

static struct merge_joined joined;
static char joined_path[] = "/tmp/kymo-test-joined-XXXXXX";

static inline void begin_joined(void)
{
	static const struct recording_writer_header header = {
		.pid = 7, .exit_status = -1, .flags = KYMO_HEADER_MERGED, .run_id = {1}};
	struct problem problem = {""};
	int file;

	strcpy(joined_path + strlen(joined_path) - 6, "XXXXXX");
	file = mkstemp(joined_path);
	assert_true(file >= 0);
	close(file);
	assert_int_equal(recording_writer_new(joined_path, &header, &joined.maker, &problem),
			 KYMO_OK);
}

/* The recording; the caller frees it. */
static inline struct recording *open_joined(void)
{
	struct recording *recording;
	struct problem problem = {""};

	assert_int_equal(recording_writer_commit(joined.maker, &problem), KYMO_OK);
	assert_int_equal(recording_open(joined_path, &recording, &problem), KYMO_OK);
	merge_joined_release(&joined);
	unlink(joined_path);
	return recording;
}

#endif

/* Runs to be controlled: recordings of processes that live, or have ended. */
#ifndef KYMO_CTL_FIXTURE_H
#define KYMO_CTL_FIXTURE_H

#include "cli/folder_fixture.h"
#include "cli/ctl/ctl_run.h"
#include "platform/usage.h"
#include "synthetic.h"

/* An open recording that this process began a moment ago, or so much later: then it is not the
 * one that the run began with. */
static inline struct synthetic *ctl_recording(uint64_t later_ns)
{
	struct synthetic *synthetic =
		synthetic_new(KYMO_HEADER_PROFILE | (later_ns ? 0 : KYMO_HEADER_ROOT));
	struct kymo_header *header = synthetic_header(synthetic);

	header->pid = (uint32_t)getpid();
	header->run_id[0] = 1; /* all of one run */
	header->pairs[0].monotonic_ns = usage_clock_ns(CLOCK_MONOTONIC);
	header->pairs[0].realtime_ns = usage_clock_ns(CLOCK_REALTIME);
	header->pairs[0].ticks = header->pairs[0].monotonic_ns;
	header->start_ticks = header->pairs[0].ticks;
	header->start_realtime_ns = header->pairs[0].realtime_ns + later_ns;
	synthetic_thread(synthetic, KYMO_NO_THREAD, "MainThread", 0);
	return synthetic;
}

/* Write it, and free it. */
static inline void ctl_put(struct synthetic *synthetic, const char *path)
{
	assert_int_equal(synthetic_write(synthetic, path), 0);
	synthetic_free(synthetic);
}

/* A run of the recordings in the folder, or of one; ctl_run_release() it. */
static inline struct ctl_run ctl_opened(const char *path)
{
	struct problem problem = {""};
	struct ctl_run run;

	if (ctl_run_open(path, &run, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	return run;
}

#endif

/* The time is written often at first, as runs may be short, then once a second; and at each
 * process's end. */
#include "cli/heartbeat/heartbeat.h"

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "attach/sample/survey.h"
#include "cli/heartbeat/pulses.h"
#include "platform/usage.h"

#define BEAT_FIRST_MS 20
#define BEAT_MS	      1000
#define MS_NS	      UINT64_C(1000000)

struct heartbeat {
	struct pulses pulses;
	struct survey survey;
	uint64_t beat_ns; /* time of the next write */
	int beat_ms;	  /* interval after that */
};

static void beat(struct heartbeat *heartbeat, const char *directory)
{
	uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);

	if (now_ns < heartbeat->beat_ns)
		return;
	pulses_find(&heartbeat->pulses, directory);
	pulses_beat(&heartbeat->pulses);
	heartbeat->beat_ns = now_ns + (uint64_t)heartbeat->beat_ms * MS_NS;
	heartbeat->beat_ms = heartbeat->beat_ms < BEAT_MS / 2 ? 2 * heartbeat->beat_ms : BEAT_MS;
}

static void heartbeat_survey(struct heartbeat *heartbeat)
{
	struct survey *survey = &heartbeat->survey;
	uint32_t pid = (uint32_t)survey->pid;

	if (survey_poll(survey))
		pulses_write_survey(&heartbeat->pulses, pid, &survey->seen);
}

static int due_ms(const struct heartbeat *heartbeat)
{
	uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);
	int survey_ms = survey_due_ms(&heartbeat->survey), beat_ms = 0;

	if (now_ns < heartbeat->beat_ns)
		beat_ms = (int)((heartbeat->beat_ns - now_ns + MS_NS - 1) / MS_NS);
	return survey_ms >= 0 && survey_ms < beat_ms ? survey_ms : beat_ms;
}

/* Waits until a write is due, or a process ends.  True when the program has ended.  All that have
 * ended are handled together, since those that end together have the same time. */
static bool heartbeat_wait_for(struct pulses *pulses, int program, int timeout_ms)
{
	struct pollfd *polled = pulses_poll(pulses, program), alone = {program, POLLIN, 0};
	bool has_ended;

	if (!polled)
		return poll(&alone, 1, timeout_ms) > 0;
	if (poll(polled, pulses->count + 1, timeout_ms) > 0)
		poll(polled, pulses->count + 1, 0);
	has_ended = polled[pulses->count].revents != 0;
	pulses_end(pulses, polled);
	free(polled);
	return has_ended;
}

void heartbeat_wait(const char *directory, int program, pid_t surveyed)
{
	struct heartbeat heartbeat = {.beat_ms = BEAT_FIRST_MS};

	survey_begin(&heartbeat.survey, surveyed);
	do {
		beat(&heartbeat, directory);
		heartbeat_survey(&heartbeat);
	} while (!heartbeat_wait_for(&heartbeat.pulses, program, due_ms(&heartbeat)));
	pulses_release(&heartbeat.pulses);
	survey_end(&heartbeat.survey);
}

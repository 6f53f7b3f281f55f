/* When the time is written: often at first, as runs may be short, then once a second; and at each
 * process's end. */
#include "cli/heartbeat/heartbeat.h"

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cli/heartbeat/pulses.h"

#define BEAT_FIRST_MS 20
#define BEAT_MS	      1000

/* Until the next beat is due, or a process ends.  True when the program has.  All that have
 * ended are seen, since those that end together have one moment. */
static bool wait_for(struct pulses *pulses, int program, int beat_ms)
{
	struct pollfd *polled = pulses_poll(pulses, program), alone = {program, POLLIN, 0};
	bool has_ended;

	if (!polled)
		return poll(&alone, 1, beat_ms) > 0;
	if (poll(polled, pulses->count + 1, beat_ms) > 0)
		poll(polled, pulses->count + 1, 0);
	has_ended = polled[pulses->count].revents != 0;
	pulses_end(pulses, polled);
	free(polled);
	return has_ended;
}

void heartbeat_wait(const char *directory, int program)
{
	struct pulses pulses = {0};
	int beat_ms = BEAT_FIRST_MS;

	do {
		pulses_find(&pulses, directory);
		pulses_beat(&pulses);
		beat_ms = beat_ms < BEAT_MS / 2 ? 2 * beat_ms : BEAT_MS;
	} while (!wait_for(&pulses, program, beat_ms));
	pulses_release(&pulses);
}

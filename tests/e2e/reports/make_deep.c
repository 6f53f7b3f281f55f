/* Writes a recording of one call path that is as deep as asked for: with a tree, with the events
 * of a trace, or with one sample of a stack.
 *
 * usage: make_deep profile|trace|samples DEPTH FILE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "synthetic.h"

#define REGIONS 97u /* so many functions that call each other in turn */

static void add_calls(struct synthetic *s, uint32_t thread, uint64_t depth)
{
	uint32_t regions[REGIONS];
	char name[32];

	for (unsigned int i = 0; i < REGIONS; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		regions[i] = synthetic_region(s, KYMO_REGION_NATIVE, name);
	}
	for (uint64_t i = 0; i < depth; i++)
		synthetic_enter(s, thread, regions[i % REGIONS], 1000 * i);
	for (uint64_t i = depth; i-- > 0;)
		synthetic_leave(s, thread, regions[i % REGIONS], 1000 * (3 * depth - i));
}

static void add_sample(struct synthetic *s, uint32_t thread, uint64_t depth)
{
	uint32_t stack = 0;

	for (uint64_t i = 0; i < depth; i++)
		stack = synthetic_stack(s, thread, stack,
					kymo_frame(KYMO_FRAME_NATIVE, 0x1000 + 16 * (i % REGIONS)));
	synthetic_sample(s, thread, KYMO_SAMPLE_REALTIME, KYMO_GIL_UNKNOWN, depth, stack,
			 SYNTHETIC_NONE, SYNTHETIC_NONE);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint32_t flags;
	} kinds[] = {{"profile", KYMO_HEADER_PROFILE},
		     {"trace", KYMO_HEADER_TRACE},
		     {"samples", KYMO_HEADER_SAMPLES}};
	struct synthetic *s;
	uint64_t depth;
	uint32_t thread;
	size_t kind = 0;

	if (argc != 4)
		return 2;
	while (kind < 3 && strcmp(argv[1], kinds[kind].name) != 0)
		kind++;
	if (kind == 3)
		return 2;
	depth = strtoull(argv[2], NULL, 10);
	s = synthetic_new(kinds[kind].flags | KYMO_HEADER_ROOT);
	thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
	if (kind == 2)
		add_sample(s, thread, depth);
	else
		add_calls(s, thread, depth);
	synthetic_note(s, KYMO_NOTE_INFO, "program", "deep");
	synthetic_close(s, 1000 * (3 * depth + 1));
	if (synthetic_write(s, argv[3]) < 0) {
		perror(argv[3]);
		return 1;
	}
	synthetic_free(s);
	return 0;
}

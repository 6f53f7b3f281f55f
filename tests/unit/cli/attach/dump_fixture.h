/* A process that was looked at: of two threads of Python, each in f(), called by main(), that wait
 * for a lock that the other has. */
#ifndef KYMO_DUMP_FIXTURE_H
#define KYMO_DUMP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "attach/target/targettasks.h"
#include "cli/attach/attach_dump_parts.h"
#include "cli/commands_fixture.h"
#include "cli/printed_fixture.h"

#define DUMP_FIRST  10 /* ids of threads */
#define DUMP_SECOND 11

struct looked_at {
	struct dump dump;
	struct attach_request request;
	struct codetable_entry codes[2];
	struct watch_thread threads[2], *list[2];
	struct lock_wait waits[2];
	uint64_t frames[3];
};

static inline uint64_t dump_python(uint64_t code)
{
	return kymo_frame(KYMO_FRAME_PYTHON, code << 32 | KYMO_FRAME_NO_OFFSET);
}

/* Into the caller's memory, which must not be moved.  framenames_release() its names. */
static inline void dump_make(struct looked_at *looked)
{
	struct watch *watch = &looked->dump.watch;

	*looked = (struct looked_at){0};
	looked->codes[0] = (struct codetable_entry){.first_line = 3,
						    .name = (char *)"main",
						    .qualname = (char *)"",
						    .file = (char *)"/a.py"};
	looked->codes[1] = (struct codetable_entry){.first_line = 7,
						    .name = (char *)"f",
						    .qualname = (char *)"C.f",
						    .file = (char *)""};
	looked->frames[0] = dump_python(0);
	looked->frames[1] = dump_python(1);
	looked->frames[2] = kymo_frame(KYMO_FRAME_KERNEL, (uint64_t)TARGETTASK_NO_CALL << 48);
	for (int i = 0; i < 2; i++) {
		looked->threads[i] = (struct watch_thread){.gil = KYMO_GIL_NOT_HELD,
							   .frames = looked->frames,
							   .frame_count = 3,
							   .result = WATCH_STACK};
		looked->threads[i].task.id = DUMP_FIRST + i;
		looked->threads[i].task.last.is_asleep = true;
		strcpy(looked->threads[i].name, i ? "worker" : "main");
		looked->list[i] = &looked->threads[i];
		looked->waits[i] = (struct lock_wait){.kind = LOCK_PLAIN,
						      .address = 0x100 + (uint64_t)i,
						      .owner = DUMP_SECOND - i,
						      .is_in_cycle = true};
	}
	strcpy(watch->target.name, "app.py");
	watch->target.pid = 9;
	watch->target.parent = 8;
	watch->has_python = true;
	watch->python.version = 0x30b;
	watch->threads = looked->list;
	watch->count = 2;
	watch->codes.entries = looked->codes;
	watch->codes.count = 2;
	looked->dump.locks = (struct lockwaits){looked->waits, 2};
	looked->dump.request = &looked->request;
	framenames_init(&looked->dump.names, watch);
}

#endif

/* Shared by the files of attach --dump: one inspected process, and how it is shown. */
#ifndef KYMO_ATTACH_DUMP_PARTS_H
#define KYMO_ATTACH_DUMP_PARTS_H

#include "attach/python/lockwaits.h"
#include "attach/sample/framenames.h"
#include "cli/attach/attach_options.h"
#include "text/json_writer.h"

struct dump {
	const struct attach_request *request;
	struct watch watch;
	struct framenames names;
	struct lockwaits locks;
	struct json_writer json;
	size_t lost; /* threads that could not be read this time */
};

bool dump_is_shown(const struct watch_thread *thread);
const char *dump_state_text(const struct watch_thread *thread);
/* The thread, and the frame, in which a lock is held; NULL, 0 = not known. */
const struct watch_thread *dump_owner(const struct dump *dump, const struct lock_wait *wait);
uint64_t dump_owner_frame(const struct dump *dump, const struct lock_wait *wait);

/* Called for each local variable of a thread's Python frame, the innermost being 0. */
typedef void (*dump_variable_fn)(void *context, const char *name, const char *value);
struct threadframes;
void dump_variables(struct dump *dump, const struct threadframes *frames, size_t index,
		    dump_variable_fn tell, void *context);

#endif

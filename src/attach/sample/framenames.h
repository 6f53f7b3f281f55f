/* Names of the frames of a watched process.  Results belong to the names and are valid until they
 * are freed.  One thread; uses malloc. */
#ifndef KYMO_FRAMENAMES_H
#define KYMO_FRAMENAMES_H

#include "attach/sample/watch.h"
#include "model/code/locations.h"

struct framenames {
	const struct watch *watch;
	struct recording modules; /* only its modules are used */
	struct locations *locations;
	unsigned maps_count; /* of the watch, when they were read */
	char **texts;
	size_t text_count;
};

struct framename {
	const char *function;
	const char *file; /* NULL = not known */
	uint32_t line;	  /* that executes, 0 = not known */
	uint32_t first_line;
	enum kymo_frame_kind kind;
};

void framenames_init(struct framenames *names, const struct watch *watch);
void framenames_release(struct framenames *names);

void framenames_find(struct framenames *names, uint64_t frame, struct framename *out);

#endif

/* Names of a callgrind file: "(3) main" assigns the number 3 to a name, "(3)" alone refers to it
 * later on.  Objects, files and functions have separate numbers. */
#ifndef KYMO_CALLGRIND_NAMES_H
#define KYMO_CALLGRIND_NAMES_H

#include "import/imported.h"

struct callgrind_name {
	uint64_t number;
	struct span name;
};

struct callgrind_names {
	struct hashset index; /* number -> index + 1 */
	struct callgrind_name *names;
	size_t count, capacity;
};

enum callgrind_answer { CALLGRIND_NAMED, CALLGRIND_UNKNOWN, CALLGRIND_MEMORY };

/* The name in text, which is stored if it has a number.  UNKNOWN: the number has no name. */
enum callgrind_answer callgrind_name(struct callgrind_names *names, struct span text,
				     struct span *name_out);
void callgrind_names_release(struct callgrind_names *names);

#endif

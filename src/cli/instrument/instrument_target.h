/* The files that `kymo instrument` works on: the program's own, or its interpreter's, and if
 * included the libraries that the loader would load with it; with the choice among the functions of
 * each.  One thread.  Context: init. */
#ifndef KYMO_INSTRUMENT_TARGET_H
#define KYMO_INSTRUMENT_TARGET_H

#include <limits.h>
#include <stddef.h>

#include "cli/instrument/function_choice.h"
#include "model/code/symbols.h"
#include "platform/files/exec_check.h"

struct instrument_target {
	char path[PATH_MAX]; /* the file that was named */
	char elf[PATH_MAX];  /* what is instrumented: path, or a script's interpreter */
	struct exec_facts facts;
	struct symbols *symbols;
	struct function_choice *choices; /* the first is that of elf */
	size_t count, capacity;
};

/* Find the file by name, in PATH as a shell does, else as a path.  False: there is none. */
bool instrument_target_find(struct instrument_target *target, const char *name);
/* Plans and choices.  The caller releases the target in any case. */
enum kymo_status instrument_target_choose(struct instrument_target *target,
					  const struct function_rules *rules, bool has_libraries,
					  struct problem *problem);
void instrument_target_release(struct instrument_target *target);

#endif

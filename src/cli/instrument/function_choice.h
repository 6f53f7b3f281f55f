/* The plan of a file and which of its functions are recorded: for reports, for rewriting, and as
 * the file that the collector reads along with the plan.
 *
 * Uses malloc.  One thread.  Context: init. */
#ifndef KYMO_FUNCTION_CHOICE_H
#define KYMO_FUNCTION_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/instrument/function_rules.h"
#include "cli/instrument/function_values.h"
#include "cli/instrument/function_verdict.h"
#include "model/code/symbols.h"
#include "patch/plan/plan.h"

struct function_counts {
	uint64_t found;	   /* functions of the file, without parts and stubs */
	uint64_t possible; /* those that can be instrumented */
	uint64_t taken;
	uint64_t with_exits;   /* of those taken: all of whose exits are patched */
	uint64_t called;       /* … whose bodies are called */
	uint64_t only_counted; /* … whose calls are counted, not timed */
};

struct function_choice {
	char *path;
	enum function_verdict
		file_verdict; /* FUNCTION_TAKEN, or why none of its functions are recorded */
	struct plan plan;
	void *plan_bytes;
	size_t plan_size;
	enum function_verdict *verdicts; /* one per function of the plan */
	uint8_t *taken;			 /* enum choice_of, likewise */
	struct function_counts counts;
	struct function_value_list values;
};

/* Load the plan of the file at path, making it if there is none, and choose.  symbols gives
 * demangled names; it must outlive the choice. */
enum kymo_status function_choice_make(const char *path, bool is_program,
				      const struct function_rules *rules, struct symbols *symbols,
				      struct function_choice *out, struct problem *problem);
void function_choice_release(struct function_choice *choice);

/* The demangled name of a function of the choice, or "app+0x1234".  Belongs to symbols, to the
 * plan, or is buffer. */
#define FUNCTION_NAME_SIZE 288
const char *function_choice_name(const struct function_choice *choice, size_t index,
				 struct symbols *symbols, char buffer[FUNCTION_NAME_SIZE]);
/* The linker's name, "" = none. */
const char *function_choice_mangled(const struct function_choice *choice, size_t index);

/* Write it to the plan's folder, under a key that is not "". */
enum kymo_status function_choice_write(const struct function_choice *choice, const char *key,
				       struct problem *problem);
/* Write it to a descriptor that the program passed. */
enum kymo_status function_choice_hand(const struct function_choice *choice, int fd,
				      struct problem *problem);

/* Whether it is neither a function nor counted as one. */
bool function_is_part(const struct plan_function *function);

#endif

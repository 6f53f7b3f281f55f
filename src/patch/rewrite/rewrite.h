/* Writing a plan into a file: a new ELF file, program or library, with the trampolines in a segment
 * of its own and the jumps to them in its text.
 *
 * Run directly it behaves like the original, because its switch is off; under `kymo run` it is
 * recorded. Everything else is preserved: build id, symbols, debug information, versions, TLS,
 * RPATH. Input files are hostile: every offset is checked.  Uses malloc, one thread. */
#ifndef KYMO_REWRITE_H
#define KYMO_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "patch/plan/plan.h"

struct rewrite_options {
	const char *const *environment; /* NAME=VALUE: defaults when the file is recorded */
	size_t environment_count;
};

struct rewrite_result {
	uint64_t taken;	      /* functions whose writes were made */
	uint64_t refused;     /* chosen ones whose bytes differ from the plan's */
	uint64_t size_before; /* bytes of the files */
	uint64_t size_after;
};

/* Write output: input with the plan's writes of the functions that choice takes (a byte each, enum
 * choice_of; NULL = all possible).  output is written completely or not at all, with input's
 * permissions.  result may be NULL. */
enum kymo_status rewrite_file(const char *input, const char *output, const struct plan *plan,
			      const uint8_t *choice, const struct rewrite_options *options,
			      struct rewrite_result *result, struct problem *problem);

#endif

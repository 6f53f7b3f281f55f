/* Function, file and line of native addresses, with the functions that were inlined there.
 *
 * Read from the module's file as it is now, whose build id must be the one recorded, from
 * its separate debug file, or, when asked for, from debuginfod; by libdw, without which
 * there are names from symbols.h only.  Answers are kept.  Not thread-safe.
 *
 * Without has_inlines what was inlined counts as part of the function it was inlined into:
 * the line is that of the call there.  A function that the compiler split or varied
 * (f.cold, f.part.0) is still the one of the source. */
#ifndef KYMO_LOCATIONS_H
#define KYMO_LOCATIONS_H

#include "model/code/symbols.h"

struct locations_options {
	bool has_lines;	      /* files and lines are wanted: debug information is read */
	bool has_inlines;     /* likewise inlined functions */
	bool uses_debuginfod; /* ask the servers of $DEBUGINFOD_URLS */
};

struct location {	      /* of one function; innermost (inlined) first */
	const char *function; /* demangled; "libx.so+0x1234", where the function or else the
				 address lies, when nothing is known; never NULL */
	const char *file;     /* NULL = unknown */
	uint32_t line;	      /* that executed; of a caller of inlined ones the call's; 0 =
				 unknown */
	uint32_t first_line;  /* of the function, 0 = unknown */
	bool is_inlined;      /* into the next one */
	bool is_named;	      /* by a symbol or debug information */
};

struct locations;
struct locations *locations_new(const struct recording *recording,
				const struct locations_options *options); /* NULL = no memory */
void locations_free(struct locations *locations);

/* What executed at address.  At least one; they belong to locations.  module_out: NULL = in
 * none. */
size_t locations_find(struct locations *locations, uint64_t address, const struct location **out,
		      const struct module **module_out);

/* One line for each module that was met whose names could not be had, and why. */
size_t locations_problems(const struct locations *locations, char *const **lines_out);

#endif

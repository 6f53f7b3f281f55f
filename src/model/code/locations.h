/* Function, file and line of native addresses, with the functions that were inlined there.
 *
 * Read with libdw from the module's file as it is now, if its build id is the recorded one, from
 * its separate debug file or, if enabled, from debuginfod.  Without libdw only the names from
 * symbols.h are known.  Answers are cached.  Not thread-safe.
 *
 * Without has_inlines, inlined code counts as part of the function it was inlined into: the line is
 * that of the call there.  A function that the compiler split or cloned (f.cold, f.part.0) is still
 * the one of the source. */
#ifndef KYMO_LOCATIONS_H
#define KYMO_LOCATIONS_H

#include "model/code/symbols.h"

struct locations_options {
	bool has_lines;	      /* read debug information for files and lines */
	bool has_inlines;     /* likewise for inlined functions */
	bool uses_debuginfod; /* ask the servers of $DEBUGINFOD_URLS */
};

struct location {	      /* of one function; innermost (inlined) first */
	const char *function; /* demangled; if unknown "libx.so+0x1234" with the offset of the
				 function or else of the address; never NULL */
	const char *file;     /* NULL = unknown */
	uint32_t line; /* of the executed instruction; for callers of inlined functions, of the
			  call; 0 = unknown */
	uint32_t first_line; /* of the function, 0 = unknown */
	bool is_inlined;     /* into the next one */
	bool is_named;	     /* by a symbol or debug information */
};

struct locations;
struct locations *locations_new(const struct recording *recording,
				const struct locations_options *options); /* NULL = no memory */
void locations_free(struct locations *locations);

/* What executed at address: at least one entry, owned by locations.  module_out: NULL = in no
 * module. */
size_t locations_find(struct locations *locations, uint64_t address, const struct location **out,
		      const struct module **module_out);

/* One line for each module whose names could not be read, and why. */
size_t locations_problems(const struct locations *locations, char *const **lines_out);

#endif

/* A module's debug information for an address: the function it was compiled from, functions inlined
 * there, and lines.  One header, two implementations: with libdw (debug_info_dw.c) and without
 * (debug_info_none.c).
 *
 * Compilation units are indexed at first use.  Strings belong to it.  Not thread-safe. */
#ifndef KYMO_DEBUG_INFO_H
#define KYMO_DEBUG_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_function {
	const char *name;	  /* as in the source, NULL = unknown */
	const char *linkage_name; /* mangled name, NULL = none */
	const char *file;	  /* of line, NULL = unknown */
	uint32_t line;		  /* that executes, 0 = unknown */
	uint32_t first_line;
	bool is_inlined; /* into the next one */
};

struct debug_info;

/* Why a module's own file has no information. */
enum debug_obstacle {
	DEBUG_FILE_READ, /* it was read; it may still have no information */
	DEBUG_FILE_MISSING,
	DEBUG_FILE_CHANGED,
	DEBUG_FILE_FOREIGN, /* is no executable file */
};

struct debug_request {
	const char *path;
	const char *build_id; /* hexadecimal digits, NULL = any */
	bool has_functions;   /* its debug information is used, not only function starts */
	bool uses_debuginfod;
};

struct debug_info *debug_info_open(const struct debug_request *request,
				   enum debug_obstacle *obstacle_out);
void debug_info_close(struct debug_info *info);
/* As if has_functions had been set. */
void debug_info_enable_functions(struct debug_info *info);

/* The functions at value, an address of the file, innermost first; at most max.  0 = nothing is
 * known. */
size_t debug_info_find(struct debug_info *info, uint64_t value, struct debug_function *functions,
		       size_t max);

/* Start of the function that covers value, by the unwind tables. */
bool debug_info_start(struct debug_info *info, uint64_t value, uint64_t *start_out);

#endif

/* What a module's debug information says of an address: the function it was compiled from,
 * those that were inlined there, and lines.  One header, two answers: with libdw
 * (debug_info_dw.c) and without (debug_info_none.c).
 *
 * Indexed by compilation unit, each when it is asked for first.  Texts belong to it.  Not
 * thread-safe. */
#ifndef KYMO_DEBUG_INFO_H
#define KYMO_DEBUG_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_function {
	const char *name;	  /* as in the source, NULL = unknown */
	const char *linkage_name; /* as the linker knows it, NULL = none */
	const char *file;	  /* of line, NULL = unknown */
	uint32_t line;		  /* that executed, 0 = unknown */
	uint32_t first_line;
	bool is_inlined; /* into the next one */
};

struct debug_info;

/* Why a module's own file tells nothing. */
enum debug_obstacle {
	DEBUG_FILE_FINE, /* it was looked into; it may still have nothing to tell */
	DEBUG_FILE_GONE,
	DEBUG_FILE_CHANGED,
	DEBUG_FILE_FOREIGN, /* is no file of a program */
};

struct debug_request {
	const char *path;
	const char *build_id; /* hexadecimal digits, NULL = any */
	bool has_functions;   /* its debug information is wanted, not only where functions begin */
	bool uses_debuginfod;
};

struct debug_info *debug_info_open(const struct debug_request *request,
				   enum debug_obstacle *obstacle_out);
void debug_info_close(struct debug_info *info);
/* As if has_functions had been asked for. */
void debug_info_want_functions(struct debug_info *info);

/* The functions at value, an address as the file has it, innermost first; at most max.  0 =
 * nothing is known. */
size_t debug_info_find(struct debug_info *info, uint64_t value, struct debug_function *functions,
		       size_t max);

/* Where the function that covers value begins, by the tables for unwinding. */
bool debug_info_start(struct debug_info *info, uint64_t value, uint64_t *start_out);

#endif

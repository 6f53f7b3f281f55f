/* Filter files: rules that include and exclude functions by name; the last matching one decides.
 * The syntax is that of Score-P's region filters (docs/instrument.md).
 *
 * Owns its memory; uses malloc.  Context: init. */
#ifndef KYMO_FUNCTION_FILTER_H
#define KYMO_FUNCTION_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct function_filter;

enum filter_verdict { FILTER_SILENT, FILTER_INCLUDES, FILTER_EXCLUDES };

/* path: for problems.  Unknown words and unsupported rules are refused. */
enum kymo_status function_filter_parse(const char *text, size_t size, const char *path,
				       struct function_filter **out, struct problem *problem);
enum kymo_status function_filter_read(const char *path, struct function_filter **out,
				      struct problem *problem);
void function_filter_free(struct function_filter *filter);

/* name is demangled, mangled is the linker's. */
enum filter_verdict function_filter_judge(const struct function_filter *filter, const char *name,
					  const char *mangled);

/* A hash of everything that its verdicts depend on. */
uint64_t function_filter_hash(const struct function_filter *filter);

#endif

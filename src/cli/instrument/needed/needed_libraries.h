/* The libraries that the loader would load with a program, found without running anything: neither
 * the program's own loader, which may be any file, nor the system's, which hostile files mislead
 * and which runs their auditors (DT_AUDIT).
 *
 * Searched as by ld.so(8): DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, /etc/ld.so.cache, the system's
 * folders; without glibc-hwcaps.  The files may be hostile: every read is checked.  Uses malloc.
 * Context: init. */
#ifndef KYMO_NEEDED_LIBRARIES_H
#define KYMO_NEEDED_LIBRARIES_H

#include <stddef.h>

#include "base/status.h"

/* Paths in load order, without program itself; missing files are skipped.  Free with lines_free().
 * KYMO_MEMORY is the only failure. */
enum kymo_status needed_libraries(const char *program, char ***paths_out, size_t *count_out);

#endif

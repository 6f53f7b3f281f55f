/* The executable files that this process has mapped: programs and libraries, with what a reader
 * needs to find their symbols.
 *
 * Sources are the kernel's list of mappings and the ELF headers in memory, not the loader, whose
 * lock may be held by a thread that waits for the caller.  Nothing here allocates from the heap;
 * errno is kept.  Context: any. */
#ifndef KYMO_MODULESCAN_H
#define KYMO_MODULESCAN_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct modulescan;

#define MODULESCAN_BUILD_ID_MAX 64u /* bytes of a build id that are reported */

struct modulescan_found {
	uint64_t start, end; /* addresses of all its segments */
	uint64_t bias;	     /* address = value in the file's symbol table + bias */
	const char *path;
	const char *build_id; /* hexadecimal digits, or NULL */
	const ElfW(Phdr) * segments;
	unsigned segment_count;
	struct modulescan *scan; /* for modulescan_name() */
};

typedef void (*modulescan_fn)(const struct modulescan_found *found, void *context);

/* Report every module, in the order of addresses.  0 or an errno value. */
int modulescan(modulescan_fn report, void *context);

/* The path by which the process requested it, if its last part differs: that of a link; else
 * NULL.  Valid until the next call, within the callback.  False: unknown, or not yet known while
 * it is being loaded. */
bool modulescan_name(const struct modulescan_found *found, const char **name_out);

/* Executable memory that belongs to no module: written by the program, or the kernel's. */
typedef void (*modulescan_code_fn)(uint64_t start, uint64_t end, void *context);

/* The same, with such memory too. */
int modulescan_all(modulescan_fn report, modulescan_code_fn report_code, void *context);

#endif

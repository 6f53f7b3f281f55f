/* The names by which a process requested its mapped files.  The kernel provides paths with all
 * links resolved, but users know a program or a library that was found through a link by the link.
 *
 * Sources are the loader's list, read without its lock as memory that may change concurrently,
 * and the name passed to execve(2).  For this process or another one.  Allocates nothing, keeps
 * no descriptor.  Context: any. */
#ifndef KYMO_LOADEDNAMES_H
#define KYMO_LOADEDNAMES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOADEDNAMES_MAX 1024u /* at most so many objects are read */

/* All size bytes at an address of the process, or false. */
typedef bool (*loadednames_read_fn)(void *context, uint64_t address, void *to, size_t size);

struct loadednames_start { /* from the auxiliary vector */
	uint64_t segments; /* AT_PHDR */
	uint64_t segment_count;
	uint64_t program; /* AT_EXECFN: address of the name */
};

struct loadednames_root {   /* where this process finds the other one's "/" and "." */
	const char *root;   /* "" = the same root, "/proc/PID/root" */
	const char *folder; /* "/proc/self/cwd", "/proc/PID/cwd": a link */
};

struct loadednames { /* too large for a stack */
	loadednames_read_fn read;
	void *context;
	struct loadednames_start start;
	size_t count;
	struct {
		uint64_t dynamic; /* address of the object's dynamic section */
		uint64_t name;	  /* of its name */
	} items[LOADEDNAMES_MAX];
	char given[PATH_MAX], folder[PATH_MAX], full[PATH_MAX]; /* of the current object */
};

/* Read the current list. */
void loadednames_read(struct loadednames *names, const struct loadednames_start *start,
		      loadednames_read_fn read, void *context);

/* False: the loader does not list a file from start to end, because it is just being loaded, or
 * was mapped in another way.  *name_out is the name by which the file at path was requested: an
 * absolute path to the same file whose last part differs from path's; NULL = there is no such
 * name.  Valid until the next call. */
bool loadednames_find(struct loadednames *names, uint64_t start, uint64_t end, const char *path,
		      const struct loadednames_root *place, const char **name_out);

#endif

/* Thread-local storage for a thread of another process, made from outside, so that the thread can
 * call the C library: what glibc's own pthread_create() would have set up.
 *
 * It is sufficient only for calling pthread_create(): the C library does not know the thread, so
 * nothing that it allocates is ever freed, and allocators may keep pointers into its storage.
 * Therefore each process gets one storage, which is never unmapped and is reused as if by the same
 * thread.  glibc's tables for debuggers give the offsets.  Uses malloc. */
#ifndef KYMO_THREADAREA_H
#define KYMO_THREADAREA_H

#include "attach/target/remote.h"
#include "attach/target/targetmaps.h"
#include "base/status.h"

struct threadarea {
	uint64_t address;	       /* of an existing one; 0 = none */
	uint64_t size;		       /* bytes needed, of whole pages, or its size */
	uint64_t below;		       /* before the thread pointer: storage of all modules */
	uint64_t descriptor;	       /* after it: glibc's struct pthread */
	uint64_t slots;		       /* of the vector of dynamic storage */
	uint64_t module_at, offset_at; /* in the loader's struct link_map */
	uint64_t id_at;		       /* in struct pthread */
	uint64_t first_module;	       /* the loader's list */
};

/* libc, loader: their modules in maps.  KYMO_UNAVAILABLE: unsupported C library. */
enum kymo_status threadarea_measure(struct threadarea *area, struct targetmaps *maps,
				    struct remote *remote, struct targetmodule *libc,
				    struct targetmodule *loader, struct problem *problem);

struct threadarea_use {		     /* addresses in the process */
	uint64_t stack, pointer, id; /* end of its stack; thread pointer; address of its id */
};
/* Write it to at, new pages of size bytes, the first of which the caller makes inaccessible
 * (threadarea_guard()); or, at = area.address, initialise the existing one again.  like: the thread
 * pointer of a thread that the C library created, for values common to all. */
enum kymo_status threadarea_write(const struct threadarea *area, struct targetmaps *maps,
				  struct remote *remote, uint64_t at, uint64_t like,
				  struct threadarea_use *use_out, struct problem *problem);
/* Bytes at the start that are to become inaccessible: it is found again by them. */
uint64_t threadarea_guard(void);

#endif

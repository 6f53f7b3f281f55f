/* Thread-local storage for a thread of another process, made from outside, so that the thread can
 * call the C library: what glibc's own pthread_create() would have set up.
 *
 * It suffices to call pthread_create() only: the C library does not know the thread, so nothing
 * that it allocates is ever freed, and allocators may keep pointers into its storage.  Therefore
 * each process gets one storage, which stays and is reused as if by the same thread.  The tables
 * that glibc has for debuggers give the offsets.  Uses malloc. */
#ifndef KYMO_THREADAREA_H
#define KYMO_THREADAREA_H

#include "attach/target/remote.h"
#include "attach/target/targetmaps.h"
#include "base/status.h"

struct threadarea {
	uint64_t address;	       /* of the one that is there already; 0 = none */
	uint64_t size;		       /* bytes that are needed, of whole pages, or that it has */
	uint64_t below;		       /* in front of the thread pointer: storage of all modules */
	uint64_t descriptor;	       /* behind it: glibc's struct pthread */
	uint64_t slots;		       /* of the vector of dynamic storage */
	uint64_t module_at, offset_at; /* in the loader's struct link_map */
	uint64_t id_at;		       /* in struct pthread */
	uint64_t first_module;	       /* the loader's list */
};

/* libc, loader: their modules in maps.  KYMO_UNAVAILABLE: this C library is not known. */
enum kymo_status threadarea_measure(struct threadarea *area, struct targetmaps *maps,
				    struct remote *remote, struct targetmodule *libc,
				    struct targetmodule *loader, struct problem *problem);

struct threadarea_use {		     /* addresses in the process */
	uint64_t stack, pointer, id; /* end of its stack; thread pointer; where its id is kept */
};
/* Write it to at, fresh pages of size bytes, the first of which nobody may touch any more
 * (threadarea_guard()); or, at = area.address, make the one that is there ready again.  like:
 * the thread pointer of a thread that the C library made, for what is the same for all. */
enum kymo_status threadarea_write(const struct threadarea *area, struct targetmaps *maps,
				  struct remote *remote, uint64_t at, uint64_t like,
				  struct threadarea_use *use_out, struct problem *problem);
/* Bytes in front that are to become inaccessible: by that it is found again. */
uint64_t threadarea_guard(void);

#endif

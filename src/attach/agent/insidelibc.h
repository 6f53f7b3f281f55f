/* The C library and the loader of another process: whether they are glibc's, and the addresses of
 * the functions that an injected thread needs. */
#ifndef KYMO_INSIDELIBC_H
#define KYMO_INSIDELIBC_H

#include "attach/target/remote.h"
#include "attach/target/target.h"
#include "attach/target/targetmaps.h"
#include "base/status.h"

struct insidelibc {
	struct targetmaps maps;
	struct targetmodule *library, *loader, *threads; /* in maps; threads: may be the same as
							  * library */
	uint64_t thread_create, thread_detach, unmap;	 /* functions */
	uint64_t open, symbol, error;			 /* dlopen() … */
	uint64_t syscall_insn;				 /* address of a system call instruction */
};

/* Refused with one line: statically linked, musl, a glibc without threads. */
enum kymo_status insidelibc_open(struct insidelibc *libc, const struct target *target,
				 struct remote *remote, struct problem *problem);
void insidelibc_close(struct insidelibc *libc);

/* The address is in the C library or in the loader. */
bool insidelibc_is_inside(const struct insidelibc *libc, uint64_t address);
/* Mark a thread of a single-threaded process as one of several, as pthread_create() does for its
 * caller. */
bool insidelibc_mark_threaded(struct remote *remote, uint64_t thread_pointer);

#endif

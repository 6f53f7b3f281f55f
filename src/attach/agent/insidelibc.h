/* The C library and the loader of another process: whether they are glibc's, and where the
 * functions are that a thread made there needs. */
#ifndef KYMO_INSIDELIBC_H
#define KYMO_INSIDELIBC_H

#include "attach/target/remote.h"
#include "attach/target/target.h"
#include "attach/target/targetmaps.h"
#include "base/status.h"

struct insidelibc {
	struct targetmaps maps;
	struct targetmodule *library, *loader, *threads; /* in maps; threads: may be library */
	uint64_t thread_create, thread_detach, unmap;	 /* functions */
	uint64_t open, symbol, error;			 /* dlopen() … */
	uint64_t syscall_insn; /* an instruction that makes a system call */
};

/* Refused with one line: statically linked, musl, a glibc without threads. */
enum kymo_status insidelibc_open(struct insidelibc *libc, const struct target *target,
				 struct remote *remote, struct problem *problem);
void insidelibc_close(struct insidelibc *libc);

/* The address is in the C library or in the loader. */
bool insidelibc_is_inside(const struct insidelibc *libc, uint64_t address);
/* Tell a thread of a process of one thread that there are several from now on, as
 * pthread_create() tells the one that calls it. */
bool insidelibc_tell_several(struct remote *remote, uint64_t thread_pointer);

#endif

/* How the kernel and the loader treat an executable file: can libraries of this build be preloaded
 * into it?
 *
 * Nothing here allocates, prints or keeps state; errno is kept.  Context: any, also between
 * vfork() and exec(). */
#ifndef KYMO_EXEC_CHECK_H
#define KYMO_EXEC_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXEC_NAME_MAX 256u

/* Why a program cannot load what is preloaded, the strongest reason first. */
enum exec_obstacle {
	EXEC_NONE,	     /* it can, or its file could not be read */
	EXEC_MISSING,	     /* there is no such file: facts.error */
	EXEC_NOT_EXECUTABLE, /* a directory, a device, or without permission to execute */
	EXEC_NO_INTERPRETER, /* a script whose interpreter is missing: facts.name */
	EXEC_NO_FORMAT,	     /* neither ELF nor a script with #! */
	EXEC_FOREIGN,	     /* for another kind of processor */
	EXEC_OTHER_BITS,     /* 32-bit instead of 64-bit, or x32 */
	EXEC_STATIC,	     /* statically linked: no loader */
	EXEC_OTHER_LIBC,     /* its loader is not that of this C library: musl … */
	EXEC_PRIVILEGED,     /* set-user-id, set-group-id, capabilities: the loader ignores it */
	/* Not a property of the file: what would be preloaded is not reachable where it starts. */
	EXEC_OUT_OF_REACH,
};

struct exec_facts {
	enum exec_obstacle obstacle;
	int error;	       /* errno of opening or reading the file, or 0 */
	unsigned script_depth; /* scripts before the program that is loaded; 0 = none */
	uint16_t machine;      /* EM_* */
	bool is_musl;
	/* Of a script: the last interpreter named; else the program's loader; may be truncated. */
	char name[EXEC_NAME_MAX];
};

/* Inspect the file as execve() would, through scripts to the program that is loaded. */
void exec_inspect(const char *path, struct exec_facts *facts_out);
/* The same for an open file. */
void exec_inspect_descriptor(int fd, struct exec_facts *facts_out);

/* EM_* of this build. */
uint16_t exec_own_machine(void);

/* "is statically linked": ends a sentence that begins with the program's name. */
const char *exec_obstacle_text(enum exec_obstacle obstacle);

/* True if even the variable LD_PRELOAD does harm: the loader complains, or fails. */
bool exec_rejects_preload(enum exec_obstacle obstacle);

/* The file that execvp() runs for name: name itself if it contains a slash, else the first
 * executable file in the directories of path (NULL = the system's default).  0, or ENOENT,
 * EACCES, ENAMETOOLONG. */
int exec_search(const char *name, const char *path, char *found, size_t size);

#endif

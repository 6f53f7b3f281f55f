/* Libraries of the command `kymo` that it is not linked with: each is loaded at the first call of
 * one of its functions, so that where one is missing the command says so and does what needs none.
 *
 * late_<library>.c defines the functions that Kymo calls of it, which call the real ones; their
 * callers see no difference but that they fail where the library is missing.  Never in the program
 * under study.  Context: any thread of a command. */
#ifndef KYMO_LATE_H
#define KYMO_LATE_H

#include <stdbool.h>
#include <stddef.h>

struct late_library {
	const char *file;    /* as the loader knows it: "libdw.so.1" */
	const char *package; /* of Debian that has it */
	const char *without; /* what there is without it, for the line */
	void *handle;	     /* atomic */
	bool is_missing;     /* atomic; that was said */
};

/* The library's function; NULL with one line on standard error, once, where it is missing. */
void *late_find(struct late_library *library, const char *name);

/* The function `result name parameters` of library: what the real one returns, or absent. */
#define LATE_FUNCTION(library, result, name, parameters, arguments, absent)                        \
	result name parameters                                                                     \
	{                                                                                          \
		static __typeof__(name) *real;                                                     \
		__typeof__(name) *found = __atomic_load_n(&real, __ATOMIC_RELAXED);                \
                                                                                                   \
		if (!found) {                                                                      \
			found = (__typeof__(name) *)late_find(library, #name);                     \
			__atomic_store_n(&real, found, __ATOMIC_RELAXED);                          \
		}                                                                                  \
		return found ? found arguments : absent;                                           \
	}

#endif

/* Libraries that the command `kymo` is not linked with: each is loaded at the first call of one of
 * its functions, so that if one is missing the command prints that and does what needs none.
 *
 * late_<library>.c defines the functions that Kymo calls of it, which call the real ones; for
 * callers they only differ by failing if the library is missing.  Never used in the recorded
 * program.  Context: any thread of a command. */
#ifndef KYMO_LATE_H
#define KYMO_LATE_H

#include <stdbool.h>
#include <stddef.h>

struct late_library {
	const char *file;    /* as for dlopen(): "libdw.so.1" */
	const char *package; /* Debian package */
	const char *without; /* what is missing without it, for the message */
	void *handle;	     /* atomic */
	bool is_missing;     /* atomic; that was printed */
};

/* The library's function; NULL with one line on standard error, once, if it is missing. */
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

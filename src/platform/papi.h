/* PAPI, loaded at run time: the part of its interface that is used is declared here, so the build
 * needs neither its headers nor the library.
 *
 * The library allocates and reads files: not for the hot path, except papi_read().  Context:
 * init; papi_read(): hook. */
#ifndef KYMO_PAPI_H
#define KYMO_PAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAPI_PACKAGE "libpapi (Debian: libpapi-dev or libpapi7.0)"

/* Load and initialise it, once.  False with the reason why it is not available. */
bool papi_load(const char **why_out);

/* A set of counters of the calling thread, which counts from now on; -1 with the event that did
 * not fit and the reason. */
struct papi_failure {
	unsigned event;
	const char *why;
};
int papi_start(const char *const *names, unsigned count, bool is_multiplexed,
	       struct papi_failure *failure_out);
bool papi_read(int set, long long *values);
void papi_stop(int set);

/* True if PAPI has an event of that name. */
bool papi_knows(const char *name);

/* All events one by one: presets, then those of each component. */
struct papi_event {
	const char *name, *text;
	bool is_preset;
	bool is_available;
	const char *why; /* NULL, or why it cannot be counted */
};
bool papi_each(bool (*found)(const struct papi_event *event, void *context), void *context);

#endif

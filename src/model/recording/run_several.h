/* Several runs as one. */
#ifndef KYMO_RUN_SEVERAL_H
#define KYMO_RUN_SEVERAL_H

#include "model/recording/run.h"

/* Open several as one: what is in two of them counts once.  count > 0; path is the first's. */
enum kymo_status run_open_all(const char *const *paths, size_t count, struct run **out,
			      struct problem *problem);

#endif

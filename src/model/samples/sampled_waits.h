/* What threads waited for, from samples: each object with the location of the wait. */
#ifndef KYMO_SAMPLED_WAITS_H
#define KYMO_SAMPLED_WAITS_H

#include "model/samples/sampled_tree.h"

#include "model/samples/sampled_kinds.h"

struct sampled_wait {
	enum sampled_class class; /* a wait: LOCK ... OTHER */
	/* "&table_lock", "libx.so+0x4060", "0x55d0c8", "descriptor 5, socket"; NULL = not known. */
	const char *object;
	const char *call; /* "futex": the system call, NULL = not known */
	/* The location: the innermost frame of Python or of the program's own code.  function NULL
	 * = none. */
	const char *function, *file;
	uint32_t line;	/* 0 = unknown */
	uint64_t count; /* samples, of all threads */
	double ns;
	double idle_ns;		    /* of it: of threads that never left their waits */
	struct sampled_share share; /* of the time of all sampled threads */
};

struct sampled_waits {
	struct sampled_wait *waits; /* by ns, largest first */
	size_t count;
	double total_ns, effective_count; /* of all samples */
	double idle_ns;			  /* of it: of threads that never left their waits */
	char **texts;			  /* of objects */
	size_t text_count;
};

/* Of wall time.  Other texts live as long as the recording. */
enum kymo_status sampled_waits_new(struct recording *recording, const struct samples *samples,
				   const struct sampled_options *options,
				   struct sampled_waits **out);
void sampled_waits_free(struct sampled_waits *waits);

#endif

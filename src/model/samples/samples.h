/* The samples of a recording, as they were taken.  Everything is checked: inconsistent data is left
 * out and counted.
 *
 * The index stores no samples: they are read from the file each time, chunk by chunk.  Read-only
 * once made. */
#ifndef KYMO_SAMPLES_H
#define KYMO_SAMPLES_H

#include "model/recording/recording.h"

struct sample {
	enum kymo_sample_kind kind; /* REALTIME, CPUTIME or OVERFLOW */
	enum kymo_gil_state gil;
	uint32_t thread;
	uint32_t stack; /* id in the thread's stacks, 0 = unknown */
	uint64_t ticks;
	/* The time it stands for: since the previous sample of its kind. */
	uint64_t start_ticks; /* time of that sample */
	double wall_ns;
	double cpu_ns;	/* NAN = not measured */
	uint64_t value; /* OVERFLOW: events */
};

struct sample_thread { /* one thread's */
	const struct chunk *sample_chunks, *stack_chunks;
	size_t sample_chunk_count, stack_chunk_count;
	uint32_t stack_count; /* ids of stacks are below it */
	uint64_t counts[KYMO_SAMPLE_KINDS];
};

struct locations;

struct samples { /* an index over a recording, which must outlive it */
	const struct recording *recording;
	struct sample_thread *threads; /* by thread number */
	uint64_t count;		       /* REALTIME, CPUTIME and OVERFLOW, of all threads */
	uint64_t counts[KYMO_SAMPLE_KINDS];
	uint64_t lost_count; /* reported by the writer */
	/* What the reader left out: truncated chunks, references to missing stacks and codes. */
	uint64_t damaged_count;
	/* By options, created lazily: several tables of the same samples resolve addresses once. */
	struct locations **locations;
};
#define SAMPLES_LOCATIONS 8

enum kymo_status samples_new(const struct recording *recording, struct samples **out,
			     struct problem *problem);
void samples_free(struct samples *samples);

/* The samples of one thread in the order of time; *position begins at 0 and is advanced, its values
 * are opaque; false at the end. */
struct sample_position {
	uint64_t chunk, offset;
	uint64_t ticks; /* of the previous record in the chunk */
	uint64_t time;	/* the latest so far */
	uint64_t last[KYMO_SAMPLE_KINDS];
	uint64_t lost; /* samples lost so far, as the writer reported */
};
bool samples_next(const struct samples *samples, uint32_t thread, struct sample_position *position,
		  struct sample *out);

/* The frame of a stack and its caller's id, smaller than its own, 0 = outermost; false: no such
 * stack. */
bool samples_frame(const struct samples *samples, uint32_t thread, uint32_t stack,
		   uint64_t *frame_out, uint32_t *parent_out);
/* Number of stack ids of a thread: they are below it. */
uint32_t samples_stack_count(const struct samples *samples, uint32_t thread);

/* A code object; false: no such id. */
struct sample_code {
	const char *name, *qualname, *file; /* NULL = unknown */
	const unsigned char *lines;
	uint32_t lines_size, first_line;
	uint16_t version, flags;
};
bool samples_code(const struct recording *recording, uint32_t id, struct sample_code *out);

#endif

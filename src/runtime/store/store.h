/* The recording being written: the header page and the allocation of chunks.
 *
 * One per process.  A lock, held only for short, bounded work, guards everything but the pages
 * of chunks, which are written by their owners without it. */
#ifndef KYMO_STORE_H
#define KYMO_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "format/format.h"
#include "platform/files/mapfile.h"

#define STORE_STREAMS KYMO_CHUNK_TYPES

struct store {
	struct mapfile file;
	struct kymo_header *header; /* NULL = no recording */
	uint64_t limit_bytes;	    /* RECORD_LIMIT_MB, 0 = none */
	bool is_full;		    /* a chunk was refused; no more are requested */
	/* By chunk type: the current chunk of the process's tables, and the size of the next. */
	struct kymo_chunk *stream[STORE_STREAMS];
	uint64_t stream_payload[STORE_STREAMS];
};

extern struct store store;

/* The store's lock, shared by all tables.  False in a signal handler that interrupted its
 * holder.  No function that holds it may call one that takes it.  Context: any. */
bool store_lock(void);
/* The holder keeps the lock when it returns: nothing it calls before store_unlock() can take it. */
void store_lock_keep(void);
void store_unlock(void);
/* After fork, in the child, where the holder may not exist.  Context: any. */
void store_lock_reset(void);

/* Create the recording at path (kept, not copied) and its header.  0 or an errno value.
 * Context: init. */
int store_open(const char *path, uint64_t limit_bytes);

/* A zeroed chunk of at least size payload bytes; NULL if the recording is full, which is printed
 * once on stderr.  The lock is held.  Context: thread. */
struct kymo_chunk *store_chunk(enum kymo_chunk_type type, uint64_t payload, uint32_t thread,
			       uint32_t record_size);

/* Space for one record of size bytes (a multiple of 8) in the process's chunks of a type; NULL
 * if full.  The record is not visible until store_publish() with the same size. first_id is
 * stored as the base of a chunk that begins here.  The lock is held. */
void *store_append(enum kymo_chunk_type type, uint64_t size, uint32_t record_size,
		   uint64_t first_id);
void store_publish(enum kymo_chunk_type type, uint64_t size);

/* File offset of an address in the recording. */
uint64_t store_offset(const void *address);

/* Add a calibration pair, unless the latest is recent enough.  The lock is held. */
void store_calibrate(bool is_forced);
/* Add the second pair as soon as it gives a reliable rate, so that a process that is killed
 * early leaves correct times.  Context: init. */
void store_calibrate_start(void);
/* Begin with an earlier reading of the same clock, for the same reason.  Context: init. */
void store_precede(const struct kymo_clock_pair *first);
/* Begin with pairs of the recording this one was forked from, for the same reason. */
void store_inherit_function_events(const struct kymo_header *parent);

/* Discard a recording that nothing was written to yet; its file is removed. */
void store_abandon(void);

/* Release reserved space that is not used; more can be reserved later.  The lock is held. */
void store_shrink(void);

/* Reserve some space in advance, if possible.  The lock is held. */
void store_reserve(void);
/* Use no system calls from now on, or allow them again.  The lock is held. */
void store_freeze(bool is_frozen);

/* Cut to the used length.  Returns 0 or an errno value.  Context: init. */
int store_close(void);

#endif

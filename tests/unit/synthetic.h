/* Recordings made in memory, byte for byte as docs/format.md says: the input of the
 * reader's, the exporters' and the reports' tests.
 *
 * Times are nanoseconds since the recording's start unless stated otherwise (its clock
 * is CLOCK_MONOTONIC).  Running out of memory aborts the test.  Pointers into the
 * recording stay valid until synthetic_free().
 *
 *	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
 *	uint32_t fib = synthetic_region(s, KYMO_REGION_PYTHON, "fib");
 *	uint32_t main_thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
 *
 *	synthetic_enter(s, main_thread, fib, 100);
 *	synthetic_leave(s, main_thread, fib, 350);
 *	synthetic_close(s, 1000);
 *	recording = synthetic_open(s);
 */
#ifndef KYMO_SYNTHETIC_H
#define KYMO_SYNTHETIC_H

#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

#define SYNTHETIC_START_TICKS	 UINT64_C(1000000000)
#define SYNTHETIC_START_REALTIME UINT64_C(1700000000000000000)

struct recording;
struct synthetic;

/* flags: KYMO_HEADER_*; with PROFILE enters make nodes, with TRACE events. */
struct synthetic *synthetic_new(uint32_t flags);
void synthetic_free(struct synthetic *synthetic);
struct kymo_header *synthetic_header(struct synthetic *synthetic);
/* Payload bytes of the chunks made from now on; small ones make many chunks. */
void synthetic_chunk_payload(struct synthetic *synthetic, uint64_t bytes);
/* Metrics of every node; before the first thread. */
void synthetic_metrics(struct synthetic *synthetic, const enum kymo_metric *metrics,
		       uint32_t count);

/* Reference of a new string record; 0 for NULL. */
uint64_t synthetic_string(struct synthetic *synthetic, const char *text);
/* Id of a new region; further properties are set through its record.  Region 0 exists. */
uint32_t synthetic_region(struct synthetic *synthetic, enum kymo_region_kind kind,
			  const char *name);
struct kymo_region *synthetic_region_at(struct synthetic *synthetic, uint32_t id);

/* Number of a new thread, with an open root node when the recording has trees.  With a
 * parent, its open node is recorded as the creating one. */
uint32_t synthetic_thread(struct synthetic *synthetic, uint32_t parent, const char *name,
			  uint64_t start);
struct kymo_thread_record *synthetic_thread_at(struct synthetic *synthetic, uint32_t number);
/* The thread ends: its root is closed, what else is open stays open. */
void synthetic_thread_end(struct synthetic *synthetic, uint32_t thread, uint64_t time);

/* What the runtime does when a region is entered and left. */
void synthetic_enter(struct synthetic *synthetic, uint32_t thread, uint32_t region, uint64_t time);
void synthetic_leave(struct synthetic *synthetic, uint32_t thread, uint32_t region, uint64_t time);

/* The same by hand.  A node's reference is new; its counts and times are zero. */
uint32_t synthetic_node(struct synthetic *synthetic, uint32_t thread, uint32_t parent,
			uint32_t region);
struct kymo_node *synthetic_node_at(struct synthetic *synthetic, uint32_t reference);
struct kymo_node_metric *synthetic_metric_at(struct synthetic *synthetic, uint32_t reference,
					     uint32_t block);
/* The thread's innermost open node. */
uint32_t synthetic_current(const struct synthetic *synthetic, uint32_t thread);
/* word: of kinds that have one, else ignored. */
void synthetic_event(struct synthetic *synthetic, uint32_t thread, enum kymo_event_kind kind,
		     uint32_t region, uint64_t time, uint64_t word);
void synthetic_extended(struct synthetic *synthetic, uint32_t thread,
			enum kymo_event_extension extension, uint64_t time, uint64_t word);
/* One of those with two words behind the head: SEND, RECEIVE, VALUE. */
void synthetic_extended_pair(struct synthetic *synthetic, uint32_t thread,
			     enum kymo_event_extension extension, uint64_t time, uint64_t word,
			     uint64_t second);
/* Raw words of one record, kept in one chunk. */
void synthetic_words(struct synthetic *synthetic, uint32_t thread, const uint64_t *words,
		     size_t count);

void synthetic_note(struct synthetic *synthetic, enum kymo_note_kind kind, const char *key,
		    const char *value);
uint32_t synthetic_series(struct synthetic *synthetic, const char *name, const char *unit,
			  uint32_t thread);
void synthetic_point(struct synthetic *synthetic, uint32_t series, uint64_t time, double value);
/* A module at [start, end); the strings' references are filled in. */
void synthetic_module(struct synthetic *synthetic, const char *path, const char *build_id,
		      uint64_t start, uint64_t end, uint64_t bias);

/* A string record of any bytes. */
uint64_t synthetic_string_of(struct synthetic *synthetic, const void *bytes, size_t size);
/* Id of a new code object, of CPython 3.11 and without a line table unless its record is
 * changed. */
uint32_t synthetic_code(struct synthetic *synthetic, const char *name, const char *file,
			uint32_t first_line);
struct kymo_code *synthetic_code_at(struct synthetic *synthetic, uint32_t id);
/* Id of a thread's stack, in which parent (0 = none) called frame; the same for the same. */
uint32_t synthetic_stack(struct synthetic *synthetic, uint32_t thread, uint32_t parent,
			 uint64_t frame);
/* What the sampler does.  cpu_ns and value: SYNTHETIC_NONE = not recorded.  cpu_ns is since
 * the sample before, in whole units of 1024 ns. */
#define SYNTHETIC_NONE UINT64_MAX
void synthetic_sample(struct synthetic *synthetic, uint32_t thread, enum kymo_sample_kind kind,
		      enum kymo_gil_state gil, uint64_t time, uint32_t stack, uint64_t cpu_ns,
		      uint64_t value);
/* Raw bytes of samples, kept in one chunk. */
void synthetic_sample_bytes(struct synthetic *synthetic, uint32_t thread, const void *bytes,
			    size_t size);

/* A chunk of any type, with payload bytes in use.  Returns its file offset. */
uint64_t synthetic_chunk(struct synthetic *synthetic, uint16_t type, uint32_t thread,
			 uint32_t record_size, uint64_t payload, uint64_t used);

/* End every open region and thread and close the recording.  Without it the recording
 * is as a killed process leaves it. */
void synthetic_close(struct synthetic *synthetic, uint64_t time);

/* The file's bytes; valid until something is added. */
const void *synthetic_bytes(struct synthetic *synthetic, size_t *size_out);
/* Write the file; 0 or -1 with errno. */
int synthetic_write(struct synthetic *synthetic, const char *path);
/* Open it through the reader; fails the test when that fails. */
struct recording *synthetic_open(struct synthetic *synthetic);

#endif

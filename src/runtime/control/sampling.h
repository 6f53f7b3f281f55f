/* For collectors that sample, or record native functions: the calling thread, and space in the
 * recording from within a signal handler. */
#ifndef KYMO_SAMPLING_H
#define KYMO_SAMPLING_H

#include "runtime/runtime.h"

struct kymo_thread_listener {
	/* On a thread that begins to be recorded, and for threads already recorded when the
	 * listener registers (of those only the calling one).  Context: thread. */
	void (*begin)(struct kymo_thread *thread);
	/* On a thread that ends: no signal may arrive after it returns.  Context: thread. */
	void (*end)(struct kymo_thread *thread);
	/* In a forked child, on its only thread: what the kernel keeps for the parent's threads
	 * (timers) does not exist here.  is_recorded: a recording can be made, see
	 * kymo_sample_resume(); none exists so far. */
	void (*forked)(bool is_recorded);
	/* The recording is about to be closed, or replaced by exec: nothing may be written after
	 * it returns; called again with false if exec failed. */
	void (*closing)(bool is_closing);
	/* The calling thread is about to fork, or has forked and is the parent's; the child gets
	 * forked().  NULL = not needed.  Context: thread. */
	void (*forking)(bool is_begun);
	/* A forked child without a recording is about to exec: no signal may arrive after it
	 * returns; called again with false if exec failed.  NULL = not needed.  Context: thread. */
	void (*replacing)(bool is_begun);
	/* The program is about to limit its memory or address space: release what was reserved
	 * and is not used.  NULL = nothing is reserved.  Context: thread. */
	void (*limiting)(void);
};
/* A few at most.  The listener is kept, not copied.  Context: init. */
KYMO_EXPORT void kymo_thread_listen(const struct kymo_thread_listener *listener);

/* State of the calling thread, from which a forked child makes its recording; NULL: not now, or
 * nothing is recorded here.  Needs some 32 KiB of stack in a child.  Context: any. */
KYMO_EXPORT struct kymo_thread *kymo_sample_resume(void);

/* System id and number of a thread, for collectors that select threads. */
KYMO_EXPORT uint64_t kymo_thread_system_id(const struct kymo_thread *thread);
KYMO_EXPORT uint32_t kymo_thread_number(const struct kymo_thread *thread);

/* A handler on a stack of its own, unknown to the program and the kernel, calls this before
 * anything else here, and when it leaves that stack.  Returns the value set before.  Context:
 * signal. */
KYMO_EXPORT bool kymo_sample_elsewhere(bool is_elsewhere);

/* A new chunk for the thread's STACKS or SAMPLES, its base set; NULL: none is available, or not
 * now, because this interrupted the holder of a lock.  Context: any. */
KYMO_EXPORT struct kymo_chunk *kymo_sample_chunk(struct kymo_thread *thread,
						 enum kymo_chunk_type type, uint64_t payload,
						 uint32_t record_size, uint64_t base);

/* Likewise a chunk that belongs to no thread; the caller sets used.  Context: any. */
KYMO_EXPORT struct kymo_chunk *kymo_sample_table(enum kymo_chunk_type type, uint64_t payload);

/* Map the pages of a chunk a second time at place, replacing the whole pages mapped there.
 * Context: thread. */
KYMO_EXPORT bool kymo_sample_remap(struct kymo_chunk *chunk, void *place);

struct kymo_code_spec {
	const char *name, *qualname, *file; /* NULL = unknown */
	const void *lines;
	uint32_t lines_size, first_line;
	uint16_t version, flags;
	uint64_t address;
};
/* A new CODES record; its id in *id_out.  False: as above.  Context: any. */
KYMO_EXPORT bool kymo_sample_code(const struct kymo_code_spec *spec, uint32_t *id_out);

/* Name a thread as the program does, in place of the kernel's name or of one given here before
 * (*given, 0 at first; advanced); any other name is kept.  False: not now.  Context: any. */
KYMO_EXPORT bool kymo_sample_name(struct kymo_thread *thread, const char *name, uint64_t *given);

/* True if samples are recorded now: the gate is open, and thread is not paused; *since_out is
 * when it was opened, ticks.  Applies due edges of time windows.  Context: any. */
KYMO_EXPORT bool kymo_sample_admits(const struct kymo_thread *thread, uint64_t *since_out);

/* An address was recorded: record its module, too.  True if modules were scanned, so there may
 * be new ones.  Context: any. */
KYMO_EXPORT bool kymo_sample_note_address(uint64_t address);

/* The signals that sampling uses, as bits 1 << (signal - 1); 0 = none.  The sampler's handler
 * increments thread.interruptions whenever it interrupted a system call that the kernel ends
 * with EINTR because of it: wrappers restart such calls.  These are the highest signal numbers,
 * so that their handler runs innermost, and sees that another signal's handler is about to run,
 * in which case the EINTR is meant for the program.  Context: init; any. */
KYMO_EXPORT void kymo_sample_signals_set(uint64_t signals);
KYMO_EXPORT uint64_t kymo_sample_signals(void);

/* Record, when the thread ends, how long it was ready to run while others had the processor.
 * Context: thread, its own. */
KYMO_EXPORT void kymo_sample_waits(struct kymo_thread *thread);

/* Set KYMO_HEADER_SAMPLES in the recording.  Context: init. */
KYMO_EXPORT void kymo_sample_mark(void);

#endif

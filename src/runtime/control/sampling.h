/* For collectors that sample, or record native functions: the calling thread, and space in the
 * recording from inside of a signal handler. */
#ifndef KYMO_SAMPLING_H
#define KYMO_SAMPLING_H

#include "runtime/runtime.h"

struct kymo_thread_listener {
	/* On a thread that begins to be recorded, and on all that are when the listener comes
	 * (of those only on the calling one).  Context: thread. */
	void (*begin)(struct kymo_thread *thread);
	/* On a thread that ends: no signal may come after it returns.  Context: thread. */
	void (*end)(struct kymo_thread *thread);
	/* In a forked child, on the one thread that is left: what the kernel keeps for the parent's
	 * threads (timers) is not here.  is_recorded: a recording can be made, see
	 * kymo_sample_resume(); none has been so far. */
	void (*forked)(bool is_recorded);
	/* The recording is about to be closed, or replaced by exec: nothing may be written
	 * after it returns; called again with false where exec failed. */
	void (*closing)(bool is_closing);
	/* The calling thread is about to fork, or has forked and is the parent's; in the child
	 * forked() says so.  NULL = it is all the same.  Context: thread. */
	void (*forking)(bool is_begun);
	/* A forked child that has no recording so far is about to be replaced by another program:
	 * no signal may come after it returns; called again with false where exec failed. NULL = it
	 * is all the same.  Context: thread. */
	void (*replacing)(bool is_begun);
	/* The program is about to limit its memory or addresses: what was taken of them in advance,
	 * and is not used, is given back.  NULL = there is nothing.  Context: thread. */
	void (*limiting)(void);
};
/* A few at most.  The listener is kept, not copied.  Context: init. */
KYMO_EXPORT void kymo_thread_listen(const struct kymo_thread_listener *listener);

/* State of the calling thread, of which a forked child makes its recording; NULL: not now, or
 * nothing is recorded here.  Needs some 32 KiB of stack in a child.
 * Context: any. */
KYMO_EXPORT struct kymo_thread *kymo_sample_resume(void);

/* System id and number of a thread, for those who choose threads. */
KYMO_EXPORT uint64_t kymo_thread_system_id(const struct kymo_thread *thread);
KYMO_EXPORT uint32_t kymo_thread_number(const struct kymo_thread *thread);

/* A handler that runs on a stack of its own, which neither the program nor the kernel knows,
 * says so before it calls anything else here, and when it leaves that.  What was said before.
 * Context: signal. */
KYMO_EXPORT bool kymo_sample_elsewhere(bool is_elsewhere);

/* A new chunk for the thread's STACKS or SAMPLES, its base set; NULL: none can be had, or
 * not now, because this interrupted the holder of a lock.  Context: any. */
KYMO_EXPORT struct kymo_chunk *kymo_sample_chunk(struct kymo_thread *thread,
						 enum kymo_chunk_type type, uint64_t payload,
						 uint32_t record_size, uint64_t base);

/* Likewise a chunk that belongs to no thread; its maker sets used.  Context: any. */
KYMO_EXPORT struct kymo_chunk *kymo_sample_table(enum kymo_chunk_type type, uint64_t payload);

/* Map the pages of a chunk once more at place, whole pages, in whose stead they are from then on.
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

/* What the program calls a thread, in the place of the name that the kernel has or was given here
 * before (*given, 0 at first; advanced): another one stays.  False: not now.  Context: any. */
KYMO_EXPORT bool kymo_sample_name(struct kymo_thread *thread, const char *name, uint64_t *given);

/* True when samples are recorded now: the gate is open, and thread is not paused; *since_out is
 * when it was opened, ticks.  Passes the edges of time windows.  Context: any. */
KYMO_EXPORT bool kymo_sample_admits(const struct kymo_thread *thread, uint64_t *since_out);

/* An address was recorded first: its module is to be, too.  True when modules were looked for:
 * there may be new ones.  Context: any. */
KYMO_EXPORT bool kymo_sample_note_address(uint64_t address);

/* The signals that sampling uses, as bits 1 << (signal - 1); 0 = none.  The sampler's handler
 * raises thread.interruptions by one whenever it came in a system call that the kernel ends
 * with EINTR because of it: whoever wraps such calls begins them anew.  These signals are the
 * highest there are: their handler then stands innermost, and sees where another signal's
 * handler is about to run, which means that the EINTR is the program's.  Context: init; any. */
KYMO_EXPORT void kymo_sample_signals_set(uint64_t signals);
KYMO_EXPORT uint64_t kymo_sample_signals(void);

/* How long the thread was ready and others had the processor is to be told when it ends.
 * Context: thread, its own. */
KYMO_EXPORT void kymo_sample_waits(struct kymo_thread *thread);

/* Put KYMO_HEADER_SAMPLES into the recording.  Context: init. */
KYMO_EXPORT void kymo_sample_mark(void);

#endif

/* Native stacks of another process: registers by ptrace, with the shortest possible stop; frames by
 * the unwind tables of its files.
 *
 * Threads are seized and interrupted, never stopped by signals: a tracer that dies leaves
 * them running.  One thread; uses malloc. */
#ifndef KYMO_NATIVETARGET_H
#define KYMO_NATIVETARGET_H

#include "base/status.h"
#include "object/unwind/unwind.h"

struct watch;
struct watch_thread;
struct nativetarget;

enum kymo_status nativetarget_new(struct watch *watch, struct nativetarget **out,
				  struct problem *problem);
void nativetarget_free(struct nativetarget *native);

/* Stop one thread, or all that run; registers are then those of that instant.  False: it has ended,
 * or has another tracer. */
bool nativetarget_stop(struct nativetarget *native, const struct watch_thread *thread);
void nativetarget_stop_running(struct nativetarget *native);
/* Number of times a thread could not be stopped for another reason than its end; *error_out: the
 * errno of the last time. */
uint64_t nativetarget_refusals(const struct nativetarget *native, int *error_out);
/* Resume all stopped ones.  True: to be called again soon, some stop late. */
bool nativetarget_resume(struct nativetarget *native);

/* The native frames of a stopped thread, innermost first. */
size_t nativetarget_walk(struct nativetarget *native, const struct watch_thread *thread,
			 struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out);

#endif

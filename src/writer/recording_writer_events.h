/* Threads of a recording being made, and their events.  As in all of recording_writer.h the
 * functions remember the first failure. */
#ifndef KYMO_RECORDING_WRITER_EVENTS_H
#define KYMO_RECORDING_WRITER_EVENTS_H

#include <stdint.h>

struct recording_writer;
struct thread;

/* Add a thread; returns its number.  Times are nanoseconds since the start, end 0 = open at the
 * end.  name may be NULL. */
uint32_t recording_writer_thread(struct recording_writer *maker, const char *name,
				 uint64_t system_id, uint64_t start_ns, uint64_t end_ns,
				 uint64_t cpu_ns);
/* Set its end, if that was not known. */
void recording_writer_thread_end(struct recording_writer *maker, uint32_t thread, uint64_t end_ns);

/* Its flags and losses, as in the reader. */
void recording_writer_thread_losses(struct recording_writer *maker, uint32_t thread,
				    const struct thread *losses);

/* Events of one thread in the order of time; threads in any order.  Enters and leaves of each
 * thread must balance; regions open at the end stay open. */
void recording_writer_enter(struct recording_writer *maker, uint32_t thread, uint64_t ns,
			    uint32_t region);
void recording_writer_leave(struct recording_writer *maker, uint32_t thread, uint64_t ns);
void recording_writer_instant(struct recording_writer *maker, uint32_t thread, uint64_t ns,
			      uint32_t region);

#endif

/* The GIL's times of a thread.  Context: thread. */
#ifndef KYMO_GIL_THREAD_H
#define KYMO_GIL_THREAD_H

void gil_is_wanted(void); /* the calling thread begins to wait, or continues */
void gil_was_taken(void);
void gil_is_dropped(void);
void gil_thread_begin(void); /* collection begins.  Context: init */

#endif

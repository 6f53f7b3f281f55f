/* The text of instrumented modules while a time window keeps recording off: the jumps are removed,
 * so that the program runs unmodified, and restored shortly before the window opens.
 *
 * Everything happens on the helper thread, with all others stopped, except for forks.  If they
 * cannot be stopped the jumps stay, and the trampolines test their byte. */
#ifndef KYMO_FUNCPATCH_TEXT_H
#define KYMO_FUNCPATCH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Called before the program begins.  Context: init. */
void funcpatch_text_init(void);
/* Apply the current state of the windows.  Context: the helper's thread. */
void funcpatch_text_follow(void);
/* True if the jumps are removed: nothing can be recorded before they are restored. */
bool funcpatch_text_is_out(void);
/* This is a forked child, which has one thread: restore them.  Context: thread. */
void funcpatch_text_forked(void);
/* Number of functions that could not be restored when a window opened, because signal handlers
 * would have returned into them. */
uint64_t funcpatch_text_left(void);

#endif

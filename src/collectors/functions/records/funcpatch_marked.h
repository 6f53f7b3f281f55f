/* COARSE with PATCH_IS_MARKED: which code may write records of a thread, and what its slow path
 * writes.
 *
 * Trampolines reserve space at hot->cursor unconditionally, so recording stops only by closing
 * the cursor; the position of the next record is then in self->at.  Context: hook, in the thread
 * itself. */
#ifndef KYMO_FUNCPATCH_MARKED_H
#define KYMO_FUNCPATCH_MARKED_H

#include "collectors/functions/funcpatch.h"

#include "collectors/functions/funcpatch_settings.h"

struct funcpatch_thread;

static inline bool funcpatch_is_marked(void)
{
	return PATCH_IS_MARKED(funcpatch_settings.cost);
}

/* Close or open the cursor atomically for handlers.  True: it was open.  Without marks in
 * records, nothing is done, and nothing is opened. */
bool funcpatch_marked_close(struct patch_thread_state *hot);
void funcpatch_marked_open(struct patch_thread_state *hot);

/* Write an enter, or an exit if is_exit, in a thread whose state is its slot.  False: there is
 * no space, and the cursor stays closed. */
bool funcpatch_marked_put(struct patch_thread_state *hot, bool is_exit, uint32_t id, uint64_t slot);

/* From the helper: nothing was recorded of the thread from off to on. */
void funcpatch_marked_window(struct funcpatch_thread *thread, uint64_t off, uint64_t on);
/* End of its written records, as far as another thread can know. */
const uint8_t *funcpatch_marked_cursor(const struct funcpatch_thread *thread);

#endif

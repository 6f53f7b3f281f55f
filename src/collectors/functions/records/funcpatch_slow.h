/* The C part of the slow routines.  It uses general registers only. */
#ifndef KYMO_FUNCPATCH_SLOW_H
#define KYMO_FUNCPATCH_SLOW_H

#include <stdbool.h>
#include <stdint.h>

struct funcpatch_module;

struct funcpatch_wanted { /* in two registers */
	uint64_t is_wanted;
	uint64_t *start; /* store the time there last, or NULL */
};
/* frame: the caller's frame pointer.  saved: where the slow routine saves registers
 * (funcpatch_values_registers). */
struct funcpatch_wanted funcpatch_enter(uint32_t index, uint64_t slot, uint64_t place,
					uint64_t frame, const uint64_t *saved)
	__attribute__((visibility("hidden")));
void funcpatch_exit(uint64_t slot, uint64_t place, uint64_t now)
	__attribute__((visibility("hidden")));
/* What trampolines do, for other callers.  slot: of the call, where its return address is
 * stored, or a word in place of that.  True: it is recorded.  Context: hook. */
bool funcpatch_traced_enter(uint32_t id, uint64_t slot);
void funcpatch_traced_exit(uint64_t slot);
bool funcpatch_is_on_signal_stack(void);
/* Count the call; returns where to store the time if it is timed, or NULL.  caller: its return
 * address.  And: the end of a timed call; now is the time. */
uint64_t *funcpatch_counted_enter(const struct funcpatch_module *module, uint32_t index,
				  uint64_t slot, uint64_t caller);
void funcpatch_counted_exit(uint64_t slot, uint64_t now);

#endif

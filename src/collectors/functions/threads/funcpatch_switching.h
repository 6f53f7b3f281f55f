/* Whether anything is recorded, as the gate in the recording's header says: followed by switching
 * the trampolines (funcpatch_gate.c), where nothing else runs on a thread of its own, which moves
 * the coarse clock, windows and a budget on, too (funcpatch_helper.c). */
#ifndef KYMO_FUNCPATCH_SWITCHING_H
#define KYMO_FUNCPATCH_SWITCHING_H

#include <stdbool.h>
#include <stdint.h>

struct funcpatch_module;
struct kymo_thread;

/* The recording that the gate is in. */
void funcpatch_gate_begin(const struct kymo_thread *thread);
/* True when recording was switched off and nobody has noticed.  Context: hook. */
bool funcpatch_gate_is_shut(void);
/* Then: switch off, and have the helper look when it is on again.  As funcpatch_thread_refill. */
void funcpatch_gate_notice(void *unused);
/* Do as the gate says now.  On the helper's thread, or before there is one. */
void funcpatch_gate_follow(void);
bool funcpatch_gate_is_open(void);
/* True when the gate is off now, whoever has noticed; and: when it was changed last.
 * Context: hook. */
bool funcpatch_gate_is_stopped(void);
uint64_t funcpatch_gate_since(void);
/* The page of the recording in the place of the module's switch, when there is one.  The lock
 * is held. */
void funcpatch_gate_lay(struct funcpatch_module *module);
/* All modules have pages of their own again; and: the recording's, as before. */
void funcpatch_gate_part(bool is_off_there);
void funcpatch_gate_rejoin(void);
/* The process itself has them off, or leaves it to the gate. */
void funcpatch_gate_turn(bool is_shut);
/* Another recording begins. */
void funcpatch_gate_renew(void);
void funcpatch_gate_forked(void);

/* Begin what needs the helper, when something does.  Context: init. */
void funcpatch_helper_init(void);
bool funcpatch_helper_has_windows(void);
/* Something needs it from now on. */
void funcpatch_helper_need(void);
/* Where there should be one and is none: make it. */
void funcpatch_helper_begin(void);
void funcpatch_helper_forked(void);

#endif

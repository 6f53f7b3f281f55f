/* Applying the gate in the recording's header: switching the trampolines (funcpatch_gate.c), by
 * a helper thread if nothing else can, which also advances the coarse clock, time windows and a
 * budget (funcpatch_helper.c). */
#ifndef KYMO_FUNCPATCH_SWITCHING_H
#define KYMO_FUNCPATCH_SWITCHING_H

#include <stdbool.h>
#include <stdint.h>

struct funcpatch_module;
struct kymo_thread;

/* Set the recording whose gate is followed. */
void funcpatch_gate_begin(const struct kymo_thread *thread);
/* True if recording was switched off and that was not noticed yet.  Context: hook. */
bool funcpatch_gate_is_shut(void);
/* Then: switch off, and make the helper check when it is on again.  As
 * funcpatch_thread_refill(). */
void funcpatch_gate_notice(void *unused);
/* Apply the current state of the gate.  On the helper's thread, or before there is one. */
void funcpatch_gate_follow(void);
bool funcpatch_gate_is_open(void);
/* True if the gate is off now, noticed or not; and: when it was last changed.  Context: hook. */
bool funcpatch_gate_is_stopped(void);
uint64_t funcpatch_gate_since(void);
/* Map the page of the recording in place of the module's switch, if there is one.  The lock is
 * held. */
void funcpatch_gate_map(struct funcpatch_module *module);
/* Give all modules pages of their own again; and: the recording's, as before. */
void funcpatch_gate_unshare(bool is_off_there);
void funcpatch_gate_share_again(void);
/* The process itself has them off, or leaves it to the gate. */
void funcpatch_gate_turn(bool is_shut);
/* Another recording begins. */
void funcpatch_gate_renew(void);
void funcpatch_gate_forked(void);

/* Start the helper if something needs it.  Context: init. */
void funcpatch_helper_init(void);
bool funcpatch_helper_has_windows(void);
/* Something needs it from now on. */
void funcpatch_helper_need(void);
/* Start it if it should exist and does not. */
void funcpatch_helper_begin(void);
void funcpatch_helper_forked(void);

#endif

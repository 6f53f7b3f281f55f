/* Functions compiled with -finstrument-functions, which call __cyg_profile_func_enter() and
 * _exit(). They are not patched; the hooks are here. */
#ifndef KYMO_FUNCPATCH_HOOKS_H
#define KYMO_FUNCPATCH_HOOKS_H

#include "collectors/functions/funcpatch.h"

struct funcpatch_thread;
struct funcpatch_module;

/* Before anything of the program runs.  Context: init. */
void funcpatch_hooks_init(void);
/* Record the functions of the module that are chosen and call the hooks: they are marked as
 * patched, and counted in taken.  False: the program has hooks of its own.  Context: init, or
 * the loader's hook. */
bool funcpatch_hooks_take(struct funcpatch_module *module);

/* A thread's open calls.  Context: thread; the lock is held. */
void funcpatch_hooks_begin(struct funcpatch_thread *self);

#endif

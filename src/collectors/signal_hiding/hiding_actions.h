/* Actions on signals: one of sampling's is given to the program that asks for it, and the
 * handlers of the others are counted when they run. */
#ifndef KYMO_HIDING_ACTIONS_H
#define KYMO_HIDING_ACTIONS_H

/* hiding_actions.c: sigaction() as the kernel has it. */
long hiding_kernel_action(const long arguments[6]);

#endif

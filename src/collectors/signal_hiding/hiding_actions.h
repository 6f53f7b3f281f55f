/* Actions on signals: one of sampling's is left to the program that requests it, and the runs of
 * handlers of the others are counted. */
#ifndef KYMO_HIDING_ACTIONS_H
#define KYMO_HIDING_ACTIONS_H

/* sigaction() as a system call. */
long hiding_kernel_action(const long arguments[6]);

#endif

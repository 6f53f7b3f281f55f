/* Why the instrumenter `dispatch` is not used.
 * Context: init, with the GIL held. */
#ifndef KYMO_DISPATCH_H
#define KYMO_DISPATCH_H

/* Note the reason in the recording, once; nothing where it is used. */
void dispatch_note_refusal(void);

#endif

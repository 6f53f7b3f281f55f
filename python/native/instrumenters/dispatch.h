/* Why the interpreter's monitoring events are taken by callbacks after all.
 * Context: init, with the GIL held. */
#ifndef KYMO_DISPATCH_H
#define KYMO_DISPATCH_H

/* Say so in the recording, once, where the instrumenter `dispatch` would have been used. */
void dispatch_note_refusal(void);

#endif

/* The calibrated cost of one visit of a region by a wrapper or a user. */
#ifndef KYMO_VISITCOST_H
#define KYMO_VISITCOST_H

/* Measure it and write it into the header.  The recording is open.  Context: init. */
void visitcost_measure(void);

#endif

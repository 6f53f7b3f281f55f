/* Makes recordings: the merged threads, and their shares of each region. */
#ifndef KYMO_RECORDING_WRITER_PARTS_H
#define KYMO_RECORDING_WRITER_PARTS_H

#include <stdint.h>

struct recording_part;
struct recording_share;
struct recording_writer;

/* Add a thread of a merged recording; returns its number, counted from 0. */
uint32_t recording_writer_part(struct recording_writer *maker, const struct recording_part *part);
/* Sorted by part, then by region.  Work that equals its times takes no space. */
void recording_writer_share(struct recording_writer *maker, const struct recording_share *share);

#endif

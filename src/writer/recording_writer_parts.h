/* Making recordings: who was merged, and with how much in each region. */
#ifndef KYMO_RECORDING_WRITER_PARTS_H
#define KYMO_RECORDING_WRITER_PARTS_H

#include <stdint.h>

struct recording_part;
struct recording_share;
struct recording_writer;

/* Who took part in a merged recording, and with how much in each region; a part's number is
 * that of the calls before. */
uint32_t recording_writer_part(struct recording_writer *maker, const struct recording_part *part);
/* Smallest by part, then by region.  Work that is all of its times takes no room. */
void recording_writer_share(struct recording_writer *maker, const struct recording_share *share);

#endif

/* Times of call paths whose visits were counted and not timed: of the positions at which threads
 * were seen (KYMO_HEADER_POSITIONS). */
#ifndef KYMO_CALLTREE_POSITIONS_H
#define KYMO_CALLTREE_POSITIONS_H

#include <stdint.h>

#include "base/status.h"

struct calltree;
struct kymo_node;

/* Where a recording has positions, make room for what they come to; each node that is read then
 * goes through calltree_positions_take(), which gives it its own time, and the last step makes
 * those inclusive.  Nothing is done in other recordings.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_positions_begin(struct calltree *tree);
void calltree_positions_take(struct calltree *tree, uint32_t index, const struct kymo_node *node);
enum kymo_status calltree_positions_end(struct calltree *tree);

/* Of samples whose weights have these sums: as how many equal ones they count.  A tenth less than
 * that, so that intervals hold in no fewer than 95 of 100 runs, and not in about as many. */
static inline double positions_effective_count(double weight, double squares)
{
	return squares > 0 ? 0.9 * weight * weight / squares : 0;
}

/* How far off the times of regions, and of calls by a caller, may be: Wilson's interval for the
 * share of the thread's time, by the thread's effective number of positions.  Times and links are
 * known. KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_add_position_estimates(struct calltree *tree);

#endif

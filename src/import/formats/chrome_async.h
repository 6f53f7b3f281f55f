/* Asynchronous operations of a Chrome trace, placed on tracks of their own: a track per name, and
 * further ones for overlapping operations. */
#ifndef KYMO_CHROME_ASYNC_H
#define KYMO_CHROME_ASYNC_H

#include "import/formats/chrome_tracks.h"

#define CHROME_LANES_MAX 256u /* of one name in one process */

void chrome_async_finish(struct chrome_tracks *tracks);

#endif

/* Asynchronous operations of a Chrome trace, laid out on tracks of their own: a track a name, and
 * further ones for what overlaps. */
#ifndef KYMO_CHROME_ASYNC_H
#define KYMO_CHROME_ASYNC_H

#include "import/formats/chrome_tracks.h"

#define CHROME_LANES_MAX 256u /* of one name in one process */

void chrome_async_finish(struct chrome_tracks *tracks);

#endif

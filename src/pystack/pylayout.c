/* The layouts from headers. */
#include "pystack/pylayout.h"

#include <stddef.h>

const struct pylayout *pylayout_find(uint16_t version)
{
	for (const struct pylayout *layout = pylayout_table; layout->version; layout++)
		if (layout->version == version)
			return layout;
	return NULL;
}

const struct pylayout *pylayout_newest(void)
{
	const struct pylayout *newest = NULL;

	for (const struct pylayout *layout = pylayout_table; layout->version; layout++)
		newest = layout;
	return newest;
}

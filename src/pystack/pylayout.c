/* The layouts that headers tell. */
#include "pystack/pylayout.h"

#include <stddef.h>

/* The table is that of one processor: locks have other sizes elsewhere. */
static const struct pylayout layouts[] = {
#ifdef __x86_64__
#include "pystack/pylayout_table.def"
#endif
	{.version = 0},
};

const struct pylayout *pylayout_find(uint16_t version)
{
	for (const struct pylayout *layout = layouts; layout->version; layout++)
		if (layout->version == version)
			return layout;
	return NULL;
}

const struct pylayout *pylayout_newest(void)
{
	const struct pylayout *newest = NULL;

	for (const struct pylayout *layout = layouts; layout->version; layout++)
		newest = layout;
	return newest;
}

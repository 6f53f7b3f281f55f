/* The layouts of x86-64: locks have other sizes elsewhere.  Serves pylayout.h. */
#include "pystack/pylayout.h"

const struct pylayout pylayout_table[] = {
#include "pystack/pylayout_table.def"
	{.version = 0},
};

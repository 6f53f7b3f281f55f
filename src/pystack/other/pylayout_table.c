/* No layout is known. */
#include "pystack/pylayout.h"

const struct pylayout pylayout_table[] = {{.version = 0}};

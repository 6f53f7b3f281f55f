/* No layout is known.  Serves pylayout.h. */
#include "pystack/pylayout.h"

const struct pylayout pylayout_table[] = {{.version = 0}};

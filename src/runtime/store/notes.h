/* Notes from inside the runtime. */
#ifndef KYMO_NOTES_H
#define KYMO_NOTES_H

#include "format/format.h"

#endif

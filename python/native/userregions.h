/* Regions that the program names itself, and pauses. */
#ifndef KYMO_USERREGIONS_H
#define KYMO_USERREGIONS_H

#include "collector.h"

int userregions_add_methods(PyObject *module);

#endif

/* The parts of the section "notes", each as keys of the open object. */
#ifndef KYMO_PAGE_NOTES_H
#define KYMO_PAGE_NOTES_H

#include "text/json_writer.h"
#include "view/page.h"

#endif

/* The parts of the section "notes", each as keys of the object that is being written. */
#ifndef KYMO_PAGE_NOTES_H
#define KYMO_PAGE_NOTES_H

#include "text/json_writer.h"
#include "view/page.h"

/* "recordings": the files, their clocks, costs and problems. */
void page_notes_recordings(const struct page *page, struct json_writer *json);
/* "modules" of all processes, "metrics" and "series". */
void page_notes_modules(const struct page *page, struct json_writer *json);
void page_notes_metrics(const struct page *page, struct json_writer *json);

#endif

/* The notes about the recordings: files, clocks, costs, modules, metrics, series. */
#ifndef KYMO_NOTES_RECORDINGS_H
#define KYMO_NOTES_RECORDINGS_H

struct json_writer;
struct page;

/* "recordings": the files, their clocks, costs and problems. */
void page_notes_recordings(const struct page *page, struct json_writer *json);
/* "modules" of all processes, "metrics" and "series". */
void page_notes_modules(const struct page *page, struct json_writer *json);
void page_notes_metrics(const struct page *page, struct json_writer *json);

#endif

/* A page as a file. */
#ifndef KYMO_PAGE_FILE_H
#define KYMO_PAGE_FILE_H

#include "view/page.h"

/* path "-": standard output, which the caller finishes, as a closed pipe is no failure there. */
enum kymo_status page_file_write(const struct loaded_run *loaded,
				 const struct page_options *options, const char *path,
				 struct problem *problem);

#endif

/* The file appears only when it is complete. */
#include "cli/page/page_file.h"

#include "command/xoutfile.h"

struct page_work { /* a page that is written */
	const struct loaded_run *loaded;
	const struct page_options *options;
};

static enum kymo_status page_file_put(void *context, FILE *out, struct problem *problem)
{
	const struct page_work *work = context;

	return page_write(work->loaded, work->options, out, problem);
}

enum kymo_status page_file_write(const struct loaded_run *loaded,
				 const struct page_options *options, const char *path,
				 struct problem *problem)
{
	struct page_work work = {loaded, options};

	return xoutfile_write(path, page_file_put, &work, problem);
}

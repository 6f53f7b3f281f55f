/* The file is there when it is whole. */
#include "cli/page/page_file.h"

#include "base/outfile.h"

enum kymo_status page_file_write(const struct loaded_run *loaded,
				 const struct page_options *options, const char *path,
				 struct problem *problem)
{
	struct outfile file;
	enum kymo_status status = outfile_open_stream(&file, path, problem);

	if (status < 0)
		return status;
	status = page_write(loaded, options, file.stream, problem);
	if (status < 0) {
		outfile_discard(&file);
		return status;
	}
	return file.path ? outfile_commit(&file, problem) : KYMO_OK;
}

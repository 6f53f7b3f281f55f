/* Output files that are removed when memory runs out. */
#include "command/xoutfile.h"

#include "base/outfile.h"
#include "command/xalloc.h"

static void xoutfile_discard(void *file)
{
	outfile_discard(file);
}

enum kymo_status xoutfile_write(const char *path, xoutfile_fn *write, void *context,
				struct problem *problem)
{
	struct outfile file;
	struct xundo undo;
	enum kymo_status status = outfile_open_stream(&file, path, problem);

	if (status < 0)
		return status;
	xundo_push(&undo, xoutfile_discard, &file);
	status = write(context, file.stream, problem);
	xundo_pop(&undo);
	if (status < 0) {
		outfile_discard(&file);
		return status;
	}
	return file.path ? outfile_commit(&file, problem) : KYMO_OK;
}

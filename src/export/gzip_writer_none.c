/* Used if zlib was missing when Kymo was built: no compression. */
#include "export/gzip_writer.h"

enum kymo_status gzip_begin(struct gzip_writer *writer, struct export_sink *sink)
{
	*writer = (struct gzip_writer){.sink = sink};
	return KYMO_OK;
}

void gzip_write(struct gzip_writer *writer, const void *data, size_t size)
{
	sink_write(writer->sink, data, size);
}

void gzip_end(struct gzip_writer *writer)
{
	(void)writer;
}

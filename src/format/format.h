/* The recording on disk, as C structures.  docs/format.md is normative; the headers that this one
 * includes follow it and are the only interface between the runtime and the readers.
 *
 * A recording is one file: a header page, then contiguous chunks.  Every integer is little endian.
 * References between records are byte offsets from the start of the file, so that they are valid in
 * the file and in any mapping of it.
 *
 * Nothing here allocates or does I/O.  Context: any. */
#ifndef KYMO_FORMAT_H
#define KYMO_FORMAT_H

#include "format/format_chunk.h"
#include "format/format_event.h"
#include "format/format_function.h"
#include "format/format_header.h"
#include "format/format_merged.h"
#include "format/format_note.h"
#include "format/format_region.h"
#include "format/format_sample.h"
#include "format/format_tree.h"

#endif

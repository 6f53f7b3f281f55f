/* A module's description, made from its memory.  Context: any. */
#ifndef KYMO_TEXTMODULE_H
#define KYMO_TEXTMODULE_H

#include "object/unwind/textmap.h"
#include "platform/modulescan.h"

void textmodule_describe(const struct modulescan_found *found, struct textmap_module *out);

/* The module whose ELF header is at start.  False: it cannot be read. */
bool textmodule_describe_headers(uint64_t start, uint64_t end, struct textmap_module *out);

/* The vdso, when [start, end) is it. */
bool textmodule_describe_kernels(uint64_t start, uint64_t end, struct textmap_module *out);

/* Code [start, end) that belongs to no file but has tables, their .eh_frame_hdr at header, preceded
 * by .eh_frame, all of them before limit.  False: it cannot be read. */
bool textmodule_describe_made(uint64_t start, uint64_t end, uint64_t header, uint64_t limit,
			      struct textmap_module *out);

/* True when the module's tables are unchanged.  is_doubtful: the memory may not be readable. */
bool textmodule_is_there(const struct textmap_module *module, bool is_doubtful);

#endif

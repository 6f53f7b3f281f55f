/* The mapped files and the memory map of another process.
 * The caller reads them again for unknown addresses.  Uses malloc. */
#ifndef KYMO_TARGETMAPS_H
#define KYMO_TARGETMAPS_H

#include "attach/target/remote.h"
#include "object/image/elfimage.h"

struct targetmap { /* one mapping */
	uint64_t start, end, offset;
	uint64_t device, inode;
	bool is_readable, is_writable, is_executable;
	bool is_deleted;  /* the file was deleted */
	size_t path_at;	  /* in the maps' text */
	const char *path; /* "" = none; belongs to the maps */
};

struct targetmodule {	     /* a file with executable mappings */
	uint64_t start, end; /* of all its segments */
	uint64_t bias;
	uint32_t first;		/* mapping */
	const char *path;	/* belongs to the maps */
	struct elfimage *image; /* NULL until requested, or unavailable */
	bool is_tried;
};

struct targetmaps {
	pid_t pid;
	char *text;
	struct targetmap *maps;
	size_t count, capacity;
	struct targetmodule *modules; /* by start */
	size_t module_count, module_capacity;
};

/* 0 or an errno value. */
int targetmaps_read(struct targetmaps *maps, struct remote *remote);
void targetmaps_release(struct targetmaps *maps);

/* The module that covers an address; NULL = none. */
struct targetmodule *targetmaps_module(struct targetmaps *maps, uint64_t address);
/* Its file: by its path in the process's root folder; if that is another file or none, by the
 * mapping, or its contents in memory.  NULL = unavailable. */
struct elfimage *targetmaps_image(struct targetmaps *maps, struct targetmodule *module,
				  struct remote *remote);

#endif

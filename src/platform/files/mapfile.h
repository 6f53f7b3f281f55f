/* A file that grows inside one range of addresses.
 *
 * Growth reserves the blocks first, so that a full disk, a quota or a file-size limit is an
 * error here and never a SIGBUS at a later store.  The caller serialises growth; the bytes below
 * `mapped` may be used by any thread.  Context: thread (errno is kept). */
#ifndef KYMO_MAPFILE_H
#define KYMO_MAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapfile {
	char *base;	   /* start of the range; offset 0 of the file */
	uint64_t reserved; /* bytes of it */
	uint64_t mapped;   /* bytes of the file that may be accessed */
	int fd;		   /* used only while it refers to this file: programs close descriptors */
	uint64_t device, inode;
	const char *path; /* the caller's; to reopen the file */
	bool is_frozen;	  /* no system calls: it does not grow and is not truncated */
	bool is_remote;	  /* the range is far from all others, and mapped as the file grows */
};

/* Create path (which must not exist and must outlive file) and reserve addresses.  0, or an errno
 * value. */
int mapfile_create(struct mapfile *file, const char *path);

/* Make at least size bytes usable.  0, or an errno value with nothing changed. */
int mapfile_grow(struct mapfile *file, uint64_t size);

/* The calling thread has its own descriptor table from now on, with a copy of the file's
 * descriptor under the same number. */
void mapfile_part(const struct mapfile *file);

/* Prefault the range for writing; a hint. */
void mapfile_populate(struct mapfile *file, uint64_t offset, uint64_t size);

/* Truncate the file to size bytes.  The mapping stays, so that stores below size continue. */
int mapfile_truncate(struct mapfile *file, uint64_t size);

/* The file was renamed.  Valgrind keeps the names of mappings, and aborts if adjacent parts of
 * one file were mapped by two names: there it is mapped again. */
void mapfile_renamed(struct mapfile *file);

/* Close; mapped pages stay mapped for ever, the rest of the range is released. */
void mapfile_leave(struct mapfile *file);
/* Unmap and close without changing the file.  Context: any. */
void mapfile_release(struct mapfile *file);
/* Likewise, but keep whole pages of it mapped for ever. */
void mapfile_release_but(struct mapfile *file, char *kept, uint64_t kept_bytes);

#endif

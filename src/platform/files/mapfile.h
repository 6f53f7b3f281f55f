/* A file that grows inside one range of addresses.
 *
 * Growth reserves the blocks first, so that a full disk, a quota or a file-size limit is
 * a refusal here and never a SIGBUS at a later store.  The caller serialises growth; the
 * bytes below `mapped` may be used by any thread.  Context: thread (errno is kept). */
#ifndef KYMO_MAPFILE_H
#define KYMO_MAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapfile {
	char *base;	   /* start of the range; the file's offset 0 */
	uint64_t reserved; /* bytes of it */
	uint64_t mapped;   /* bytes of the file that may be touched */
	int fd;		   /* used only while it still is our file: programs close descriptors */
	uint64_t device, inode;
	const char *path; /* the caller's; to open the file anew */
	bool is_frozen;	  /* no system calls: it does not grow and is not cut */
	bool is_remote;	  /* the range is far from all others, and taken as the file grows */
};

/* Create path (which must not exist and must outlive file) and choose addresses.
 * 0, or an errno value. */
int mapfile_create(struct mapfile *file, const char *path);

/* Make at least size bytes usable.  0, or an errno value and nothing changed. */
int mapfile_grow(struct mapfile *file, uint64_t size);

/* The calling thread has a table of descriptors of its own from here on, with a copy of the
 * file's under the same number. */
void mapfile_part(const struct mapfile *file);

/* Fault the range in for writing ahead of use; a hint. */
void mapfile_populate(struct mapfile *file, uint64_t offset, uint64_t size);

/* Cut the file to size bytes.  The mapping stays, so that stores below size go on. */
int mapfile_truncate(struct mapfile *file, uint64_t size);

/* The file has another name.  Valgrind keeps the names of mappings, and ends the program when
 * parts of one file that lie side by side were mapped by two: there it is mapped anew. */
void mapfile_renamed(struct mapfile *file);

/* Close; what is mapped stays so for ever, the rest of the range is given back. */
void mapfile_leave(struct mapfile *file);
/* Unmap and close without changing the file.  Context: any. */
void mapfile_release(struct mapfile *file);
/* Likewise, but whole pages of it stay mapped for ever. */
void mapfile_release_but(struct mapfile *file, char *kept, uint64_t kept_bytes);

#endif

/* The kind of file of a descriptor, as in frames of system calls. */
#ifndef KYMO_DESCRIPTOR_KIND_H
#define KYMO_DESCRIPTOR_KIND_H

#include <sys/stat.h>

#include "format/format.h"

/* Major numbers of terminals: the kernel's Documentation/admin-guide/devices.txt. */
static inline enum kymo_descriptor_kind kymo_descriptor_kind(const struct stat *status)
{
	unsigned int major = (unsigned int)(status->st_rdev >> 8) & 0xfff;

	switch (status->st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return KYMO_DESCRIPTOR_FILE;
	case S_IFIFO:
		return KYMO_DESCRIPTOR_PIPE;
	case S_IFSOCK:
		return KYMO_DESCRIPTOR_SOCKET;
	case S_IFCHR:
		return major == 4 || major == 5 || (major >= 136 && major <= 143)
			       ? KYMO_DESCRIPTOR_TERMINAL
			       : KYMO_DESCRIPTOR_OTHER;
	default:
		return KYMO_DESCRIPTOR_OTHER;
	}
}

#endif

/* Growing a mapped file safely: reserve blocks, then map them at addresses that nothing else
 * uses.  RLIMIT_FSIZE raises SIGXFSZ besides failing, so the signal is blocked and discarded. */
#include "platform/files/mapfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/filemode.h"
#include "base/keeperrno.h"
#include "platform/blockedsignal.h"
#include "platform/files/nocancel_io.h"
#include "platform/valgrind.h"

#define RESERVE_MAX	 (UINT64_C(256) << 30) /* reachable by node references */
#define RESERVE_MIN	 (UINT64_C(4) << 20)
#define FIRST_DESCRIPTOR 64 /* above the numbers that programs assign themselves */

#define REMOTE_FIRST	(UINT64_C(0x1800) << 32)
#define REMOTE_STEP	(UINT64_C(1) << 30)
#define REMOTE_PLACES	(UINT64_C(16) << 10) /* up to 0x2800 << 32 */
#define REMOTE_ATTEMPTS 4

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Under a limit of the address space take an eighth of it, and leave the rest to the program. */
static uint64_t reserve_limit(void)
{
	struct rlimit limit;
	uint64_t bytes = RESERVE_MAX;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		while (bytes > limit.rlim_cur / 8 && bytes > RESERVE_MIN)
			bytes /= 2;
	return bytes;
}

/* Reserve that many addresses, at place if it is given; NULL if that fails. */
static char *mapfile_take(char *place, uint64_t bytes)
{
	char *base = mmap(place, bytes, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				  (place ? MAP_FIXED_NOREPLACE : 0),
			  -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	if (!place || base == place)
		return base;
	munmap(base, bytes);
	return NULL;
}

/* Away from the kernel's choices, which has programs and their heaps below and all else above,
 * and from collectors and sanitizers that choose addresses.  Random: a known address would help
 * an attacker of the program. */
static char *remote_place(void)
{
	uint64_t chance = 0;

	if (sizeof(void *) < 8 ||
	    syscall(SYS_getrandom, &chance, sizeof(chance), GRND_NONBLOCK) != sizeof(chance))
		return NULL;
	return (char *)(uintptr_t)(REMOTE_FIRST + chance % REMOTE_PLACES * REMOTE_STEP);
}

/* Addresses that are only protected by distance are not reserved: a program may limit its
 * address space while it runs (RLIMIT_AS), and gets what it would without Kymo. */
static bool find_remote(struct mapfile *file, uint64_t bytes)
{
	for (int i = 0; i < REMOTE_ATTEMPTS; i++) {
		char *place = remote_place(), *base = place ? mapfile_take(place, bytes) : NULL;

		if (!base)
			continue;
		munmap(base, bytes);
		file->base = base;
		file->reserved = bytes;
		file->is_remote = true;
		return true;
	}
	return false;
}

static int mapfile_reserve(struct mapfile *file)
{
	const uint64_t most = reserve_limit();

	if (find_remote(file, most))
		return 0;
	for (uint64_t bytes = most; bytes >= RESERVE_MIN; bytes /= 2) {
		file->base = mapfile_take(NULL, bytes);
		if (file->base) {
			/* gdb's gcore would otherwise write all of it */
			madvise(file->base, bytes, MADV_DONTDUMP);
			file->reserved = bytes;
			return 0;
		}
	}
	return ENOMEM;
}

/* A descriptor far from those that shells and daemons use and close by number. */
static int mapfile_move_up(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);

	if (high < 0)
		return fd;
	plain_close(fd);
	return high;
}

/* For file systems without fallocate: writing zeros reserves the blocks as well. */
static int write_zeros(int fd, uint64_t offset, uint64_t size)
{
	static const char zeros[65536];

	while (size > 0) {
		size_t part = size < sizeof(zeros) ? (size_t)size : sizeof(zeros);
		ssize_t written = plain_pwrite(fd, zeros, part, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : ENOSPC;
		offset += (uint64_t)written;
		size -= (uint64_t)written;
	}
	return 0;
}

static int reserve_blocks(int fd, uint64_t offset, uint64_t size)
{
	int result;

	do {
		result = plain_fallocate(fd, 0, (off_t)offset, (off_t)size) < 0 ? errno : 0;
	} while (result == EINTR);
	if (result == EOPNOTSUPP || result == ENOSYS)
		result = write_zeros(fd, offset, size);
	return result;
}

/* Run reserve_blocks() with SIGXFSZ blocked.  Blocks that were allocated before the disk was
 * full are released: the program may need them. */
static int reserve_quietly(int fd, uint64_t offset, uint64_t size)
{
	struct blocked_signal exceeded;
	int result;

	signal_block(&exceeded, SIGXFSZ);
	result = reserve_blocks(fd, offset, size);
	signal_unblock(&exceeded, result == EFBIG);
	if (result != 0)
		(void)!ftruncate(fd, (off_t)offset);
	return result;
}

static bool mapfile_is_that(const struct mapfile *file, const struct stat *status)
{
	return (uint64_t)status->st_dev == file->device && (uint64_t)status->st_ino == file->inode;
}

static int mapfile_is_own(const struct mapfile *file, int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && mapfile_is_that(file, &status);
}

/* A thread with its own descriptor table has its own number for the file. */
static __thread int own_fd __attribute__((tls_model("initial-exec")));
static __thread bool is_apart __attribute__((tls_model("initial-exec")));

void mapfile_part(const struct mapfile *file)
{
	own_fd = file->fd;
	is_apart = true;
	if (!mapfile_is_own(file, own_fd)) { /* the program's number, which it has closed there */
		plain_close(own_fd);
		own_fd = -1;
	}
}

static int *mapfile_number_of(struct mapfile *file)
{
	return is_apart ? &own_fd : &file->fd;
}

/* A program may have closed Kymo's descriptor and got its number for a file of its own. */
static int check_descriptor(struct mapfile *file)
{
	int fd;

	if (mapfile_is_own(file, *mapfile_number_of(file)))
		return 0;
	fd = plain_open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return errno;
	if (!mapfile_is_own(file, fd)) {
		plain_close(fd);
		return ESTALE;
	}
	*mapfile_number_of(file) = mapfile_move_up(fd);
	return 0;
}

static int identify(struct mapfile *file)
{
	struct stat status;

	if (fstat(file->fd, &status) < 0)
		return errno;
	file->device = (uint64_t)status.st_dev;
	file->inode = (uint64_t)status.st_ino;
	return 0;
}

int mapfile_create(struct mapfile *file, const char *path)
{
	int result;

	memset(file, 0, sizeof(*file));
	file->fd = plain_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			      filemode_file());
	if (file->fd < 0)
		return errno;
	file->fd = mapfile_move_up(file->fd);
	file->path = path;
	result = identify(file);
	if (result == 0)
		result = mapfile_reserve(file);
	if (result != 0) {
		plain_close(file->fd);
		unlink(path);
		file->fd = -1;
	}
	return result;
}

/* Map it in place.  Addresses that are not reserved may be in use; a kernel without
 * MAP_FIXED_NOREPLACE then returns others. */
static int map_more(struct mapfile *file, uint64_t size)
{
	char *place = file->base + file->mapped, *got;

	got = mmap(place, size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | (file->is_remote ? MAP_FIXED_NOREPLACE : MAP_FIXED),
		   *mapfile_number_of(file), (off_t)file->mapped);
	if (got == MAP_FAILED)
		return errno;
	if (got == place)
		return 0;
	munmap(got, size);
	return EEXIST;
}

int mapfile_grow(struct mapfile *file, uint64_t size)
{
	KEEP_ERRNO();
	int result;

	if (size <= file->mapped)
		return 0;
	if (file->is_frozen)
		return EPERM;
	if (size > file->reserved)
		return file->reserved < RESERVE_MAX ? ENOMEM : EFBIG;
	result = check_descriptor(file);
	if (result == 0)
		result = reserve_quietly(*mapfile_number_of(file), file->mapped,
					 size - file->mapped);
	if (result == 0)
		result = map_more(file, size - file->mapped);
	if (result == 0)
		file->mapped = size;
	return result;
}

void mapfile_populate(struct mapfile *file, uint64_t offset, uint64_t size)
{
	KEEP_ERRNO();

	if (file->is_frozen)
		return;
	madvise(file->base + offset, size, MADV_POPULATE_WRITE);
}

void mapfile_renamed(struct mapfile *file)
{
	KEEP_ERRNO();

	if (valgrind_is_here() && file->mapped > 0 && check_descriptor(file) == 0)
		mmap(file->base, file->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		     *mapfile_number_of(file), 0);
}

/* By its name, which needs no descriptor: the program may have used up all. */
static int truncate_named(const struct mapfile *file, uint64_t size)
{
	struct stat status;

	if (lstat(file->path, &status) < 0)
		return errno;
	if (!mapfile_is_that(file, &status))
		return ESTALE;
	return truncate(file->path, (off_t)size) < 0 ? errno : 0;
}

int mapfile_truncate(struct mapfile *file, uint64_t size)
{
	KEEP_ERRNO();
	int result;

	if (file->is_frozen)
		return 0;
	result = check_descriptor(file);
	if (result == EMFILE || result == ENFILE)
		result = truncate_named(file, size);
	else if (result == 0 && ftruncate(*mapfile_number_of(file), (off_t)size) < 0)
		result = errno;
	return result;
}

void mapfile_release(struct mapfile *file)
{
	mapfile_release_but(file, NULL, 0);
}

void mapfile_leave(struct mapfile *file)
{
	if (!file->is_remote && file->reserved > file->mapped)
		munmap(file->base + file->mapped, file->reserved - file->mapped);
	file->base = NULL;
	mapfile_release(file);
}

/* Number of addresses that belong to it. */
static uint64_t addresses(const struct mapfile *file)
{
	return file->is_remote ? file->mapped : file->reserved;
}

static void unmap(char *start, char *end)
{
	if (start < end)
		munmap(start, (size_t)(end - start));
}

void mapfile_release_but(struct mapfile *file, char *kept, uint64_t kept_bytes)
{
	char *start = file->base, *end = start + addresses(file);
	KEEP_ERRNO();

	if (start && kept >= start && kept < end && kept_bytes <= (uint64_t)(end - kept)) {
		unmap(start, kept);
		unmap(kept + kept_bytes, end);
	} else if (start) {
		unmap(start, end);
	}
	if (file->fd >= 0 && mapfile_is_own(file, file->fd))
		plain_close(file->fd);
	file->base = NULL;
	file->fd = -1;
}

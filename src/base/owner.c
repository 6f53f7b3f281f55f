/* The owners of files. */
#include "base/owner.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OVERFLOW_UID 65534u

static bool trusts_all;

bool *owner_force(void)
{
	return &trusts_all;
}

static bool owner_is_own(uid_t owner)
{
	return owner == geteuid() || owner == 0;
}

bool owner_is_trusted(const struct stat *info)
{
	return trusts_all || owner_is_own(info->st_uid);
}

bool owner_is_alone(const struct stat *info)
{
	return owner_is_own(info->st_uid) && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

enum kymo_status owner_refuse(const struct stat *info, const char *path, struct problem *problem)
{
	return problem_set(problem, KYMO_SYSTEM,
			   "'%s' belongs to another user (id %u): --force reads it anyway", path,
			   (unsigned int)info->st_uid);
}

/* In a namespace that maps only a few users, all others look the same, including root. */
static bool owner_is_hidden(uid_t owner)
{
	unsigned long inside, outside, count = 0;
	FILE *file;

	if (owner != OVERFLOW_UID)
		return false;
	file = fopen("/proc/self/uid_map", "re");
	if (!file)
		return false;
	if (fscanf(file, "%lu %lu %lu", &inside, &outside, &count) != 3)
		count = UINT32_MAX;
	fclose(file);
	return count < UINT32_MAX;
}

/* A user who called sudo has all rights already. */
static bool is_of_sudo(uid_t owner)
{
	const char *text = geteuid() == 0 ? getenv("SUDO_UID") : NULL;

	return text && *text && strtoul(text, NULL, 10) == owner;
}

bool owner_may_hold(const struct stat *info)
{
	return owner_is_trusted(info) || is_of_sudo(info->st_uid) || owner_is_hidden(info->st_uid);
}

int owner_check_folder(const char *path)
{
	struct stat info;

	if (lstat(path, &info) < 0)
		return errno;
	if (S_ISLNK(info.st_mode) && !owner_may_hold(&info))
		return EPERM;
	if (stat(path, &info) < 0)
		return errno;
	if (!S_ISDIR(info.st_mode))
		return ENOTDIR;
	return owner_may_hold(&info) ? 0 : EPERM;
}

enum kymo_status owner_stat_file(int descriptor, const char *path, struct stat *info,
				 struct problem *problem)
{
	if (descriptor < 0 || fstat(descriptor, info) < 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", path,
				   strerror(errno));
	if (!owner_is_trusted(info))
		return owner_refuse(info, path, problem);
	if (!S_ISREG(info->st_mode))
		return problem_set(problem, KYMO_FORMAT, "'%s' is not a file", path);
	return KYMO_OK;
}

/* Finding a module's files, and verifying that they are the ones that ran.  libelf checks the
 * structure of damaged files. */
#include "object/image/module_files.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "object/image/compressed_elf.h"
#include "platform/files/regularfile.h"

#define DEBUG_FOLDER	   "/usr/lib/debug"
#define DEBUGINFOD_LIBRARY "libdebuginfod.so.1"
#define BUILD_ID_BYTES	   64
#define BUILD_ID_TEXT	   (2 * BUILD_ID_BYTES + 1)
#define VDSO_PATH	   "[vdso]"
#define VDSO_MAX	   (1u << 20)

Elf_Scn *module_section(Elf *elf, const char *name, GElf_Word type, GElf_Shdr *header_out)
{
	Elf_Scn *section = NULL;
	size_t names = 0;

	if (name && elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *found;

		if (!gelf_getshdr(section, header_out))
			continue;
		if (!name && header_out->sh_type == type)
			return section;
		found = name ? elf_strptr(elf, names, header_out->sh_name) : NULL;
		if (found && strcmp(found, name) == 0)
			return section;
	}
	return NULL;
}

/* The build id among notes, as hexadecimal digits; false when it is not there. */
static bool files_find_build_id(Elf_Data *data, char *text, size_t size)
{
	size_t at = 0, name, descriptor;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &descriptor)) > 0) {
		const unsigned char *bytes = (const unsigned char *)data->d_buf + descriptor;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((const char *)data->d_buf + name, "GNU", sizeof("GNU")) != 0 ||
		    note.n_descsz == 0 || note.n_descsz * 2 >= size)
			continue;
		for (size_t i = 0; i < note.n_descsz; i++)
			snprintf(text + 2 * i, 3, "%02x", bytes[i]);
		return true;
	}
	return false;
}

static bool read_build_id(Elf *elf, char text[BUILD_ID_TEXT])
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		if (data && files_find_build_id(data, text, BUILD_ID_TEXT))
			return true;
	}
	return false;
}

static void file_close(struct module_file *file)
{
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->image);
	*file = (struct module_file){.fd = -1};
}

/* Keep the opened file if it is an ELF file of that build. */
static enum module_file_state file_check(struct module_file *file, const char *build_id)
{
	enum module_file_state state = MODULE_FILE_OK;
	char text[BUILD_ID_TEXT];

	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF)
		state = MODULE_FILE_FOREIGN;
	else if (build_id && (!read_build_id(file->elf, text) || strcasecmp(text, build_id) != 0))
		state = MODULE_FILE_CHANGED;
	if (state != MODULE_FILE_OK)
		file_close(file);
	return state;
}

static enum module_file_state file_take(struct module_file *file, int fd, const char *build_id)
{
	*file = (struct module_file){.fd = fd};
	if (fd < 0)
		return MODULE_FILE_MISSING;
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	return file_check(file, build_id);
}

static enum module_file_state file_open(struct module_file *file, const char *path,
					const char *build_id)
{
	return file_take(file, regularfile_open(path), build_id);
}

/* The kernel's own library exists only in memory, here as in the program. */
static enum module_file_state file_open_vdso(struct module_file *file, const char *build_id)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	size_t size;

	*file = (struct module_file){.fd = -1};
	if (!header || header->e_ident[EI_CLASS] != ELFCLASS64)
		return MODULE_FILE_MISSING;
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	file->image = size <= VDSO_MAX ? malloc(size) : NULL;
	if (!file->image)
		return MODULE_FILE_MISSING;
	memcpy(file->image, header, size);
	file->elf = elf_memory(file->image, size);
	return file_check(file, build_id);
}

static bool open_by_build_id(struct module_file *file, const char *build_id)
{
	char path[sizeof(DEBUG_FOLDER) + BUILD_ID_TEXT + 32];

	if (!build_id || strlen(build_id) < 3 || strlen(build_id) >= BUILD_ID_TEXT)
		return false;
	snprintf(path, sizeof(path), DEBUG_FOLDER "/.build-id/%.2s/%s.debug", build_id,
		 build_id + 2);
	return file_open(file, path, build_id) == MODULE_FILE_OK;
}

/* The checksum of .gnu_debuglink: CRC-32 of ISO 3309. */
static uint32_t crc_of(int fd)
{
	unsigned char bytes[4096];
	uint32_t crc = UINT32_MAX;
	ssize_t got;
	off_t at = 0;

	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			crc ^= bytes[i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
		}
		at += got;
	}
	return ~crc;
}

/* The name of the debug file, and its checksum. */
static const char *debug_link(Elf *elf, uint32_t *crc_out)
{
	GElf_Shdr header;
	Elf_Scn *section = module_section(elf, ".gnu_debuglink", SHT_PROGBITS, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const char *name = data ? data->d_buf : NULL;
	size_t length = name ? strnlen(name, data->d_size) : 0, crc_at = (length + 4) & ~(size_t)3;

	if (length == 0 || crc_at + sizeof(*crc_out) > data->d_size || strchr(name, '/'))
		return NULL;
	memcpy(crc_out, name + crc_at, sizeof(*crc_out));
	return name;
}

static bool open_linked(struct module_file *file, const char *path, const char *build_id,
			uint32_t crc)
{
	if (file_open(file, path, build_id) != MODULE_FILE_OK)
		return false;
	if (build_id || crc_of(file->fd) == crc)
		return true;
	file_close(file);
	return false;
}

static bool open_by_link(struct module_file *file, Elf *own, const char *own_path,
			 const char *build_id)
{
	static const char *const forms[] = {"%s%.*s/.debug/%s", "%s%.*s/%s"};
	const char *slash = strrchr(own_path, '/');
	int folder = slash ? (int)(slash - own_path) : 0;
	uint32_t crc = 0;
	const char *name = debug_link(own, &crc);

	for (size_t i = 0; name && slash && i < 3; i++) {
		char *path;
		bool is_open;

		if (asprintf(&path, forms[i > 0], i == 2 ? DEBUG_FOLDER : "", folder, own_path,
			     name) < 0)
			return false;
		is_open = strcmp(path, own_path) != 0 && open_linked(file, path, build_id, crc);
		free(path);
		if (is_open)
			return true;
	}
	return false;
}

/* Its client library includes a whole HTTP client, so it is loaded only on request. */
static bool open_from_server(struct module_file *file, const char *build_id)
{
	void *library = build_id ? dlopen(DEBUGINFOD_LIBRARY, RTLD_LAZY | RTLD_LOCAL) : NULL;
	void *(*begin)(void) = NULL;
	void (*end)(void *client) = NULL;
	int (*find)(void *client, const unsigned char *id, int size, char **path) = NULL;
	void *client;
	int fd;

	if (library) {
		*(void **)&begin = dlsym(library, "debuginfod_begin");
		*(void **)&end = dlsym(library, "debuginfod_end");
		*(void **)&find = dlsym(library, "debuginfod_find_debuginfo");
	}
	client = begin && end && find ? begin() : NULL;
	if (!client)
		return false;
	/* Size 0: the id is a string. */
	fd = find(client, (const unsigned char *)build_id, 0, NULL);
	end(client);
	return fd >= 0 && file_take(file, fd, build_id) == MODULE_FILE_OK;
}

static bool has_debug_information(Elf *elf)
{
	GElf_Shdr header;

	return module_section(elf, ".debug_info", SHT_NULL, &header) ||
	       module_section(elf, ".zdebug_info", SHT_NULL, &header);
}

/* A file in memory that has these bytes. */
static int file_of_bytes(const void *bytes, size_t size)
{
	int fd = memfd_create("symbols", MFD_CLOEXEC);

	for (size_t at = 0; fd >= 0 && at < size;) {
		ssize_t written = write(fd, (const char *)bytes + at, size - at);

		if (written <= 0) {
			close(fd);
			return -1;
		}
		at += (size_t)written;
	}
	return fd;
}

bool module_files_open(struct module_files *files, const char *path, const char *build_id,
		       bool uses_debuginfod)
{
	struct module_file *own = &files->own, *debug = &files->debug;

	*files = (struct module_files){
		.own.fd = -1, .debug.fd = -1, .mini.fd = -1, .state = MODULE_FILE_MISSING};
	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	files->state = strcmp(path, VDSO_PATH) == 0 ? file_open_vdso(own, build_id)
						    : file_open(own, path, build_id);
	if (own->elf && has_debug_information(own->elf))
		return true;
	if (!open_by_build_id(debug, build_id) &&
	    !(own->elf && open_by_link(debug, own->elf, path, build_id)) && uses_debuginfod)
		open_from_server(debug, build_id);
	return own->elf || debug->elf;
}

Elf *module_files_mini(struct module_files *files)
{
	struct module_file *mini = &files->mini;
	GElf_Shdr header;
	Elf_Scn *section = files->own.elf ? module_section(files->own.elf, ".gnu_debugdata",
							   SHT_PROGBITS, &header)
					  : NULL;
	Elf_Data *data = section && !mini->elf ? elf_rawdata(section, NULL) : NULL;

	if (!data || !data->d_buf || data->d_size == 0)
		return mini->elf;
	mini->fd = file_of_bytes(data->d_buf, data->d_size);
	if (mini->fd >= 0)
		mini->elf = compressed_elf_begin(mini->fd);
	file_check(mini, NULL);
	return mini->elf;
}

void module_files_close(struct module_files *files)
{
	file_close(&files->own);
	file_close(&files->debug);
	file_close(&files->mini);
}

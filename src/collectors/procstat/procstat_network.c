/* Bytes in and out of each network interface of the process's namespace, since it was first
 * seen.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"

#include <string.h>

#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define INTERFACES_MAX 64u
#define NAME_BYTES     32u
#define FIELDS_IN      8 /* followed by those of sent data */
#define MB	       1e-6

struct interface {
	char name[NAME_BYTES];
	struct procstat_growth in_growth, out_growth;
	struct procstat_series in, out;
};

static struct procstat_file file;
static struct interface interfaces[INTERFACES_MAX];
static unsigned count;

static struct interface *network_find(const char *name)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(interfaces[i].name, name))
			return &interfaces[i];
	if (count == INTERFACES_MAX)
		return NULL;
	interfaces[count] = (struct interface){0};
	memcpy(interfaces[count].name, name, strlen(name) + 1);
	procstat_series_define(&interfaces[count].in, "MB", "Network Received [%s] (S)", name);
	procstat_series_define(&interfaces[count].out, "MB", "Network Sent [%s] (S)", name);
	return &interfaces[count++];
}

/* "name: bytes packets …", with or without a blank. */
static void network_read_line(struct scan scan)
{
	char name[NAME_BYTES];
	struct interface *interface;
	uint64_t in, out;
	size_t length = 0;

	scan_blanks(&scan);
	while (scan.at < scan.end && *scan.at != ':' && *scan.at != '\n' && length < NAME_BYTES - 1)
		name[length++] = *scan.at++;
	name[length] = '\0';
	if (!scan_literal(&scan, ":") || !scan_number(&scan, &in))
		return;
	scan_skip(&scan, FIELDS_IN - 1);
	if (!scan_number(&scan, &out))
		return;
	interface = network_find(name);
	if (!interface)
		return;
	procstat_put(&interface->in, procstat_grown(&interface->in_growth, in) * MB);
	procstat_put(&interface->out, procstat_grown(&interface->out_growth, out) * MB);
}

static void read_network(void)
{
	struct scan scan = procstat_file_read(&file);

	scan_line(&scan); /* two lines of headings */
	while (scan_line(&scan))
		network_read_line(scan);
}

static bool open_network(const char **why_out)
{
	*why_out = "/proc/self/net/dev cannot be read";
	count = 0;
	return procstat_file_open(&file, "proc/self/net/dev");
}

const struct procstat_source procstat_network = {"the network", true, 10, open_network,
						 read_network};

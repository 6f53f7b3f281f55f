/* Serves the page of runs to a browser on this machine, regenerated as the runs grow. */
#ifndef KYMO_PAGE_SERVER_H
#define KYMO_PAGE_SERVER_H

#include "model/profile/loaded_run.h"
#include "view/page.h"

struct page_server {
	const char *const *paths; /* of the runs */
	size_t path_count;
	struct loaded_options loading;
	struct page_options options;
	uint16_t port; /* 0 = any that is free */
	bool opens;    /* start the browser once it listens */
};

/* Serve until a signal ends it, which is no failure; prints the address on standard error. */
enum kymo_status page_server_run(const struct page_server *server, struct problem *problem);

#endif

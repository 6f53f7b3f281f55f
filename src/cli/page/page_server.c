/* One thread, a few connections at a time: browsers open some that they may never use.
 *
 * A page is generated on request and cached while the runs are unchanged.  While a process lives
 * its run counts as changed from time to time, the less often the longer a page takes to generate.
 *
 * Every user of this machine may connect: access requires the page's path, which is random.  The
 * browser gets it through a file that only its user can read, since the arguments of processes are
 * public. */
#include "cli/page/page_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/ctl/ctl_run.h"
#include "cli/page/browser.h"
#include "cli/page/http_request.h"
#include "command/xalloc.h"
#include "platform/usage.h"

#define CONNECTIONS  32
#define HEAD_MAX     16384
#define REFRESH_NS   2000000000u
#define REFRESH_COST 10u /* a page is generated for at most 1/REFRESH_COST of the time */
#define ANSWER_S     10	 /* timeout for a browser to receive a page */
#define SECRET_BYTES 16u

struct connection {
	int fd; /* -1 = free */
	size_t length;
	char head[HEAD_MAX];
};

struct serving {
	const struct page_server *server;
	struct connection connections[CONNECTIONS];
	struct pollfd polled[CONNECTIONS + 1]; /* the last one: the listening socket */
	char *page;
	size_t page_size;
	uint64_t generation; /* of the runs, at the last check */
	uint64_t page_generation;
	uint64_t made_ns, cost_ns; /* when the page was generated, and how long that took */
	size_t recording_count;
	bool was_living;
	char secret[2 * SECRET_BYTES + 1];
	char link[128];
	char opener[PATH_MAX]; /* the file that redirects a browser to the link, "" = none */
};

static volatile sig_atomic_t must_end;

static void server_on_signal(int number)
{
	(void)number;
	must_end = 1;
}

/* Whether a process of the runs lives, and how many recordings there are. */
static bool server_scan_runs(const struct page_server *server, size_t *count_out)
{
	bool is_living = false;

	*count_out = 0;
	for (size_t i = 0; i < server->path_count; i++) {
		struct problem unread;
		struct ctl_run run;

		if (ctl_run_open(server->paths[i], &run, &unread) < 0)
			continue;
		is_living |= run.living_count > 0;
		*count_out += run.count;
		ctl_run_release(&run);
	}
	return is_living;
}

static void update_generation(struct serving *serving)
{
	uint64_t now = usage_clock_ns(CLOCK_MONOTONIC), pause = REFRESH_COST * serving->cost_ns;
	size_t count;
	bool is_living = server_scan_runs(serving->server, &count);

	if (pause < REFRESH_NS)
		pause = REFRESH_NS;
	if (count != serving->recording_count || is_living != serving->was_living ||
	    (is_living && now - serving->made_ns >= pause))
		serving->generation++;
	serving->recording_count = count;
	serving->was_living = is_living;
}

struct page_work { /* a page that is generated */
	const struct loaded_run *loaded;
	const struct page_options *options;
	FILE *out;
	struct problem *problem;
	enum kymo_status status;
};

static void server_write_page(void *context)
{
	struct page_work *work = context;

	work->status = page_write(work->loaded, work->options, work->out, work->problem);
}

/* After a failed allocation, a later page may succeed. */
static enum kymo_status make_page(struct serving *serving, struct problem *problem)
{
	const struct page_server *server = serving->server;
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	struct page_work work = {.options = &server->options, .problem = problem};
	struct loaded_run *loaded;
	enum kymo_status status = loaded_run_open_all(server->paths, server->path_count,
						      &server->loading, &loaded, problem);
	bool is_whole;

	if (status < 0)
		return status;
	free(serving->page);
	serving->page = NULL;
	work.loaded = loaded;
	work.out = open_memstream(&serving->page, &serving->page_size);
	is_whole = work.out && xalloc_run(server_write_page, &work);
	if (work.out && fclose(work.out) != 0)
		is_whole = false;
	status = is_whole ? work.status : problem_set(problem, KYMO_MEMORY, "out of memory");
	loaded_run_free(loaded);
	serving->made_ns = usage_clock_ns(CLOCK_MONOTONIC);
	serving->cost_ns = serving->made_ns - begun_ns;
	serving->page_generation = serving->generation;
	return status;
}

static void send_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR && !must_end)
			continue;
		if (sent <= 0)
			return;
		data += sent;
		size -= (size_t)sent;
	}
}

static void server_answer(int fd, const struct http_request *request, const char *status,
			  const char *type, const char *body, size_t size)
{
	char head[512];
	int length = snprintf(head, sizeof(head),
			      "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\n"
			      "Content-Length: %zu\r\nCache-Control: no-store\r\n"
			      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
			      "X-Frame-Options: DENY\r\nConnection: close\r\n\r\n",
			      status, type, size);

	send_all(fd, head, (size_t)length);
	if (!request->is_head)
		send_all(fd, body, size);
}

static void answer_text(int fd, const struct http_request *request, const char *status,
			const char *text)
{
	server_answer(fd, request, status, "text/plain", text, strlen(text));
}

static void answer_page(struct serving *serving, int fd, const struct http_request *request)
{
	struct problem problem;

	update_generation(serving);
	if ((!serving->page || serving->page_generation != serving->generation) &&
	    make_page(serving, &problem) < 0) {
		free(serving->page);
		serving->page = NULL;
		answer_text(fd, request, "500 Internal Server Error", problem.text);
		return;
	}
	server_answer(fd, request, "200 OK", "text/html", serving->page, serving->page_size);
}

static void answer_generation(struct serving *serving, int fd, const struct http_request *request)
{
	char text[32];

	update_generation(serving);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)serving->generation);
	answer_text(fd, request, "200 OK", text);
}

/* What follows "/SECRET" in a path; "" = another path. */
static const char *known_path(const struct serving *serving, const char *path)
{
	size_t length = strlen(serving->secret);

	if (path[0] != '/' || strncmp(path + 1, serving->secret, length) != 0)
		return "";
	return path + 1 + length;
}

static void answer_request(struct serving *serving, const struct connection *connection)
{
	struct http_request request;
	const char *path;

	http_request_parse(connection->head, connection->length, &request);
	path = known_path(serving, request.path);
	if (!request.is_local)
		answer_text(connection->fd, &request, "403 Forbidden", "not for other names\n");
	else if (!request.is_get && !request.is_head)
		answer_text(connection->fd, &request, "405 Method Not Allowed", "GET only\n");
	else if (strcmp(path, "/") == 0)
		answer_page(serving, connection->fd, &request);
	else if (strcmp(path, "/generation") == 0)
		answer_generation(serving, connection->fd, &request);
	else
		answer_text(connection->fd, &request, "404 Not Found", "nothing there\n");
}

static void drop(struct connection *connection)
{
	close(connection->fd);
	connection->fd = -1;
}

static void server_receive(struct serving *serving, struct connection *connection)
{
	ssize_t got = recv(connection->fd, connection->head + connection->length,
			   HEAD_MAX - connection->length, MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		drop(connection);
		return;
	}
	connection->length += (size_t)got;
	if (http_request_is_whole(connection->head, connection->length)) {
		answer_request(serving, connection);
		shutdown(connection->fd, SHUT_WR);
		drop(connection);
	} else if (connection->length == HEAD_MAX) {
		drop(connection);
	}
}

/* A free slot, or that of a connection that has not sent a request yet. */
static struct connection *server_find_place(struct serving *serving)
{
	static size_t next;

	for (size_t i = 0; i < CONNECTIONS; i++) {
		if (serving->connections[i].fd < 0)
			return &serving->connections[i];
	}
	next = (next + 1) % CONNECTIONS;
	drop(&serving->connections[next]);
	return &serving->connections[next];
}

static void welcome(struct serving *serving, int listener)
{
	const struct timeval patience = {ANSWER_S, 0};
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct connection *place;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	place = server_find_place(serving);
	place->fd = fd;
	place->length = 0;
}

/* unblocked: the mask in which a signal may end the wait. */
static void server_serve(struct serving *serving, int listener, const sigset_t *unblocked)
{
	while (!must_end) {
		for (size_t i = 0; i < CONNECTIONS; i++)
			serving->polled[i] =
				(struct pollfd){.fd = serving->connections[i].fd, .events = POLLIN};
		serving->polled[CONNECTIONS] = (struct pollfd){.fd = listener, .events = POLLIN};
		if (ppoll(serving->polled, CONNECTIONS + 1, NULL, unblocked) < 0)
			continue;
		for (size_t i = 0; i < CONNECTIONS; i++) {
			if (serving->polled[i].revents)
				server_receive(serving, &serving->connections[i]);
		}
		if (serving->polled[CONNECTIONS].revents)
			welcome(serving, listener);
	}
}

static enum kymo_status open_listener(uint16_t port, int *out, uint16_t *port_out,
				      struct problem *problem)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, CONNECTIONS) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) < 0) {
		problem_set(problem, KYMO_SYSTEM, "cannot serve on port %u of 127.0.0.1: %s",
			    (unsigned int)port, strerror(errno));
		if (fd >= 0)
			close(fd);
		return KYMO_SYSTEM;
	}
	*port_out = ntohs(address.sin_port);
	*out = fd;
	return KYMO_OK;
}

/* They are unblocked only during the wait, so that none is missed just before it. */
static void install_signal_handlers(sigset_t *before_out)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = server_on_signal};
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&blocked, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, before_out);
}

static bool make_secret(struct serving *serving)
{
	unsigned char bytes[SECRET_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(serving->secret + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

/* A file that only its user can read; "" = it cannot be made. */
static void write_opener(struct serving *serving)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	int fd;

	if (!folder || access(folder, W_OK) != 0)
		folder = getenv("TMPDIR");
	snprintf(serving->opener, sizeof(serving->opener), "%s/kymo-XXXXXX.html",
		 folder && *folder ? folder : "/tmp");
	fd = mkostemps(serving->opener, (int)strlen(".html"), O_CLOEXEC);
	if (fd < 0 || dprintf(fd,
			      "<!doctype html><title>Kymo</title>"
			      "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n",
			      serving->link) < 0)
		serving->opener[0] = '\0';
	if (fd >= 0)
		close(fd);
}

static void server_announce(struct serving *serving, uint16_t port)
{
	snprintf(serving->link, sizeof(serving->link), "http://127.0.0.1:%u/%s/",
		 (unsigned int)port, serving->secret);
	fprintf(stderr, "kymo: the page is at %s until Ctrl-C\n", serving->link);
	if (!serving->server->opens)
		return;
	write_opener(serving);
	if (serving->opener[0])
		browser_open(serving->opener);
}

static void server_release(struct serving *serving)
{
	for (size_t i = 0; i < CONNECTIONS; i++) {
		if (serving->connections[i].fd >= 0)
			drop(&serving->connections[i]);
	}
	if (serving->opener[0])
		unlink(serving->opener);
	free(serving->page);
	free(serving);
}

enum kymo_status page_server_run(const struct page_server *server, struct problem *problem)
{
	struct serving *serving = calloc(1, sizeof(*serving));
	sigset_t unblocked;
	uint16_t port;
	int listener;
	enum kymo_status status;

	if (!serving)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	serving->server = server;
	for (size_t i = 0; i < CONNECTIONS; i++)
		serving->connections[i].fd = -1;
	serving->was_living = server_scan_runs(server, &serving->recording_count);
	/* If no page can be made at all, that is reported here rather than in the browser. */
	status = make_page(serving, problem);
	if (status == KYMO_OK && !make_secret(serving))
		status = problem_set(problem, KYMO_SYSTEM, "no random numbers are available: %s",
				     strerror(errno));
	if (status == KYMO_OK)
		status = open_listener(server->port, &listener, &port, problem);
	if (status == KYMO_OK) {
		install_signal_handlers(&unblocked);
		server_announce(serving, port);
		server_serve(serving, listener, &unblocked);
		close(listener);
	}
	server_release(serving);
	return status;
}

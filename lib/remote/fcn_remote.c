/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fcn_remote.h"
#include "remote_private.h"

#define CLIENTS 128
#define ANSWER_BYTES ((size_t)64 << 20)
#define WAITING_BYTES ((size_t)256 << 20)
#define STALL_MS 10000
#define HALF_MS 60000
#define TURN_MS 10

#define ACCEPTS 16 /* most connections accepted in one call */
#define EVENTS 64
#define NO_ACCEPT_MS 100

static uint64_t
clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

struct fcn_remote *
fcn_remote_create(const struct fcn_remote_conf *conf)
{
	struct fcn_remote *remote = calloc(1, sizeof(*remote));

	if (remote == NULL)
		return NULL;
	remote->conf = *conf;
	if (conf->clients == 0)
		remote->conf.clients = CLIENTS;
	if (conf->user_clients == 0)
		remote->conf.user_clients = (remote->conf.clients + 3) / 4;
	if (conf->answer_bytes == 0)
		remote->conf.answer_bytes = ANSWER_BYTES;
	if (conf->waiting_bytes == 0)
		remote->conf.waiting_bytes = WAITING_BYTES;
	if (conf->stall_ms == 0)
		remote->conf.stall_ms = STALL_MS;
	if (conf->half_ms == 0)
		remote->conf.half_ms = HALF_MS;
	if (conf->turn_ms == 0)
		remote->conf.turn_ms = TURN_MS;
	remote->clients = calloc(
			remote->conf.clients + FCN_REMOTE_CLOSED, sizeof(remote->clients[0]));
	remote->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (remote->clients == NULL || remote->epoll < 0) {
		fcn_remote_free(remote);
		return NULL;
	}
	return remote;
}

void
fcn_remote_free(struct fcn_remote *remote)
{
	uint64_t now = clock_ms();

	if (remote == NULL)
		return;
	for (unsigned int i = 0; i < remote->n_sockets; i++)
		fcn_remote_socket_close(&remote->socket[i]);
	for (unsigned int i = 0; i < remote->n; i++) {
		fcn_remote_client_write(remote->clients[i], now);
		fcn_remote_client_close(remote->clients[i]);
		free(remote->clients[i]);
	}
	free(remote->clients);
	if (remote->epoll >= 0)
		close(remote->epoll);
	free(remote);
}

int
fcn_remote_fd(const struct fcn_remote *remote)
{
	return remote->epoll;
}

unsigned int
fcn_remote_clients(const struct fcn_remote *remote)
{
	return remote->n;
}

unsigned int
fcn_remote_most(const struct fcn_remote *remote)
{
	return remote->conf.clients;
}

void
fcn_remote_session(
		const struct fcn_remote *remote, unsigned int i, struct fcn_remote_session *session)
{
	const struct fcn_remote_client *c = remote->clients[i];
	const uint64_t now = clock_ms();

	*session = (struct fcn_remote_session){.peer = &c->peer,
			.age_ms = now - c->begun_ms,
			.idle_ms = now > c->since_ms ? now - c->since_ms : 0,
			.lines = c->lines};
}

const char *
fcn_remote_socket_path(const struct fcn_remote *remote, unsigned int i)
{
	return i < remote->n_sockets ? remote->socket[i].path : NULL;
}

const struct fcn_remote_counters *
fcn_remote_counters(const struct fcn_remote *remote)
{
	return &remote->count;
}

/* ---- connections ---- */

/* Events of a socket that listens have it in place of a client. @return -1: it is a client */
static int
listener_of(const struct fcn_remote *remote, const void *ptr)
{
	for (unsigned int i = 0; i < remote->n_sockets; i++) {
		if (ptr == &remote->socket[i])
			return (int)i;
	}
	return -1;
}

static void
listen_for(struct fcn_remote *remote, bool on)
{
	for (unsigned int i = 0; i < remote->n_sockets; i++) {
		struct epoll_event event = {
				.events = on ? EPOLLIN : 0, .data.ptr = &remote->socket[i]};

		epoll_ctl(remote->epoll, EPOLL_CTL_MOD, remote->socket[i].fd, &event);
	}
	remote->no_accept_ms = on ? 0 : clock_ms() + NO_ACCEPT_MS;
}

int
fcn_remote_listen(struct fcn_remote *remote, const char *path, mode_t mode, gid_t group, char *err,
		size_t err_size)
{
	struct fcn_remote_socket *s = &remote->socket[remote->n_sockets];
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};
	int rc;

	if (remote->n_sockets == FCN_REMOTE_SOCKETS) {
		snprintf(err, err_size, "socket %s: more than %d", path, FCN_REMOTE_SOCKETS);
		return -ENOSPC;
	}
	rc = fcn_remote_socket_open(s, path, mode, group, err, err_size);
	if (rc != 0)
		return rc;
	if (epoll_ctl(remote->epoll, EPOLL_CTL_ADD, s->fd, &event) != 0) {
		rc = -errno;
		snprintf(err, err_size, "socket %s: %s", path, strerror(-rc));
		fcn_remote_socket_close(s);
		return rc;
	}
	remote->n_sockets++;
	return 0;
}

void
fcn_remote_unlisten(struct fcn_remote *remote)
{
	/* Those who are about to be accepted try again, and find who listens then. */
	while (remote->n_sockets > 0)
		fcn_remote_socket_close(&remote->socket[--remote->n_sockets]);
	remote->no_accept_ms = 0;
}

/* Refuse a connection with an error, if the socket accepts it at once. */
static int
turn_away(int fd, const char *text)
{
	const struct fcn_remote_client c = {.fd = fd};

	fcn_remote_client_tell(&c, text);
	close(fd);
	return -EMFILE;
}

static void
look_at_peer(struct fcn_remote_peer *peer, int fd)
{
	struct ucred creds;
	socklen_t len = sizeof(creds);
	const bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &creds, &len) == 0;

	peer->user = known ? creds.uid : (uid_t)-1;
	peer->group = known ? creds.gid : (gid_t)-1;
}

int
fcn_remote_add(struct fcn_remote *remote, unsigned int socket, int fd)
{
	struct fcn_remote_peer peer = {.socket = socket};
	struct epoll_event event = {.events = EPOLLIN};
	struct fcn_remote_client *c;
	const char *why;

	look_at_peer(&peer, fd);
	why = fcn_remote_why_full(remote, peer.user);
	if (why != NULL)
		return turn_away(fd, why);
	c = calloc(1, sizeof(*c));
	event.data.ptr = c;
	if (c == NULL || epoll_ctl(remote->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
		free(c);
		close(fd);
		return -ENOMEM;
	}
	c->fd = fd;
	c->peer = peer;
	c->peer.number = ++remote->sessions;
	c->events = EPOLLIN;
	c->since_ms = c->begun_ms = clock_ms();
	remote->count.accepted++;
	remote->clients[remote->n++] = c;
	if (remote->conf.connected != NULL)
		remote->conf.connected(remote->conf.arg, &c->peer, fd);
	return 0;
}

static void
accept_clients(struct fcn_remote *remote, unsigned int socket)
{
	for (unsigned int i = 0; i < ACCEPTS; i++) {
		int fd = accept4(remote->socket[socket].fd, NULL, NULL,
				SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			fcn_remote_add(remote, socket, fd);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
			listen_for(remote, false); /* else epoll would report it again at once */
		if (fd < 0)
			return;
	}
}

/* ---- lines and answers ---- */

static char *
put_error(char *body, size_t *len, const char *text)
{
	free(body);
	*len = strlen(text);
	return strdup(text);
}

/* Whether an answer is held, so that the next line may take effect together with this one. */
static bool
is_held(struct fcn_remote_client *c, int rc, const char *body)
{
	return c->unsettled && rc == 0 && body == NULL && !c->last &&
	       c->held + 1 < FCN_REMOTE_HELD && fcn_remote_client_has_line(c);
}

/* Run a line. @return whether its answer is held, and another line follows at once */
static bool
run_line(struct fcn_remote *remote, struct fcn_remote_client *c, const char *line)
{
	const uint64_t denied = c->peer.denied;
	char *body = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&body, &len);
	int rc = -ENOMEM;

	if (out != NULL) {
		rc = remote->conf.run(remote->conf.arg, line, out, &c->peer, &c->last);
		if (ferror(out) != 0)
			rc = -ENOMEM;
		if (fclose(out) != 0)
			rc = -ENOMEM;
	}
	c->lines++;
	remote->count.denied += c->peer.denied - denied;
	if (rc == -ENOMEM && len == 0) {
		body = put_error(body, &len, "no memory for the answer\n");
	} else if (len > remote->conf.answer_bytes) {
		body = put_error(body, &len, "the answer is too long\n");
		rc = -EFBIG;
	} else if (remote->waiting + len > remote->conf.waiting_bytes) {
		body = put_error(body, &len,
				"too many answers wait to be read by other sessions; try "
				"again\n");
		rc = -ENOBUFS;
	}
	if (len == 0) {
		free(body);
		body = NULL;
	}
	c->unsettled |= c->peer.unsettled;
	c->peer.unsettled = false;
	if (is_held(c, rc, body)) {
		c->held++;
		return true;
	}
	if (c->unsettled)
		remote->conf.settle(remote->conf.arg);
	c->unsettled = false;
	remote->waiting += len;
	fcn_remote_client_answer(c, rc == 0, body, len, clock_ms());
	remote->waiting -= fcn_remote_client_write(c, clock_ms());
	return false;
}

/* Run a line of each client that has read its last answer, until the time of the call is over. */
static void
run_lines(struct fcn_remote *remote)
{
	uint64_t end = clock_ms() + remote->conf.turn_ms;
	char line[FCN_REMOTE_LINE_SIZE];
	unsigned int i;

	for (i = 0; i < remote->n; i++) {
		struct fcn_remote_client *c = remote->clients[(remote->next + i) % remote->n];

		if (c->fd < 0 || fcn_remote_client_answering(c))
			continue;
		if (fcn_remote_client_line(c, line)) {
			while (run_line(remote, c, line))
				fcn_remote_client_line(c, line);
			if (clock_ms() >= end) {
				i++;
				break;
			}
		} else if (c->eof) {
			fcn_remote_client_close(c);
		}
	}
	if (remote->n > 0)
		remote->next = (remote->next + i) % remote->n;
}

/* Set what to wait for with this client, and disconnect it when a time limit is over. */
static void
update_events(struct fcn_remote *remote, struct fcn_remote_client *c, uint64_t now, bool *more)
{
	bool answering = fcn_remote_client_answering(c);
	bool line = !answering && fcn_remote_client_has_line(c);
	struct epoll_event event = {.data.ptr = c};
	uint64_t waited = now - c->since_ms;

	if (now < c->since_ms)
		waited = 0;
	if ((answering && waited >= remote->conf.stall_ms) ||
			(!answering && !line && (c->in_len > 0 || c->skipping) &&
					waited >= remote->conf.half_ms)) {
		remote->waiting -= fcn_remote_client_close(c);
		remote->count.stalled++;
		return;
	}
	if (!answering && !line && !c->eof && fcn_remote_end_idle(remote, c, now))
		return;
	if (line || (!answering && c->eof))
		*more = true;
	if (answering)
		event.events = EPOLLOUT;
	else if (!line && !c->eof)
		event.events = EPOLLIN;
	if (event.events != c->events)
		epoll_ctl(remote->epoll, EPOLL_CTL_MOD, c->fd, &event);
	c->events = event.events;
}

/* Remove clients whose connection was closed. */
static void
remove_closed(struct fcn_remote *remote, uint64_t now)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < remote->n; i++) {
		if (remote->clients[i]->fd >= 0)
			remote->clients[kept++] = remote->clients[i];
		else
			free(remote->clients[i]);
	}
	if (remote->no_accept_ms != 0 && (kept < remote->n || now >= remote->no_accept_ms))
		listen_for(remote, true);
	remote->n = kept;
}

bool
fcn_remote_run(struct fcn_remote *remote)
{
	struct epoll_event events[EVENTS];
	uint64_t now = clock_ms();
	int n = epoll_wait(remote->epoll, events, EVENTS, 0);
	bool more = false;

	for (int i = 0; i < n; i++) {
		struct fcn_remote_client *c = events[i].data.ptr;
		const int listener = listener_of(remote, c);

		if (listener >= 0)
			accept_clients(remote, (unsigned int)listener);
		else if (c->fd < 0) /* it has made room in this turn */
			continue;
		else if (fcn_remote_client_answering(c))
			remote->waiting -= fcn_remote_client_write(c, now);
		else
			fcn_remote_client_read(c, now);
	}
	run_lines(remote);
	now = clock_ms();
	for (unsigned int i = 0; i < remote->n; i++)
		if (remote->clients[i]->fd >= 0)
			update_events(remote, remote->clients[i], now, &more);
	remove_closed(remote, now);
	return more;
}

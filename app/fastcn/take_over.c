/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_dev.h>

#include "fcn_ethdev.h"
#include "fcn_remote_frame.h"
#include "live.h"
#include "take_over.h"

#define LATE_MAX 64 /* maximum number of devices that are made later */

/* Seconds for which an answer is waited for: the other switch closes devices meanwhile. */
#define PATIENCE_S 10

/* Longest answer that is read. */
#define ANSWER_MAX ((size_t)64 << 20)

struct fcn_take_over {
	int fd;
	bool released; /* the other switch has let go, or is gone */
	bool refused;  /* it would not */
	char *state;   /* what it has learned; NULL: it did not say */
	size_t state_len;
	const char *late[LATE_MAX]; /* devices that EAL is to make when the other has let go */
	unsigned int n_late;
};

/* ---- the connection ---- */

static bool
is_trusted(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       (peer.uid == 0 || peer.uid == geteuid());
}

static int
connect_to(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0 && is_trusted(fd))
		return fd;
	close(fd);
	return -1;
}

struct fcn_take_over *
fcn_take_over_create(const char *path)
{
	struct fcn_take_over *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->fd = connect_to(path);
	if (t->fd >= 0)
		return t;
	fprintf(stderr, "fastcn: --take-over: no switch of this user listens at %s\n", path);
	free(t);
	return NULL;
}

void
fcn_take_over_free(struct fcn_take_over *t)
{
	if (t == NULL)
		return;
	close(t->fd);
	free(t->state);
	free(t);
}

/* Receive until there are so many bytes. @return 0 or a negative errno */
static int
receive(int fd, char *buf, size_t *have, size_t want)
{
	while (*have < want) {
		ssize_t n = recv(fd, buf + *have, want - *have, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ECONNRESET;
		*have += (size_t)n;
	}
	return 0;
}

/* @return 0; -EPERM: the answer is an error; another negative errno: there is none */
static int
read_answer(int fd, char **text, size_t *len)
{
	char header[FCN_REMOTE_HEADER_SIZE] = "";
	size_t have = 0, body = 0;
	bool ok = false;
	int n = 0, rc;

	while (n == 0 && have < sizeof(header)) {
		rc = receive(fd, header, &have, have + 1);
		if (rc != 0)
			return rc;
		n = fcn_remote_header_parse(header, have, &ok, &body);
	}
	if (n <= 0 || body > ANSWER_MAX)
		return -EBADMSG;
	*text = malloc(body + 1);
	if (*text == NULL)
		return -ENOMEM;
	*len = 0;
	rc = receive(fd, *text, len, body);
	(*text)[*len] = '\0';
	return rc != 0 ? rc : ok ? 0 : -EPERM;
}

/* Have the other switch run a command. @return as read_answer() */
static int
ask(const struct fcn_take_over *t, const char *line, char **text, size_t *len)
{
	*text = NULL;
	*len = 0;
	if (send(t->fd, line, strlen(line), MSG_NOSIGNAL) != (ssize_t)strlen(line))
		return errno != 0 ? -errno : -EPIPE;
	return read_answer(t->fd, text, len);
}

/* ---- devices ---- */

static bool
is_late(struct fcn_take_over *t, const char *device)
{
	if (fcn_ethdev_sharing(device) != FCN_ETHDEV_ALONE || t->n_late == LATE_MAX)
		return false;
	t->late[t->n_late++] = device;
	return true;
}

void
fcn_take_over_arguments(struct fcn_take_over *t, int *argc, char **argv)
{
	static const char option[] = "--vdev";
	const size_t len = strlen(option);
	int kept = 1, at = 1;

	for (; at < *argc && strcmp(argv[at], "--") != 0; at++) {
		if (strcmp(argv[at], option) == 0 && at + 1 < *argc && is_late(t, argv[at + 1]))
			at++;
		else if (strncmp(argv[at], option, len) != 0 || argv[at][len] != '=' ||
				!is_late(t, argv[at] + len + 1))
			argv[kept++] = argv[at];
	}
	for (; at < *argc; at++)
		argv[kept++] = argv[at];
	argv[kept] = NULL;
	*argc = kept;
}

static void
make_late_devices(struct fcn_take_over *t)
{
	for (unsigned int i = 0; i < t->n_late; i++) {
		fcn_ethdev_remove_stale(t->late[i]);
		if (rte_dev_probe(t->late[i]) < 0)
			fprintf(stderr, "fastcn: device %s: EAL cannot make it\n", t->late[i]);
	}
	t->n_late = 0;
}

/* ---- taking over ---- */

bool
fcn_take_over_release(struct fcn_take_over *t)
{
	char line[64], *text;
	size_t len;
	int rc;

	if (t->released || t->refused)
		return t->released;
	if (t->state == NULL && ask(t, "handover state\n", &t->state, &t->state_len) != 0) {
		free(t->state);
		t->state = NULL;
	}
	snprintf(line, sizeof(line), "handover release pid %d\n", (int)getpid());
	rc = ask(t, line, &text, &len);
	if (rc == -EPERM) {
		fprintf(stderr, "fastcn: --take-over: the other switch does not let go: %s", text);
		t->refused = true;
	} else if (rc != 0) {
		/* It has ended, or does not answer; then devices that it still has are refused. */
		fprintf(stderr, "fastcn: --take-over: the other switch does not answer: %s\n",
				strerror(-rc));
		t->released = rc == -ECONNRESET || rc == -EPIPE;
		t->refused = !t->released;
	} else {
		t->released = true;
	}
	free(text);
	if (t->released)
		make_late_devices(t);
	return t->released;
}

/* Forget the packets that the other switch has received, too. */
static void
discard(struct fcn_live *live)
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_control_port *port = fcn_control_port(live->ctl, p);

		if (port != NULL)
			n += fcn_ethdev_discard(port->priv);
	}
	if (n != 0)
		live->discarded = n;
}

bool
fcn_take_over_finish(struct fcn_take_over *t, struct fcn_live *live)
{
	const bool early = t->released;

	if (!early && !t->refused && ask(t, "handover state\n", &t->state, &t->state_len) != 0) {
		free(t->state);
		t->state = NULL;
	}
	/* Before it lets go, so that nothing but this is left to be done then. */
	if (t->state != NULL)
		fcn_live_state_use(live, t->state, t->state_len, "state of the switch before");
	if (!early && !t->refused)
		discard(live);
	if (!fcn_take_over_release(t))
		return false;
	discard(live);
	return true;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Who has a session when there are many: a share for each user, a place for root, and none for
 * those who ask nothing. */

#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote_private.h"

#define TEXT 128

bool
fcn_remote_is_own(uid_t user)
{
	return user == 0 || user == geteuid();
}

void
fcn_remote_client_tell(const struct fcn_remote_client *c, const char *text)
{
	char buf[FCN_REMOTE_HEADER_SIZE + TEXT];
	const size_t len = strnlen(text, TEXT), head = fcn_remote_header(buf, false, len);

	memcpy(buf + head, text, len);
	if (send(c->fd, buf, head + len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return; /* the client sees the end of the connection */
}

/* Find the session of another user that was idle for longest. @return NULL: there is none */
static struct fcn_remote_client *
longest_idle(const struct fcn_remote *remote)
{
	struct fcn_remote_client *found = NULL;

	for (unsigned int i = 0; i < remote->n; i++) {
		struct fcn_remote_client *c = remote->clients[i];

		if (c->fd >= 0 && !fcn_remote_is_own(c->peer.user) &&
				(found == NULL || c->since_ms < found->since_ms))
			found = c;
	}
	return found;
}

/* Close the connection of a session, and take its place. Its memory is freed at the end of the
 * turn, as its events may still be to come. */
static void
make_room(struct fcn_remote *remote, struct fcn_remote_client *c)
{
	remote->waiting -= fcn_remote_client_close(c);
	remote->count.made_room++;
}

/* Count all sessions, and those of a user. */
static unsigned int
count(const struct fcn_remote *remote, uid_t user, unsigned int *of_user)
{
	unsigned int n = 0;

	*of_user = 0;
	for (unsigned int i = 0; i < remote->n; i++) {
		if (remote->clients[i]->fd < 0)
			continue;
		n++;
		*of_user += remote->clients[i]->peer.user == user;
	}
	return n;
}

const char *
fcn_remote_why_full(struct fcn_remote *remote, uid_t user)
{
	const bool own = fcn_remote_is_own(user);
	struct fcn_remote_client *c = NULL;
	unsigned int n, of_user;

	n = count(remote, user, &of_user);
	if (!own && of_user >= remote->conf.user_clients) {
		remote->count.share++;
		return "too many sessions of this user\n";
	}
	if (n < remote->conf.clients && remote->n < remote->conf.clients + FCN_REMOTE_CLOSED)
		return NULL;
	if (own && remote->n < remote->conf.clients + FCN_REMOTE_CLOSED)
		c = longest_idle(remote);
	if (c == NULL) {
		remote->count.full++;
		return "too many sessions\n";
	}
	make_room(remote, c);
	return NULL;
}

bool
fcn_remote_end_idle(struct fcn_remote *remote, struct fcn_remote_client *c, uint64_t now_ms)
{
	const uint64_t most = remote->conf.idle_ms;
	char text[TEXT];

	if (most == 0 || c->in_len > 0 || c->skipping || now_ms < c->since_ms + most ||
			c->peer.role == FCN_ROLE_LEARNED)
		return false;
	snprintf(text, sizeof(text),
			"the session has ended, as nothing was asked for %" PRIu64 " s\n",
			most / 1000);
	fcn_remote_client_tell(c, text);
	fcn_remote_client_close(c);
	remote->count.idle++;
	return true;
}

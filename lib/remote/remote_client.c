/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "remote_private.h"

/* Input of this length without a line end is a line that is too long. */
#define TOO_LONG (FCN_COMMAND_MAX_LINE + 2)

/* Tell whether the call that gave this error may succeed later. */
static bool
is_passing(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

void
fcn_remote_client_read(struct fcn_remote_client *c, uint64_t now_ms)
{
	bool fresh = c->in_len == 0 && !c->skipping;
	ssize_t n;

	if (c->eof || c->in_len == sizeof(c->in))
		return;
	n = recv(c->fd, c->in + c->in_len, sizeof(c->in) - c->in_len, MSG_DONTWAIT);
	if (n > 0) {
		if (fresh)
			c->since_ms = now_ms;
		c->in_len += (size_t)n;
	} else if (n == 0) {
		c->eof = true;
	} else if (!is_passing(errno)) {
		fcn_remote_client_close(c);
	}
}

static void
consume(struct fcn_remote_client *c, size_t n)
{
	c->in_len -= n;
	memmove(c->in, c->in + n, c->in_len);
	c->in_seen = 0;
}

/*
 * Get the length of the next line so far, without its end.
 * @param end is set to whether the line is complete
 */
static size_t
line_length(struct fcn_remote_client *c, bool *end)
{
	const char *nl = memchr(c->in + c->in_seen, '\n', c->in_len - c->in_seen);

	*end = nl != NULL;
	if (nl != NULL)
		return (size_t)(nl - c->in);
	c->in_seen = c->in_len;
	return c->in_len;
}

/* Ignore the rest of a line that was returned as too long. */
static void
skip(struct fcn_remote_client *c)
{
	bool end;
	size_t len;

	if (!c->skipping)
		return;
	len = line_length(c, &end);
	c->skipping = !end;
	consume(c, len + (end ? 1 : 0));
}

bool
fcn_remote_client_has_line(struct fcn_remote_client *c)
{
	size_t len;
	bool end;

	skip(c);
	len = line_length(c, &end);
	return end || len >= TOO_LONG || (c->eof && len > 0);
}

bool
fcn_remote_client_line(struct fcn_remote_client *c, char line[FCN_REMOTE_LINE_SIZE])
{
	size_t len, kept;
	bool end;

	if (!fcn_remote_client_has_line(c))
		return false;
	len = line_length(c, &end);
	kept = len < FCN_REMOTE_LINE_SIZE ? len : FCN_REMOTE_LINE_SIZE - 1;
	memcpy(line, c->in, kept);
	line[kept] = '\0';
	for (size_t i = 0; i < kept; i++)
		if (line[i] == '\0') /* it would end the string; any other control character is
					refused later */
			line[i] = '\001';
	c->skipping = !end;
	consume(c, len + (end ? 1 : 0));
	return true;
}

void
fcn_remote_client_answer(
		struct fcn_remote_client *c, bool ok, char *body, size_t len, uint64_t now_ms)
{
	c->before_len = 0;
	for (; c->held > 0; c->held--)
		c->before_len += fcn_remote_header(c->before + c->before_len, true, 0);
	c->header_len = fcn_remote_header(c->header, ok, len);
	c->body = body;
	c->body_len = len;
	c->sent = 0;
	c->since_ms = now_ms;
}

static size_t
forget_answer(struct fcn_remote_client *c)
{
	size_t len = c->body_len;

	free(c->body);
	c->body = NULL;
	c->body_len = 0;
	c->header_len = 0;
	c->before_len = 0;
	return len;
}

size_t
fcn_remote_client_close(struct fcn_remote_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	return forget_answer(c);
}

/* Get what is left of a part of an answer, which may be empty, and has no memory then. */
static struct iovec
left_of(char *part, size_t len, size_t sent)
{
	return (struct iovec){sent < len ? part + sent : NULL, len - sent};
}

size_t
fcn_remote_client_write(struct fcn_remote_client *c, uint64_t now_ms)
{
	while (fcn_remote_client_answering(c)) {
		size_t before = c->sent < c->before_len ? c->sent : c->before_len;
		size_t left = c->sent - before;
		size_t head = left < c->header_len ? left : c->header_len;
		size_t body = left - head;
		struct iovec parts[3] = {left_of(c->before, c->before_len, before),
				left_of(c->header, c->header_len, head),
				left_of(c->body, c->body_len, body)};
		struct msghdr msg = {.msg_iov = parts, .msg_iovlen = c->body_len > body ? 3 : 2};
		ssize_t n;

		if (c->sent == c->before_len + c->header_len + c->body_len) {
			c->since_ms = now_ms;
			return c->last ? fcn_remote_client_close(c) : forget_answer(c);
		}
		n = sendmsg(c->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return is_passing(errno) ? 0 : fcn_remote_client_close(c);
		c->sent += (size_t)n;
		c->since_ms = now_ms;
	}
	return 0;
}

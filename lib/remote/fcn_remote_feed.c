/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_remote_feed.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define RETRY_NS (SECOND_NS / 4)
#define SILENCE_NS (30 * SECOND_NS)

void
fcn_remote_feed_init(struct fcn_remote_feed *c, const char *program,
		const struct fcn_remote_feed_ops *ops, void *arg)
{
	c->program = program;
	c->ops = ops;
	c->arg = arg;
	c->fd = -1;
}

static void
disconnect(struct fcn_remote_feed *c, uint64_t now_ns)
{
	close(c->fd);
	c->fd = -1;
	c->out_len = c->out_sent = 0;
	c->head_len = c->body_left = c->text_len = 0;
	c->retry_ns = now_ns + RETRY_NS;
	c->counters.lost++;
	c->waiting = 0;
	c->ops->again(c->arg);
}

void
fcn_remote_feed_close(struct fcn_remote_feed *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static void
connect_to_switch(struct fcn_remote_feed *c, uint64_t now_ns)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int error = 0;

	memcpy(addr.sun_path, c->path, sizeof(addr.sun_path));
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0 || connect(c->fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0)
		error = errno;
	if (error == 0) {
		fprintf(stderr, "%s: connected to the switch, %s\n", c->program, c->path);
		c->error = 0;
		c->heard_ns = now_ns;
		c->counters.connected++;
		return;
	}
	if (error != c->error) /* each reason once */
		fprintf(stderr, "%s: %s: %s; trying again\n", c->program, c->path, strerror(error));
	c->error = error;
	fcn_remote_feed_close(c);
	c->retry_ns = now_ns + RETRY_NS;
}

/* ---- answers ---- */

/* The switch may refuse each of many lines, so the reason is reported at most once a minute. */
static void
report_refusal(struct fcn_remote_feed *c, uint64_t now_ns)
{
	if (c->refused_ns != 0 && now_ns - c->refused_ns < 60 * SECOND_NS)
		return;
	c->refused_ns = now_ns;
	fprintf(stderr, "%s: the switch refuses a line: %s%s", c->program, c->text,
			c->text_len > 0 && c->text[c->text_len - 1] == '\n' ? "" : "\n");
}

static void
end_answer(struct fcn_remote_feed *c, uint64_t now_ns)
{
	c->text[c->text_len] = '\0';
	if (c->waiting > 0) {
		c->waiting--;
		if (c->ops->answered(c->arg, now_ns, c->is_answer_ok, c->text) && !c->is_answer_ok)
			report_refusal(c, now_ns);
	}
	c->head_len = c->text_len = 0;
	c->heard_ns = now_ns;
}

/* Take bytes of answers. @return 0, -EBADMSG */
static int
take(struct fcn_remote_feed *c, const char *data, size_t len, uint64_t now_ns)
{
	while (len > 0) {
		size_t n = len, body;
		int head;

		if (c->body_left > 0) {
			n = n < c->body_left ? n : c->body_left;
			for (size_t i = 0; i < n && c->text_len < sizeof(c->text) - 1; i++)
				c->text[c->text_len++] = data[i];
			c->body_left -= n;
			if (c->body_left == 0)
				end_answer(c, now_ns);
		} else {
			n = 1;
			c->head[c->head_len++] = *data;
			head = fcn_remote_header_parse(
					c->head, c->head_len, &c->is_answer_ok, &body);
			if (head < 0 || (head == 0 && c->head_len == sizeof(c->head)))
				return -EBADMSG;
			if (head > 0 && body == 0)
				end_answer(c, now_ns);
			else if (head > 0)
				c->body_left = body;
		}
		data += n;
		len -= n;
	}
	return 0;
}

/* @return 0, or a negative errno if the connection has ended */
static int
receive(struct fcn_remote_feed *c, uint64_t now_ns)
{
	char data[16384];
	ssize_t n = recv(c->fd, data, sizeof(data), MSG_DONTWAIT);

	if (n > 0)
		return take(c, data, (size_t)n, now_ns);
	if (n == 0)
		return -ECONNRESET;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

/* ---- lines ---- */

/* Write lines into the buffer until it may be full. @return whether there are any to send */
static bool
gather(struct fcn_remote_feed *c, uint64_t now_ns)
{
	if (c->out_sent == c->out_len)
		c->out_sent = c->out_len = 0;
	while (c->waiting < FCN_REMOTE_FEED_WINDOW &&
			c->out_len + FCN_REMOTE_FEED_LINE < sizeof(c->out) &&
			c->ops->next(c->arg, now_ns, c->out + c->out_len)) {
		c->out_len += strlen(c->out + c->out_len);
		c->out[c->out_len++] = '\n';
		c->waiting++;
	}
	return c->out_sent < c->out_len;
}

/* @return 0, or a negative errno if the connection has ended */
static int
transmit(struct fcn_remote_feed *c)
{
	ssize_t n = send(c->fd, c->out + c->out_sent, c->out_len - c->out_sent,
			MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0)
		c->out_sent += (size_t)n;
	return n >= 0 || errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

static void
print(struct fcn_remote_feed *c, uint64_t now_ns)
{
	char line[FCN_REMOTE_FEED_LINE];

	for (unsigned int i = 0; i < FCN_REMOTE_FEED_WINDOW && c->ops->next(c->arg, now_ns, line);
			i++) {
		puts(line);
		c->ops->answered(c->arg, now_ns, true, "");
	}
	if (fflush(stdout) != 0 || ferror(stdout))
		c->print_error = errno;
}

short
fcn_remote_feed_events(const struct fcn_remote_feed *c)
{
	return (short)(POLLIN | (c->out_sent < c->out_len ? POLLOUT : 0));
}

uint64_t
fcn_remote_feed_due(const struct fcn_remote_feed *c)
{
	uint64_t due = c->ops->due(c->arg);

	if (c->is_printed)
		return due;
	if (c->fd < 0)
		return c->retry_ns;
	if (c->out_sent < c->out_len || c->waiting == FCN_REMOTE_FEED_WINDOW)
		due = UINT64_MAX;
	if (c->waiting > 0 && c->heard_ns + SILENCE_NS < due)
		due = c->heard_ns + SILENCE_NS;
	return due;
}

void
fcn_remote_feed_run(struct fcn_remote_feed *c, uint64_t now_ns)
{
	int rc;

	if (c->is_printed) {
		print(c, now_ns);
		return;
	}
	if (c->fd < 0 && c->retry_ns <= now_ns)
		connect_to_switch(c, now_ns);
	if (c->fd < 0)
		return;
	rc = receive(c, now_ns);
	if (c->waiting == 0)
		c->heard_ns = now_ns;
	if (rc == 0 && gather(c, now_ns))
		rc = transmit(c);
	if (rc == 0 && c->heard_ns + SILENCE_NS <= now_ns) {
		rc = -ETIMEDOUT;
		c->counters.silent++;
	}
	if (rc != 0) {
		fprintf(stderr, "%s: the connection to the switch has ended: %s\n", c->program,
				rc == -EBADMSG ? "what listens there is not fastcn"
					       : strerror(-rc));
		disconnect(c, now_ns);
	}
}

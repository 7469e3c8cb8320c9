/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "control.h"

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
control_init(struct control *c, struct learned *learned)
{
	c->learned = learned;
	c->fd = -1;
}

static void
disconnect(struct control *c, uint64_t now_ns)
{
	close(c->fd);
	c->fd = -1;
	c->out_len = c->out_sent = 0;
	c->head_len = c->body_left = c->text_len = 0;
	c->retry_ns = now_ns + RETRY_NS;
	c->counters.lost++;
	learned_again(c->learned);
}

void
control_close(struct control *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static void
connect_to_switch(struct control *c, uint64_t now_ns)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int error = 0;

	memcpy(addr.sun_path, c->path, sizeof(addr.sun_path));
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0 || connect(c->fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0)
		error = errno;
	if (error == 0) {
		fprintf(stderr, "fastcn-pnc: connected to the switch, %s\n", c->path);
		c->error = 0;
		c->heard_ns = now_ns;
		c->counters.connected++;
		return;
	}
	if (error != c->error) /* each reason once */
		fprintf(stderr, "fastcn-pnc: %s: %s; trying again\n", c->path, strerror(error));
	c->error = error;
	control_close(c);
	c->retry_ns = now_ns + RETRY_NS;
}

/* ---- answers ---- */

/* The switch may refuse each of many lines, so the reason is reported at most once a minute. */
static void
report_refusal(struct control *c, uint64_t now_ns)
{
	if (c->refused_ns != 0 && now_ns - c->refused_ns < 60 * SECOND_NS)
		return;
	c->refused_ns = now_ns;
	fprintf(stderr, "fastcn-pnc: the switch refuses a line: %.*s%s", (int)c->text_len, c->text,
			c->text_len > 0 && c->text[c->text_len - 1] == '\n' ? "" : "\n");
}

static void
end_answer(struct control *c, uint64_t now_ns)
{
	/* A switch that was restarted knows nothing of what is to be removed. */
	if (learned_answered(c->learned, c->is_answer_ok) && !c->is_answer_ok)
		report_refusal(c, now_ns);
	c->head_len = c->text_len = 0;
	c->heard_ns = now_ns;
}

/* Take bytes of answers. @return 0, -EBADMSG */
static int
take(struct control *c, const char *data, size_t len, uint64_t now_ns)
{
	while (len > 0) {
		size_t n = len, body;
		int head;

		if (c->body_left > 0) {
			n = n < c->body_left ? n : c->body_left;
			for (size_t i = 0; i < n && c->text_len < sizeof(c->text); i++)
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
receive(struct control *c, uint64_t now_ns)
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
gather(struct control *c, uint64_t now_ns)
{
	if (c->out_sent == c->out_len)
		c->out_sent = c->out_len = 0;
	while (c->out_len + LEARNED_LINE < sizeof(c->out) &&
			learned_next(c->learned, now_ns, c->out + c->out_len)) {
		c->out_len += strlen(c->out + c->out_len);
		c->out[c->out_len++] = '\n';
	}
	return c->out_sent < c->out_len;
}

/* @return 0, or a negative errno if the connection has ended */
static int
transmit(struct control *c)
{
	ssize_t n = send(c->fd, c->out + c->out_sent, c->out_len - c->out_sent,
			MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0)
		c->out_sent += (size_t)n;
	return n >= 0 || errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

static void
print(struct control *c, uint64_t now_ns)
{
	char line[LEARNED_LINE];

	for (unsigned int i = 0; i < LEARNED_WINDOW && learned_next(c->learned, now_ns, line);
			i++) {
		puts(line);
		learned_answered(c->learned, true);
	}
	if (fflush(stdout) != 0 || ferror(stdout))
		c->print_error = errno;
}

short
control_events(const struct control *c)
{
	return (short)(POLLIN | (c->out_sent < c->out_len ? POLLOUT : 0));
}

uint64_t
control_due(const struct control *c)
{
	uint64_t due = learned_due(c->learned);

	if (c->is_printed)
		return due;
	if (c->fd < 0)
		return c->retry_ns;
	if (c->out_sent < c->out_len || learned_waiting(c->learned) == LEARNED_WINDOW)
		due = UINT64_MAX;
	if (learned_waiting(c->learned) > 0 && c->heard_ns + SILENCE_NS < due)
		due = c->heard_ns + SILENCE_NS;
	return due;
}

void
control_run(struct control *c, uint64_t now_ns)
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
	if (learned_waiting(c->learned) == 0)
		c->heard_ns = now_ns;
	if (rc == 0 && gather(c, now_ns))
		rc = transmit(c);
	if (rc == 0 && c->heard_ns + SILENCE_NS <= now_ns) {
		rc = -ETIMEDOUT;
		c->counters.silent++;
	}
	if (rc != 0) {
		fprintf(stderr, "fastcn-pnc: the connection to the switch has ended: %s\n",
				rc == -EBADMSG ? "what listens there is not fastcn"
					       : strerror(-rc));
		disconnect(c, now_ns);
	}
}

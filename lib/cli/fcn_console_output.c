/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcn_console_output.h"

/* If the descriptor could not be opened once more, so many bytes are written at a time: a pipe that
 * is writable accepts them without blocking (PIPE_BUF of POSIX). */
#define PIECE 512

void
fcn_console_output_open(struct fcn_console_output *out, int fd)
{
	char path[32];
	struct stat st;

	*out = (struct fcn_console_output){.fd = fd};
	if (fstat(fd, &st) != 0 || S_ISREG(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		out->fd = fd;
		out->own = true;
	}
}

void
fcn_console_output_close(struct fcn_console_output *out)
{
	if (out->own)
		close(out->fd);
	free(out->kept);
	*out = (struct fcn_console_output){.fd = -1};
}

/* Write as much as is accepted at once. @return number of bytes; if it is less than len, the rest
 * is to be kept, unless out->broken is set */
static size_t
write_some(struct fcn_console_output *out, const char *data, size_t len)
{
	struct pollfd pfd = {.fd = out->fd, .events = POLLOUT};
	size_t done = 0;

	while (done < len && !out->broken) {
		size_t piece = len - done;
		ssize_t n;

		if (!out->own) {
			piece = piece < PIECE ? piece : PIECE;
			if (poll(&pfd, 1, 0) <= 0)
				break;
		}
		n = write(out->fd, data + done, piece);
		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		else if (n == 0 || errno != EINTR)
			out->broken = true;
	}
	return done;
}

static void
keep(struct fcn_console_output *out, const char *data, size_t len)
{
	if (out->len + len > out->room) {
		size_t room = 2 * out->room + len;
		char *grown = realloc(out->kept, room);

		if (grown == NULL) {
			out->broken = true;
			return;
		}
		out->kept = grown;
		out->room = room;
	}
	memcpy(out->kept + out->len, data, len);
	out->len += len;
}

void
fcn_console_output_write(struct fcn_console_output *out, const char *data, size_t len)
{
	size_t done = 0;

	if (!fcn_console_output_waits(out))
		done = write_some(out, data, len);
	if (done < len && !out->broken)
		keep(out, data + done, len - done);
}

bool
fcn_console_output_waits(const struct fcn_console_output *out)
{
	return out->sent < out->len && !out->broken;
}

void
fcn_console_output_flush(struct fcn_console_output *out)
{
	out->sent += write_some(out, out->kept + out->sent, out->len - out->sent);
	if (fcn_console_output_waits(out))
		return;
	free(out->kept);
	out->kept = NULL;
	out->len = out->sent = out->room = 0;
}

void
fcn_console_output_finish(struct fcn_console_output *out, int stop, int patience_ms)
{
	struct pollfd fds[] = {{.fd = out->fd, .events = POLLOUT}, {.fd = stop, .events = POLLIN}};

	while (fcn_console_output_waits(out)) {
		if (poll(fds, 2, patience_ms) <= 0 || fds[1].revents != 0)
			return;
		fcn_console_output_flush(out);
	}
}

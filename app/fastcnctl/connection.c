/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "ctl.h"

#define READ_SIZE 65536

int
ctl_connect(struct ctl *ctl)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct stat st;
	const struct timeval patience = {
			.tv_sec = ctl->timeout_ms / 1000, .tv_usec = ctl->timeout_ms % 1000 * 1000};
	const char *why;
	int error;

	memcpy(addr.sun_path, ctl->path, sizeof(addr.sun_path));
	ctl->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (ctl->fd >= 0 && ctl->timeout_ms > 0)
		setsockopt(ctl->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (ctl->fd >= 0 && connect(ctl->fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0)
		return 0;
	error = errno;
	if (error == ENOENT)
		why = "no switch runs here, or it has another socket (--socket, --name)";
	else if (error == ECONNREFUSED && stat(ctl->path, &st) == 0 && !S_ISSOCK(st.st_mode))
		why = "it is not a socket";
	else if (error == ECONNREFUSED)
		why = "the switch of this socket has ended";
	else if (error == EAGAIN)
		why = "the switch does not accept connections (--timeout waits longer)";
	else
		why = strerror(error);
	fprintf(stderr, "fastcnctl: %s: %s\n", ctl->path, why);
	return -1;
}

int
ctl_take_signals(struct ctl *ctl)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (ctl->signals < 0) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		ctl->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	}
	return ctl->signals < 0 ? -1 : 0;
}

int
ctl_signal(struct ctl *ctl)
{
	struct signalfd_siginfo info;

	if (ctl->signals < 0 || read(ctl->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

static int
send_line(struct ctl *ctl, const char *line)
{
	size_t sent = 0, len;
	char *text = NULL;
	int rc = 0;
	ssize_t n;

	if (asprintf(&text, "%s\n", line) < 0)
		return -ENOMEM;
	for (len = strlen(text); sent<len; sent += n> 0 ? (size_t)n : 0) {
		/* A client that the switch refuses cannot send, but can read why. */
		n = send(ctl->fd, text + sent, len - sent, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			rc = -ECONNABORTED; /* a part of a line cannot be taken back */
		if (n < 0 && errno != EINTR)
			break;
	}
	free(text);
	return rc;
}

/* Read more of the answer. After a signal, what was read stays for later. */
static int
receive(struct ctl *ctl)
{
	struct pollfd fds[2] = {
			{.fd = ctl->fd, .events = POLLIN}, {.fd = ctl->signals, .events = POLLIN}};
	ssize_t n;
	char *in;
	int ready;

	if (ctl->in_size - ctl->in_len < READ_SIZE + 1) {
		in = realloc(ctl->in, 2 * ctl->in_size + READ_SIZE + 1);
		if (in == NULL)
			return -ENOMEM;
		ctl->in = in;
		ctl->in_size = 2 * ctl->in_size + READ_SIZE + 1;
	}
	do {
		ready = poll(fds, 2, ctl->timeout_ms > 0 ? ctl->timeout_ms : -1);
		if (ready == 0)
			return -ETIMEDOUT;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (fds[1].revents != 0)
			return -EINTR;
	} while (fds[0].revents == 0);
	n = recv(ctl->fd, ctl->in + ctl->in_len, READ_SIZE, 0);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0)
		return -ECONNRESET;
	ctl->in_len += (size_t)n;
	return 0;
}

static int
read_answer(struct ctl *ctl, struct ctl_answer *answer)
{
	size_t body;
	int head, rc;

	if (ctl->used > 0) {
		ctl->in[ctl->used] = ctl->behind;
		memmove(ctl->in, ctl->in + ctl->used, ctl->in_len - ctl->used);
	}
	ctl->in_len -= ctl->used;
	ctl->used = 0;
	for (;;) {
		head = fcn_remote_header_parse(
				ctl->in != NULL ? ctl->in : "", ctl->in_len, &answer->ok, &body);
		if (head < 0)
			return head;
		if (head > 0 && ctl->in_len - (size_t)head >= body)
			break;
		rc = receive(ctl);
		if (rc != 0)
			return rc;
	}
	ctl->used = (size_t)head + body;
	answer->len = body;
	answer->text = ctl->in + head;
	ctl->behind = ctl->in[ctl->used];
	ctl->in[ctl->used] = '\0';
	return 0;
}

int
ctl_ask(struct ctl *ctl, const char *line, struct ctl_answer *answer)
{
	int rc = send_line(ctl, line);

	for (; rc == 0 && ctl->stale > 0; ctl->stale -= rc == 0)
		rc = read_answer(ctl, answer);
	if (rc == 0)
		rc = read_answer(ctl, answer);
	if (rc == -EINTR || rc == -ETIMEDOUT)
		ctl->stale++;
	return rc;
}

void
ctl_farewell(struct ctl *ctl)
{
	struct ctl_answer answer;

	if (ctl->stale == 0 && read_answer(ctl, &answer) == 0 && !answer.ok)
		fprintf(stderr, "fastcnctl: %s", answer.text);
}

int
ctl_lost(const struct ctl *ctl, int error)
{
	if (error == -ECONNRESET)
		fprintf(stderr, "fastcnctl: the switch has ended the session\n");
	else if (error == -EBADMSG)
		fprintf(stderr, "fastcnctl: %s: the program at this socket is not fastcn\n",
				ctl->path);
	else if (error == -ETIMEDOUT || error == -ECONNABORTED)
		fprintf(stderr,
				"fastcnctl: %s: the switch has not answered for %g s; %s "
				"(--timeout waits longer)\n",
				ctl->path, ctl->timeout_ms / 1000.0,
				error == -ETIMEDOUT ? "it may still run the command"
						    : "the command was not sent");
	else
		fprintf(stderr, "fastcnctl: %s\n", strerror(-error));
	return CTL_FAILED;
}

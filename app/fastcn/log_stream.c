/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <rte_common.h>

#include "log_stream.h"

#define ROOM (64 * 1024)
#define LOST_LINE 80 /* longest line that reports dropped lines */
#define POLL_MS 100
#define FLUSH_MS 1000

struct fcn_log_stream {
	int fd;
	bool regular; /* poll() always reports it as ready, but writing to it may block */
	FILE *file;
	pthread_t thread;
	void (*written)(void *arg, const char *text, size_t len); /* NULL: nobody watches */
	void *written_arg;

	pthread_mutex_t lock;
	pthread_cond_t more;
	bool ending, writing;
	uint64_t end_ms; /* time at which the writer gives up, when the stream ends */
	uint64_t lost, unreported;
	size_t n, room;
	char *buf, *out; /* the buffer, and what is being written */
};

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Append a line with the number of lost lines. The caller holds the lock. */
static void
append_lost(struct fcn_log_stream *ls)
{
	int n = snprintf(ls->buf + ls->n, LOST_LINE,
			"fastcn: %" PRIu64 " line%s missing here, not read in time\n",
			ls->unreported, ls->unreported == 1 ? " is" : "s are");

	ls->n += (size_t)n;
	ls->unreported = 0;
}

static bool
has_given_up(struct fcn_log_stream *ls)
{
	bool given_up;

	pthread_mutex_lock(&ls->lock);
	given_up = ls->ending && now_ms() >= ls->end_ms;
	pthread_mutex_unlock(&ls->lock);
	return given_up;
}

/*
 * Write data, on the writer's thread. It writes at most PIPE_BUF bytes at once, because a ready
 * pipe has room for that many.
 */
static void
write_out(struct fcn_log_stream *ls, const char *data, size_t len)
{
	struct pollfd pfd = {.fd = ls->fd, .events = POLLOUT};

	while (len > 0 && !has_given_up(ls)) {
		ssize_t n;

		if (poll(&pfd, 1, POLL_MS) == 0)
			continue;
		n = write(ls->fd, data, RTE_MIN(len, (size_t)PIPE_BUF));
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		data += RTE_MAX(n, 0);
		len -= (size_t)RTE_MAX(n, 0);
	}
}

static void *
writer_main(void *arg)
{
	struct fcn_log_stream *ls = arg;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE); /* write() then fails with EPIPE */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_mutex_lock(&ls->lock);
	while (!ls->ending || ls->n > 0) {
		size_t len = ls->n;

		if (len == 0) {
			pthread_cond_wait(&ls->more, &ls->lock);
			continue;
		}
		RTE_SWAP(ls->buf, ls->out);
		ls->n = 0;
		ls->writing = true;
		if (ls->unreported > 0)
			append_lost(ls);
		pthread_mutex_unlock(&ls->lock);
		write_out(ls, ls->out, len);
		pthread_mutex_lock(&ls->lock);
		ls->writing = false;
	}
	pthread_mutex_unlock(&ls->lock);
	return NULL;
}

/* Try to write directly, so that messages are out even if the program ends at once; the lock is
 * held.
 * @return whether all was written */
static bool
is_written_at_once(struct fcn_log_stream *ls, const char *data, size_t len)
{
	struct pollfd pfd = {.fd = ls->fd, .events = POLLOUT};

	if (ls->regular || ls->writing || ls->n > 0 || len > PIPE_BUF)
		return false;
	if (poll(&pfd, 1, 0) != 1 || (pfd.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
		return false;
	return write(ls->fd, data, len) == (ssize_t)len;
}

static uint64_t
count_lines(const char *data, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += data[i] == '\n';
	return RTE_MAX(n, UINT64_C(1));
}

/* A write is accepted or dropped as a whole. The stream is buffered by line. */
static ssize_t
put(void *cookie, const char *data, size_t len)
{
	struct fcn_log_stream *ls = cookie;

	if (ls->written != NULL)
		ls->written(ls->written_arg, data, len);
	pthread_mutex_lock(&ls->lock);
	if (is_written_at_once(ls, data, len)) {
		pthread_mutex_unlock(&ls->lock);
		return (ssize_t)len;
	}
	if (ls->unreported > 0 ||
			len > ls->room - LOST_LINE - RTE_MIN(ls->n, ls->room - LOST_LINE)) {
		uint64_t n = count_lines(data, len);

		ls->lost += n;
		ls->unreported += n;
	} else {
		memcpy(ls->buf + ls->n, data, len);
		ls->n += len;
		pthread_cond_signal(&ls->more);
	}
	pthread_mutex_unlock(&ls->lock);
	return (ssize_t)len;
}

static void
destroy(struct fcn_log_stream *ls)
{
	if (ls->file != NULL)
		fclose(ls->file);
	pthread_cond_destroy(&ls->more);
	pthread_mutex_destroy(&ls->lock);
	free(ls->buf);
	free(ls->out);
	free(ls);
}

struct fcn_log_stream *
fcn_log_stream_create(int fd, size_t room)
{
	static const cookie_io_functions_t functions = {.write = put};
	struct fcn_log_stream *ls = calloc(1, sizeof(*ls));
	struct stat st;
	int rc = ENOMEM;

	if (ls == NULL)
		return NULL;
	ls->fd = fd;
	ls->regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	ls->room = RTE_MAX(room != 0 ? room : ROOM, (size_t)2 * LOST_LINE);
	ls->buf = malloc(ls->room);
	ls->out = malloc(ls->room);
	pthread_mutex_init(&ls->lock, NULL);
	pthread_cond_init(&ls->more, NULL);
	if (ls->buf != NULL && ls->out != NULL)
		ls->file = fopencookie(ls, "w", functions);
	if (ls->file != NULL) {
		setvbuf(ls->file, NULL, _IOLBF, BUFSIZ);
		rc = pthread_create(&ls->thread, NULL, writer_main, ls);
	}
	if (rc == 0)
		return ls;
	destroy(ls);
	errno = rc;
	return NULL;
}

FILE *
fcn_log_stream_file(struct fcn_log_stream *ls)
{
	return ls->file;
}

void
fcn_log_stream_watch(struct fcn_log_stream *ls,
		void (*written)(void *arg, const char *text, size_t len), void *arg)
{
	ls->written_arg = arg;
	ls->written = written;
}

uint64_t
fcn_log_stream_lost(struct fcn_log_stream *ls)
{
	uint64_t lost;

	pthread_mutex_lock(&ls->lock);
	lost = ls->lost;
	pthread_mutex_unlock(&ls->lock);
	return lost;
}

void
fcn_log_stream_free(struct fcn_log_stream *ls)
{
	if (ls == NULL)
		return;
	fflush(ls->file);
	pthread_mutex_lock(&ls->lock);
	ls->ending = true;
	ls->end_ms = now_ms() + FLUSH_MS;
	pthread_cond_signal(&ls->more);
	pthread_mutex_unlock(&ls->lock);
	pthread_join(ls->thread, NULL);
	destroy(ls);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_common.h>

#include "event_log.h"
#include "fcn_event_line.h"

#define ROOM (1024 * 1024)
#define LOST_LINE 160 /* longest line that reports lost lines */
/* Only lines that report lost lines contain this: quotes within a string are escaped. */
#define LOST_MARK "\"event\":\"lines_lost\",\"lines\":"
/* The most that is written at once: a pipe that is ready takes as much without blocking. */
#define CHUNK 4096
#define POLL_MS 100
#define FLUSH_MS 1000

struct fcn_event_log {
	char *file;
	int fd; /* used by the writer thread alone */
	pthread_t thread;
	bool torn; /* used by the writer thread alone: the file ends within a line */

	pthread_mutex_t lock;
	pthread_cond_t more;
	int new_fd; /* -1: none */
	bool ending;
	uint64_t end_ms; /* with `ending`: when the writer stops trying to write */
	struct fcn_event_log_stats stats;
	uint64_t unreported; /* lost lines that no line in the file has reported yet */
	size_t head, n, room;
	char *buf;
};

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int
open_file(const char *file)
{
	int fd;

	if (strcmp(file, "-") == 0)
		return STDOUT_FILENO;
	/* Non-blocking: opening a FIFO without a reader fails, and writing to a full one does not
	 * block. */
	fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
	return fd < 0 ? -errno : fd;
}

static void
close_file(int fd)
{
	if (fd >= 0 && fd != STDOUT_FILENO)
		close(fd);
}

/* Take as many whole lines as a chunk holds; the lock is held. A line is shorter than a chunk. */
static size_t
take_lines(struct fcn_event_log *log, char *chunk)
{
	size_t n = RTE_MIN(log->n, (size_t)CHUNK);

	for (size_t i = 0; i < n; i++)
		chunk[i] = log->buf[(log->head + i) % log->room];
	while (n > 0 && chunk[n - 1] != '\n')
		n--;
	log->head = (log->head + n) % log->room;
	log->n -= n;
	return n;
}

static bool
has_given_up(struct fcn_event_log *log)
{
	bool given_up;

	pthread_mutex_lock(&log->lock);
	given_up = log->ending && now_ms() >= log->end_ms;
	pthread_mutex_unlock(&log->lock);
	return given_up;
}

/* Write until all is written, writing fails or the log is to end. @return bytes written */
static size_t
write_some(struct fcn_event_log *log, const char *data, size_t len)
{
	struct pollfd pfd = {.fd = log->fd, .events = POLLOUT};
	size_t done = 0;

	while (done < len && !has_given_up(log)) {
		ssize_t n;

		if (poll(&pfd, 1, POLL_MS) == 0)
			continue;
		n = write(log->fd, data + done, len - done);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	return done;
}

/*
 * Count the lines that were not written completely. A line that reports lost lines does not count:
 * the number that it reports has to be reported again.
 */
static void
count_lost(const char *chunk, size_t len, size_t done, uint64_t *lost, uint64_t *unreported)
{
	const char *line = chunk, *end = chunk + len;

	while (line < end) {
		const char *next = (const char *)memchr(line, '\n', end - line) + 1;
		const char *mark = memmem(line, next - line, LOST_MARK, strlen(LOST_MARK));

		if (next > chunk + done && mark != NULL)
			*unreported += strtoull(mark + strlen(LOST_MARK), NULL, 10);
		else if (next > chunk + done)
			(*lost)++;
		line = next;
	}
}

static void
write_lines(struct fcn_event_log *log, const char *chunk, size_t len)
{
	uint64_t lost = 0, unreported = 0;
	size_t done = 0;

	if (!log->torn || write_some(log, "\n", 1) == 1) {
		done = write_some(log, chunk, len);
		log->torn = done > 0 && chunk[done - 1] != '\n';
	}
	if (done == len)
		return;
	count_lost(chunk, len, done, &lost, &unreported);
	pthread_mutex_lock(&log->lock);
	log->stats.lines -= lost;
	log->stats.lost += lost;
	log->unreported += lost + unreported;
	pthread_mutex_unlock(&log->lock);
}

static void *
writer_main(void *arg)
{
	struct fcn_event_log *log = arg;
	char chunk[CHUNK];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE); /* write() then fails with EPIPE */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_mutex_lock(&log->lock);
	while (!log->ending || log->n > 0) {
		size_t len = take_lines(log, chunk);

		if (log->new_fd >= 0 && log->new_fd != log->fd) {
			close_file(log->fd);
			log->fd = log->new_fd;
			log->torn = false;
		}
		log->new_fd = -1;
		if (len == 0) {
			pthread_cond_wait(&log->more, &log->lock);
			continue;
		}
		pthread_mutex_unlock(&log->lock);
		write_lines(log, chunk, len);
		pthread_mutex_lock(&log->lock);
	}
	pthread_mutex_unlock(&log->lock);
	return NULL;
}

/* Free a log without a thread. */
static void
destroy(struct fcn_event_log *log)
{
	close_file(log->new_fd);
	close_file(log->fd);
	pthread_cond_destroy(&log->more);
	pthread_mutex_destroy(&log->lock);
	free(log->buf);
	free(log->file);
	free(log);
}

struct fcn_event_log *
fcn_event_log_create(const char *file, size_t room, char *err, size_t err_size)
{
	struct fcn_event_log *log = calloc(1, sizeof(*log));
	int rc = -ENOMEM;

	if (log == NULL) {
		snprintf(err, err_size, "out of memory");
		return NULL;
	}
	log->room = room != 0 ? room : ROOM;
	log->buf = malloc(log->room);
	log->file = strdup(file);
	log->fd = -1;
	log->new_fd = -1;
	if (log->buf != NULL && log->file != NULL)
		rc = log->fd = open_file(file);
	pthread_mutex_init(&log->lock, NULL);
	pthread_cond_init(&log->more, NULL);
	if (rc >= 0)
		rc = -pthread_create(&log->thread, NULL, writer_main, log);
	if (rc == 0)
		return log;
	snprintf(err, err_size, "%s: %s", file, strerror(-rc));
	destroy(log);
	return NULL;
}

void
fcn_event_log_free(struct fcn_event_log *log)
{
	if (log == NULL)
		return;
	pthread_mutex_lock(&log->lock);
	log->ending = true;
	log->end_ms = now_ms() + FLUSH_MS;
	pthread_cond_signal(&log->more);
	pthread_mutex_unlock(&log->lock);
	pthread_join(log->thread, NULL);
	destroy(log);
}

/* Whether the buffer has room; the lock is held. */
static bool
has_room(const struct fcn_event_log *log, size_t len)
{
	return len <= log->room - log->n;
}

/* Append to the buffer, which has room; the lock is held. */
static void
append(struct fcn_event_log *log, const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		log->buf[(log->head + log->n + i) % log->room] = line[i];
	log->n += len;
}

/* Append a line that reports lost lines; the lock is held. */
static void
append_lost(struct fcn_event_log *log)
{
	char line[LOST_LINE], time[FCN_UTC_SIZE];
	struct timespec ts;
	int len;

	clock_gettime(CLOCK_REALTIME, &ts);
	len = snprintf(line, sizeof(line), "{\"time\":\"%s\"," LOST_MARK "%" PRIu64 "}\n",
			fcn_format_utc((uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec, time),
			log->unreported);
	append(log, line, len);
	log->unreported = 0;
}

void
fcn_event_log_put(struct fcn_event_log *log, const char *line, size_t len)
{
	pthread_mutex_lock(&log->lock);
	if (!has_room(log, len + (log->unreported > 0 ? LOST_LINE : 0))) {
		log->stats.lost++;
		log->unreported++;
	} else {
		if (log->unreported > 0)
			append_lost(log);
		append(log, line, len);
		log->stats.lines++;
		pthread_cond_signal(&log->more);
	}
	pthread_mutex_unlock(&log->lock);
}

void
fcn_event_log_left_out(struct fcn_event_log *log)
{
	pthread_mutex_lock(&log->lock);
	log->stats.left_out++;
	pthread_mutex_unlock(&log->lock);
}

int
fcn_event_log_reopen(struct fcn_event_log *log)
{
	int fd = open_file(log->file);

	if (fd < 0)
		return fd;
	pthread_mutex_lock(&log->lock);
	close_file(log->new_fd);
	log->new_fd = fd;
	pthread_cond_signal(&log->more);
	pthread_mutex_unlock(&log->lock);
	return 0;
}

const char *
fcn_event_log_file(const struct fcn_event_log *log)
{
	return log->file;
}

void
fcn_event_log_stats(struct fcn_event_log *log, struct fcn_event_log_stats *stats)
{
	pthread_mutex_lock(&log->lock);
	*stats = log->stats;
	pthread_mutex_unlock(&log->lock);
}

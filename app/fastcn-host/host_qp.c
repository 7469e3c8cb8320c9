/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "host_qp.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "qp_map.h"
#include "qp_probe.h"
#include "thread_group.h"

#define DEFAULT_MOST 131072
#define DEFAULT_INTERVAL_MS 1000
#define PROBED_INTERVAL_MS 10000 /* with probes, which tell of themselves */
#define SOON_MS 100              /* until a round that something has called for */
#define ABSENT_MS 5000           /* while the kernel has no RDMA */
#define LONGEST_MS 60000
#define SHARE 50   /* a round takes at most a fiftieth of the time */
#define PAUSE_MS 3 /* in which events gather */
#define MS_NS 1000000
#define EVENTS_AT_ONCE 4096
#define DRAINS 3 /* so many are all that the ring has room for */
#define DATAGRAMS_AT_ONCE 16
#define READY 4
#define BUFFER (64 * 1024)

/* What a round has asked for. */
enum phase {
	IDLE,
	DEVICES,
	QPS,
	CM_IDS,
	QPS_AGAIN
};

struct host_qp_source {
	struct qp_map *map;
	struct qp_probe *probe;
	uint32_t interval_ms;
	bool may_probe;
	bool wants_probes; /* and has none, and may get them yet */
	char complaint[256];
	int epoll, timer, pause, netlink;
	enum phase phase;
	unsigned int place; /* of the device whose resources were asked for */
	bool is_complete, is_refused, is_answered, is_soon;
	bool has_devices, is_malformed, is_absent;
	uint32_t seq;
	uint64_t begin_ms, rounds, events, lost, malformed;
	uint8_t buffer[BUFFER];
};

#define REASON_NAME(id, name, text) [HOST_QP_##id] = name,
#define REASON_TEXT(id, name, text) [HOST_QP_##id] = text,

const char *
host_qp_reason_name(enum host_qp_reason reason)
{
	static const char *const names[] = {HOST_QP_REASONS(REASON_NAME)};

	return names[reason];
}

const char *
host_qp_reason_text(enum host_qp_reason reason)
{
	static const char *const texts[] = {HOST_QP_REASONS(REASON_TEXT)};

	return texts[reason];
}

/* ---- descriptors ---- */

static int
watch(struct host_qp_source *s, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void
set_timer(int fd, uint64_t ms)
{
	const struct itimerspec when = {
			.it_value = {(time_t)(ms / 1000), (long)(ms % 1000) * MS_NS}};

	timerfd_settime(fd, 0, &when, NULL);
}

static bool
has_expired(int fd)
{
	uint64_t n;

	return read(fd, &n, sizeof(n)) == sizeof(n);
}

static void
close_netlink(struct host_qp_source *s)
{
	if (s->netlink >= 0)
		close(s->netlink);
	s->netlink = -1;
}

static int
open_netlink(struct host_qp_source *s)
{
	s->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_RDMA);
	return s->netlink < 0 || watch(s, s->netlink, EPOLLIN) != 0 ? -1 : 0;
}

/* ---- probes ---- */

static void
call_for_round(struct host_qp_source *s)
{
	s->is_soon = true;
	if (s->phase == IDLE)
		set_timer(s->timer, SOON_MS);
}

static void
on_event(void *arg, const struct qp_map_event *event)
{
	struct host_qp_source *s = arg;

	s->events++;
	/* An adapter that has just come, or one of another network namespace. */
	if (qp_map_event(s->map, event) == -ENODEV && !event->is_destroyed && !s->is_soon)
		call_for_round(s);
}

/*
 * What netlink says was so before what is in the ring now: so the ring is read after each answer,
 * all of it.
 */
static unsigned int
drain(struct host_qp_source *s, unsigned int most)
{
	uint64_t lost;
	unsigned int n;

	if (s->probe == NULL)
		return 0;
	n = qp_probe_read(s->probe, most);
	if (n > 0) {
		lost = qp_probe_lost(s->probe);
		s->lost += lost;
		if (lost > 0)
			call_for_round(s);
	}
	return n;
}

/*
 * Events that come one behind the other are read together: after the first ones every few
 * milliseconds, until none come.
 */
static void
read_probe(struct host_qp_source *s, bool is_pause)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
	const struct itimerspec every = {
			.it_value = {0, PAUSE_MS * MS_NS}, .it_interval = {0, PAUSE_MS * MS_NS}};

	if (drain(s, EVENTS_AT_ONCE) > 0) {
		if (!is_pause)
			timerfd_settime(s->pause, 0, &every, NULL);
		return;
	}
	if (is_pause)
		set_timer(s->pause, 0);
	event.data.fd = qp_probe_fd(s->probe);
	epoll_ctl(s->epoll, EPOLL_CTL_MOD, event.data.fd, &event);
}

static void
open_probe(struct host_qp_source *s)
{
	int rc;

	if (!s->wants_probes)
		return;
	rc = qp_probe_open(&s->probe, on_event, s, s->complaint, sizeof(s->complaint));
	if (rc == 0 && watch(s, qp_probe_fd(s->probe), EPOLLIN | EPOLLONESHOT) != 0) {
		qp_probe_close(s->probe);
		s->probe = NULL;
	}
	if (rc == 0)
		s->complaint[0] = '\0';
	s->wants_probes = false;
}

static void
close_probe(struct host_qp_source *s)
{
	if (s->probe == NULL)
		return;
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, qp_probe_fd(s->probe), NULL);
	qp_probe_close(s->probe);
	s->probe = NULL;
}

/* ---- rounds ---- */

static int
ask(struct host_qp_source *s, enum rdma_nl_dump what, uint32_t device)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	uint8_t request[RDMA_NL_REQUEST_SIZE];
	const size_t n = rdma_nl_request(request, what, device, ++s->seq);

	s->is_answered = s->is_refused = false;
	return sendto(s->netlink, request, n, 0, (const struct sockaddr *)&kernel,
			       sizeof(kernel)) == (ssize_t)n
			       ? 0
			       : -1;
}

static void
end_round(struct host_qp_source *s, uint64_t now_ms)
{
	const uint64_t took = now_ms > s->begin_ms ? now_ms - s->begin_ms : 0;
	uint64_t wait = s->interval_ms != 0 ? s->interval_ms
			: s->probe != NULL  ? PROBED_INTERVAL_MS
					    : DEFAULT_INTERVAL_MS;

	qp_map_end(s->map, s->is_complete);
	s->rounds++;
	s->malformed += s->is_malformed;
	s->phase = IDLE;
	/* An open socket would keep the module ib_core from being unloaded. */
	close_netlink(s);
	if (s->is_absent && wait < ABSENT_MS)
		wait = ABSENT_MS;
	if (wait < SHARE * took)
		wait = SHARE * took < LONGEST_MS ? SHARE * took : LONGEST_MS;
	if (s->is_soon)
		wait = SOON_MS;
	s->is_soon = false;
	set_timer(s->timer, wait);
}

/* Ask the next device, or what is to be asked next. */
static void
go_on(struct host_qp_source *s, uint64_t now_ms)
{
	uint32_t device;

	for (;;) {
		if (qp_map_next_device(s->map, s->place, &device)) {
			s->place++;
			if (ask(s, s->phase == CM_IDS ? RDMA_NL_CM_IDS : RDMA_NL_QPS, device) == 0)
				return;
			s->is_complete = false;
		} else if (s->phase == QPS && qp_map_wants_cm_ids(s->map)) {
			s->phase = CM_IDS;
			s->place = 0;
		} else if (s->phase == CM_IDS && qp_map_wants_again(s->map)) {
			s->phase = QPS_AGAIN;
			s->place = 0;
		} else {
			end_round(s, now_ms);
			return;
		}
	}
}

static void
on_device(void *arg, uint32_t index, const char *name, bool is_roce)
{
	struct host_qp_source *s = arg;

	if (s->phase != DEVICES || !is_roce)
		return;
	s->has_devices = true;
	if (qp_map_device(s->map, index, name) != 0)
		s->is_complete = false;
}

static void
on_qp(void *arg, const struct rdma_nl_qp *qp)
{
	qp_map_qp(((struct host_qp_source *)arg)->map, qp);
}

static void
on_cm_id(void *arg, const struct rdma_nl_cm_id *id)
{
	qp_map_cm_id(((struct host_qp_source *)arg)->map, id);
}

static void
on_end(void *arg, int error)
{
	struct host_qp_source *s = arg;

	s->is_answered = true;
	s->is_refused = error != 0;
}

static void
begin_round(struct host_qp_source *s, uint64_t now_ms)
{
	s->begin_ms = now_ms;
	s->is_complete = true;
	s->is_malformed = s->has_devices = s->is_absent = false;
	qp_map_begin(s->map);
	s->phase = DEVICES;
	if (open_netlink(s) == 0 && ask(s, RDMA_NL_DEVICES, 0) == 0)
		return;
	/* No RDMA in this kernel, or none any more: no adapters, no queue pairs. */
	s->is_absent = s->is_complete = errno == EPROTONOSUPPORT || errno == ECONNREFUSED;
	if (s->is_absent)
		close_probe(s);
	s->wants_probes = s->may_probe && s->probe == NULL;
	end_round(s, now_ms);
}

static void
answered(struct host_qp_source *s, uint64_t now_ms)
{
	if (s->is_refused)
		s->is_complete = false;
	if (s->phase == DEVICES) {
		/* Functions for probes can have come with the first adapter. */
		if (s->has_devices)
			open_probe(s);
		else
			s->wants_probes = s->may_probe && s->probe == NULL;
		s->phase = QPS;
		s->place = 0;
	}
	go_on(s, now_ms);
}

/* @return whether there was a datagram */
static bool
read_datagram(struct host_qp_source *s, uint64_t now_ms)
{
	const struct rdma_nl_sink sink = {on_device, on_qp, on_cm_id, on_end, s};
	struct sockaddr_nl from = {0};
	socklen_t size = sizeof(from);
	const ssize_t n = recvfrom(s->netlink, s->buffer, sizeof(s->buffer), MSG_TRUNC,
			(struct sockaddr *)&from, &size);

	if (n < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return false;
		s->is_complete = false;
		end_round(s, now_ms);
		return false;
	}
	if (from.nl_pid != 0)
		return true;
	if ((size_t)n > sizeof(s->buffer) ||
			rdma_nl_read(s->buffer, (size_t)n, s->seq, &sink) != 0) {
		s->is_malformed = true;
		s->is_complete = false;
	}
	for (int i = 0; i < DRAINS && drain(s, EVENTS_AT_ONCE) == EVENTS_AT_ONCE; i++)
		continue;
	if (s->is_answered && s->phase != IDLE) {
		s->is_answered = false;
		answered(s, now_ms);
	}
	return true;
}

static void
read_netlink(struct host_qp_source *s, uint64_t now_ms)
{
	for (int i = 0; i < DATAGRAMS_AT_ONCE && s->phase != IDLE; i++)
		if (!read_datagram(s, now_ms))
			break;
}

int
host_qp_source_read(struct host_qp_source *s, uint64_t now_ms)
{
	struct epoll_event event[READY];
	const int n = epoll_wait(s->epoll, event, READY, 0);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		const int fd = event[i].data.fd;

		if (fd == s->timer) {
			if (has_expired(fd) && s->phase == IDLE)
				begin_round(s, now_ms);
		} else if (fd == s->netlink) {
			read_netlink(s, now_ms);
		} else if (fd == s->pause) {
			if (has_expired(fd) && s->probe != NULL)
				read_probe(s, true);
		} else if (s->probe != NULL) {
			read_probe(s, false);
		}
	}
	return 0;
}

/* ---- life ---- */

struct host_qp_source *
host_qp_source_create(const struct host_qp_conf *conf, const struct host_qp_ops *ops, void *arg,
		char *err, size_t size)
{
	static const struct host_qp_conf defaults;
	struct host_qp_source *s = calloc(1, sizeof(*s));
	struct qp_map_conf map = {.ops = ops, .arg = arg, .same_process = thread_group_is_same};

	if (conf == NULL)
		conf = &defaults;
	map.most = conf->most != 0 ? conf->most : DEFAULT_MOST;
	if (s == NULL) {
		snprintf(err, size, "out of memory");
		return NULL;
	}
	s->netlink = -1;
	s->interval_ms = conf->interval_ms;
	s->may_probe = s->wants_probes = !conf->no_probes;
	s->map = qp_map_create(&map);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	s->pause = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->map == NULL || s->epoll < 0 || s->timer < 0 || s->pause < 0 ||
			watch(s, s->timer, EPOLLIN) != 0 || watch(s, s->pause, EPOLLIN) != 0) {
		snprintf(err, size, "out of memory or descriptors");
		host_qp_source_free(s);
		return NULL;
	}
	open_probe(s);
	s->wants_probes = s->may_probe && s->probe == NULL;
	snprintf(err, size, "%s", s->complaint);
	set_timer(s->timer, 1);
	return s;
}

void
host_qp_source_free(struct host_qp_source *s)
{
	if (s == NULL)
		return;
	close_netlink(s);
	qp_probe_close(s->probe);
	qp_map_free(s->map);
	if (s->pause >= 0)
		close(s->pause);
	if (s->timer >= 0)
		close(s->timer);
	if (s->epoll >= 0)
		close(s->epoll);
	free(s);
}

int
host_qp_source_fd(const struct host_qp_source *s)
{
	return s->epoll;
}

bool
host_qp_source_has_probes(const struct host_qp_source *s)
{
	return s->probe != NULL;
}

const char *
host_qp_source_complaint(const struct host_qp_source *s)
{
	return s->complaint;
}

void
host_qp_source_walk(const struct host_qp_source *s,
		void (*each)(void *arg, const struct host_qp_view *view), void *arg)
{
	qp_map_walk(s->map, s->probe != NULL, each, arg);
}

void
host_qp_source_counts(const struct host_qp_source *s, struct host_qp_counts *counts)
{
	*counts = (struct host_qp_counts){.rounds = s->rounds,
			.events = s->events,
			.lost = s->lost,
			.malformed = s->malformed};
	qp_map_counts(s->map, counts);
}

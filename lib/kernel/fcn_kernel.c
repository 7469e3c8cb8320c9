/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <bsd/string.h>

#include "kernel_private.h"
#include "netns.h"

/* Interval of checks for changes about which the kernel sends no message. */
#define TEND_EVERY_NS UINT64_C(500000000)

#define EVENTS_A_POLL 16

void
fcn_kernel_note(struct fcn_kernel *k, const char *format, ...)
{
	char line[sizeof(k->last_error)];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (strcmp(line, k->last_error) == 0)
		return;
	strlcpy(k->last_error, line, sizeof(k->last_error));
	k->env.log(k->env.arg, line);
}

struct fcn_kernel *
fcn_kernel_create(const struct fcn_kernel_env *env)
{
	struct fcn_kernel *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return NULL;
	k->env = *env;
	k->epoll = -1;
	k->netlink_due_ns = k->tend_due_ns = FCN_KERNEL_NEVER;
	k->store = fcn_kernel_store_create();
	if (k->store == NULL) {
		free(k);
		return NULL;
	}
	return k;
}

/* The sockets in a namespace, and what listens to the kernel there. All zero: none. */
struct sockets {
	struct fcn_netlink_socket *listen, *request;
	struct fcn_netlink *netlink;
	struct fcn_netns_id netns;
};

static void
close_set(const struct sockets *s)
{
	fcn_netlink_free(s->netlink);
	fcn_netlink_socket_close(s->listen);
	fcn_netlink_socket_close(s->request);
}

/* Use other sockets, or none, and close those before. */
static void
use_sockets(struct fcn_kernel *k, const struct sockets *s)
{
	const struct sockets old = {k->listen, k->request, k->netlink, k->netns_id};

	k->listen = s->listen;
	k->request = s->request;
	k->netlink = s->netlink;
	k->netns_id = s->netns;
	k->netns_gone = false;
	close_set(&old);
}

static void
close_sockets(struct fcn_kernel *k)
{
	use_sockets(k, &(struct sockets){0});
	k->netlink_due_ns = k->tend_due_ns = FCN_KERNEL_NEVER;
}

void
fcn_kernel_free(struct fcn_kernel *k)
{
	if (k == NULL)
		return;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		fcn_kernel_interface_free(k, p);
	close_sockets(k);
	fcn_kernel_store_free(k->store);
	if (k->epoll >= 0)
		close(k->epoll);
	free(k->conf.address);
	free(k);
}

int
fcn_kernel_fd(const struct fcn_kernel *k)
{
	return k->epoll;
}

bool
fcn_kernel_is_open(const struct fcn_kernel *k)
{
	return k->netlink != NULL;
}

struct fcn_kernel_store *
fcn_kernel_store(const struct fcn_kernel *k)
{
	return k->store;
}

/* ---- configuration ---- */

static bool
wants_anything(const struct fcn_kernel_conf *conf)
{
	bool wants = false;

	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
		wants |= conf->routes.table[t].number != 0 || conf->routes.table[t].vrf[0] != '\0';
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		wants |= fcn_kernel_interface_is_wanted(conf, p);
	return wants;
}

int
fcn_kernel_watch(struct fcn_kernel *k, int fd, uint32_t what)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = what};

	return epoll_ctl(k->epoll, EPOLL_CTL_ADD, fd, &ev);
}

/*
 * Open sockets in a namespace.
 *
 * @return 0; -1: err is written, and nothing is open
 */
static int
open_set(struct fcn_kernel *k, const char *netns, struct sockets *s, char *err, size_t err_size)
{
	struct fcn_netlink_io io;
	int home;

	*s = (struct sockets){0};
	if (k->epoll < 0)
		k->epoll = epoll_create1(EPOLL_CLOEXEC);
	home = fcn_netns_enter(netns);
	if (home == FCN_NETNS_FAILED || (netns[0] != '\0' && fcn_netns_id(netns, &s->netns) != 0)) {
		snprintf(err, err_size, "kernel namespace %s: %s", netns, strerror(errno));
		fcn_netns_leave(home);
		return -1;
	}
	s->request = fcn_netlink_socket_request();
	s->listen = fcn_netlink_socket_listen();
	fcn_netns_leave(home);
	if (k->epoll < 0 || s->request == NULL || s->listen == NULL) {
		snprintf(err, err_size, "kernel: cannot open a netlink socket: %s",
				strerror(errno));
		close_set(s);
		return -1;
	}
	io = fcn_netlink_socket_io(s->listen);
	s->netlink = fcn_netlink_create(&io, k->store);
	if (s->netlink == NULL || fcn_kernel_watch(k, fcn_netlink_socket_fd(s->listen),
						  FCN_KERNEL_NETLINK_EVENT) != 0) {
		close_set(s);
		strlcpy(err, "kernel: out of memory", err_size);
		return -1;
	}
	return 0;
}

/* Open the sockets. They stay open until the kernel is not used any more. */
static int
open_sockets(struct fcn_kernel *k, const char *netns, char *err, size_t err_size)
{
	struct sockets s;

	if (k->netlink != NULL && strcmp(k->netns, netns) == 0)
		return 0;
	if (k->netlink != NULL) {
		strlcpy(err,
				"kernel: remove kernel interfaces and routes before changing "
				"the namespace",
				err_size);
		return -1;
	}
	if (!fcn_netlink_socket_is_built()) {
		strlcpy(err,
				"fastcn was built without libmnl, and has no kernel routes and "
				"interfaces",
				err_size);
		return -1;
	}
	if (open_set(k, netns, &s, err, err_size) != 0)
		return -1;
	use_sockets(k, &s);
	strlcpy(k->netns, netns, sizeof(k->netns));
	return 0;
}

int
fcn_kernel_prepare(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, char *err,
		size_t err_size)
{
	memset(k->planned, 0, sizeof(k->planned));
	if (!wants_anything(conf))
		return 0;
	if (open_sockets(k, conf->netns, err, err_size) != 0)
		return -1;
	return fcn_kernel_interface_plan(k, conf, err, err_size);
}

void
fcn_kernel_configure(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, uint64_t now)
{
	fcn_kernel_interface_take_planned(k);
	free(k->conf.address);
	k->conf = *conf;
	if (k->netlink == NULL)
		return;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->interface[p].tap != NULL && !fcn_kernel_tap_is_gone(k->interface[p].tap))
			fcn_kernel_interface_sync(k, p);
	}
	fcn_netlink_configure(k->netlink, &k->conf.routes, now);
	if (!wants_anything(conf)) {
		close_sockets(k);
		return;
	}
	k->netlink_due_ns = now;
	k->tend_due_ns = now;
}

/* ---- polling ---- */

/*
 * The namespace of this name may be another one now, as when the container of the routing daemons
 * was started again. The old one exists as long as something of the switch is in it, so nothing
 * else tells. Interfaces are created anew there, and routes of the old one stay until those of the
 * new one have been read.
 */
static void
look_at_netns(struct fcn_kernel *k, uint64_t now)
{
	struct fcn_netns_id id;
	struct sockets s;
	char err[sizeof(k->last_error)];

	if (k->netns[0] == '\0')
		return;
	k->netns_gone = fcn_netns_id(k->netns, &id) != 0;
	if (k->netns_gone || (id.device == k->netns_id.device && id.inode == k->netns_id.inode))
		return;
	if (open_set(k, k->netns, &s, err, sizeof(err)) != 0) {
		k->netns_gone = true;
		fcn_kernel_note(k, "%s", err);
		return;
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_kernel_interface_counts counts = k->interface[p].counts;

		fcn_kernel_interface_close(k, p);
		k->interface[p].counts = counts;
	}
	use_sockets(k, &s);
	k->differences = 0;
	fcn_kernel_note(k, "kernel namespace %s: it is another one now", k->netns);
	fcn_netlink_configure(k->netlink, &k->conf.routes, now);
	k->netlink_due_ns = now;
}

static void
tend_interfaces(struct fcn_kernel *k)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_kernel_interface *i = &k->interface[p];
		const char *vrf = fcn_kernel_interface_vrf(k, p);

		if (fcn_kernel_interface_is_wanted(&k->conf, p) &&
				(i->tap == NULL || fcn_kernel_tap_is_gone(i->tap)))
			fcn_kernel_interface_mend(k, p);
		else if (i->tap != NULL && vrf[0] != '\0' &&
				fcn_kernel_interface_index(k, vrf) != i->link.master)
			fcn_kernel_interface_sync(k, p);
		if (i->tap != NULL)
			fcn_kernel_interface_set_carrier(k, p);
	}
}

/* Log the differences that a comparison with the kernel's table has found. */
static void
note_differences(struct fcn_kernel *k)
{
	struct fcn_netlink_counts counts;

	fcn_netlink_counts(k->netlink, &counts);
	if (counts.differences > k->differences)
		fcn_kernel_note(k,
				"kernel routes: %" PRIu64
				" had changed without a message and were read again",
				counts.differences - k->differences);
	k->differences = counts.differences;
}

struct netlink_turn {
	struct fcn_netlink *netlink;
	uint64_t now, due;
};

static void
take_netlink_turn(void *arg)
{
	struct netlink_turn *t = arg;

	t->due = fcn_netlink_poll(t->netlink, t->now);
}

/*
 * Poll netlink by env.aside(): the kernel builds its lists of routes and interfaces during the
 * read, with a lock that others may hold for a long time.
 */
static uint64_t
poll_netlink(struct fcn_kernel *k, uint64_t now)
{
	struct netlink_turn t = {k->netlink, now, 0};

	k->env.aside(k->env.arg, take_netlink_turn, &t);
	return t.due;
}

uint64_t
fcn_kernel_poll(struct fcn_kernel *k, uint64_t now)
{
	struct epoll_event ev[EVENTS_A_POLL];
	int n;

	if (k->netlink == NULL)
		return FCN_KERNEL_NEVER;
	n = epoll_wait(k->epoll, ev, EVENTS_A_POLL, 0);
	for (int i = 0; i < n; i++) {
		if (ev[i].data.u32 == FCN_KERNEL_NETLINK_EVENT)
			k->netlink_due_ns = now;
		else
			fcn_kernel_interface_take_frames(k, ev[i].data.u32);
	}
	if (k->netlink_due_ns <= now)
		k->netlink_due_ns = poll_netlink(k, now);
	note_differences(k);
	if (k->tend_due_ns <= now) {
		k->tend_due_ns = now + TEND_EVERY_NS;
		look_at_netns(k, now);
		tend_interfaces(k);
	}
	return RTE_MIN(k->netlink_due_ns, k->tend_due_ns);
}

bool
fcn_kernel_is_read(const struct fcn_kernel *k)
{
	if (k->netlink == NULL)
		return true;
	return fcn_netlink_was_read(k->netlink) ||
	       fcn_netlink_state(k->netlink) != FCN_NETLINK_READING;
}

/* ---- state and counters ---- */

void
fcn_kernel_interface(const struct fcn_kernel *k, unsigned int port,
		struct fcn_kernel_interface_info *info)
{
	const struct fcn_kernel_interface *i = &k->interface[port];

	*info = (struct fcn_kernel_interface_info){
			.is_open = i->tap != NULL,
			.is_there = i->tap != NULL && !fcn_kernel_tap_is_gone(i->tap),
			.why = i->why,
			.counts = i->counts,
	};
	if (i->tap != NULL)
		info->tap = *fcn_kernel_tap_counts(i->tap);
}

uint32_t
fcn_kernel_table(const struct fcn_kernel *k, unsigned int table)
{
	return k->netlink != NULL ? fcn_netlink_table(k->netlink, table) : 0;
}

void
fcn_kernel_info(const struct fcn_kernel *k, struct fcn_kernel_info *info)
{
	*info = (struct fcn_kernel_info){
			.netns_gone = k->netns_gone,
			.last_error = k->last_error,
	};
	fcn_kernel_store_counts(k->store, &info->store);
	if (k->netlink == NULL)
		return;
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		info->table[t] = fcn_netlink_table(k->netlink, t);
		info->table_state[t] = fcn_netlink_table_state(k->netlink, t);
	}
	fcn_netlink_counts(k->netlink, &info->netlink);
	if (fcn_netlink_last_error(k->netlink)[0] != '\0')
		info->last_error = fcn_netlink_last_error(k->netlink);
}

void
fcn_kernel_clear_counters(struct fcn_kernel *k)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		k->interface[p].counts = (struct fcn_kernel_interface_counts){0};
		if (k->interface[p].tap != NULL)
			fcn_kernel_tap_clear_counts(k->interface[p].tap);
	}
	fcn_kernel_store_clear_counts(k->store);
	k->differences = 0;
	if (k->netlink != NULL)
		fcn_netlink_clear_counts(k->netlink);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <bsd/string.h>

#include "fcn_control_kernel_private.h"
#include "fcn_route_set.h"

#define MS UINT64_C(1000000)

/* Many changes, one table: so long between two, and most of the time for other things. */
#define BUILD_EVERY_NS (10 * MS)
#define BUILD_SHARE 3
/* What nobody tells is looked after this often. */
#define TEND_EVERY_NS (500 * MS)

#define GATEWAYS_A_TURN 256
#define EVENTS_A_POLL 16
#define NETLINK_EVENT UINT32_MAX

void
fcn_control_kernel_note(struct fcn_control *ctl, const char *format, ...)
{
	struct fcn_control_kernel *k = ctl->kernel;
	char line[sizeof(k->last_error)];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (strcmp(line, k->last_error) == 0)
		return;
	strlcpy(k->last_error, line, sizeof(k->last_error));
	fcn_control_log(ctl, line);
}

int
fcn_control_kernel_create(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = calloc(1, sizeof(*k));

	ctl->kernel = k;
	if (k == NULL)
		return -1;
	k->epoll = -1;
	k->netlink_due_ns = FCN_NETLINK_NEVER;
	k->tend_due_ns = FCN_NETLINK_NEVER;
	k->store = fcn_kernel_store_create();
	return k->store == NULL ? -1 : 0;
}

static void
close_sockets(struct fcn_control_kernel *k)
{
	fcn_netlink_free(k->netlink);
	fcn_netlink_socket_close(k->listen);
	fcn_netlink_socket_close(k->request);
	k->netlink = NULL;
	k->listen = k->request = NULL;
	k->netlink_due_ns = k->tend_due_ns = FCN_NETLINK_NEVER;
	k->build_due_ns = 0; /* what the kernel said is forgotten at once */
}

void
fcn_control_kernel_free(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;

	if (k == NULL)
		return;
	for (unsigned int p = 0; p < FCN_MAX_PORTS && k->store != NULL; p++)
		fcn_kernel_interface_free(k, p);
	close_sockets(k);
	fcn_kernel_store_free(k->store);
	if (k->epoll >= 0)
		close(k->epoll);
	fcn_kernel_list_free(&k->paths);
	free(k->neighbours);
	free(k);
}

int
fcn_control_kernel_fd(const struct fcn_control *ctl)
{
	return ctl->kernel->epoll;
}

/* ---- a configuration comes ---- */

static bool
needs_kernel(const struct fcn_config *cfg)
{
	bool needs = cfg->kernel.mode != FCN_KERNEL_OFF;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		needs |= fcn_kernel_interface_is_wanted(&cfg->port[p]);
	return needs;
}

int
fcn_control_kernel_watch(struct fcn_control_kernel *k, int fd, uint32_t what)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = what};

	return epoll_ctl(k->epoll, EPOLL_CTL_ADD, fd, &ev);
}

int
fcn_control_kernel_enter(const char *netns)
{
	char path[64];
	int home, there, rc;

	if (netns[0] == '\0')
		return -1;
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open(path, O_RDONLY | O_CLOEXEC);
	rc = home >= 0 && there >= 0 ? setns(there, CLONE_NEWNET) : -1;
	if (there >= 0)
		close(there);
	if (rc == 0)
		return home;
	if (home >= 0) {
		rc = errno;
		close(home);
		errno = rc;
	}
	return -2;
}

void
fcn_control_kernel_leave(int home)
{
	int error = errno;

	if (home < 0)
		return;
	if (setns(home, CLONE_NEWNET) != 0)
		abort(); /* nothing that follows would be where it belongs */
	close(home);
	errno = error;
}

/* Once; then they stay open. */
static int
open_sockets(struct fcn_control_kernel *k, const char *netns, char *err, size_t err_size)
{
	struct fcn_netlink_io io;
	int home;

	if (k->netlink != NULL && strcmp(k->netns, netns) == 0)
		return 0;
	if (k->netlink != NULL) {
		strlcpy(err,
				"kernel: without interfaces and routes first, then in another "
				"namespace",
				err_size);
		return -1;
	}
	if (!fcn_netlink_socket_is_built()) {
		strlcpy(err,
				"this fastcn was built without libmnl and has no kernel routes and "
				"interfaces",
				err_size);
		return -1;
	}
	if (k->epoll < 0)
		k->epoll = epoll_create1(EPOLL_CLOEXEC);
	home = fcn_control_kernel_enter(netns);
	if (home == -2) {
		snprintf(err, err_size, "kernel namespace %s: %s", netns, strerror(errno));
		return -1;
	}
	k->request = fcn_netlink_socket_request();
	k->listen = fcn_netlink_socket_listen();
	fcn_control_kernel_leave(home);
	if (k->epoll < 0 || k->request == NULL || k->listen == NULL) {
		snprintf(err, err_size, "kernel: cannot talk to it by netlink: %s",
				strerror(errno));
		close_sockets(k);
		return -1;
	}
	io = fcn_netlink_socket_io(k->listen);
	k->netlink = fcn_netlink_create(&io, k->store);
	if (k->netlink == NULL || fcn_control_kernel_watch(k, fcn_netlink_socket_fd(k->listen),
						  NETLINK_EVENT) != 0) {
		close_sockets(k);
		strlcpy(err, "kernel: out of memory", err_size);
		return -1;
	}
	strlcpy(k->netns, netns, sizeof(k->netns));
	return 0;
}

int
fcn_control_kernel_prepare(
		struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size)
{
	struct fcn_control_kernel *k = ctl->kernel;

	memset(k->planned, 0, sizeof(k->planned));
	if (!ctl->world->kernel || !needs_kernel(cfg))
		return 0;
	if (open_sockets(k, cfg->kernel.netns, err, err_size) != 0)
		return -1;
	return fcn_kernel_interface_plan(ctl, cfg, err, err_size);
}

void
fcn_control_kernel_configure(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;
	const struct fcn_config_kernel *conf = &ctl->config->kernel;
	struct fcn_netlink_conf netlink = {0};
	uint64_t now = fcn_control_now(ctl);

	fcn_kernel_interface_take_planned(ctl);
	if (k->netlink == NULL)
		return;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->interface[p].tap != NULL)
			fcn_kernel_interface_tell(ctl, p);
	}
	if (conf->mode == FCN_KERNEL_TABLE)
		netlink.table = conf->table;
	else if (conf->mode == FCN_KERNEL_VRF)
		strlcpy(netlink.vrf, conf->vrf, sizeof(netlink.vrf));
	fcn_netlink_configure(k->netlink, &netlink, now);
	if (!needs_kernel(ctl->config)) {
		close_sockets(k);
		return;
	}
	k->netlink_due_ns = now;
	k->tend_due_ns = now;
	ctl->host_busy = true; /* what the kernel says now is wanted soon */
}

/* ---- routes ---- */

/* Gateways are asked for before packets come: of several paths, one that is unknown is not used. */
static void
resolve_gateways(struct fcn_control *ctl, uint64_t now)
{
	const struct fcn_snapshot *s = ctl->published;
	const struct fcn_kernel_routes kernel = {
			.path = ctl->env.kernel_paths, .n = ctl->env.n_kernel_paths};
	struct fcn_route_set *set = s->routes;
	unsigned int asked = 0;

	for (uint32_t i = 0; i < set->n_gateways && asked < GATEWAYS_A_TURN; i++) {
		const struct fcn_gateway *g = &set->gateway[i];

		if (!s->port[g->port].kernel ||
				s->next_hop[fcn_route_set_gateway(set, i)].type !=
						FCN_NEXT_HOP_NO_NEIGHBOUR ||
				!fcn_route_set_is_used(set, ctl->config, &kernel, i))
			continue;
		fcn_host_resolve(ctl->host, g->port, &g->addr, FCN_HOST_SELF, now);
		asked++;
	}
}

/* What the kernel changed since the last snapshot. @param changes to be freed; prefixes stay in
 * use until then */
static int
collect(struct fcn_control *ctl, struct fcn_kernel_changes *changes)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct fcn_kernel_neighbour *neighbours;
	size_t n_neighbours;

	if (fcn_kernel_store_neighbours(k->store, &neighbours, &n_neighbours) != 0)
		return -1;
	if (fcn_kernel_store_changes(k->store, changes) != 0) {
		free(neighbours);
		return -1;
	}
	k->left_out = changes->left_out;
	if (fcn_kernel_list_change(&k->paths, changes) != 0) {
		fcn_kernel_changes_free(changes);
		free(neighbours);
		fcn_kernel_store_set_all_changed(k->store);
		return -1;
	}
	free(k->neighbours);
	k->neighbours = neighbours;
	ctl->env.kernel_paths = k->paths.path;
	ctl->env.n_kernel_paths = k->paths.n;
	ctl->env.kernel_neighbours = neighbours;
	ctl->env.n_kernel_neighbours = n_neighbours;
	return 0;
}

/* Neighbours alone leave the routes as they are. @return 0; -1: they are to be made anew */
static int
publish_changes(struct fcn_control *ctl, const struct fcn_kernel_changes *changes)
{
	bool stale = ctl->routes_stale; /* since an earlier change failed */
	int rc;

	ctl->routes_stale |= changes->all || changes->n_prefixes > 0;
	if (!stale && !changes->all) {
		ctl->env.routes_before = ctl->published->routes;
		ctl->env.before = ctl->config;
		ctl->env.kernel_changed = changes->prefix;
		ctl->env.n_kernel_changed = changes->n_prefixes;
	}
	rc = fcn_control_refresh(ctl);
	ctl->env.routes_before = NULL;
	ctl->env.kernel_changed = NULL;
	ctl->env.n_kernel_changed = 0;
	return rc;
}

static bool
is_changed(const struct fcn_control_kernel *k)
{
	return fcn_kernel_store_version(k->store) != k->version;
}

/* Whatever came together makes one snapshot; and what is read for the first time, one whole. */
static bool
is_build_due(const struct fcn_control_kernel *k, uint64_t now)
{
	struct fcn_netlink_counts counts;

	if (!is_changed(k) || now < k->build_due_ns)
		return false;
	fcn_netlink_counts(k->netlink, &counts);
	return counts.syncs > 0 || fcn_netlink_state(k->netlink) != FCN_NETLINK_READING;
}

static void
build(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_kernel *k = ctl->kernel;
	uint64_t version = fcn_kernel_store_version(k->store), spent;
	struct fcn_kernel_changes changes;
	int rc;

	/* What fails is tried again after a while. */
	k->build_due_ns = now + TEND_EVERY_NS;
	if (collect(ctl, &changes) != 0) {
		fcn_control_kernel_note(ctl, "kernel routes: out of memory");
		return;
	}
	k->builds++;
	rc = publish_changes(ctl, &changes);
	fcn_kernel_changes_free(&changes);
	if (rc != 0)
		return;
	k->version = version;
	resolve_gateways(ctl, now);
	spent = fcn_control_now(ctl) - now;
	k->build_due_ns = now + RTE_MAX(BUILD_EVERY_NS, (1 + BUILD_SHARE) * spent);
}

/* ---- time passes ---- */

static void
tend(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_kernel *k = ctl->kernel;
	bool in_vrf = ctl->config->kernel.mode == FCN_KERNEL_VRF;

	k->tend_due_ns = needs_kernel(ctl->config) ? now + TEND_EVERY_NS : FCN_NETLINK_NEVER;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_kernel_interface *i = &k->interface[p];

		if (fcn_kernel_interface_is_wanted(&ctl->config->port[p]) &&
				(i->tap == NULL || fcn_kernel_tap_is_gone(i->tap)))
			fcn_kernel_interface_mend(ctl, p);
		else if (i->tap != NULL && in_vrf &&
				fcn_kernel_interface_index(k, ctl->config->kernel.vrf) !=
						i->link.master)
			fcn_kernel_interface_tell(ctl, p);
		if (i->tap != NULL)
			fcn_kernel_interface_set_carrier(ctl, p);
	}
	resolve_gateways(ctl, now);
}

/* What a comparison with the kernel's table found. */
static void
note_differences(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct fcn_netlink_counts counts;

	fcn_netlink_counts(k->netlink, &counts);
	if (counts.differences > k->differences)
		fcn_control_kernel_note(ctl,
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

/* The kernel makes its lists of routes and interfaces while it is read, with a lock that others may
 * hold for long. */
static uint64_t
poll_netlink(struct fcn_control *ctl, uint64_t now)
{
	struct netlink_turn t = {ctl->kernel->netlink, now, 0};

	fcn_control_aside(ctl, take_netlink_turn, &t);
	return t.due;
}

uint64_t
fcn_control_kernel_poll(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct epoll_event ev[EVENTS_A_POLL];
	uint64_t next;
	int n;

	now = ctl->host_now = RTE_MAX(now, ctl->host_now);
	if (k->netlink == NULL) {
		if (is_changed(k) && now >= k->build_due_ns)
			build(ctl, now);
		return is_changed(k) ? k->build_due_ns : FCN_HOST_NEVER;
	}
	n = epoll_wait(k->epoll, ev, RTE_DIM(ev), 0);
	for (int i = 0; i < n; i++) {
		if (ev[i].data.u32 == NETLINK_EVENT)
			k->netlink_due_ns = now;
		else
			fcn_kernel_interface_take_frames(ctl, ev[i].data.u32);
	}
	if (k->netlink_due_ns <= now)
		k->netlink_due_ns = poll_netlink(ctl, now);
	note_differences(ctl);
	if (k->tend_due_ns <= now)
		tend(ctl, now);
	if (is_build_due(k, now))
		build(ctl, now);
	next = RTE_MIN(k->netlink_due_ns, k->tend_due_ns);
	if (is_changed(k) && k->build_due_ns < next)
		next = k->build_due_ns;
	return next;
}

void
fcn_control_kernel_clear_counters(struct fcn_control *ctl)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		ctl->kernel->interface[p].to_kernel_none = 0;
		if (ctl->kernel->interface[p].tap != NULL)
			fcn_kernel_tap_clear_counts(ctl->kernel->interface[p].tap);
	}
}

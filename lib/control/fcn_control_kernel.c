/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <bsd/string.h>

#include "fcn_control_kernel.h"
#include "fcn_control_private.h"
#include "fcn_nd.h"
#include "fcn_route_set.h"

#define MS UINT64_C(1000000)

/* Many changes, one table: so long between two, and most of the time for other things. */
#define BUILD_EVERY_NS (10 * MS)
#define BUILD_SHARE 3
/* What nobody tells is looked after this often. */
#define TEND_EVERY_NS (500 * MS)

#define FRAMES_A_POLL 64
#define GATEWAYS_A_TURN 256
#define EVENTS_A_POLL 16
#define NETLINK_EVENT UINT32_MAX

static void __attribute__((format(printf, 2, 3)))
note(struct fcn_control *ctl, const char *format, ...)
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
	if (ctl->world->log != NULL)
		ctl->world->log(ctl->world->arg, line);
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
close_interface(struct fcn_control_kernel *k, unsigned int port)
{
	struct fcn_kernel_interface *i = &k->interface[port];

	fcn_kernel_tap_close(i->tap); /* the epoll set forgets it */
	free(i->address);
	*i = (struct fcn_kernel_interface){0};
	fcn_kernel_store_set_port(k->store, port, 0);
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
}

void
fcn_control_kernel_free(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;

	if (k == NULL)
		return;
	for (unsigned int p = 0; p < FCN_MAX_PORTS && k->store != NULL; p++)
		close_interface(k, p);
	close_sockets(k);
	fcn_kernel_store_free(k->store);
	if (k->epoll >= 0)
		close(k->epoll);
	free(k->paths);
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
is_wanted(const struct fcn_config_port *port)
{
	return port->name[0] != '\0' && port->kernel[0] != '\0';
}

static bool
needs_kernel(const struct fcn_config *cfg)
{
	bool needs = cfg->kernel.mode != FCN_KERNEL_OFF;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		needs |= is_wanted(&cfg->port[p]);
	return needs;
}

static int
watch(struct fcn_control_kernel *k, int fd, uint32_t what)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = what};

	return epoll_ctl(k->epoll, EPOLL_CTL_ADD, fd, &ev);
}

/*
 * Go where the kernel's interfaces are, this thread alone.
 *
 * @return descriptor to come back by, -1: there is nowhere to go; -2 with errno on failure
 */
static int
enter(const char *netns)
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

static void
leave(int home)
{
	int error = errno;

	if (home < 0)
		return;
	if (setns(home, CLONE_NEWNET) != 0)
		abort(); /* nothing that follows would be where it belongs */
	close(home);
	errno = error;
}

static unsigned int
index_of(const struct fcn_control_kernel *k, const char *name)
{
	int home = enter(k->netns);
	unsigned int index = home == -2 ? 0 : if_nametoindex(name);

	leave(home);
	return index;
}

static struct fcn_kernel_tap *
open_tap(const struct fcn_control_kernel *k, const char *name, char *err, size_t err_size)
{
	int home = enter(k->netns);
	struct fcn_kernel_tap *tap = NULL;

	if (home == -2)
		snprintf(err, err_size, "kernel namespace %s: %s", k->netns, strerror(errno));
	else
		tap = fcn_kernel_tap_open(name, err, err_size);
	leave(home);
	return tap;
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
	home = enter(netns);
	if (home == -2) {
		snprintf(err, err_size, "kernel namespace %s: %s", netns, strerror(errno));
		return -1;
	}
	k->request = fcn_netlink_socket_request();
	k->listen = fcn_netlink_socket_listen();
	leave(home);
	if (k->epoll < 0 || k->request == NULL || k->listen == NULL) {
		snprintf(err, err_size, "kernel: cannot talk to it by netlink: %s",
				strerror(errno));
		close_sockets(k);
		return -1;
	}
	io = fcn_netlink_socket_io(k->listen);
	k->netlink = fcn_netlink_create(&io, k->store);
	if (k->netlink == NULL || watch(k, fcn_netlink_socket_fd(k->listen), NETLINK_EVENT) != 0) {
		close_sockets(k);
		strlcpy(err, "kernel: out of memory", err_size);
		return -1;
	}
	strlcpy(k->netns, netns, sizeof(k->netns));
	return 0;
}

/* The interface of this name that there is, whatever port it stands for. */
static struct fcn_kernel_tap *
find_tap(const struct fcn_control_kernel *k, const char *name)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_kernel_tap *tap = k->interface[p].tap;

		if (tap != NULL && strcmp(fcn_kernel_tap_name(tap), name) == 0 &&
				!fcn_kernel_tap_is_gone(tap))
			return tap;
	}
	return NULL;
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
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (!is_wanted(port))
			continue;
		k->planned[p] = find_tap(k, port->kernel);
		if (k->planned[p] == NULL)
			k->planned[p] = open_tap(k, port->kernel, err, err_size);
		if (k->planned[p] == NULL) {
			fcn_control_kernel_abandon(ctl);
			return -1;
		}
	}
	return 0;
}

/* Whether a port has this one now. */
static bool
is_held(const struct fcn_control_kernel *k, const struct fcn_kernel_tap *tap)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->interface[p].tap == tap)
			return true;
	}
	return false;
}

void
fcn_control_kernel_abandon(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->planned[p] != NULL && !is_held(k, k->planned[p]))
			fcn_kernel_tap_close(k->planned[p]);
		k->planned[p] = NULL;
	}
}

/* Interfaces go, come, and change the port they stand for. */
static void
take_planned(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_kernel_tap *tap = k->interface[p].tap;
		bool goes_on = false;

		if (tap == NULL || tap == k->planned[p])
			continue;
		for (unsigned int q = 0; q < FCN_MAX_PORTS; q++)
			goes_on |= k->planned[q] == tap;
		if (goes_on) {
			epoll_ctl(k->epoll, EPOLL_CTL_DEL, fcn_kernel_tap_fd(tap), NULL);
			k->interface[p].tap = NULL;
		}
		close_interface(k, p);
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->planned[p] != NULL && k->interface[p].tap == NULL) {
			k->interface[p].tap = k->planned[p];
			if (watch(k, fcn_kernel_tap_fd(k->planned[p]), p) != 0)
				note(ctl, "kernel interface %s: %s",
						fcn_kernel_tap_name(k->planned[p]),
						strerror(errno));
			fcn_kernel_store_set_port(
					k->store, p, fcn_kernel_tap_ifindex(k->planned[p]));
		}
		k->planned[p] = NULL;
	}
}

/* ---- what the kernel is told of an interface ---- */

static bool
has_prefix(const struct fcn_prefix *list, size_t n, const struct fcn_prefix *prefix)
{
	for (size_t i = 0; i < n; i++) {
		if (fcn_prefix_equal(&list[i], prefix))
			return true;
	}
	return false;
}

/* Those configured, and the link-local one that the host functions have. @return NULL: no memory */
static struct fcn_prefix *
addresses_of(const struct fcn_control *ctl, unsigned int port, size_t *n)
{
	const struct fcn_config *cfg = ctl->config;
	struct fcn_prefix *list = calloc(cfg->addresses.n + 1, sizeof(*list));

	*n = 0;
	if (list == NULL)
		return NULL;
	list[*n] = (struct fcn_prefix){.addr = {.version = 6}, .len = 64};
	fcn_nd_link_local(&ctl->published->port[port].mac, list[(*n)++].addr.bytes);
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (cfg->addresses.item[i].port == port)
			list[(*n)++] = cfg->addresses.item[i].prefix;
	}
	return list;
}

static void
tell_addresses(struct fcn_control *ctl, struct fcn_kernel_interface *i, unsigned int port, bool all)
{
	struct fcn_netlink_socket *s = ctl->kernel->request;
	uint32_t ifindex = fcn_kernel_tap_ifindex(i->tap);
	struct fcn_prefix *list;
	char text[FCN_PREFIX_STRLEN];
	size_t n;

	list = addresses_of(ctl, port, &n);
	if (list == NULL)
		return;
	for (size_t k = 0; k < i->n_addresses; k++) {
		if (!has_prefix(list, n, &i->address[k]))
			(void)fcn_netlink_set_address(s, ifindex, &i->address[k], false);
	}
	for (size_t k = 0; k < n; k++) {
		int rc;

		if (!all && has_prefix(i->address, i->n_addresses, &list[k]))
			continue;
		rc = fcn_netlink_set_address(s, ifindex, &list[k], true);
		if (rc != 0)
			note(ctl, "kernel interface %s: address %s: %s",
					fcn_kernel_tap_name(i->tap),
					fcn_prefix_format(&list[k], text, sizeof(text)),
					strerror(-rc));
	}
	free(i->address);
	i->address = list;
	i->n_addresses = n;
}

static void
tell_interface(struct fcn_control *ctl, unsigned int port, bool again)
{
	struct fcn_kernel_interface *i = &ctl->kernel->interface[port];
	const struct fcn_config_kernel *conf = &ctl->config->kernel;
	bool in_vrf = conf->mode == FCN_KERNEL_VRF;
	struct fcn_netlink_link link = {
			.ifindex = fcn_kernel_tap_ifindex(i->tap),
			.mac = ctl->published->port[port].mac,
			.mtu = ctl->config->port[port].mtu,
			.master = in_vrf ? index_of(ctl->kernel, conf->vrf) : 0,
	};
	bool changed;
	int rc;

	/* Without a VRF of ours, it may belong to one that somebody put it into. */
	link.set_master = in_vrf ? link.master != 0 : i->link.master != 0;
	changed = !i->told || again || link.set_master != i->link.set_master ||
		  link.master != i->link.master || link.mtu != i->link.mtu ||
		  !rte_is_same_ether_addr(&link.mac, &i->link.mac);
	if (changed) {
		rc = fcn_netlink_set_link(ctl->kernel->request, &link);
		if (rc != 0)
			note(ctl, "kernel interface %s: %s", fcn_kernel_tap_name(i->tap),
					strerror(-rc));
		i->link = link;
		i->told = true;
	}
	/* Another VRF takes IPv6 addresses away. */
	tell_addresses(ctl, i, port, changed);
}

void
fcn_control_kernel_configure(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;
	const struct fcn_config_kernel *conf = &ctl->config->kernel;
	struct fcn_netlink_conf netlink = {0};
	uint64_t now = fcn_control_now(ctl);

	take_planned(ctl);
	if (k->netlink == NULL)
		return;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->interface[p].tap != NULL)
			tell_interface(ctl, p, false);
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

/* ---- frames ---- */

void
fcn_control_kernel_deliver(void *arg, const struct rte_mbuf *m, uint16_t port)
{
	struct fcn_control *ctl = arg;
	struct fcn_kernel_tap *tap = ctl->kernel->interface[port].tap;

	if (tap != NULL)
		fcn_kernel_tap_write(tap, m);
}

static void
take_frames(struct fcn_control *ctl, unsigned int port)
{
	struct fcn_kernel_tap *tap = ctl->kernel->interface[port].tap;
	bool more = tap != NULL;

	for (unsigned int i = 0; i < FRAMES_A_POLL && more; i++) {
		struct rte_mbuf *m = fcn_kernel_tap_read(tap, ctl->pool, &more);

		if (m == NULL)
			continue;
		ctl->host_busy = true;
		if (!fcn_control_send_frame(ctl, m, port, ctl->config->host.class))
			fcn_kernel_tap_refused(tap);
	}
	if (tap != NULL &&
			fcn_kernel_tap_is_gone(tap)) /* it would be ready to be read without end */
		epoll_ctl(ctl->kernel->epoll, EPOLL_CTL_DEL, fcn_kernel_tap_fd(tap), NULL);
}

/* ---- routes ---- */

/* Gateways are asked for before packets come: of several paths, one that is unknown is not used. */
static void
resolve_gateways(struct fcn_control *ctl, uint64_t now)
{
	const struct fcn_snapshot *s = ctl->published;
	const struct fcn_route_set *set = s->routes;
	unsigned int asked = 0;

	for (uint32_t i = 0; i < set->n_gateways && asked < GATEWAYS_A_TURN; i++) {
		const struct fcn_gateway *g = &set->gateway[i];

		if (!s->port[g->port].kernel || s->next_hop[fcn_route_set_gateway(set, i)].type !=
								FCN_NEXT_HOP_NO_NEIGHBOUR)
			continue;
		fcn_host_resolve(ctl->host, g->port, &g->addr, now);
		asked++;
	}
}

static int
collect(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct fcn_kernel_neighbour *neighbours;
	struct fcn_kernel_path *paths;
	size_t n_paths, n_neighbours;

	if (fcn_kernel_store_paths(k->store, &paths, &n_paths, &k->left_out) != 0)
		return -1;
	if (fcn_kernel_store_neighbours(k->store, &neighbours, &n_neighbours) != 0) {
		free(paths);
		return -1;
	}
	free(k->paths);
	free(k->neighbours);
	k->paths = paths;
	k->neighbours = neighbours;
	ctl->env.kernel_paths = paths;
	ctl->env.n_kernel_paths = n_paths;
	ctl->env.kernel_neighbours = neighbours;
	ctl->env.n_kernel_neighbours = n_neighbours;
	ctl->routes_stale = true;
	return 0;
}

/* Whatever came together makes one snapshot; and what is read for the first time, one whole. */
static bool
is_build_due(const struct fcn_control_kernel *k, uint64_t now)
{
	struct fcn_netlink_counts counts;

	if (fcn_kernel_store_version(k->store) == k->version || now < k->build_due_ns)
		return false;
	fcn_netlink_counts(k->netlink, &counts);
	return counts.syncs > 0 || fcn_netlink_state(k->netlink) != FCN_NETLINK_READING;
}

static void
build(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_kernel *k = ctl->kernel;
	uint64_t version = fcn_kernel_store_version(k->store), spent;

	if (collect(ctl) != 0) {
		note(ctl, "kernel routes: out of memory");
		k->build_due_ns = now + TEND_EVERY_NS;
		return;
	}
	k->version = version;
	k->builds++;
	fcn_control_refresh(ctl);
	resolve_gateways(ctl, now);
	spent = fcn_control_now(ctl) - now;
	k->build_due_ns = now + RTE_MAX(BUILD_EVERY_NS, (1 + BUILD_SHARE) * spent);
}

/* ---- time passes ---- */

/* An interface that somebody removed is made again, for there is a port for it. */
static void
mend_interface(struct fcn_control *ctl, unsigned int port)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct fcn_kernel_interface *i = &k->interface[port];
	char err[128];

	if (index_of(k, ctl->config->port[port].kernel) != 0)
		return; /* the name is another's now */
	close_interface(k, port);
	i->tap = open_tap(k, ctl->config->port[port].kernel, err, sizeof(err));
	if (i->tap == NULL) {
		note(ctl, "%s", err);
		return;
	}
	(void)watch(k, fcn_kernel_tap_fd(i->tap), port);
	fcn_kernel_store_set_port(k->store, port, fcn_kernel_tap_ifindex(i->tap));
	tell_interface(ctl, port, true);
}

static void
tend(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_kernel *k = ctl->kernel;
	bool in_vrf = ctl->config->kernel.mode == FCN_KERNEL_VRF;

	k->tend_due_ns = needs_kernel(ctl->config) ? now + TEND_EVERY_NS : FCN_NETLINK_NEVER;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_kernel_interface *i = &k->interface[p];

		if (is_wanted(&ctl->config->port[p]) &&
				(i->tap == NULL || fcn_kernel_tap_is_gone(i->tap)))
			mend_interface(ctl, p);
		else if (i->tap != NULL && in_vrf &&
				index_of(k, ctl->config->kernel.vrf) != i->link.master)
			tell_interface(ctl, p, false);
		if (i->tap != NULL)
			fcn_kernel_tap_set_carrier(i->tap, !ctl->published->port[p].down);
	}
	resolve_gateways(ctl, now);
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
		if (fcn_kernel_store_version(k->store) != k->version)
			build(ctl, now);
		return FCN_HOST_NEVER;
	}
	n = epoll_wait(k->epoll, ev, RTE_DIM(ev), 0);
	for (int i = 0; i < n; i++) {
		if (ev[i].data.u32 == NETLINK_EVENT)
			k->netlink_due_ns = now;
		else
			take_frames(ctl, ev[i].data.u32);
	}
	if (k->netlink_due_ns <= now)
		k->netlink_due_ns = fcn_netlink_poll(k->netlink, now);
	if (k->tend_due_ns <= now)
		tend(ctl, now);
	if (is_build_due(k, now))
		build(ctl, now);
	next = RTE_MIN(k->netlink_due_ns, k->tend_due_ns);
	if (fcn_kernel_store_version(k->store) != k->version && k->build_due_ns < next)
		next = k->build_due_ns;
	return next;
}

void
fcn_control_kernel_clear_counters(struct fcn_control *ctl)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (ctl->kernel->interface[p].tap != NULL)
			fcn_kernel_tap_clear_counts(ctl->kernel->interface[p].tap);
	}
}

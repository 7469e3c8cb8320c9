/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <bsd/string.h>

#include "kernel_private.h"
#include "fcn_nd.h"
#include "netns.h"

#define FRAMES_A_POLL 64

bool
fcn_kernel_interface_is_wanted(const struct fcn_kernel_conf *conf, unsigned int port)
{
	return conf->port[port].interface[0] != '\0';
}

static void
run_aside(struct fcn_kernel *k, void (*work)(void *arg), void *arg)
{
	k->env.aside(k->env.arg, work, arg);
}

/*
 * Remove the interface from a port.
 *
 * @return the TAP, which the caller has to close; NULL when there is none
 */
static struct fcn_kernel_tap *
detach(struct fcn_kernel *k, unsigned int port)
{
	struct fcn_kernel_interface *i = &k->interface[port];
	struct fcn_kernel_tap *tap = i->tap;

	free(i->address);
	*i = (struct fcn_kernel_interface){0};
	fcn_kernel_store_set_port(k->store, port, 0);
	return tap;
}

void
fcn_kernel_interface_free(struct fcn_kernel *k, unsigned int port)
{
	fcn_kernel_tap_close(detach(k, port));
}

static void
close_tap(void *tap)
{
	fcn_kernel_tap_close(tap); /* this also removes it from the epoll set */
}

void
fcn_kernel_interface_close(struct fcn_kernel *k, unsigned int port)
{
	struct fcn_kernel_tap *tap = detach(k, port);

	if (tap != NULL)
		run_aside(k, close_tap, tap);
}

unsigned int
fcn_kernel_interface_index(const struct fcn_kernel *k, const char *name)
{
	int home = fcn_netns_enter(k->netns);
	unsigned int index = home == FCN_NETNS_FAILED ? 0 : if_nametoindex(name);

	fcn_netns_leave(home);
	return index;
}

struct tap_opening {
	const char *netns, *name;
	struct fcn_kernel_tap *tap; /* NULL: opening failed */
	char *err;
	size_t err_size;
};

/* Runs in a thread of its own, which enters the namespace. */
static void
open_one_tap(void *arg)
{
	struct tap_opening *o = arg;
	int home = fcn_netns_enter(o->netns);

	if (home == FCN_NETNS_FAILED)
		snprintf(o->err, o->err_size, "kernel namespace %s: %s", o->netns, strerror(errno));
	else
		o->tap = fcn_kernel_tap_open(o->name, o->err, o->err_size);
	fcn_netns_leave(home);
}

static struct fcn_kernel_tap *
open_tap(struct fcn_kernel *k, const char *name, char *err, size_t err_size)
{
	struct tap_opening o = {k->netns, name, NULL, err, err_size};

	run_aside(k, open_one_tap, &o);
	return o.tap;
}

/* Find the open interface with this name, whatever its port. */
static struct fcn_kernel_tap *
find_tap(const struct fcn_kernel *k, const char *name)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_kernel_tap *tap = k->interface[p].tap;

		if (tap != NULL && strcmp(fcn_kernel_tap_name(tap), name) == 0 &&
				!fcn_kernel_tap_is_gone(tap))
			return tap;
	}
	return NULL;
}

/*
 * Whether a port has this interface by its settings now. If it is missing all the same, somebody
 * has removed it. That is no reason to refuse a configuration: it is created again as soon as
 * possible.
 */
static bool
is_same(const struct fcn_kernel *k, const struct fcn_kernel_conf *conf, unsigned int port)
{
	return strcmp(k->conf.port[port].interface, conf->port[port].interface) == 0 &&
	       strcmp(k->conf.netns, conf->netns) == 0;
}

int
fcn_kernel_interface_plan(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, char *err,
		size_t err_size)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const char *name = conf->port[p].interface;

		if (!fcn_kernel_interface_is_wanted(conf, p))
			continue;
		k->planned[p] = find_tap(k, name);
		if (k->planned[p] == NULL && is_same(k, conf, p)) {
			fcn_port_set_add(&k->missing, p);
			continue;
		}
		if (k->planned[p] == NULL)
			k->planned[p] = open_tap(k, name, err, err_size);
		if (k->planned[p] == NULL) {
			fcn_kernel_abandon(k);
			return -1;
		}
	}
	return 0;
}

/* Whether a port currently has this interface. */
static bool
is_held(const struct fcn_kernel *k, const struct fcn_kernel_tap *tap)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->interface[p].tap == tap)
			return true;
	}
	return false;
}

void
fcn_kernel_abandon(struct fcn_kernel *k)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->planned[p] != NULL && !is_held(k, k->planned[p]))
			run_aside(k, close_tap, k->planned[p]);
		k->planned[p] = NULL;
	}
	k->missing = (struct fcn_port_set){0};
}

void
fcn_kernel_interface_take_planned(struct fcn_kernel *k)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_kernel_tap *tap = k->interface[p].tap;
		bool goes_on = false;

		if (fcn_port_set_has(&k->missing, p))
			continue;
		if (k->planned[p] == NULL)
			k->interface[p].counts = (struct fcn_kernel_interface_counts){0};
		if (tap == NULL || tap == k->planned[p])
			continue;
		for (unsigned int q = 0; q < FCN_MAX_PORTS; q++)
			goes_on |= k->planned[q] == tap;
		if (goes_on) {
			epoll_ctl(k->epoll, EPOLL_CTL_DEL, fcn_kernel_tap_fd(tap), NULL);
			k->interface[p].tap = NULL;
		}
		fcn_kernel_interface_close(k, p);
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->planned[p] != NULL && k->interface[p].tap == NULL) {
			k->interface[p].tap = k->planned[p];
			if (fcn_kernel_watch(k, fcn_kernel_tap_fd(k->planned[p]), p) != 0)
				fcn_kernel_note(k, "kernel interface %s: %s",
						fcn_kernel_tap_name(k->planned[p]),
						strerror(errno));
			fcn_kernel_store_set_port(
					k->store, p, fcn_kernel_tap_ifindex(k->planned[p]));
		}
		k->planned[p] = NULL;
	}
	k->missing = (struct fcn_port_set){0};
}

/* ---- settings of interfaces in the kernel ---- */

static bool
has_prefix(const struct fcn_prefix *list, size_t n, const struct fcn_prefix *prefix)
{
	for (size_t i = 0; i < n; i++) {
		if (fcn_prefix_equal(&list[i], prefix))
			return true;
	}
	return false;
}

/*
 * The configured addresses, and the link-local address of the host functions.
 *
 * @return NULL when memory is exhausted
 */
static struct fcn_prefix *
addresses_of(const struct fcn_kernel *k, unsigned int port, size_t *n)
{
	const struct fcn_kernel_conf *conf = &k->conf;
	struct fcn_prefix *list = calloc(conf->n_addresses + 1, sizeof(*list));

	*n = 0;
	if (list == NULL)
		return NULL;
	list[*n] = (struct fcn_prefix){.addr = {.version = 6}, .len = 64};
	fcn_nd_link_local(&conf->port[port].mac, list[(*n)++].addr.bytes);
	for (size_t i = 0; i < conf->n_addresses; i++) {
		if (conf->address[i].port == port)
			list[(*n)++] = conf->address[i].prefix;
	}
	return list;
}

/* A request to the kernel. The kernel processes requests for all interfaces one at a time. */
struct request {
	struct fcn_netlink_socket *socket;
	const struct fcn_netlink_link *link; /* NULL: an address */
	uint32_t ifindex;
	const struct fcn_prefix *address;
	bool add;
	int rc;
};

static void
send_request(void *arg)
{
	struct request *r = arg;

	if (r->link != NULL)
		r->rc = fcn_netlink_set_link(r->socket, r->link);
	else
		r->rc = fcn_netlink_set_address(r->socket, r->ifindex, r->address, r->add);
}

static int
request(struct fcn_kernel *k, struct request r)
{
	r.socket = k->request;
	run_aside(k, send_request, &r);
	return r.rc;
}

static void
sync_addresses(struct fcn_kernel *k, struct fcn_kernel_interface *i, unsigned int port, bool all)
{
	uint32_t ifindex = fcn_kernel_tap_ifindex(i->tap);
	struct fcn_prefix *list;
	char text[FCN_PREFIX_STRLEN];
	size_t n;

	list = k->conf.address != NULL ? addresses_of(k, port, &n) : NULL;
	if (list == NULL)
		return;
	for (size_t a = 0; a < i->n_addresses; a++) {
		if (!has_prefix(list, n, &i->address[a]))
			request(k, (struct request){.ifindex = ifindex, .address = &i->address[a]});
	}
	for (size_t a = 0; a < n; a++) {
		int rc;

		if (!all && has_prefix(i->address, i->n_addresses, &list[a]))
			continue;
		rc = request(k, (struct request){.ifindex = ifindex,
						.address = &list[a],
						.add = true});
		if (rc != 0)
			fcn_kernel_note(k, "kernel interface %s: address %s: %s",
					fcn_kernel_tap_name(i->tap),
					fcn_prefix_format(&list[a], text, sizeof(text)),
					strerror(-rc));
	}
	free(i->address);
	i->address = list;
	i->n_addresses = n;
}

const char *
fcn_kernel_interface_vrf(const struct fcn_kernel *k, unsigned int port)
{
	return k->conf.routes.table[k->conf.port[port].table].vrf;
}

void
fcn_kernel_interface_sync(struct fcn_kernel *k, unsigned int port)
{
	struct fcn_kernel_interface *i = &k->interface[port];
	const char *vrf = fcn_kernel_interface_vrf(k, port);
	bool in_vrf = vrf[0] != '\0';
	struct fcn_netlink_link link = {
			.ifindex = fcn_kernel_tap_ifindex(i->tap),
			.mac = k->conf.port[port].mac,
			.mtu = k->conf.port[port].mtu,
			.master = in_vrf ? fcn_kernel_interface_index(k, vrf) : 0,
	};
	bool changed;
	int rc;

	/* Without a configured VRF, the interface may be in a VRF that somebody else chose. */
	link.set_master = in_vrf ? link.master != 0 : i->link.master != 0;
	changed = !i->link_sent || link.set_master != i->link.set_master ||
		  link.master != i->link.master || link.mtu != i->link.mtu ||
		  !rte_is_same_ether_addr(&link.mac, &i->link.mac);
	if (changed) {
		rc = request(k, (struct request){.link = &link});
		if (rc != 0)
			fcn_kernel_note(k, "kernel interface %s: %s", fcn_kernel_tap_name(i->tap),
					strerror(-rc));
		i->link = link;
		i->link_sent = true;
	}
	/* Moving to another VRF removes the IPv6 addresses. */
	sync_addresses(k, i, port, changed);
}

struct carrier {
	struct fcn_kernel_tap *tap;
	bool up;
};

static void
set_carrier(void *arg)
{
	struct carrier *c = arg;

	fcn_kernel_tap_set_carrier(c->tap, c->up);
}

void
fcn_kernel_interface_set_carrier(struct fcn_kernel *k, unsigned int port)
{
	struct carrier c = {k->interface[port].tap, k->env.link_is_up(k->env.arg, port)};

	if (fcn_kernel_tap_has_carrier(c.tap) != c.up)
		run_aside(k, set_carrier, &c);
}

/* ---- frames ---- */

void
fcn_kernel_deliver(struct fcn_kernel *k, const struct rte_mbuf *m, uint16_t port)
{
	struct fcn_kernel_interface *i = &k->interface[port];

	if (i->tap != NULL)
		fcn_kernel_tap_write(i->tap, m);
	else
		i->counts.to_kernel_none++;
}

void
fcn_kernel_interface_take_frames(struct fcn_kernel *k, unsigned int port)
{
	struct fcn_kernel_tap *tap = k->interface[port].tap;
	bool more = tap != NULL;

	for (unsigned int i = 0; i < FRAMES_A_POLL && more; i++) {
		struct rte_mbuf *m = fcn_kernel_tap_read(tap, k->env.pool, &more);

		if (m != NULL && !k->env.send(k->env.arg, m, port))
			fcn_kernel_tap_refused(tap);
	}
	/* A removed interface would always be readable. */
	if (tap != NULL && fcn_kernel_tap_is_gone(tap))
		epoll_ctl(k->epoll, EPOLL_CTL_DEL, fcn_kernel_tap_fd(tap), NULL);
}

void
fcn_kernel_interface_mend(struct fcn_kernel *k, unsigned int port)
{
	const char *name = k->conf.port[port].interface;
	struct fcn_kernel_interface *i = &k->interface[port];
	const struct fcn_kernel_interface_counts counts = i->counts;
	char err[sizeof(i->why)];

	if (fcn_kernel_interface_index(k, name) != 0) {
		snprintf(err, sizeof(err), "kernel interface %s: another interface has this name",
				name);
		strlcpy(i->why, err, sizeof(i->why));
		return;
	}
	fcn_kernel_interface_close(k, port);
	i->counts = counts; /* the counters of the same port continue */
	i->tap = open_tap(k, name, err, sizeof(err));
	if (i->tap == NULL) {
		strlcpy(i->why, err, sizeof(i->why));
		fcn_kernel_note(k, "%s", err);
		return;
	}
	(void)fcn_kernel_watch(k, fcn_kernel_tap_fd(i->tap), port);
	fcn_kernel_store_set_port(k->store, port, fcn_kernel_tap_ifindex(i->tap));
	fcn_kernel_interface_sync(k, port);
}

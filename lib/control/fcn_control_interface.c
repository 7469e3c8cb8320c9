/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "fcn_control_kernel_private.h"
#include "fcn_nd.h"

#define FRAMES_A_POLL 64

bool
fcn_kernel_interface_is_wanted(const struct fcn_config_port *port)
{
	return port->name[0] != '\0' && port->kernel[0] != '\0';
}

/* The port has it no more. @return what is still to be closed; NULL: nothing */
static struct fcn_kernel_tap *
detach(struct fcn_control_kernel *k, unsigned int port)
{
	struct fcn_kernel_interface *i = &k->interface[port];
	struct fcn_kernel_tap *tap = i->tap;

	free(i->address);
	*i = (struct fcn_kernel_interface){0};
	fcn_kernel_store_set_port(k->store, port, 0);
	return tap;
}

void
fcn_kernel_interface_free(struct fcn_control_kernel *k, unsigned int port)
{
	fcn_kernel_tap_close(detach(k, port));
}

static void
close_tap(void *tap)
{
	fcn_kernel_tap_close(tap); /* the epoll set forgets it */
}

void
fcn_kernel_interface_close(struct fcn_control *ctl, unsigned int port)
{
	struct fcn_kernel_tap *tap = detach(ctl->kernel, port);

	if (tap != NULL)
		fcn_control_aside(ctl, close_tap, tap);
}

unsigned int
fcn_kernel_interface_index(const struct fcn_control_kernel *k, const char *name)
{
	int home = fcn_control_kernel_enter(k->netns);
	unsigned int index = home == -2 ? 0 : if_nametoindex(name);

	fcn_control_kernel_leave(home);
	return index;
}

struct tap_opening {
	const char *netns, *name;
	struct fcn_kernel_tap *tap; /* NULL: it failed */
	char *err;
	size_t err_size;
};

/* On a thread of its own: there it enters the namespace. */
static void
open_one_tap(void *arg)
{
	struct tap_opening *o = arg;
	int home = fcn_control_kernel_enter(o->netns);

	if (home == -2)
		snprintf(o->err, o->err_size, "kernel namespace %s: %s", o->netns, strerror(errno));
	else
		o->tap = fcn_kernel_tap_open(o->name, o->err, o->err_size);
	fcn_control_kernel_leave(home);
}

static struct fcn_kernel_tap *
open_tap(struct fcn_control *ctl, const char *name, char *err, size_t err_size)
{
	struct tap_opening o = {ctl->kernel->netns, name, NULL, err, err_size};

	fcn_control_aside(ctl, open_one_tap, &o);
	return o.tap;
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
fcn_kernel_interface_plan(
		struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size)
{
	struct fcn_control_kernel *k = ctl->kernel;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (!fcn_kernel_interface_is_wanted(port))
			continue;
		k->planned[p] = find_tap(k, port->kernel);
		if (k->planned[p] == NULL)
			k->planned[p] = open_tap(ctl, port->kernel, err, err_size);
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
			fcn_control_aside(ctl, close_tap, k->planned[p]);
		k->planned[p] = NULL;
	}
}

void
fcn_kernel_interface_take_planned(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_kernel_tap *tap = k->interface[p].tap;
		bool goes_on = false;

		if (k->planned[p] == NULL)
			k->interface[p].to_kernel_none = 0;
		if (tap == NULL || tap == k->planned[p])
			continue;
		for (unsigned int q = 0; q < FCN_MAX_PORTS; q++)
			goes_on |= k->planned[q] == tap;
		if (goes_on) {
			epoll_ctl(k->epoll, EPOLL_CTL_DEL, fcn_kernel_tap_fd(tap), NULL);
			k->interface[p].tap = NULL;
		}
		fcn_kernel_interface_close(ctl, p);
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (k->planned[p] != NULL && k->interface[p].tap == NULL) {
			k->interface[p].tap = k->planned[p];
			if (fcn_control_kernel_watch(k, fcn_kernel_tap_fd(k->planned[p]), p) != 0)
				fcn_control_kernel_note(ctl, "kernel interface %s: %s",
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

/* A request to the kernel, which has one at a time for all interfaces of the machine. */
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
request(struct fcn_control *ctl, struct request r)
{
	r.socket = ctl->kernel->request;
	fcn_control_aside(ctl, send_request, &r);
	return r.rc;
}

static void
tell_addresses(struct fcn_control *ctl, struct fcn_kernel_interface *i, unsigned int port, bool all)
{
	uint32_t ifindex = fcn_kernel_tap_ifindex(i->tap);
	struct fcn_prefix *list;
	char text[FCN_PREFIX_STRLEN];
	size_t n;

	list = addresses_of(ctl, port, &n);
	if (list == NULL)
		return;
	for (size_t k = 0; k < i->n_addresses; k++) {
		if (!has_prefix(list, n, &i->address[k]))
			request(ctl, (struct request){.ifindex = ifindex,
						     .address = &i->address[k]});
	}
	for (size_t k = 0; k < n; k++) {
		int rc;

		if (!all && has_prefix(i->address, i->n_addresses, &list[k]))
			continue;
		rc = request(ctl, (struct request){.ifindex = ifindex,
						  .address = &list[k],
						  .add = true});
		if (rc != 0)
			fcn_control_kernel_note(ctl, "kernel interface %s: address %s: %s",
					fcn_kernel_tap_name(i->tap),
					fcn_prefix_format(&list[k], text, sizeof(text)),
					strerror(-rc));
	}
	free(i->address);
	i->address = list;
	i->n_addresses = n;
}

void
fcn_kernel_interface_tell(struct fcn_control *ctl, unsigned int port)
{
	struct fcn_kernel_interface *i = &ctl->kernel->interface[port];
	const struct fcn_config_kernel *conf = &ctl->config->kernel;
	bool in_vrf = conf->mode == FCN_KERNEL_VRF;
	struct fcn_netlink_link link = {
			.ifindex = fcn_kernel_tap_ifindex(i->tap),
			.mac = ctl->published->port[port].mac,
			.mtu = ctl->config->port[port].mtu,
			.master = in_vrf ? fcn_kernel_interface_index(ctl->kernel, conf->vrf) : 0,
	};
	bool changed;
	int rc;

	/* Without a VRF of ours, it may belong to one that somebody put it into. */
	link.set_master = in_vrf ? link.master != 0 : i->link.master != 0;
	changed = !i->told || link.set_master != i->link.set_master ||
		  link.master != i->link.master || link.mtu != i->link.mtu ||
		  !rte_is_same_ether_addr(&link.mac, &i->link.mac);
	if (changed) {
		rc = request(ctl, (struct request){.link = &link});
		if (rc != 0)
			fcn_control_kernel_note(ctl, "kernel interface %s: %s",
					fcn_kernel_tap_name(i->tap), strerror(-rc));
		i->link = link;
		i->told = true;
	}
	/* Another VRF takes IPv6 addresses away. */
	tell_addresses(ctl, i, port, changed);
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
fcn_kernel_interface_set_carrier(struct fcn_control *ctl, unsigned int port)
{
	struct carrier c = {ctl->kernel->interface[port].tap, !ctl->published->port[port].down};

	if (fcn_kernel_tap_has_carrier(c.tap) != c.up)
		fcn_control_aside(ctl, set_carrier, &c);
}

/* ---- frames ---- */

void
fcn_control_kernel_deliver(void *arg, const struct rte_mbuf *m, uint16_t port)
{
	struct fcn_control *ctl = arg;
	struct fcn_kernel_interface *i = &ctl->kernel->interface[port];

	if (i->tap != NULL)
		fcn_kernel_tap_write(i->tap, m);
	else
		i->to_kernel_none++;
}

void
fcn_kernel_interface_take_frames(struct fcn_control *ctl, unsigned int port)
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

void
fcn_kernel_interface_mend(struct fcn_control *ctl, unsigned int port)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct fcn_kernel_interface *i = &k->interface[port];
	const uint64_t to_kernel_none = i->to_kernel_none;
	char err[128];

	if (fcn_kernel_interface_index(k, ctl->config->port[port].kernel) != 0)
		return; /* the name is another's now */
	fcn_kernel_interface_close(ctl, port);
	i->to_kernel_none += to_kernel_none; /* it goes on being the same port's */
	i->tap = open_tap(ctl, ctl->config->port[port].kernel, err, sizeof(err));
	if (i->tap == NULL) {
		fcn_control_kernel_note(ctl, "%s", err);
		return;
	}
	(void)fcn_control_kernel_watch(k, fcn_kernel_tap_fd(i->tap), port);
	fcn_kernel_store_set_port(k->store, port, fcn_kernel_tap_ifindex(i->tap));
	fcn_kernel_interface_tell(ctl, port);
}

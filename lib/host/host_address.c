/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include <rte_common.h>

#include "host_state.h"
#include "fcn_nd.h"

/* RFC 5227 section 1.1 */
#define PROBE_NUM 3
#define PROBE_WAIT_NS FCN_HOST_SECOND
#define PROBE_MIN_NS FCN_HOST_SECOND
#define PROBE_MAX_NS (2 * FCN_HOST_SECOND)
#define ANNOUNCE_WAIT_NS (2 * FCN_HOST_SECOND)
#define ANNOUNCE_NUM 2
#define ANNOUNCE_INTERVAL_NS (2 * FCN_HOST_SECOND)
#define DEFEND_INTERVAL_NS (10 * FCN_HOST_SECOND)
/* RFC 4862 section 5.1, RFC 4861 section 10 */
#define DUP_ADDR_DETECT_TRANSMITS 1
#define MAX_SOLICITATION_DELAY_NS FCN_HOST_SECOND

#define RETRY_NS (60 * FCN_HOST_SECOND) /* until a duplicate address is checked again */

/* The dummy address of a node without an IPv4 address, for ICMP errors (RFC 7600 section 4.8). */
static const struct fcn_addr dummy4 = {.version = 4, .bytes = {192, 0, 0, 8}};

/* Get the number of the table of an address. */
static unsigned int
table_of(const struct fcn_host *h, const struct fcn_own_address *a)
{
	return a->is.port < FCN_MAX_PORTS ? h->conf.port[a->is.port].table : a->is.table;
}

/* Whether two addresses are one: the same of a port, or the same of a table that belongs to no
 * port. */
static bool
is_same(const struct fcn_host_address *a, const struct fcn_host_address *b)
{
	return a->port == b->port && (a->port != FCN_HOST_LOOPBACK || a->table == b->table) &&
	       fcn_addr_equal(&a->prefix.addr, &b->prefix.addr);
}

struct fcn_own_address *
fcn_host_address_find(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	const struct fcn_host_address key = {.port = port, .prefix.addr = *addr, .table = h->table};

	for (uint32_t i = 0; i < h->n_addresses; i++) {
		if (is_same(&h->address[i].is, &key))
			return &h->address[i];
	}
	return NULL;
}

bool
fcn_host_address_is_here(const struct fcn_host *h, const struct fcn_own_address *a)
{
	return table_of(h, a) == h->table;
}

bool
fcn_host_address_is_ours(const struct fcn_host *h, const struct fcn_addr *addr)
{
	for (uint32_t i = 0; i < h->n_addresses; i++) {
		if (fcn_addr_equal(&h->address[i].is.prefix.addr, addr) &&
				fcn_host_address_is_here(h, &h->address[i]))
			return true;
	}
	return false;
}

bool
fcn_host_address_usable(const struct fcn_host *h, const struct fcn_addr *addr)
{
	for (uint32_t i = 0; i < h->n_addresses; i++) {
		if (h->address[i].state == FCN_HOST_ADDRESS_USABLE &&
				fcn_addr_equal(&h->address[i].is.prefix.addr, addr) &&
				fcn_host_address_is_here(h, &h->address[i]))
			return true;
	}
	return false;
}

/* Whether the host bits are all zero or all one, which no station may have as its address. */
static bool
is_net_or_broadcast(const struct fcn_prefix *p, const struct fcn_addr *addr)
{
	uint32_t mask, host;

	if (addr->version != 4 || p->len >= 31)
		return false;
	mask = UINT32_MAX >> p->len;
	host = fcn_get_be32(addr->bytes) & mask;
	return host == 0 || host == mask;
}

bool
fcn_host_on_link(const struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	bool on_link = fcn_host_is_link_local(addr);

	if (addr->version == 6 ? !fcn_ip6_is_station(addr->bytes)
			       : !fcn_ip4_is_station(addr->bytes))
		return false;
	for (uint32_t i = 0; i < h->n_addresses; i++) {
		const struct fcn_own_address *a = &h->address[i];

		/* a station on this link may have the link-local address of another port, and any
		 * address of another table */
		if ((a->is.port == port || !fcn_host_is_link_local(addr)) &&
				table_of(h, a) == h->conf.port[port].table &&
				fcn_addr_equal(&a->is.prefix.addr, addr))
			return false;
		if (a->is.port != port || !fcn_prefix_contains(&a->is.prefix, addr))
			continue;
		if (is_net_or_broadcast(&a->is.prefix, addr))
			return false;
		on_link = true;
	}
	return on_link;
}

static const struct fcn_addr *
usable(const struct fcn_own_address *a)
{
	return a->state == FCN_HOST_ADDRESS_USABLE ? &a->is.prefix.addr : NULL;
}

const struct fcn_addr *
fcn_host_address_link_local(const struct fcn_host *h, uint16_t port)
{
	for (uint32_t i = 0; i < h->n_addresses; i++) {
		const struct fcn_own_address *a = &h->address[i];

		if (a->is.port == port && a->link_local && usable(a) != NULL)
			return usable(a);
	}
	return NULL;
}

const struct fcn_addr *
fcn_host_address_asking(const struct fcn_host *h, uint16_t port, const struct fcn_addr *target)
{
	for (uint32_t i = 0; i < h->n_addresses; i++) {
		const struct fcn_own_address *a = &h->address[i];

		if (a->is.port == port && usable(a) != NULL &&
				fcn_prefix_contains(&a->is.prefix, target))
			return usable(a);
	}
	return target->version == 6 ? fcn_host_address_link_local(h, port) : NULL;
}

/*
 * Choose a global address of a port for packets to dst: one with dst in its prefix, otherwise any.
 * It is one of the table of the packet that is being processed.
 */
static const struct fcn_addr *
global_of(const struct fcn_host *h, uint16_t port, bool any_port, const struct fcn_addr *dst)
{
	const struct fcn_addr *found = NULL;

	for (uint32_t i = 0; i < h->n_addresses; i++) {
		const struct fcn_own_address *a = &h->address[i];
		const struct fcn_addr *addr = usable(a);

		if (addr == NULL || addr->version != dst->version || fcn_host_is_link_local(addr) ||
				(a->is.port != port && !any_port) ||
				!fcn_host_address_is_here(h, a))
			continue;
		if (fcn_prefix_contains(&a->is.prefix, dst))
			return addr;
		if (found == NULL)
			found = addr;
	}
	return found;
}

const struct fcn_addr *
fcn_host_address_answering(const struct fcn_host *h, uint16_t port, const struct fcn_addr *dst)
{
	const struct fcn_addr *src;

	if (fcn_host_is_link_local(dst))
		return fcn_host_address_link_local(h, port);
	src = global_of(h, port, false, dst);
	if (src == NULL)
		src = global_of(h, FCN_HOST_LOOPBACK, false, dst);
	if (src == NULL)
		src = global_of(h, 0, true, dst);
	return src == NULL && dst->version == 4 ? &dummy4 : src;
}

/* Start duplicate address detection of an address, or use it at once if that is off. */
static void
begin(struct fcn_host *h, struct fcn_own_address *a, bool delayed, uint64_t now)
{
	uint64_t wait = a->is.prefix.addr.version == 6 ? MAX_SOLICITATION_DELAY_NS : PROBE_WAIT_NS;

	a->tries = 0;
	if (!h->conf.dad) {
		if (a->state != FCN_HOST_ADDRESS_USABLE)
			h->version++;
		a->state = FCN_HOST_ADDRESS_USABLE;
		fcn_host_timer_set(&h->timers, &a->timer, now);
		return;
	}
	a->state = FCN_HOST_ADDRESS_TENTATIVE;
	fcn_host_timer_set(&h->timers, &a->timer,
			now + (delayed ? fcn_host_random_between(h, 0, wait) : 0));
}

static void
check(struct fcn_host *h, struct fcn_own_address *a, uint64_t now)
{
	bool ip6 = a->is.prefix.addr.version == 6;
	unsigned int probes = ip6 ? DUP_ADDR_DETECT_TRANSMITS : PROBE_NUM;
	uint64_t wait;

	if (a->tries == probes) {
		a->state = FCN_HOST_ADDRESS_USABLE;
		a->tries = 0;
		h->version++;
		if (a->link_local)
			fcn_host_mld_repeat(h, a->is.port, now);
		fcn_host_timer_set(&h->timers, &a->timer, now);
		return;
	}
	a->tries++;
	fcn_host_dad_probe(h, a->is.port, &a->is.prefix.addr);
	if (ip6)
		wait = h->conf.retrans_ns;
	else if (a->tries == probes)
		wait = ANNOUNCE_WAIT_NS;
	else
		wait = fcn_host_random_between(h, PROBE_MIN_NS, PROBE_MAX_NS);
	fcn_host_timer_set(&h->timers, &a->timer, now + wait);
}

void
fcn_host_address_expire(struct fcn_host *h, struct fcn_own_address *a, uint64_t now)
{
	/*
	 * The answers to a probe for the address are sent to its solicited-node group (RFC 4862
	 * section 5.4.2).
	 */
	if (a->state == FCN_HOST_ADDRESS_TENTATIVE || a->state == FCN_HOST_ADDRESS_USABLE)
		fcn_host_mld_join(h, a, now);
	switch (a->state) {
	case FCN_HOST_ADDRESS_TENTATIVE:
		check(h, a, now);
		break;
	case FCN_HOST_ADDRESS_DUPLICATE:
		begin(h, a, false, now);
		break;
	case FCN_HOST_ADDRESS_USABLE:
		fcn_host_timer_stop(&h->timers, &a->timer);
		if (a->tries == ANNOUNCE_NUM)
			break;
		fcn_host_announce(h, a->is.port, &a->is.prefix.addr);
		if (++a->tries < ANNOUNCE_NUM)
			fcn_host_timer_set(&h->timers, &a->timer,
					now + (a->is.prefix.addr.version == 6 ? h->conf.retrans_ns
									      : ANNOUNCE_INTERVAL_NS));
		break;
	default:
		fcn_host_timer_stop(&h->timers, &a->timer);
		break;
	}
}

void
fcn_host_address_conflict(struct fcn_host *h, struct fcn_own_address *a,
		const struct rte_ether_addr *mac, uint64_t now)
{
	char addr[FCN_ADDR_STRLEN], who[RTE_ETHER_ADDR_FMT_SIZE];

	if (a->state != FCN_HOST_ADDRESS_TENTATIVE && a->state != FCN_HOST_ADDRESS_USABLE)
		return;
	fcn_host_count(h, FCN_HOST_DAD_DUPLICATE);
	fcn_addr_format(&a->is.prefix.addr, addr, sizeof(addr));
	rte_ether_format_addr(who, sizeof(who), mac);
	if (a->state == FCN_HOST_ADDRESS_TENTATIVE) {
		fcn_host_log(h, now, "port %u: address %s is in use by %s; not used", a->is.port,
				addr, who);
		a->state = FCN_HOST_ADDRESS_DUPLICATE;
		fcn_host_timer_set(&h->timers, &a->timer, now + RETRY_NS);
		return;
	}
	/* A router does not give up an address, but defends it (RFC 5227 section 2.4 (c)). */
	if (a->defended && now - a->defended_ns < DEFEND_INTERVAL_NS)
		return;
	fcn_host_log(h, now, "port %u: address %s is claimed by %s, too", a->is.port, addr, who);
	a->defended = true;
	a->defended_ns = now;
	fcn_host_announce(h, a->is.port, &a->is.prefix.addr);
}

/* Add an address to a list, unless it has it already. */
static void
plan(struct fcn_own_address *list, uint32_t *n, const struct fcn_host_address *is)
{
	struct fcn_own_address *a = &list[*n];

	for (uint32_t i = 0; i < *n; i++) {
		if (is_same(&list[i].is, is))
			return;
	}
	a->is = *is;
	a->link_local = fcn_host_is_link_local(&is->prefix.addr);
	a->timer.kind = FCN_HOST_TIMER_ADDRESS;
	(*n)++;
}

struct fcn_own_address *
fcn_host_addresses_plan(const struct fcn_host_conf *conf, uint32_t *n)
{
	struct fcn_host_address own = {
			.port = FCN_HOST_LOOPBACK, .prefix = {.addr = conf->loopback}};
	struct fcn_own_address *a;

	*n = 0;
	a = calloc(conf->n_addresses + FCN_MAX_PORTS + 1, sizeof(*a));
	if (a == NULL)
		return NULL;
	own.prefix.len = own.prefix.addr.version == 6 ? 128 : 32;
	if (own.prefix.addr.version != 0)
		plan(a, n, &own);
	for (size_t i = 0; i < conf->n_addresses; i++) {
		const struct fcn_host_address *c = &conf->addresses[i];

		if (c->port == FCN_HOST_LOOPBACK ||
				(c->port < FCN_MAX_PORTS && conf->port[c->port].routed))
			plan(a, n, c);
	}
	for (uint16_t port = 0; port < FCN_MAX_PORTS; port++) {
		if (!conf->port[port].routed)
			continue;
		own = (struct fcn_host_address){
				.port = port, .prefix = {.addr.version = 6, .len = 64}};
		fcn_nd_link_local(&conf->port[port].mac, own.prefix.addr.bytes);
		plan(a, n, &own);
	}
	return a;
}

/* Copy the state of an address that was there before. @return whether it was */
static bool
inherit(struct fcn_host *h, struct fcn_own_address *old, uint32_t n_old, struct fcn_own_address *a,
		bool *rescale)
{
	for (uint32_t i = 0; i < n_old; i++) {
		struct fcn_own_address *o = &old[i];

		if (!is_same(&o->is, &a->is))
			continue;
		*rescale = o->is.prefix.len != a->is.prefix.len;
		a->state = o->state;
		a->tries = o->tries;
		a->defended = o->defended;
		a->defended_ns = o->defended_ns;
		a->listening = o->listening;
		a->reports_left = o->reports_left;
		if (o->timer.pos != 0) {
			uint64_t due = o->timer.due;

			fcn_host_timer_stop(&h->timers, &o->timer);
			fcn_host_timer_set(&h->timers, &a->timer, due);
		}
		o->is.port = FCN_HOST_LOOPBACK; /* mark it as handled */
		o->is.prefix.addr.version = 0;
		return true;
	}
	return false;
}

static void
start(struct fcn_host *h, struct fcn_own_address *a, bool known, const struct fcn_host_conf *before,
		uint64_t now)
{
	uint16_t port = a->is.port;
	bool came_up, new_mac;

	if (port == FCN_HOST_LOOPBACK) {
		a->state = FCN_HOST_ADDRESS_USABLE;
		if (!known)
			h->version++;
		return;
	}
	if (!h->conf.port[port].up) {
		/* the result of the check stays valid when the link comes back up */
		fcn_host_timer_stop(&h->timers, &a->timer);
		if (a->state != FCN_HOST_ADDRESS_USABLE)
			a->state = FCN_HOST_ADDRESS_DOWN;
		return;
	}
	came_up = !before->port[port].up;
	new_mac = !rte_is_same_ether_addr(&before->port[port].mac, &h->conf.port[port].mac);
	if (a->state == FCN_HOST_ADDRESS_USABLE) {
		if (came_up || new_mac) {
			a->tries = 0;
			fcn_host_timer_set(&h->timers, &a->timer, now);
		}
	} else if (a->state == FCN_HOST_ADDRESS_DOWN || !h->conf.dad) {
		begin(h, a, true, now);
	}
}

void
fcn_host_addresses_install(struct fcn_host *h, struct fcn_own_address *fresh, uint32_t n,
		const struct fcn_host_conf *before, uint64_t now)
{
	struct fcn_own_address *old = h->address;
	uint32_t n_old = h->n_addresses;

	h->address = fresh;
	h->n_addresses = n;
	for (uint32_t i = 0; i < n; i++) {
		bool rescaled = false;
		bool known = inherit(h, old, n_old, &fresh[i], &rescaled);

		start(h, &fresh[i], known, before, now);
		if ((!known || rescaled) && fresh[i].is.port != FCN_HOST_LOOPBACK)
			fcn_host_advert_changed(h, fresh[i].is.port, now);
	}
	for (uint32_t i = 0; i < n_old; i++) {
		if (old[i].is.prefix.addr.version == 0)
			continue;
		fcn_host_timer_stop(&h->timers, &old[i].timer);
		if (old[i].state == FCN_HOST_ADDRESS_USABLE)
			h->version++;
		fcn_host_mld_leave(h, &old[i], now);
		if (old[i].is.port != FCN_HOST_LOOPBACK)
			fcn_host_advert_changed(h, old[i].is.port, now);
	}
	free(old);
}

bool
fcn_host_address_next(
		const struct fcn_host *h, uint32_t *next, uint16_t *port, struct fcn_addr *addr)
{
	while (*next < h->n_addresses) {
		const struct fcn_own_address *a = &h->address[(*next)++];

		if (a->is.port == FCN_HOST_LOOPBACK || usable(a) == NULL)
			continue;
		*port = a->is.port;
		*addr = a->is.prefix.addr;
		return true;
	}
	return false;
}

bool
fcn_host_restore_address(
		struct fcn_host *h, uint16_t port, const struct fcn_addr *addr, uint64_t now)
{
	for (uint32_t i = 0; port < FCN_MAX_PORTS && i < h->n_addresses; i++) {
		struct fcn_own_address *a = &h->address[i];

		if (a->is.port != port || !fcn_addr_equal(&a->is.prefix.addr, addr))
			continue;
		if (a->state != FCN_HOST_ADDRESS_TENTATIVE && a->state != FCN_HOST_ADDRESS_DOWN)
			return false;
		a->state = FCN_HOST_ADDRESS_USABLE;
		a->tries = 0;
		h->version++;
		/* Of a port that is down, it is announced when the link comes up. */
		if (fcn_host_port_up(h, port))
			fcn_host_timer_set(&h->timers, &a->timer, now);
		return true;
	}
	return false;
}

/* Longest time, in ns, until duplicate address detection of an address ends. */
static uint64_t
check_left(const struct fcn_host *h, const struct fcn_own_address *a, uint64_t now)
{
	bool ip6 = a->is.prefix.addr.version == 6;
	unsigned int probes = ip6 ? DUP_ADDR_DETECT_TRANSMITS : PROBE_NUM;
	uint64_t left = a->timer.due > now ? a->timer.due - now : 0;

	if (a->tries >= probes)
		return left;
	left += (probes - a->tries - 1) * PROBE_MAX_NS;
	return left + (ip6 ? h->conf.retrans_ns : ANNOUNCE_WAIT_NS);
}

struct fcn_host_address_status
fcn_host_address_status(
		const struct fcn_host *h, uint16_t port, const struct fcn_addr *addr, uint64_t now)
{
	static const char *const names[] = {
			[FCN_HOST_ADDRESS_DOWN] = "down",
			[FCN_HOST_ADDRESS_TENTATIVE] = "tentative",
			[FCN_HOST_ADDRESS_USABLE] = "preferred",
			[FCN_HOST_ADDRESS_DUPLICATE] = "duplicate",
	};
	struct fcn_host_address_status status = {.state = "unused"};

	for (uint32_t i = 0; i < h->n_addresses; i++) {
		const struct fcn_own_address *a = &h->address[i];

		if (a->is.port != port || !fcn_addr_equal(&a->is.prefix.addr, addr))
			continue;
		status.state = names[a->state];
		if (a->state == FCN_HOST_ADDRESS_TENTATIVE)
			status.left_ns = check_left(h, a, now);
		else if (a->state == FCN_HOST_ADDRESS_DUPLICATE && a->timer.due > now)
			status.left_ns = a->timer.due - now;
	}
	return status;
}

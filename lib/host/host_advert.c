/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>

#include "host_state.h"
#include "fcn_nd.h"

/* RFC 4861 section 10 */
#define MAX_INITIAL_ADVERTISEMENTS 3
#define MAX_INITIAL_INTERVAL_NS (16 * FCN_HOST_SECOND)
#define MIN_DELAY_BETWEEN_NS (3 * FCN_HOST_SECOND)
#define MAX_DELAY_NS (FCN_HOST_SECOND / 2)
/* RFC 4861 section 6.2.1 */
#define MAX_LIFETIME_S UINT64_C(9000)
#define VALID_LIFETIME_S 2592000
#define PREFERRED_LIFETIME_S 604800

#define IP6_MIN_MTU 1280

static uint16_t
port_of(const struct fcn_host *h, const struct fcn_host_advert *a)
{
	return (uint16_t)(a - h->advert);
}

static bool
wanted(const struct fcn_host_conf *conf, uint16_t port)
{
	return conf->port[port].advertise && conf->port[port].routed && conf->port[port].up;
}

static bool
has_prefix(const struct fcn_nd_ra *ra, const struct fcn_prefix *p)
{
	for (unsigned int i = 0; i < ra->n_prefixes; i++) {
		const struct fcn_prefix other = {.len = ra->prefix[i].len,
				.addr = fcn_host_addr6(ra->prefix[i].addr)};

		if (other.len == p->len && fcn_prefix_contains(&other, &p->addr))
			return true;
	}
	return false;
}

/* Write the prefixes of the port's addresses, as many as fit into an advertisement. */
static void
put_prefixes(const struct fcn_host *h, uint16_t port, struct fcn_nd_ra *ra)
{
	for (uint32_t i = 0; i < h->n_addresses && ra->n_prefixes < FCN_ND_MAX_PREFIXES; i++) {
		const struct fcn_own_address *a = &h->address[i];
		const struct fcn_prefix *p = &a->is.prefix;
		struct fcn_nd_prefix *out = &ra->prefix[ra->n_prefixes];

		if (a->is.port != port || p->addr.version != 6 || a->link_local || p->len == 128 ||
				has_prefix(ra, p))
			continue;
		memcpy(out->addr, p->addr.bytes, sizeof(out->addr));
		out->len = p->len;
		/*
		 * autoconfiguration needs a prefix of 64 bits, as the interface identifier has 64
		 */
		out->flags = FCN_ND_ON_LINK | (p->len == 64 ? FCN_ND_AUTONOMOUS : 0);
		out->valid_s = VALID_LIFETIME_S;
		out->preferred_s = PREFERRED_LIFETIME_S;
		ra->n_prefixes++;
	}
}

/* Send an advertisement. @return false when there is no link-local address to send it from */
static bool
advertise(struct fcn_host *h, uint16_t port, bool last)
{
	const struct fcn_addr *src = fcn_host_address_link_local(h, port);
	const struct fcn_host_port *p = &h->conf.port[port];
	uint64_t lifetime = RTE_MAX(h->conf.ra_interval_ns / FCN_HOST_SECOND * 3, UINT64_C(3));
	struct fcn_nd_ra ra = {.hop_limit = FCN_HOST_HOP_LIMIT};
	struct rte_ether_addr dst;
	struct rte_mbuf *m;
	uint32_t room, len;
	uint8_t *buf;

	if (src == NULL)
		return false;
	m = fcn_host_alloc(h);
	if (m == NULL)
		return true;
	if (!last)
		ra.lifetime_s = (uint16_t)RTE_MIN(lifetime, MAX_LIFETIME_S);
	if (p->mtu >= IP6_MIN_MTU)
		ra.mtu = p->mtu;
	put_prefixes(h, port, &ra);
	buf = fcn_host_room(m, &room);
	len = fcn_nd_build_ra(src->bytes, NULL, &p->mac, &ra, buf, room);
	if (len == 0) {
		fcn_host_discard(h, m, FCN_HOST_NO_MBUF);
		return true;
	}
	fcn_nd_multicast_mac(fcn_nd_all_nodes, &dst);
	fcn_host_count(h, FCN_HOST_ND_TX);
	fcn_host_count(h, FCN_HOST_RA_TX);
	fcn_host_send_link(h, m, len, port, &dst, RTE_ETHER_TYPE_IPV6);
	return true;
}

void
fcn_host_advert_expire(struct fcn_host *h, struct fcn_host_advert *a, uint64_t now)
{
	uint64_t max = RTE_MAX(h->conf.ra_interval_ns, MIN_DELAY_BETWEEN_NS);
	uint64_t wait;

	if (!advertise(h, port_of(h, a), false)) {
		/* duplicate address detection is still running */
		fcn_host_timer_set(&h->timers, &a->timer, now + FCN_HOST_SECOND);
		return;
	}
	a->sent = true;
	a->last_ns = now;
	wait = fcn_host_random_between(h, RTE_MAX(max / 3, MIN_DELAY_BETWEEN_NS), max);
	if (a->initial < MAX_INITIAL_ADVERTISEMENTS)
		a->initial++;
	if (a->initial < MAX_INITIAL_ADVERTISEMENTS)
		wait = RTE_MIN(wait, MAX_INITIAL_INTERVAL_NS);
	fcn_host_timer_set(&h->timers, &a->timer, now + wait);
}

/* Move the next advertisement forward, but not closer to the last one than the minimum delay. */
static void
hasten(struct fcn_host *h, struct fcn_host_advert *a, uint64_t due)
{
	if (a->sent)
		due = RTE_MAX(due, a->last_ns + MIN_DELAY_BETWEEN_NS);
	if (a->timer.pos == 0 || due < a->timer.due)
		fcn_host_timer_set(&h->timers, &a->timer, due);
}

void
fcn_host_advert_asked(struct fcn_host *h, uint16_t port, uint64_t now)
{
	struct fcn_host_advert *a = &h->advert[port];

	if (a->on)
		hasten(h, a, now + fcn_host_random_between(h, 0, MAX_DELAY_NS));
}

void
fcn_host_advert_changed(struct fcn_host *h, uint16_t port, uint64_t now)
{
	struct fcn_host_advert *a = &h->advert[port];

	if (!a->on)
		return;
	a->initial = 0;
	hasten(h, a, now);
}

void
fcn_host_adverts_end(struct fcn_host *h, const struct fcn_host_conf *after)
{
	for (uint16_t port = 0; port < FCN_MAX_PORTS; port++) {
		struct fcn_host_advert *a = &h->advert[port];

		if (!a->on || wanted(after, port))
			continue;
		if (a->sent && h->conf.port[port].up)
			advertise(h, port, true);
		a->on = false;
		fcn_host_timer_stop(&h->timers, &a->timer);
	}
}

void
fcn_host_adverts_review(struct fcn_host *h, const struct fcn_host_conf *before, uint64_t now)
{
	for (uint16_t port = 0; port < FCN_MAX_PORTS; port++) {
		struct fcn_host_advert *a = &h->advert[port];
		const struct fcn_host_port *old = &before->port[port], *new = &h->conf.port[port];

		if (!wanted(&h->conf, port))
			continue;
		if (!a->on) {
			a->on = true;
			a->sent = false;
			a->initial = 0;
			a->timer.kind = FCN_HOST_TIMER_ADVERT;
			fcn_host_timer_set(&h->timers, &a->timer, now);
		} else if (old->mtu != new->mtu || !rte_is_same_ether_addr(&old->mac, &new->mac)) {
			fcn_host_advert_changed(h, port, now);
		}
	}
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_names.h"
#include "host_state.h"

#define DEFAULT_REACHABLE_NS (30 * FCN_HOST_SECOND)
#define PORT_TIMERS 3 /* for each port: router advertisements, and two for MLD */
#define DEFAULT_RETRANS_NS FCN_HOST_SECOND
#define DEFAULT_RA_INTERVAL_NS (600 * FCN_HOST_SECOND)

static const struct fcn_host_rate log_rate = {.per_second = 5, .burst = 20};

FCN_NAME_FUNCTION(fcn_host_counter_name, enum fcn_host_counter, FCN_HOST_COUNTERS(FCN_ITEM_WORD))

/* splitmix64 */
uint64_t
fcn_host_random(struct fcn_host *h)
{
	uint64_t z = h->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t
fcn_host_random_between(struct fcn_host *h, uint64_t lo, uint64_t hi)
{
	return hi <= lo ? lo : lo + fcn_host_random(h) % (hi - lo + 1);
}

bool
fcn_host_take(struct fcn_host_bucket *bucket, const struct fcn_host_rate *rate, uint64_t now)
{
	uint64_t cost, full;

	if (rate->per_second == 0)
		return false;
	cost = (FCN_HOST_SECOND + rate->per_second - 1) / rate->per_second;
	full = RTE_MAX(bucket->full_ns, now);
	if (full - now > cost * (RTE_MAX(rate->burst, 1u) - 1))
		return false;
	bucket->full_ns = full + cost;
	return true;
}

void
fcn_host_log(struct fcn_host *h, uint64_t now, const char *format, ...)
{
	char line[256];
	size_t used;
	va_list ap;

	if (h->env.log == NULL)
		return;
	if (!fcn_host_take(&h->logs, &log_rate, now)) {
		h->logs_left_out++;
		return;
	}
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (h->logs_left_out > 0) {
		used = strlen(line);
		snprintf(line + used, sizeof(line) - used, " (%u lines left out before)",
				h->logs_left_out);
		h->logs_left_out = 0;
	}
	h->env.log(h->env.arg, line);
}

struct fcn_host *
fcn_host_create(struct rte_mempool *pool, const struct fcn_host_env *env, uint64_t seed)
{
	struct fcn_host *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->pool = pool;
	h->env = *env;
	h->random = seed;
	h->conf.port_waiting = FCN_HOST_WAIT_PORT;
	h->hash_seed = (uint32_t)fcn_host_random(h);
	h->hash_seed ^= (uint32_t)(env->hash_secret ^ env->hash_secret >> 32);
	fcn_host_wait_init(h);
	fcn_host_senders_init(h);
	if (fcn_neighbours_init(&h->neighbours, 0) != 0 ||
			fcn_host_timers_reserve(&h->timers, PORT_TIMERS * FCN_MAX_PORTS + 1) != 0) {
		fcn_host_free(h);
		return NULL;
	}
	fcn_neighbours_link(&h->neighbours);
	return h;
}

void
fcn_host_free(struct fcn_host *h)
{
	if (h == NULL)
		return;
	for (unsigned int i = 0; i < FCN_HOST_SHARES; i++) {
		struct fcn_host_wait *w;

		TAILQ_FOREACH (w, &h->waiting[i], port)
			rte_pktmbuf_free(w->mbuf);
	}
	fcn_neighbours_fini(&h->neighbours);
	fcn_host_timers_free(&h->timers);
	free(h->address);
	free(h);
}

static void
install_conf(struct fcn_host *h, const struct fcn_host_conf *conf)
{
	h->conf = *conf;
	h->conf.addresses = NULL;
	h->conf.n_addresses = 0;
	if (h->conf.port_waiting == 0 || h->conf.port_waiting > FCN_HOST_WAIT_PORT)
		h->conf.port_waiting = FCN_HOST_WAIT_PORT;
	if (h->conf.reachable_ns == 0)
		h->conf.reachable_ns = DEFAULT_REACHABLE_NS;
	if (h->conf.retrans_ns == 0)
		h->conf.retrans_ns = DEFAULT_RETRANS_NS;
	if (h->conf.ra_interval_ns == 0)
		h->conf.ra_interval_ns = DEFAULT_RA_INTERVAL_NS;
}

int
fcn_host_configure(struct fcn_host *h, const struct fcn_host_conf *conf, uint64_t now)
{
	bool resize = conf->max_neighbours != h->neighbours.max;
	struct fcn_neighbours fresh = {.all = NULL};
	struct fcn_host_conf before = h->conf;
	struct fcn_own_address *addresses;
	unsigned int n_ports = 0;
	uint32_t n = 0;

	addresses = fcn_host_addresses_plan(conf, &n);
	if (addresses == NULL)
		return -ENOMEM;
	/* old and new addresses may have timers set at the same time */
	if ((resize && fcn_neighbours_init(&fresh, conf->max_neighbours) != 0) ||
			fcn_host_timers_reserve(&h->timers,
					RTE_MAX(conf->max_neighbours, h->neighbours.max) + n +
							h->n_addresses +
							PORT_TIMERS * FCN_MAX_PORTS + 1) != 0) {
		fcn_neighbours_fini(&fresh);
		free(addresses);
		return -ENOMEM;
	}
	fcn_host_adverts_end(h, conf);
	fcn_host_mld_end(h, conf, now);
	install_conf(h, conf);
	fcn_host_addresses_install(h, addresses, n, &before, now);
	if (resize) {
		fcn_host_clear_neighbours(h);
		fcn_neighbours_fini(&h->neighbours);
		h->neighbours = fresh;
		fcn_neighbours_link(&h->neighbours);
	} else {
		fcn_neighbours_review(h);
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		n_ports += h->conf.port[p].routed;
	fcn_neighbours_divide(&h->neighbours, n_ports, conf->port_neighbours);
	fcn_host_mld_review(h, &before, now);
	fcn_host_adverts_review(h, &before, now);
	fcn_host_senders_review(h, now);
	return 0;
}

void
fcn_host_receive(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now)
{
	struct rte_mbuf *m = punt->mbuf;
	const struct fcn_host_packet p = {.mbuf = m,
			.l3_off = punt->l3_off,
			.in_port = punt->in_port,
			.class = punt->class,
			.table = punt->table,
			.left = true};
	enum fcn_drop_reason why;
	enum fcn_host_error error;
	uint32_t param = 0;

	h->table = punt->table;
	if (punt->in_port >= FCN_MAX_PORTS || m->data_len < FCN_HOST_L2_LEN) {
		fcn_host_discard(h, m, FCN_HOST_LOCAL_UNHANDLED);
		return;
	}
	switch (punt->reason) {
	case FCN_PUNT_ARP:
		fcn_host_arp_receive(h, punt, now);
		return;
	case FCN_PUNT_LOCAL:
	case FCN_PUNT_LINK:
	case FCN_PUNT_SID:
		fcn_host_local_receive(h, punt, now);
		return;
	case FCN_PUNT_NO_NEIGHBOUR:
		fcn_host_forward(h, punt, now);
		return;
	case FCN_PUNT_CONTROL:
		fcn_host_control_receive(h, punt);
		return;
	case FCN_PUNT_NO_ROUTE:
		error = FCN_HOST_ERROR_NO_ROUTE;
		why = FCN_DROP_NO_ROUTE;
		break;
	case FCN_PUNT_HOP_LIMIT:
		error = FCN_HOST_ERROR_HOP_LIMIT;
		why = FCN_DROP_HOP_LIMIT;
		break;
	case FCN_PUNT_MTU:
		error = FCN_HOST_ERROR_MTU;
		why = FCN_DROP_MTU;
		param = punt->mtu;
		break;
	case FCN_PUNT_ERROR:
	case FCN_PUNT_ENDCON:
		error = punt->reason == FCN_PUNT_ENDCON ? FCN_HOST_ERROR_ENDCON
							: fcn_host_error_of(&punt->error);
		why = punt->drop;
		param = punt->error.param;
		break;
	default:
		fcn_host_discard(h, m, FCN_HOST_LOCAL_UNHANDLED);
		return;
	}
	fcn_host_error(h, m, punt->l3_off, punt->in_port, error, param, now);
	fcn_host_drop(h, &p, FCN_HOST_UNFORWARDED, why);
}

static void
expire(struct fcn_host *h, struct fcn_host_timer *timer, uint64_t now)
{
	switch (timer->kind) {
	case FCN_HOST_TIMER_NEIGHBOUR:
		fcn_neighbour_expire(h, container_of(timer, struct fcn_neighbour, timer), now);
		break;
	case FCN_HOST_TIMER_ADDRESS:
		fcn_host_address_expire(h, container_of(timer, struct fcn_own_address, timer), now);
		break;
	case FCN_HOST_TIMER_ADVERT:
		fcn_host_advert_expire(h, container_of(timer, struct fcn_host_advert, timer), now);
		break;
	case FCN_HOST_TIMER_MLD_CHANGE:
		fcn_host_mld_change_expire(
				h, container_of(timer, struct fcn_host_mld, change), now);
		break;
	case FCN_HOST_TIMER_MLD_ANSWER:
		fcn_host_mld_answer_expire(
				h, container_of(timer, struct fcn_host_mld, answer), now);
		break;
	default:
		fcn_host_senders_expire(h, now);
		break;
	}
}

void
fcn_host_tick(struct fcn_host *h, uint64_t now)
{
	for (unsigned int i = 0; i < FCN_HOST_TICK_TIMERS; i++) {
		struct fcn_host_timer *timer = fcn_host_timer_first(&h->timers);

		if (timer == NULL || timer->due > now)
			return;
		expire(h, timer, now);
	}
}

uint64_t
fcn_host_next(const struct fcn_host *h)
{
	const struct fcn_host_timer *timer = fcn_host_timer_first(&h->timers);

	return timer == NULL ? FCN_HOST_NEVER : timer->due;
}

uint64_t
fcn_host_version(const struct fcn_host *h)
{
	return h->version;
}

uint64_t
fcn_host_counter(const struct fcn_host *h, enum fcn_host_counter c)
{
	return (unsigned int)c < FCN_HOST_COUNTER_COUNT ? h->counters[c] : 0;
}

void
fcn_host_clear_counters(struct fcn_host *h)
{
	memset(h->counters, 0, sizeof(h->counters));
}

/* The version of the address decides between ARP and Neighbour Discovery. */

void
fcn_host_solicit(struct fcn_host *h, uint16_t port, const struct fcn_addr *target,
		const struct rte_ether_addr *mac)
{
	(target->version == 6 ? fcn_host_nd_solicit : fcn_host_arp_solicit)(h, port, target, mac);
}

void
fcn_host_dad_probe(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	(addr->version == 6 ? fcn_host_nd_probe : fcn_host_arp_probe)(h, port, addr);
}

void
fcn_host_announce(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	(addr->version == 6 ? fcn_host_nd_announce : fcn_host_arp_announce)(h, port, addr);
}

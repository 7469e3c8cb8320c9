/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "config.h"

/* More than a turn brings, so that it is never reached. */
#define QUIET_ENTER 100000
#define QUIET_THRESHOLD (1000 * FCN_RATIO_ONE)
#define BUFFER_SIZE (16 << 20)

/* Queues drain in every turn; congestion that has begun is not over by that. */
#define LASTING_NS 1000000000

void
bench_check(int rc, const char *what)
{
	if (rc < 0)
		errx(1, "%s: %s", what, strerror(-rc));
}

static struct fcn_prefix
host_prefix(unsigned int port, unsigned int host, uint8_t len)
{
	struct fcn_prefix p = {.addr.version = 6, .len = len};

	bench_host_address(port, host, p.addr.bytes);
	return p;
}

/* Every host is a neighbour and has a route of its own. */
static void
add_hosts(struct fcn_config *cfg, const struct bench_setup *setup, unsigned int port)
{
	for (unsigned int h = 0; h < BENCH_HOSTS; h++) {
		struct fcn_config_route route = {.prefix = host_prefix(port, h, 64), .port = port};
		struct rte_ether_addr mac = bench_host_mac(port, h);

		/* What comes back has to be taken in again. */
		if (setup->source != BENCH_PCAP)
			mac = bench_router_mac;
		if (bench_srv6_is_headend(setup->traffic.srv6)) {
			route.policy = bench_policy(cfg, setup->traffic.srv6, port);
			route.port = 0;
		} else {
			route.via = route.prefix.addr;
			bench_check(fcn_config_neighbour_set(cfg, port, &route.via, &mac),
					"neighbour");
		}
		bench_check(fcn_config_route_add(cfg, &route), "route");
	}
}

struct fcn_config_route
bench_extra_route(bool ipv4, unsigned int i)
{
	struct fcn_config_route route = {.port = 0};

	if (ipv4) {
		route.prefix.len = i % 2 ? 24 : 22;
		route.prefix.addr.version = 4;
		route.prefix.addr.bytes[0] = 20 + (i >> 14);
		route.prefix.addr.bytes[1] = i >> 6;
		route.prefix.addr.bytes[2] = i << 2;
		route.via = (struct fcn_addr){4, {10, 0, 0, 1 + i % BENCH_HOSTS}};
		return route;
	}
	route.prefix = host_prefix(0, 0, i % 2 ? 64 : 56);
	route.via = host_prefix(0, i % BENCH_HOSTS, 64).addr;
	route.prefix.addr.bytes[4] = 0x10 + (i >> 16);
	route.prefix.addr.bytes[5] = i >> 8;
	route.prefix.addr.bytes[6] = i;
	return route;
}

static void
add_extra_routes(struct fcn_config *cfg, bool ipv4, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_config_route route = bench_extra_route(ipv4, i);

		bench_check(fcn_config_route_add(cfg, &route), "route");
	}
}

static void
add_port(struct fcn_config *cfg, const struct bench_setup *setup,
		const struct bench_variant *variant, unsigned int number)
{
	char name[FCN_NAME_LEN];
	struct fcn_config_port *port;

	snprintf(name, sizeof(name), "p%u", number);
	bench_check(fcn_config_port_add(cfg, name), name);
	port = &cfg->port[number];
	bench_check(rte_eth_dev_get_name_by_port(number, port->device), name);
	port->mac = bench_router_mac;
	if (setup->traffic.bridged)
		port->bridge = 0;
	else
		add_hosts(cfg, setup, number);
	port->pfc.class[BENCH_CLASS].send = variant->lossless;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct fcn_config_queue *q = &port->queue[c];

		q->detector.type = variant->detector;
		q->detector.threshold = QUIET_THRESHOLD;
		q->detector.enter = variant->congested ? 1 : QUIET_ENTER;
		if (variant->congested)
			q->detector.hold_ns = LASTING_NS;
		q->policy.notify = variant->detector != FCN_DETECTOR_OFF;
		q->policy.ecn = q->policy.notify;
	}
}

struct fcn_config *
bench_config(const struct bench_setup *setup, const struct bench_variant *variant)
{
	struct fcn_config *cfg = fcn_config_create();

	if (cfg == NULL)
		errx(1, "out of memory");
	if (setup->traffic.bridged)
		bench_check(fcn_config_bridge_add(cfg, "br0"), "bridge");
	for (unsigned int p = 0; p < BENCH_PORTS; p++)
		add_port(cfg, setup, variant, p);
	if (!setup->traffic.bridged)
		add_extra_routes(cfg, setup->ipv4, setup->extra_routes);
	bench_check(fcn_addr_parse("2001:db8:f::1", &cfg->loopback), "loopback");
	if (setup->traffic.srv6 != BENCH_SRV6_NONE)
		bench_config_srv6(cfg, setup->traffic.srv6);
	cfg->buffer = variant->shared ? BUFFER_SIZE : 0;
	cfg->notify.on = 1u << bench_notice_kind(setup->traffic.srv6);
	cfg->notify.default_capability = FCN_SENDER_CAPABLE;
	/* All buckets are asked, and always have a token. */
	cfg->notify.queue_bucket = (struct fcn_config_bucket){.rate = 1000000000, .burst = 1000};
	cfg->notify.global_bucket = cfg->notify.queue_bucket;
	cfg->notify.dest_bucket = cfg->notify.queue_bucket;
	cfg->notify.source_bucket = cfg->notify.queue_bucket;
	cfg->notify.link_share = FCN_RATIO_ONE;
	return cfg;
}

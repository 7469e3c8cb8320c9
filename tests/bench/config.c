/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "fcn_list.h"
#include "config.h"

/* More than a turn brings, so that it is never reached. */
#define QUIET_ENTER 1000000
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

static struct fcn_addr
host_address(bool ipv4, unsigned int port, unsigned int host)
{
	struct fcn_addr addr = {.version = ipv4 ? 4 : 6};

	if (ipv4)
		bench_host_address4(port, host, addr.bytes);
	else
		bench_host_address(port, host, addr.bytes);
	return addr;
}

/* Gateways have the numbers of hosts behind all others. */
static unsigned int
gateway_host(const struct bench_setup *setup, unsigned int gateway)
{
	return bench_hosts(&setup->traffic) + gateway;
}

/* The port by which a gateway is reached on the way to hosts behind a port. */
static unsigned int
gateway_port(const struct bench_setup *setup, unsigned int port, unsigned int gateway)
{
	return setup->spread ? gateway % bench_ports(&setup->traffic) : port;
}

/* Add the routes to a host by a group. All hosts behind a port have the same one, as the hosts
 * behind other leaves have on a leaf. */
static void
add_group(struct fcn_config *cfg, const struct bench_setup *setup, struct fcn_config_route route)
{
	const unsigned int port = route.port;

	for (unsigned int g = 0; g < setup->groups; g++) {
		route.port = gateway_port(setup, port, g);
		route.via = host_address(setup->traffic.ipv4, route.port, gateway_host(setup, g));
		bench_check(fcn_list_add(cfg, fcn_list_of("route"), &route, NULL),
				"route by a group");
	}
}

static void
add_gateways(struct fcn_config *cfg, const struct bench_setup *setup, unsigned int port)
{
	for (unsigned int g = 0; g < setup->groups; g++) {
		const unsigned int host = gateway_host(setup, g);
		struct rte_ether_addr mac = bench_host_mac(port, host);
		struct fcn_addr addr = host_address(setup->traffic.ipv4, port, host);

		if (setup->source != BENCH_PCAP)
			mac = bench_router_mac;
		if (gateway_port(setup, port, g) == port)
			bench_check(FCN_LIST_ADD(cfg, "neighbour", fcn_config_neighbour, port, addr,
						    mac),
					"gateway");
	}
}

/* Every host is a neighbour and has a route of its own, or a route by a group. */
static void
add_hosts(struct fcn_config *cfg, const struct bench_setup *setup, unsigned int port)
{
	const bool ipv4 = setup->traffic.ipv4;

	for (unsigned int h = 0; h < bench_hosts(&setup->traffic); h++) {
		struct fcn_config_route route = {.port = port};
		struct rte_ether_addr mac = bench_host_mac(port, h);

		route.prefix.addr = host_address(ipv4, port, h);
		route.prefix.len = ipv4 ? 32 : 64;

		/* What comes back has to be taken in again. */
		if (setup->source != BENCH_PCAP)
			mac = bench_router_mac;
		if (setup->groups != 0) {
			add_group(cfg, setup, route);
			continue;
		}
		if (bench_srv6_is_headend(setup->traffic.srv6)) {
			route.policy = bench_policy(cfg, setup->traffic.srv6, port);
			route.port = 0;
		} else {
			route.via = route.prefix.addr;
			bench_check(FCN_LIST_ADD(cfg, "neighbour", fcn_config_neighbour, port,
						    route.via, mac),
					"neighbour");
		}
		bench_check(fcn_list_add(cfg, fcn_list_of("route"), &route, NULL), "route");
	}
}

struct fcn_config_route
bench_extra_route(bool ipv4, unsigned int i)
{
	struct fcn_config_route route = {.port = 0, .prefix.addr.version = ipv4 ? 4 : 6};

	route.prefix.len = bench_network(ipv4, i, route.prefix.addr.bytes);
	route.via = host_address(ipv4, 0, i % BENCH_HOSTS);
	return route;
}

/* Those that packets go to are by hosts behind both ports. */
static void
add_extra_routes(struct fcn_config *cfg, const struct bench_setup *setup)
{
	const bool ipv4 = setup->traffic.ipv4;

	for (unsigned int i = 0; i < setup->extra_routes; i++) {
		struct fcn_config_route route = bench_extra_route(ipv4, i);

		if (setup->traffic.networks != 0) {
			route.port = bench_network_port(&setup->traffic, i);
			route.via = host_address(
					ipv4, route.port, i % bench_hosts(&setup->traffic));
		}
		bench_check(fcn_list_add(cfg, fcn_list_of("route"), &route, NULL), "route");
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
	if (setup->source == BENCH_HEADERS)
		snprintf(port->device, sizeof(port->device), "%u", number);
	else
		bench_check(rte_eth_dev_get_name_by_port(
					    setup->first_ethdev + number, port->device),
				name);
	port->mac = bench_router_mac;
	port->worker = number / bench_ports(&setup->traffic);
	port->mtu = RTE_MAX(port->mtu, (uint32_t)(bench_packet_len(&setup->traffic)));
	if (setup->traffic.bridged)
		port->bridge = 0;
	port->ioam.transit = setup->traffic.transit;
	port->border = variant->border;
	port->pfc.class[BENCH_CLASS].send = variant->lossless;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct fcn_config_queue *q = &port->queue[c];

		q->detector.type = variant->detector;
		q->detector.threshold = QUIET_THRESHOLD;
		q->detector.enter = variant->congested ? 1 : QUIET_ENTER;
		q->detector.kmax = 2 * QUIET_ENTER;
		if (!variant->congested)
			q->detector.qeq = QUIET_ENTER;
		if (variant->congested)
			q->detector.hold_ns = LASTING_NS;
		if (variant->full && c == BENCH_CLASS) {
			q->limit_bytes = 1;
			q->trim = variant->trim;
		}
		q->policy.notify = variant->detector != FCN_DETECTOR_OFF;
		q->policy.ecn = q->policy.notify;
	}
}

/* The queue pairs of the senders of all flows. */
static void
add_qps(struct fcn_config *cfg, const struct bench_setup *setup)
{
	const struct bench_traffic *t = &setup->traffic;

	for (unsigned int p = 0; p < bench_all_ports(t); p++) {
		for (unsigned int flow = 0; flow < bench_flows(t); flow++)
			bench_check(FCN_LIST_ADD(cfg, "proxy qp", fcn_qp_pair,
						    .receiver = host_address(t->ipv4,
								    bench_port_to(t, p, flow),
								    bench_host_to(t, flow)),
						    .receiver_qp = bench_qp_to(t, p, flow),
						    .sender_qp = 1 + flow),
					"queue pair");
	}
}

unsigned int
bench_notice_kind(const struct bench_setup *setup)
{
	if (setup->cnp)
		return FCN_NOTICE_CNP;
	return setup->traffic.srv6 == BENCH_SRV6_P_NODE ? FCN_NOTICE_ENDCON : FCN_NOTICE_FAST_CNP;
}

struct fcn_config *
bench_config(const struct bench_setup *setup, const struct bench_variant *variant)
{
	const unsigned int ports = bench_all_ports(&setup->traffic);
	struct fcn_config *cfg = fcn_config_create();

	if (cfg == NULL)
		errx(1, "out of memory");
	if (setup->traffic.bridged)
		bench_check(fcn_config_bridge_add(cfg, "br0"), "bridge");
	for (unsigned int p = 0; p < ports; p++)
		add_port(cfg, setup, variant, p);
	for (unsigned int p = 0; p < ports && !setup->traffic.bridged; p++) {
		add_gateways(cfg, setup, p);
		add_hosts(cfg, setup, p);
	}
	if (!setup->traffic.bridged)
		add_extra_routes(cfg, setup);
	bench_check(fcn_addr_parse("2001:db8:ffff::1", &cfg->loopback), "loopback");
	if (setup->traffic.srv6 != BENCH_SRV6_NONE)
		bench_config_srv6(cfg, setup->traffic.srv6);
	if (setup->traffic.transit) {
		cfg->ioam.node_id = 0x010203;
		bench_check(FCN_LIST_ADD(cfg, "ioam namespace", fcn_ioam_namespace,
					    .id = BENCH_NAMESPACE, .schema_id = FCN_IOAM_NO_SCHEMA),
				"namespace");
	}
	cfg->trim.link_share = 0;
	cfg->buffer = variant->shared ? BUFFER_SIZE : 0;
	cfg->notify.on = 1u << bench_notice_kind(setup);
	if (setup->cnp)
		add_qps(cfg, setup);
	cfg->notify.default_capability = variant->untold ? FCN_SENDER_NONE : FCN_SENDER_CAPABLE;
	/* All buckets are asked, and always have a token. */
	cfg->notify.queue_bucket = (struct fcn_config_bucket){.rate = 1000000000, .burst = 1000};
	cfg->notify.global_bucket = cfg->notify.queue_bucket;
	cfg->notify.dest_bucket = cfg->notify.queue_bucket;
	cfg->notify.source_bucket = cfg->notify.queue_bucket;
	/* net_pcap is a link of 10 Gbit/s: workers that share it would be short of room for
	 * notices. */
	cfg->notify.link_share = setup->traffic.workers > 1 ? 0 : FCN_RATIO_ONE;
	return cfg;
}

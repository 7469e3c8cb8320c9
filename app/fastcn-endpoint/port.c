/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "fcn_mempool_error.h"
#include "live_endpoint.h"

#define LOOK_NS 500000000
#define BUFFERS 4095
#define BUFFER_CACHE 250
#define RETH_LEN 16
#define TRACE_HEADERS 16 /* bytes of headers: extension header, option and trace */
#define UNKNOWN_BPS UINT64_C(1000000000)

#define ASK_MTU \
	": use a smaller one, or see to the interface's MTU (and framesz= of net_af_packet)\n"

/*
 * Get the length of a frame with a full data packet, including the IOAM trace in its Hop-by-Hop
 * Options header.
 */
static uint32_t
data_length(const struct fcn_endpoint_conf *conf)
{
	uint32_t len = 14 + 40 + 8 + 12 + conf->payload + 4;

	if (conf->operation == FCN_OPERATION_WRITE)
		len += RETH_LEN;
	if (conf->ioam)
		len += RTE_ALIGN(TRACE_HEADERS + 4u * conf->ioam_hops *
								 fcn_ioam_node_len(conf->ioam_type),
				8u);
	return len;
}

/* Check that the device can send the longest frame of the endpoint. */
static int
check_length(const struct live_endpoint *live)
{
	uint32_t max_frame = fcn_ethdev_port_ops.tx_max_frame(live->port.dev);
	uint32_t len = data_length(&live->conf);

	if (len <= max_frame)
		return 0;
	fprintf(stderr,
			"fastcn-endpoint: payload %u makes frames of %u bytes, but the "
			"device sends at most %u" ASK_MTU,
			live->conf.payload, len, max_frame);
	return -1;
}

static void
choose_speed(struct live_endpoint *live)
{
	const char *limits = fcn_ethdev_port_ops.limits(live->port.dev);
	uint64_t bps = live->opt.line_bps;

	if (bps == 0)
		bps = fcn_ethdev_port_ops.link_bps(live->port.dev);
	if (bps == 0) {
		bps = UNKNOWN_BPS;
		fprintf(stderr, "fastcn-endpoint: the device does not report its speed, so 1G "
				"is used; set another speed by --rate\n");
	}
	if (limits[0] != '\0' && !live->opt.quiet)
		fprintf(stderr, "fastcn-endpoint: %s: %s\n", live->opt.device, limits);
	live->opt.line_bps = bps;
	live->serializer.bps = bps;
}

/*
 * Two endpoints with one address on one interface would have one MAC address as well, so duplicate
 * address detection cannot find them. A socket whose name has the address and the interface, and
 * which is unique in the network namespace, keeps the second one from starting.
 */
static int
claim(struct live_endpoint *live)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const char *iface = strstr(live->opt.device, ",iface=");
	char addr[FCN_ADDR_STRLEN];

	iface = iface != NULL ? iface + strlen(",iface=") : live->opt.device;
	fcn_addr_format(&live->opt.addr.addr, addr, sizeof(addr));
	/* The name is abstract, its first byte is 0: it disappears with the process. */
	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "fastcn-endpoint %s %.*s", addr,
			(int)strcspn(iface, ","), iface);
	live->port.claim = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (live->port.claim < 0 ||
			bind(live->port.claim, (const struct sockaddr *)&name, sizeof(name)) == 0 ||
			errno != EADDRINUSE)
		return 0;
	fprintf(stderr, "fastcn-endpoint: another fastcn-endpoint uses %.*s with %s\n",
			(int)strcspn(iface, ","), iface, addr);
	return -1;
}

int
live_port_open(struct live_endpoint *live)
{
	struct live_port *port = &live->port;
	struct fcn_ethdev_conf conf = {
			.device = live->opt.device,
			.mtu = (uint16_t)RTE_MAX((uint32_t)RTE_ETHER_MTU,
					data_length(&live->conf) - RTE_ETHER_HDR_LEN),
			.queues = 1,
	};
	char err[600];

	if (claim(live) != 0)
		return -1;
	port->pool = rte_pktmbuf_pool_create("endpoint", BUFFERS, BUFFER_CACHE, 0,
			FCN_ENDPOINT_MAX_FRAME + RTE_PKTMBUF_HEADROOM, (int)rte_socket_id());
	if (port->pool == NULL) {
		fprintf(stderr, "fastcn-endpoint: packet buffers: %s%s\n",
				fcn_mempool_error(err, sizeof(err)),
				fcn_mempool_has_handler() ? " (without hugepages: --no-huge -m 64)"
							  : "");
		return -1;
	}
	conf.pool = port->pool;
	port->dev = fcn_ethdev_open(&conf, err, sizeof(err));
	if (port->dev == NULL) {
		fprintf(stderr, "fastcn-endpoint: %s\n", err);
		if (conf.mtu > RTE_ETHER_MTU)
			fprintf(stderr,
					"fastcn-endpoint: payload %u makes frames of %u "
					"bytes" ASK_MTU,
					live->conf.payload, data_length(&live->conf));
		return -1;
	}
	fcn_ethdev_mac(port->dev, &port->mac);
	/* The endpoint filters frames itself when the device cannot. */
	fcn_ethdev_promiscuous(port->dev, false, err, sizeof(err));
	choose_speed(live);
	return check_length(live);
}

uint64_t
live_port_watch(struct live_endpoint *live, uint64_t now)
{
	struct live_port *port = &live->port;
	bool up;

	if (now < port->look_ns)
		return port->look_ns;
	up = fcn_ethdev_port_ops.link_up(port->dev);
	if (up == port->down)
		fprintf(stderr, "fastcn-endpoint: the link is %s\n", up ? "up again" : "down");
	port->down = !up;
	port->look_ns = now + LOOK_NS;
	return port->look_ns;
}

/* The pool is freed by rte_eal_cleanup(): some devices hold buffers until then. */
void
live_port_close(struct live_port *port)
{
	for (unsigned int i = 0; i < port->n_out; i++)
		rte_pktmbuf_free(port->out[i]);
	port->n_out = 0;
	fcn_ethdev_close(port->dev);
	port->dev = NULL;
	if (port->claim >= 0)
		close(port->claim);
	port->claim = -1;
}

struct rte_mbuf *
live_port_buffer(struct live_endpoint *live)
{
	struct live_port *port = &live->port;
	struct rte_mbuf *m;

	if (port->n_out == RTE_DIM(port->out))
		return NULL;
	m = rte_pktmbuf_alloc(port->pool);
	if (m == NULL)
		live->n.no_buffer++;
	return m;
}

void
live_port_send(struct live_endpoint *live, struct rte_mbuf *m, uint32_t len)
{
	m->data_len = (uint16_t)len;
	m->pkt_len = len;
	live->port.out[live->port.n_out++] = m;
}

unsigned int
live_port_flush(struct live_endpoint *live)
{
	struct live_port *port = &live->port;
	unsigned int taken;

	if (port->n_out == 0)
		return 0;
	taken = fcn_ethdev_port_ops.tx_burst(port->dev, port->out, (uint16_t)port->n_out, 0);
	port->n_out -= taken;
	if (port->n_out != 0) {
		live->n.tx_full++;
		memmove(port->out, port->out + taken, port->n_out * sizeof(port->out[0]));
	}
	return taken;
}

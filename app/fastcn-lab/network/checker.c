/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_cnm.h"
#include "fcn_fastcnp.h"
#include "fcn_pfc.h"
#include "network.h"
#include "checker_private.h"

uint16_t
lab_checker_room(void)
{
	return RTE_ALIGN(sizeof(struct sighting), RTE_MBUF_PRIV_ALIGN);
}

/* Add a packet to a list. If memory is exhausted, the run fails. */
static void
add(struct lab_net_switch *sw, struct sightings *list, struct sighting *s)
{
	if (list->n == list->room) {
		unsigned int room = list->room == 0 ? 64 : 2 * list->room;
		struct sighting **item = realloc(list->item, room * sizeof(item[0]));

		if (item == NULL) {
			lab_fail(sw->part, "%s: no memory to check it", lab_checker_name(sw));
			return;
		}
		list->item = item;
		list->room = room;
	}
	list->item[list->n++] = s;
}

static const char *
port_name(const struct lab_net_port *port)
{
	return port->sw->net->sc->link[port->link].port[port->end];
}

/* ---- frames ---- */

static bool
read_frame(const struct rte_mbuf *m, struct fcn_wire_info *info)
{
	const struct fcn_parse_codes codes = {0};

	/* packets with a defect are parsed as well, for example those with a malformed trace */
	fcn_parse(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, m->pkt_len, &codes, info);
	return (info->flags & FCN_PKT_ROCE) != 0;
}

/* Whether it is a packet of a queue pair over IPv6, also inside a tunnel. */
static bool
is_data(const struct fcn_wire_info *info)
{
	return fcn_bth_opcode_triggers(info->opcode) && (info->flags & FCN_PKT_IPV6) != 0 &&
	       info->final_dst_off != 0;
}

static uint8_t
inner_ecn(const uint8_t *data, const struct fcn_wire_info *info)
{
	/* the traffic class is in the second half of the first octet, and the first of the second
	 */
	return data[info->inner_l3_off + 1] >> 4 & ECN_CE;
}

static uint8_t
class_of(const struct lab_net_switch *sw, const struct fcn_wire_info *info)
{
	return fcn_control_worker(sw->ctl, 0)->snap->class_map.dscp[info->tclass >> 2];
}

static void
pause_came(struct lab_net_port *port, const struct rte_mbuf *m, uint64_t now)
{
	const struct fcn_snapshot_port *conf =
			&fcn_control_worker(port->sw->ctl, 0)->snap->port[port->number];
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct rte_ether_addr *dst = (const struct rte_ether_addr *)data;
	struct fcn_mac_control said;
	uint8_t taken;

	if (!rte_is_same_ether_addr(dst, &fcn_mac_control_addr) &&
			!rte_is_same_ether_addr(dst, &conf->mac))
		return;
	switch (fcn_mac_control_parse(data, m->data_len, &said)) {
	case FCN_MAC_CONTROL_IS_PFC:
		taken = conf->pause.rx_classes;
		break;
	case FCN_MAC_CONTROL_IS_PAUSE:
		taken = conf->pause.link ? 0xff : 0;
		break;
	case FCN_MAC_CONTROL_IS_OTHER:
	case FCN_MAC_CONTROL_IS_MALFORMED:
	default:
		return;
	}
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (said.priorities & taken & ~conf->pause.exempt & 1u << c)
			port->paused_until[c] = now + fcn_pfc_quanta_to_ns(said.quanta[c],
								      conf->pause.link_bps);
	}
}

static void
frame_came(struct lab_net_port *port, struct rte_mbuf *m, uint64_t now)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct fcn_wire_info info;
	struct sighting *s;

	pause_came(port, m, now);
	/* Private data is only in direct buffers, and links deliver no clones. */
	s = rte_mbuf_to_priv(m);
	*s = (struct sighting){.in_port = port->number};
	if (!read_frame(m, &info) || !is_data(&info))
		return;
	memcpy(s->sender, fcn_notify_sender(data, &info), sizeof(s->sender));
	memcpy(s->receiver, data + info.final_dst_off, sizeof(s->receiver));
	s->dest_qp = info.dest_qp;
	s->ecn_in = (info.tclass & ECN_CE) == ECN_CE ? ECN_CE : inner_ecn(data, &info);
	s->class = class_of(port->sw, &info);
	s->is_data = true;
	add(port->sw, &port->sw->checker->in, s);
}

static void
check_paused(const struct lab_net_port *port, unsigned int class, uint64_t now)
{
	const struct fcn_snapshot *snap = fcn_control_worker(port->sw->ctl, 0)->snap;
	const struct fcn_pause_conf *conf = &snap->port[port->number].pause;

	/* during a pause storm the class may be sent, whether it is paused or not */
	if (conf->action == FCN_STORM_FORWARD || (conf->rx_classes >> class & 1) == 0)
		return;
	if (port->paused_until[class] > now)
		lab_violation(port->sw->part,
				"%s: a packet of class %u leaves by port %s, paused until %" PRIu64
				" ns",
				lab_checker_name(port->sw), class, port_name(port),
				port->paused_until[class]);
}

/*
 * Whether the switch has generated a frame itself, and says so in the innermost IP header. Other
 * frames of its pool are copies, or CNPs that it sends as a proxy in the name of a receiver.
 */
static bool
is_from(const struct lab_net_switch *sw, const struct rte_mbuf *m, const struct fcn_wire_info *info)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);

	return m->pool == sw->pool && (info->flags & FCN_PKT_IPV6) != 0 &&
	       (info->flags & FCN_PKT_INNER_IPV4) == 0 &&
	       memcmp(data + info->inner_l3_off + offsetof(struct rte_ipv6_hdr, src_addr),
			       fcn_control_config(sw->ctl)->loopback.bytes, 16) == 0;
}

static void
check_notice(const struct lab_net_port *port, const struct rte_mbuf *m,
		const struct fcn_wire_info *info)
{
	const struct lab_net_switch *sw = port->sw;
	const struct fcn_fastcnp_kind_conf *kind = lab_checker_conf(
			sw, info->flags & FCN_PKT_TUNNEL ? FCN_NOTICE_ENDCON : FCN_NOTICE_FAST_CNP);
	const struct fcn_fastcnp_conf *conf = &kind->fastcnp.conf;
	const struct fcn_parse_codes codes = {
			.fastcnp_opt1 = conf->opt1_type, .fastcnp_opt2 = conf->opt2_type};
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct fcn_fastcnp notice;
	enum fcn_wire_error error = fcn_fastcnp_parse(&sw->checker->crc, conf->icrc_mode, data,
			m->data_len, info, &codes, &notice);

	if (error != FCN_WIRE_OK)
		lab_violation(sw->part, "%s: a malformed Fast CNP leaves by port %s: %s",
				lab_checker_name(sw), port_name(port), fcn_wire_error_name(error));
	if (lab_checker_is_loopback(sw->net, data + info->final_dst_off))
		lab_violation(sw->part, "%s: a notice about a notice leaves by port %s",
				lab_checker_name(sw), port_name(port));
}

/* Check a Congestion Notification Message of the switch: it is well-formed, and about a flow of
 * hosts. */
static void
check_message(const struct lab_net_port *port, const struct rte_mbuf *m)
{
	const struct lab_net_switch *sw = port->sw;
	const struct fcn_parse_codes codes = {0};
	const uint16_t cnm_port = fcn_control_config(sw->ctl)->proxy.cnm_port;
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct fcn_wire_info info;
	struct fcn_cnm message;
	enum fcn_cnm_error error;

	fcn_parse(data, m->data_len, m->pkt_len, &codes, &info);
	if (cnm_port == 0 || info.dst_port != cnm_port || info.proto != IPPROTO_UDP ||
			info.flags & FCN_PKT_TUNNEL || !is_from(sw, m, &info))
		return;
	error = fcn_cnm_parse(data + info.l3_off, info.l4_off - info.l3_off,
			m->data_len - info.l3_off, &codes, &message);
	if (error != FCN_CNM_OK)
		lab_violation(sw->part, "%s: a malformed message to a proxy leaves by port %s: %s",
				lab_checker_name(sw), port_name(port), fcn_cnm_error_name(error));
	else if (lab_checker_is_loopback(sw->net, message.flow.src))
		lab_violation(sw->part,
				"%s: a message about a packet of a switch leaves by port %s",
				lab_checker_name(sw), port_name(port));
}

static void
frame_leaves(struct lab_net_port *port, struct rte_mbuf *m, uint64_t now)
{
	struct lab_net_switch *sw = port->sw;
	struct fcn_wire_info info;
	struct sighting *s;

	if (!read_frame(m, &info)) {
		check_message(port, m);
		return;
	}
	if (is_from(sw, m, &info))
		check_notice(port, m, &info);
	if (!is_data(&info))
		return;
	/* one of several copies: a notice does not say which of them caused it */
	if (m->pool == sw->pool || !RTE_MBUF_DIRECT(m) || rte_mbuf_refcnt_read(m) > 1) {
		check_paused(port, class_of(sw, &info), now);
		return;
	}
	s = rte_mbuf_to_priv(m);
	if (!s->is_data)
		return;
	/* The class is that of the header with which it came: the DSCP of a tunnel may be another.
	 */
	check_paused(port, s->class, now);
	s->tunnel_out = info.flags & FCN_PKT_TUNNEL;
	s->ecn_out = info.tclass & ECN_CE;
	s->out_port = port->number;
	add(sw, &sw->checker->out, s);
}

/* ---- the port between dataplane and link ---- */

static uint16_t
watched_rx(void *private, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct lab_net_port *port = private;

	n = fcn_link_port_ops.rx_burst(port->port, pkts, n, now);
	for (uint16_t i = 0; i < n; i++)
		frame_came(port, pkts[i], now);
	return n;
}

static uint16_t
watched_room(void *private, uint64_t now)
{
	const struct lab_net_port *port = private;

	return fcn_link_port_ops.tx_room(port->port, now);
}

/* Send frames one at a time, because a frame must not be read after the link has accepted it. */
static uint16_t
watched_tx(void *private, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct lab_net_port *port = private;

	if (n == 0 || watched_room(port, now) == 0)
		return 0;
	frame_leaves(port, pkts[0], now);
	return fcn_link_port_ops.tx_burst(port->port, pkts, 1, now);
}

static uint64_t
watched_ready(void *private, uint64_t now)
{
	const struct lab_net_port *port = private;

	return fcn_link_port_ops.tx_ready(port->port, now);
}

static uint64_t
watched_bps(void *private)
{
	const struct lab_net_port *port = private;

	return fcn_link_port_ops.link_bps(port->port);
}

static bool
watched_up(void *private)
{
	const struct lab_net_port *port = private;

	return fcn_link_port_ops.link_up(port->port);
}

const struct fcn_port_ops lab_checker_ops = {
		.kind = "link",
		.rx_burst = watched_rx,
		.tx_burst = watched_tx,
		.tx_room = watched_room,
		.tx_ready = watched_ready,
		.link_bps = watched_bps,
		.link_up = watched_up,
};

/* ---- begin and end ---- */

void
lab_checker_link_down(struct lab_net_port *port)
{
	memset(port->paused_until, 0, sizeof(port->paused_until));
}

void
lab_checker_restart(struct lab_net_switch *sw)
{
	sw->checker->left_seen = 0;
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++) {
		struct kind_check *kind = &sw->checker->kind[k];

		kind->early = 0;
		kind->forgotten = 0;
		kind->forgotten_seen = 0;
		for (unsigned int i = 0; i < sw->net->sc->n_flows; i++)
			kind->notified[i] = FCN_TIME_NEVER;
	}
	for (unsigned int i = 0; i < sw->n_ends; i++)
		lab_checker_link_down(&sw->ends[i]);
}

int
lab_checker_init(struct lab_net_switch *sw)
{
	struct lab_checker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return -ENOMEM;
	sw->checker = w;
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++) {
		w->kind[k].notified = calloc(sw->net->sc->n_flows + 1, sizeof(uint64_t));
		if (w->kind[k].notified == NULL)
			return -ENOMEM;
	}
	if (fcn_crc32_init(&w->crc) != 0)
		return -ENOMEM;
	w->crc_ready = true;
	lab_checker_restart(sw);
	return 0;
}

void
lab_checker_fini(struct lab_net_switch *sw)
{
	struct lab_checker *w = sw->checker;

	if (w == NULL)
		return;
	if (w->crc_ready)
		fcn_crc32_fini(&w->crc);
	free(w->in.item);
	free(w->out.item);
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++)
		free(w->kind[k].notified);
	free(w);
	sw->checker = NULL;
}

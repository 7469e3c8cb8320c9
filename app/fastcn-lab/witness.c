/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_fastcnp.h"
#include "fcn_pfc.h"
#include "network.h"
#include "witness.h"

#define ECN_CE 3

/* What a packet has to look like when it leaves. */
enum look {
	LOOK_ANY,
	LOOK_NOT_CE, /* unless it came like that */
	LOOK_CE,     /* unless it is Not-ECT */
};

/* What is known of a packet of data inside a switch, beside its buffer. */
struct sighting {
	uint8_t sender[16], receiver[16];
	uint32_t dest_qp;
	uint16_t in_port, out_port; /* numbers */
	uint8_t ecn_in, ecn_out;
	uint8_t look;
	uint16_t look_port; /* if it leaves by this one */
	bool is_data;
};

/* Packets seen in this turn. */
struct sightings {
	struct sighting **item;
	unsigned int n, room;
};

struct lab_witness {
	struct sightings in, out;
	uint64_t *notified;                 /* by flow: when, FCN_TIME_NEVER: never */
	uint64_t early;                     /* notices before a flow's interval had passed */
	uint64_t forgotten, forgotten_seen; /* flows that the switch says it forgot */
	struct fcn_crc32 crc;
	bool crc_ready;
};

uint16_t
lab_witness_room(void)
{
	return RTE_ALIGN(sizeof(struct sighting), RTE_MBUF_PRIV_ALIGN);
}

static const char *
name_of(const struct lab_net_switch *sw)
{
	return sw->net->sc->node_switch[sw->index].name;
}

/* Without memory for it the run ends. */
static void
add(struct lab_net_switch *sw, struct sightings *list, struct sighting *s)
{
	if (list->n == list->room) {
		unsigned int room = list->room == 0 ? 64 : 2 * list->room;
		struct sighting **item = realloc(list->item, room * sizeof(item[0]));

		if (item == NULL) {
			lab_fail(sw->net, "%s: no memory for what it is seen to do", name_of(sw));
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

	/* with a defect, too: of a trace that cannot be read, say */
	fcn_parse(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, m->pkt_len, &codes, info);
	return (info->flags & FCN_PKT_ROCE) != 0;
}

static bool
is_data(const struct fcn_wire_info *info)
{
	return fcn_bth_opcode_triggers(info->opcode) && (info->flags & FCN_PKT_IPV6) != 0 &&
	       (info->flags & FCN_PKT_TUNNEL) == 0;
}

static void
pause_came(struct lab_net_port *port, const struct rte_mbuf *m, uint64_t now)
{
	const struct fcn_snapshot_port *conf = &port->sw->ctl->worker[0]->snap->port[port->number];
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct rte_ether_addr *dst = (const struct rte_ether_addr *)data;
	struct fcn_mac_control said;
	uint8_t taken;

	if (!rte_is_same_ether_addr(dst, &fcn_mac_control_addr) &&
			!rte_is_same_ether_addr(dst, &conf->mac))
		return;
	switch (fcn_mac_control_parse(data, m->data_len, &said)) {
	case FCN_MAC_CONTROL_IS_PFC:
		taken = conf->pause.taken;
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
	s = rte_mbuf_to_priv(m); /* links deliver no clones */
	*s = (struct sighting){.in_port = port->number};
	if (!read_frame(m, &info) || !is_data(&info))
		return;
	memcpy(s->sender, fcn_notify_sender(data, &info), sizeof(s->sender));
	memcpy(s->receiver, data + info.final_dst_off, sizeof(s->receiver));
	s->dest_qp = info.dest_qp;
	s->ecn_in = info.tclass & ECN_CE;
	s->is_data = true;
	add(port->sw, &port->sw->witness->in, s);
}

static void
check_paused(const struct lab_net_port *port, const struct fcn_wire_info *info, uint64_t now)
{
	const struct fcn_snapshot *snap = port->sw->ctl->worker[0]->snap;
	const struct fcn_pause_conf *conf = &snap->port[port->number].pause;
	unsigned int class = snap->class_map.dscp[info->tclass >> 2];

	/* a storm: pause or not */
	if (conf->action == FCN_STORM_FORWARD || (conf->taken >> class & 1) == 0)
		return;
	if (port->paused_until[class] > now)
		lab_violation(port->sw->net,
				"%s: a packet of class %u leaves by port %s, paused until %" PRIu64
				" ns",
				name_of(port->sw), class, port_name(port),
				port->paused_until[class]);
}

static bool
is_loopback(const struct lab_network *net, const uint8_t *addr)
{
	for (unsigned int i = 0; i < net->sc->n_switches; i++) {
		if (memcmp(net->node_switch[i].ctl->config->loopback.bytes, addr, 16) == 0)
			return true;
	}
	return false;
}

/* Whether the switch made it itself: other frames of its pool are copies. */
static bool
is_from(const struct lab_net_switch *sw, const struct rte_mbuf *m, const struct fcn_wire_info *info)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);

	return m->pool == sw->pool && (info->flags & FCN_PKT_IPV6) != 0 &&
	       memcmp(data + info->l3_off + offsetof(struct rte_ipv6_hdr, src_addr),
			       sw->ctl->config->loopback.bytes, 16) == 0;
}

static void
check_notice(const struct lab_net_port *port, const struct rte_mbuf *m,
		const struct fcn_wire_info *info)
{
	const struct lab_net_switch *sw = port->sw;
	const struct fcn_fastcnp_conf *conf = &sw->ctl->worker[0]->snap->notify.fastcnp.conf;
	const struct fcn_parse_codes codes = {
			.fastcnp_opt1 = conf->opt1_type, .fastcnp_opt2 = conf->opt2_type};
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct fcn_fastcnp notice;
	enum fcn_wire_error error = fcn_fastcnp_parse(&sw->witness->crc, conf->icrc_mode, data,
			m->data_len, info, &codes, &notice);

	if (error != FCN_WIRE_OK)
		lab_violation(sw->net, "%s: a Fast CNP that cannot be read leaves by port %s: %s",
				name_of(sw), port_name(port), fcn_wire_error_name(error));
	if (is_loopback(sw->net, data + info->l3_off + offsetof(struct rte_ipv6_hdr, dst_addr)))
		lab_violation(sw->net, "%s: a notice about a notice leaves by port %s", name_of(sw),
				port_name(port));
}

static void
frame_leaves(struct lab_net_port *port, struct rte_mbuf *m, uint64_t now)
{
	struct lab_net_switch *sw = port->sw;
	struct fcn_wire_info info;
	struct sighting *s;

	if (!read_frame(m, &info))
		return;
	if (is_from(sw, m, &info))
		check_notice(port, m, &info);
	if (!is_data(&info))
		return;
	check_paused(port, &info, now);
	/* one of several copies: a notice does not tell of which */
	if (m->pool == sw->pool || !RTE_MBUF_DIRECT(m) || rte_mbuf_refcnt_read(m) > 1)
		return;
	s = rte_mbuf_to_priv(m);
	if (!s->is_data)
		return;
	s->ecn_out = info.tclass & ECN_CE;
	s->out_port = port->number;
	add(sw, &sw->witness->out, s);
}

/* ---- the port between ---- */

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

/* One at a time: what the link took is not ours to look at any more. */
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

const struct fcn_port_ops lab_witness_ops = {
		.kind = "link",
		.rx_burst = watched_rx,
		.tx_burst = watched_tx,
		.tx_room = watched_room,
		.tx_ready = watched_ready,
		.link_bps = watched_bps,
		.link_up = watched_up,
};

/* ---- what the switch says of it ---- */

static bool
is_about(const struct sighting *s, const struct fcn_event *ev, bool leaving)
{
	return s->dest_qp == ev->dest_qp &&
	       (leaving ? s->out_port == ev->port : s->in_port == ev->in_port) &&
	       memcmp(s->sender, ev->sender, sizeof(s->sender)) == 0 &&
	       memcmp(s->receiver, ev->receiver, sizeof(s->receiver)) == 0;
}

static enum look
look_of(const struct lab_net_switch *sw, const struct fcn_event *ev)
{
	const struct fcn_snapshot *snap = sw->ctl->worker[0]->snap;
	const struct fcn_queue_conf *q = &snap->port[ev->port].egress.queue[ev->class];
	enum fcn_sender_capability cap = snap->notify.default_capability;
	bool marks = q->ecn && ev->level >= q->mark_level && ev->occupancy >= q->mark_bytes;

	if (snap->notify.senders != NULL)
		cap = fcn_prefix_list_lookup6(snap->notify.senders, ev->sender, cap);
	if (cap == FCN_SENDER_NONE)
		lab_violation(sw->net, "%s: a notice to a sender that does not understand it",
				name_of(sw));
	if (cap == FCN_SENDER_UNKNOWN && snap->notify.mark_unknown && marks)
		return LOOK_CE;
	return LOOK_NOT_CE;
}

/* Which packet of this turn it is about, if that can be told. */
static void
find_cause(struct lab_net_switch *sw, const struct fcn_event *ev)
{
	const struct fcn_snapshot *snap = sw->ctl->worker[0]->snap;
	const struct fcn_queue_conf *q = &snap->port[ev->port].egress.queue[ev->class];
	const bool leaving = q->detector.at_dequeue;
	const struct sightings *list = leaving ? &sw->witness->out : &sw->witness->in;
	enum look look = look_of(sw, ev);
	struct sighting *cause = NULL;
	unsigned int n = 0;

	for (unsigned int i = 0; i < list->n; i++) {
		if (!is_about(list->item[i], ev, leaving))
			continue;
		cause = list->item[i];
		n++;
	}
	if (n == 0 && !leaving)
		lab_violation(sw->net, "%s: a notice about a packet that did not come",
				name_of(sw));
	if (n != 1)
		return;
	cause->look = look;
	cause->look_port = ev->port;
}

/* When the flow was last told of, NULL: it is none of the scenario's. */
static const uint64_t *
last_told(struct lab_net_switch *sw, const struct fcn_event *ev, const char **name)
{
	const struct lab_network *net = sw->net;
	int flow = lab_measure_flow_of(net->m, ev->receiver, ev->dest_qp);

	*name = "of a spray";
	if (flow < 0)
		return lab_spray_told(sw, ev);
	if (memcmp(net->host[net->sc->flow[flow].from].addr, ev->sender, 16) != 0)
		return NULL;
	*name = net->sc->flow[flow].name;
	return &sw->witness->notified[flow];
}

/* Flows that the switch says it forgot, in this life; its counters may be cleared meanwhile. */
static uint64_t
forgotten(struct lab_net_switch *sw)
{
	const uint64_t now = sw->ctl->worker[0]->notify.forgotten;
	struct lab_witness *w = sw->witness;

	w->forgotten += now >= w->forgotten_seen ? now - w->forgotten_seen : now;
	w->forgotten_seen = now;
	return w->forgotten;
}

/* Each flow that was forgotten may be told too early once, nobody else. */
static void
check_interval(struct lab_net_switch *sw, const struct fcn_event *ev)
{
	const struct fcn_notify_conf *conf = &sw->ctl->worker[0]->snap->notify;
	int flow = lab_measure_flow_of(sw->net->m, ev->receiver, ev->dest_qp);
	const char *name;
	const uint64_t *last = last_told(sw, ev, &name);

	if (last == NULL)
		return;
	if (*last != FCN_TIME_NEVER && !sw->late && ev->time_ns - *last < conf->interval_ns &&
			++sw->witness->early > forgotten(sw))
		lab_violation(sw->net,
				"%s: flow %s is notified %" PRIu64
				" ns after it was, the interval is %" PRIu32,
				name_of(sw), name, ev->time_ns - *last, conf->interval_ns);
	if (flow >= 0)
		sw->witness->notified[flow] = ev->time_ns;
}

void
lab_witness_event(struct lab_net_switch *sw, const struct fcn_event *ev)
{
	if (ev->type != FCN_EVENT_NOTICE || !fcn_notify_verdict_is_sent(ev->verdict))
		return;
	if (is_loopback(sw->net, ev->sender))
		lab_violation(sw->net, "%s: a notice about a packet of a switch", name_of(sw));
	/* One that was read late is about a packet, and by a configuration, that may be gone. */
	if (!sw->late)
		find_cause(sw, ev);
	check_interval(sw, ev);
}

static void
check_look(const struct lab_net_switch *sw, const struct sighting *s)
{
	const char *port = sw->ctl->config->port[s->out_port].name;

	if (s->look == LOOK_ANY || s->look_port != s->out_port || s->ecn_in == ECN_CE)
		return;
	if (s->look == LOOK_NOT_CE && s->ecn_out == ECN_CE)
		lab_violation(sw->net,
				"%s: a packet leaves by port %s with CE, whose sender was notified",
				name_of(sw), port);
	if (s->look == LOOK_CE && s->ecn_in != 0 && s->ecn_out != ECN_CE)
		lab_violation(sw->net,
				"%s: a packet leaves by port %s without CE, whose sender may not "
				"have understood a notice",
				name_of(sw), port);
}

void
lab_witness_turn(struct lab_net_switch *sw)
{
	struct lab_witness *w = sw->witness;

	for (unsigned int i = 0; i < w->out.n; i++)
		check_look(sw, w->out.item[i]);
	w->in.n = 0;
	w->out.n = 0;
	forgotten(sw); /* before they are cleared */
}

/* ---- begin and end ---- */

void
lab_witness_link_down(struct lab_net_port *port)
{
	memset(port->paused_until, 0, sizeof(port->paused_until));
}

void
lab_witness_restart(struct lab_net_switch *sw)
{
	sw->witness->early = 0;
	sw->witness->forgotten = 0;
	sw->witness->forgotten_seen = 0;
	for (unsigned int i = 0; i < sw->net->sc->n_flows; i++)
		sw->witness->notified[i] = FCN_TIME_NEVER;
	for (unsigned int i = 0; i < sw->n_ends; i++)
		lab_witness_link_down(&sw->ends[i]);
}

int
lab_witness_init(struct lab_net_switch *sw)
{
	struct lab_witness *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return -ENOMEM;
	sw->witness = w;
	w->notified = calloc(sw->net->sc->n_flows + 1, sizeof(w->notified[0]));
	if (w->notified == NULL || fcn_crc32_init(&w->crc) != 0)
		return -ENOMEM;
	w->crc_ready = true;
	lab_witness_restart(sw);
	return 0;
}

void
lab_witness_fini(struct lab_net_switch *sw)
{
	struct lab_witness *w = sw->witness;

	if (w == NULL)
		return;
	if (w->crc_ready)
		fcn_crc32_fini(&w->crc);
	free(w->in.item);
	free(w->out.item);
	free(w->notified);
	free(w);
	sw->witness = NULL;
}

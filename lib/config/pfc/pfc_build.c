/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build flow control (IEEE 802.1Qbb), and the parts of the shared buffer. */

#include <inttypes.h>
#include <stdio.h>

#include "build_parts.h"
#include "fcn_burst.h"
#include "fcn_pfc.h"

/* Default of XOFF: 32 us at the speed of the link, 100 KB at 25 Gbit/s. */
#define XOFF_NS 32000
#define XON_BELOW 3000
#define REACT_QUANTA 60
/* What switches in software take besides, this one to send the PFC frame, and the link partner
 * until no packet is on its way to the line any more: 2 us each in the median, 5 with some load. */
#define SOFTWARE_NS 10000
#define MAX_HEADROOM 1000000000
#define SHORTEST 60u         /* bytes of a frame without FCS */
#define SHORTEST_ON_LINE 84u /* octets of the line that it takes */

/* Compute what can arrive at a port after a threshold is crossed that its own worker watches. */
static uint64_t
arrives(const struct fcn_config_port *port, uint64_t link)
{
	const struct fcn_config_pfc *pfc = &port->pfc;
	uint64_t react = pfc->react_ns;

	if (react == FCN_AUTO64)
		react = fcn_pfc_quanta_to_ns(REACT_QUANTA, link) + SOFTWARE_NS;
	return fcn_headroom(link, pfc->delay_ns, react, fcn_build_frame(port));
}

/* Compute the headroom of a lossless class. If it is a default, and above the maximum at the
 * present speed, it is the maximum. */
static uint32_t
headroom_of(const struct fcn_config_port *port, unsigned int number, unsigned int c, uint64_t link,
		const struct fcn_build_env *env)
{
	const struct fcn_config_pfc *pfc = &port->pfc;
	uint64_t bytes;
	char place[FCN_WARNING_PLACE];

	if (pfc->class[c].headroom != FCN_AUTO)
		return pfc->class[c].headroom;
	bytes = arrives(port, link);
	/*
	 * If another worker receives the packet that crosses the threshold, the worker that owns
	 * the port learns that a turn later. What is received in two turns is added for this.
	 */
	if (env->n_workers > 1)
		bytes += UINT64_C(2) * FCN_RX_BURST * fcn_build_frame(port);
	if (bytes <= MAX_HEADROOM)
		return (uint32_t)bytes;
	snprintf(place, sizeof(place), "port %s class %u", port->name, c);
	fcn_warn(env->warnings, FCN_WARNING_HEADROOM, number, place,
			"at the speed of the link, the lossless class needs a headroom of %" PRIu64
			" bytes, and has %u: set pfc %s delay, react",
			bytes, MAX_HEADROOM, port->name);
	return MAX_HEADROOM;
}

/*
 * Compute the headroom in packets: as many as fit into a configured one, or as arrive at most. In
 * that case, all bytes of fcn_headroom() but two frames are octets of the line.
 */
static uint32_t
headroom_packets(const struct fcn_config_port *port, unsigned int c, uint64_t link,
		const struct fcn_build_env *env)
{
	const struct fcn_config_pfc *pfc = &port->pfc;
	uint64_t packets;

	if (pfc->class[c].headroom != FCN_AUTO)
		return (pfc->class[c].headroom + SHORTEST - 1) / SHORTEST;
	packets = arrives(port, link) - 2 * (uint64_t)fcn_build_frame(port);
	packets = (packets + SHORTEST_ON_LINE - 1) / SHORTEST_ON_LINE + 2;
	if (env->n_workers > 1)
		packets += UINT64_C(2) * FCN_RX_BURST;
	return (uint32_t)RTE_MIN(packets, (uint64_t)MAX_HEADROOM / SHORTEST);
}

/* Build the account of a lossless class: of the packets that this port receives with this priority.
 */
static int
build_ingress(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int number,
		unsigned int c, struct fcn_snapshot_port *to, char *err, size_t size)
{
	const struct fcn_config_port *port = &cfg->port[number];
	const struct fcn_config_pfc_class *class = &port->pfc.class[c];
	struct fcn_ingress_conf *out = &to->ingress[c];

	*out = (struct fcn_ingress_conf){
			.lossless = true,
			.dynamic = class->dynamic,
			.reserve = class->reserve,
			.alpha = fcn_build_fixed(class->alpha),
			.xon_below = class->xon_below,
	};
	if (class->dynamic && cfg->buffer == 0)
		return fcn_build_fail(err, size,
				"port %s class %u: a dynamic threshold needs a shared buffer: "
				"set buffer size SIZE",
				port->name, c);
	out->headroom = headroom_of(port, number, c, to->link_bps, env);
	to->ingress_packets[c].headroom = headroom_packets(port, c, to->link_bps, env);
	return 0;
}

int
fcn_build_pfc(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int number,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_port *port = &cfg->port[number];
	const struct fcn_config_pfc *pfc = &port->pfc;
	struct fcn_snapshot_port *out = &s->port[number];
	struct fcn_pause_conf *pause = &out->pause;

	*pause = (struct fcn_pause_conf){
			.link = pfc->link_pause,
			.exempt = fcn_config_sends_notices(cfg) ? 1u << cfg->notify.class : 0,
			.link_bps = out->link_bps,
			.quanta = pfc->quanta,
			.refresh_ns = RTE_MAX(fcn_pfc_quanta_to_ns(pfc->quanta, out->link_bps) / 2,
					UINT64_C(1)),
			.action = pfc->action,
			.detect_ns = pfc->detect_ns,
			.restore_ns = pfc->restore_ns,
	};
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		const struct fcn_config_pfc_class *class = &pfc->class[c];

		if ((class->send || class->receive) && pause->exempt >> c & 1)
			return fcn_build_fail(err, size,
					"port %s class %u: this is the class of notices, which a "
					"pause "
					"would delay: set pfc send off and receive off",
					port->name, c);
		pause->rx_classes |= class->receive << c;
		if (!class->send)
			continue;
		pause->tx_classes |= 1u << c;
		if (build_ingress(cfg, env, number, c, out, err, size) != 0)
			return -1;
	}
	out->lossless = pause->tx_classes;
	out->pause_on = (pause->rx_classes | pause->tx_classes) != 0 || pause->link;
	return 0;
}

/* Build the static thresholds of a lossless class: the defaults are by the speed of the link, and
 * fit the shared buffer. */
static int
build_thresholds(const struct fcn_config_port *port, unsigned int c, uint64_t link,
		const struct fcn_buffer_conf *buffer, struct fcn_ingress_conf *out, char *err,
		size_t size)
{
	const struct fcn_config_pfc_class *class = &port->pfc.class[c];
	const uint64_t room = buffer->size == 0 ? UINT32_MAX : out->reserve + buffer->shared;

	out->xoff = class->xoff;
	if (class->xoff == FCN_AUTO)
		out->xoff = fcn_build_threshold(port, fcn_build_bytes(link, XOFF_NS),
				(uint32_t)RTE_MIN(room, (uint64_t)UINT32_MAX));
	if (class->xon != FCN_AUTO)
		out->xon = class->xon;
	else if (out->xoff > 2 * XON_BELOW)
		out->xon = out->xoff - XON_BELOW;
	else
		out->xon = out->xoff / 2;
	if (out->xon > out->xoff)
		return fcn_build_fail(err, size,
				"port %s class %u: xon of %u bytes must not be above "
				"xoff of %u bytes",
				port->name, c, out->xon, out->xoff);
	return 0;
}

int
fcn_build_pfc_thresholds(const struct fcn_config *cfg, unsigned int number, struct fcn_snapshot *s,
		char *err, size_t size)
{
	struct fcn_snapshot_port *out = &s->port[number];

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct fcn_ingress_conf *in = &out->ingress[c];

		if (in->lossless && !in->dynamic &&
				build_thresholds(&cfg->port[number], c, out->link_bps, &s->buffer,
						in, err, size) != 0)
			return -1;
	}
	return 0;
}

/* Sums over all ports and classes, in bytes. */
struct sums {
	uint64_t queues, ingress; /* reserved by queues, and by lossless classes */
	uint64_t headroom;        /* headroom that is configured */
	uint64_t computed;        /* headroom that follows from the speeds of links */
};

static bool
is_computed(const struct fcn_config *cfg, unsigned int port, unsigned int class)
{
	return cfg->port[port].pfc.class[class].headroom == FCN_AUTO;
}

static struct sums
sum_up(const struct fcn_config *cfg, const struct fcn_snapshot *s, unsigned int n_workers)
{
	struct sums sums = {0};

	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		const struct fcn_snapshot_port *port = &s->port[p];

		for (unsigned int c = 0; fcn_config_has_link(cfg, p) && c < FCN_CLASSES; c++) {
			uint64_t *headroom = is_computed(cfg, p, c) ? &sums.computed
								    : &sums.headroom;

			sums.queues += cfg->port[p].queue[c].reserve;
			/* Packets of the class may be queued by each of the workers. */
			sums.ingress += (uint64_t)n_workers * port->ingress[c].reserve;
			*headroom += (uint64_t)n_workers * port->ingress[c].headroom;
		}
	}
	return sums;
}

/* Give the classes whose headroom is computed a part of it. */
static void
limit_headroom(const struct fcn_config *cfg, uint64_t needed, uint64_t has, struct fcn_snapshot *s)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		for (unsigned int c = 0; fcn_config_has_link(cfg, p) && c < FCN_CLASSES; c++) {
			uint32_t *bytes = &s->port[p].ingress[c].headroom;

			if (is_computed(cfg, p, c))
				*bytes = (uint32_t)((unsigned __int128)*bytes * has / needed);
		}
	}
}

int
fcn_build_buffer(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const unsigned int n = RTE_MAX(env->n_workers, 1u);
	const struct sums sums = sum_up(cfg, s, n);
	const uint64_t configured = sums.queues + sums.ingress + sums.headroom;
	uint64_t left, headroom = sums.computed;

	s->buffer.size = cfg->buffer;
	if (cfg->buffer == 0)
		return 0;
	if (configured > cfg->buffer)
		return fcn_build_fail(err, size,
				"buffer of %" PRIu64 " bytes: queues reserve %" PRIu64
				", lossless classes %" PRIu64 " and a headroom of %" PRIu64
				", together %" PRIu64,
				cfg->buffer, sums.queues, sums.ingress, sums.headroom, configured);
	left = cfg->buffer - configured;
	/* What queues share must not be nothing: they would drop all packets. */
	if (headroom > left) {
		headroom = left / 2;
		limit_headroom(cfg, sums.computed, headroom, s);
		fcn_warn(env->warnings, FCN_WARNING_HEADROOM, FCN_MAX_PORTS, "buffer",
				"at the speeds of the links, lossless classes need a headroom of "
				"%" PRIu64 " bytes, and %" PRIu64 " of the %" PRIu64
				" bytes are left; they have half of that, and queues share the "
				"rest",
				sums.computed, left, cfg->buffer);
	}
	s->buffer.shared = (left - headroom) / n;
	return 0;
}

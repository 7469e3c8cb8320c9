/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Build the budget of packet buffers. What devices, workers and the host functions may hold is
 * counted off first. The rest is for packets in queues: reserves, headroom, and what is shared.
 * None of this is refused. If there are too few buffers, parts are smaller, and a warning says so.
 */

#include <inttypes.h>

#include "build_parts.h"
#include "fcn_worker.h"

/* Packets that belong to each class queue, and to each lossless class of a port: a burst. */
#define RESERVE FCN_RX_BURST

/* Bytes of a frame that a packet buffer holds. */
#define ROOM (FCN_DATA_ROOM - RTE_PKTMBUF_HEADROOM)

/* Backlogs of the control plane are divided by no more than 2^this. */
#define SHIFT_MOST 4

/* Packets of the share of a lossless class below the threshold at which its sender may resume. */
#define XON_BELOW FCN_RX_BURST

/* What depends on the number of ports. */
struct sums {
	unsigned int links;    /* ports with queues */
	unsigned int accounts; /* lossless classes of ports, at each worker that receives */
	uint64_t devices;      /* packet buffers that the rings of devices hold */
	uint64_t punts;        /* backlogs of the host functions, in packets */
	uint64_t waiting;      /* packets that may wait for neighbours */
	uint64_t headroom;     /* packets of headroom, at all workers that receive */
	uint32_t longest;      /* longest frame of a port, bytes */
	bool bridges;          /* there are ports of bridges */
};

/* Get the number of workers that receive from a port, or from that of a sub-interface. */
static unsigned int
count_receivers(const struct fcn_config *cfg, unsigned int port, unsigned int n_workers)
{
	const unsigned int link = fcn_config_is_sub_interface(cfg, port)
						  ? (unsigned int)cfg->port[port].parent
						  : port;
	const unsigned int queues = RTE_MAX(cfg->port[link].queues, (uint16_t)1);

	return RTE_MIN(queues, n_workers);
}

static struct sums
sum_up(const struct fcn_config *cfg, const struct fcn_build_env *env, const struct fcn_snapshot *s,
		unsigned int n_workers)
{
	struct sums sums = {0};

	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		const struct fcn_config_port *port = &cfg->port[p];
		const unsigned int receivers = count_receivers(cfg, p, n_workers);

		if (port->name[0] == '\0')
			continue;
		sums.punts += (uint64_t)receivers * fcn_punt_backlog();
		sums.waiting += FCN_HOST_WAIT_PORT;
		if (!fcn_config_has_link(cfg, p))
			continue;
		sums.links++;
		sums.devices += env->port[p].descriptors;
		sums.longest = RTE_MAX(sums.longest, fcn_build_frame(port));
		sums.bridges |= port->bridge >= 0;
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (!s->port[p].ingress[c].lossless)
				continue;
			sums.accounts += receivers;
			sums.headroom += (uint64_t)receivers *
					 s->port[p].ingress_packets[c].headroom;
		}
	}
	/* A worker's queues have no room for more. */
	sums.punts = RTE_MIN(sums.punts, (uint64_t)n_workers * FCN_PUNT_PORTS * fcn_punt_backlog());
	return sums;
}

/*
 * Get the number of buffers that a packet may need. A copy for flooding that shares bytes with the
 * packet has a buffer for its headers, one for each buffer that it shares, and may be the last one
 * that keeps these.
 */
static uint32_t
buffers_per_packet(const struct fcn_config *cfg, const struct sums *sums)
{
	const uint32_t longest = RTE_MAX(sums->longest, 1u);
	const uint32_t chain = (longest + ROOM - 1) / ROOM;

	return sums->bridges && fcn_copy_shares(cfg->copies, longest) ? 1 + 2 * chain : chain;
}

/* Get the buffers for packets on their way in workers, and in the caches of their threads: what a
 * worker receives and makes in a turn, what did not get into devices, and cross-core rings up to
 * where the budget counts what is on them. */
static uint64_t
of_workers(const struct fcn_build_env *env, const struct sums *sums, unsigned int n)
{
	return fcn_build_worker_buffers(n, env->cache) + (uint64_t)sums->links * FCN_EGRESS_BURST;
}

uint64_t
fcn_build_worker_buffers(unsigned int n_workers, uint32_t cache)
{
	const uint64_t turn = 2 * FCN_BURST_MAX + 2 * FCN_NOTICE_MAX, n = n_workers;

	return (n + 1) * cache + n * turn + n * (n - 1) * FCN_CROSS_CORE_QUIET;
}

/* Get the buffers for the host functions, whose backlogs are divided by 2^shift. */
static uint64_t
of_control(const struct fcn_build_env *env, const struct sums *sums, unsigned int shift)
{
	return env->host ? (sums->punts >> shift) + (sums->waiting >> shift) +
					       fcn_inject_limit(shift)
			 : 0;
}

static unsigned int
choose_shift(const struct fcn_build_env *env, const struct sums *sums)
{
	unsigned int shift = 0;

	while (shift < SHIFT_MOST && of_control(env, sums, shift) > env->buffers / 4)
		shift++;
	return shift;
}

/* Compute what is left for packets in queues. @return packets; 0: there is no budget */
static uint32_t
what_is_left(const struct fcn_config *cfg, const struct fcn_build_env *env, const struct sums *sums,
		unsigned int n, struct fcn_packet_budget *out)
{
	const uint64_t workers = of_workers(env, sums, n);
	const uint32_t least = RTE_MAX(env->buffers / 4, 1u);
	uint64_t off, left;

	out->per_packet = buffers_per_packet(cfg, sums);
	if (env->buffers == 0)
		return cfg->packets == FCN_AUTO ? 0 : cfg->packets;
	out->total = env->buffers;
	out->control_shift = choose_shift(env, sums);
	out->devices = (uint32_t)RTE_MIN(sums->devices, (uint64_t)UINT32_MAX);
	out->workers = (uint32_t)RTE_MIN(workers, (uint64_t)UINT32_MAX);
	out->control = (uint32_t)of_control(env, sums, out->control_shift);
	off = sums->devices + workers + out->control;
	left = env->buffers > off ? env->buffers - off : 0;
	if (left < least) {
		left = least;
		fcn_warn(env->warnings, FCN_WARNING_PACKET_BUFFERS, FCN_MAX_PORTS, "packet buffers",
				"of %u, devices may hold %u, workers %u and the host functions %u; "
				"queues may hold %u all the same: more are needed (--mbufs), or "
				"fewer descriptors (port add)",
				env->buffers, out->devices, out->workers, out->control, least);
	}
	left = RTE_MAX(left / out->per_packet, UINT64_C(1));
	if (cfg->packets == FCN_AUTO)
		return (uint32_t)left;
	if (cfg->packets > left)
		fcn_warn(env->warnings, FCN_WARNING_PACKET_BUFFERS, FCN_MAX_PORTS,
				"set buffer packets",
				"queues may hold %u packets, and there are buffers for %" PRIu64,
				cfg->packets, left);
	return (uint32_t)RTE_MIN((uint64_t)cfg->packets, left);
}

/*
 * Complete the part in packets of the accounts of lossless classes, whose headroom is what they
 * need. If there is less, each has its share.
 *
 * @param most packets for the headroom of all classes together
 * @return packets that they have
 */
static uint64_t
build_headroom(const struct fcn_config *cfg, const struct fcn_build_env *env,
		const struct sums *sums, unsigned int n, uint32_t most, struct fcn_snapshot *s)
{
	const uint64_t needed = sums->headroom;
	uint64_t has = 0;

	for (unsigned int p = 0; p < s->n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			struct fcn_ingress_conf *out = &s->port[p].ingress_packets[c];
			uint64_t packets = out->headroom;

			if (!s->port[p].ingress[c].lossless)
				continue;
			if (needed > most)
				packets = packets * most / needed;
			*out = (struct fcn_ingress_conf){
					.lossless = true,
					.dynamic = true,
					.reserve = s->budget.reserve,
					.alpha = FCN_LOSSLESS_ALPHA,
					.xon_below = XON_BELOW,
					.headroom = (uint32_t)packets,
			};
			has += count_receivers(cfg, p, n) * packets;
		}
	}
	if (needed > most)
		fcn_warn(env->warnings, FCN_WARNING_HEADROOM, FCN_MAX_PORTS, "packet buffers",
				"if all packets are short, lossless classes need a headroom of "
				"%" PRIu64 " packets, and have %" PRIu64
				": more packet buffers are needed (--mbufs)",
				needed, has);
	return has;
}

void
fcn_build_budget(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s)
{
	const unsigned int n = RTE_MAX(env->n_workers, 1u);
	const struct sums sums = sum_up(cfg, env, s, n);
	const uint64_t owners = (uint64_t)sums.links * FCN_CLASSES + sums.accounts;
	struct fcn_packet_budget *out = &s->budget;
	const uint32_t size = what_is_left(cfg, env, &sums, n, out);
	uint64_t used;

	out->packets.size = size;
	if (size == 0)
		return;
	/* Reserves have a quarter at most, and headroom half: what is shared must not be nothing.
	 */
	used = size / 4 / RTE_MAX(owners, UINT64_C(1));
	used = RTE_MIN(used, (uint64_t)RESERVE);
	out->reserve = RTE_MAX((uint32_t)used, 1u);
	used = owners * out->reserve + build_headroom(cfg, env, &sums, n, size / 2, s);
	out->packets.shared = size > used ? (size - used) / n : 0;
}

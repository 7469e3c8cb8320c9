/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Swift (Kumar et al., SIGCOMM 2020, section 3 and Algorithm 1): a window in packets goes by the
 * delay of each acknowledged packet, compared with a target. The target grows with the number of
 * hops, and as the window shrinks, which many flows share a queue by. Below one packet, packets are
 * paced.
 *
 * Endpoints of this model add no delay of their own, so the whole round trip is that of the fabric,
 * and there is no second window for the delay of the other host.
 */

#include <math.h>

#include "reaction_private.h"

#define PERMILLE 1000.0
#define RETRANSMITS 5 /* timeouts in a row after which the window is the least */

struct REACTION_PART swift_conf {
	uint64_t target_ns, hop_ns, range_ns;
	uint32_t least_scaled, most_scaled; /* windows between which the target is scaled */
	uint32_t ai, beta, max_mdf;         /* thousandths */
	uint32_t least;                     /* least window, thousandths of a packet */
	uint32_t most;                      /* greatest window in packets; 0: by the line */
};

struct REACTION_PART swift {
	double window; /* in packets */
	double rtt_ns; /* of the last acknowledgement */
	uint64_t cut_ns;
	uint32_t timeouts; /* in a row */
	bool cut;          /* there was a cut */
};

REACTION_CONF(SWIFT, swift)
REACTION_STATE(swift)

static double
share(uint32_t permille)
{
	return permille / PERMILLE;
}

/* Packets that the line carries in a time. */
static double
packets_in(const struct fcn_reaction *r, double ns)
{
	return (double)r->line_bps * ns / (REACTION_BITS_NS * r->packet);
}

static double
least_window(const struct fcn_reaction *r)
{
	return RTE_MAX(share(swift_conf(r)->least), 1 / PERMILLE);
}

/* The greatest window: what the line carries in the longest target of a path without hops. */
static double
most_window(const struct fcn_reaction *r)
{
	const struct swift_conf *conf = swift_conf(r);
	double most = conf->most;

	if (conf->most == 0)
		most = packets_in(r, (double)conf->target_ns + (double)conf->range_ns);
	return RTE_MAX(most, 1.0);
}

static void
set_window(struct fcn_reaction *r, double window)
{
	struct swift *s = swift_state(r);
	double bps;

	window = RTE_MIN(window, most_window(r));
	s->window = RTE_MAX(window, least_window(r));
	r->rate_bps = r->line_bps;
	r->window = (uint64_t)(RTE_MAX(s->window, 1.0) * r->packet);
	if (s->window >= 1)
		return;
	/* A packet every rtt / window. */
	bps = s->window * r->packet * REACTION_BITS_NS / s->rtt_ns;
	if (bps < (double)r->line_bps)
		r->rate_bps = RTE_MAX((uint64_t)bps, UINT64_C(1));
}

static double
target_ns(const struct fcn_reaction *r, uint8_t hops)
{
	const struct swift_conf *conf = swift_conf(r);
	double range = (double)conf->range_ns, scaled = 0;
	double low = 1 / sqrt(share(conf->most_scaled)), high = 1 / sqrt(share(conf->least_scaled));

	if (high > low)
		scaled = range * (1 / sqrt(swift_seen(r)->window) - low) / (high - low);
	scaled = RTE_MIN(scaled, range);
	return (double)conf->target_ns + hops * (double)conf->hop_ns + RTE_MAX(scaled, 0.0);
}

/* Whether a round trip has passed since the last cut. */
static bool
may_cut(const struct fcn_reaction *r, uint64_t now)
{
	const struct swift *s = swift_seen(r);

	return !s->cut || (double)(now - s->cut_ns) >= s->rtt_ns;
}

/* Multiply the window, and remember when, if that made it smaller. */
static void
cut(struct fcn_reaction *r, double factor, uint64_t now)
{
	struct swift *s = swift_state(r);
	double before = s->window;

	set_window(r, s->window * factor);
	if (s->window >= before)
		return;
	s->cut = true;
	s->cut_ns = now;
}

static void
swift_ack(struct fcn_reaction *r, const struct fcn_reaction_ack *ack, uint64_t now)
{
	const struct swift_conf *conf = swift_conf(r);
	struct swift *s = swift_state(r);
	double delay = (double)ack->rtt_ns, target, factor;

	if (ack->rtt_ns == FCN_REACTION_NO_RTT)
		return;
	s->rtt_ns = RTE_MAX(delay, 1.0);
	s->timeouts = 0;
	target = target_ns(r, ack->hops);
	if (delay < target) {
		set_window(r, s->window + share(conf->ai) * (double)ack->packets /
								RTE_MAX(s->window, 1.0));
	} else if (may_cut(r, now)) {
		factor = 1 - share(conf->beta) * (delay - target) / s->rtt_ns;
		cut(r, RTE_MAX(factor, 1 - share(conf->max_mdf)), now);
	} else {
		set_window(r, s->window); /* the pace is that of the last round trip */
	}
}

static void
swift_loss(struct fcn_reaction *r, bool timeout, uint64_t bytes, uint64_t now)
{
	struct swift *s = swift_state(r);

	RTE_SET_USED(bytes);
	s->timeouts = timeout ? s->timeouts + 1 : 0;
	if (s->timeouts >= RETRANSMITS)
		cut(r, 0, now);
	else if (may_cut(r, now))
		cut(r, 1 - share(swift_conf(r)->max_mdf), now);
}

static void
swift_init(struct fcn_reaction *r, uint64_t now)
{
	double target = (double)swift_conf(r)->target_ns;

	RTE_SET_USED(now);
	swift_state(r)->rtt_ns = RTE_MAX(target, 1.0);
	set_window(r, packets_in(r, target));
}

/* A greatest window that goes by the line follows it. */
static void
swift_line(struct fcn_reaction *r, uint64_t before_bps, uint64_t now)
{
	RTE_SET_USED(before_bps);
	RTE_SET_USED(now);
	set_window(r, swift_seen(r)->window);
}

static void
swift_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	RTE_SET_USED(line_bps);
	*swift_own(conf) = (struct swift_conf){
			.target_ns = 20 * REACTION_US,
			.hop_ns = 3053, /* target / 6.55 */
			.range_ns = 100 * REACTION_US,
			.least_scaled = 100,
			.most_scaled = 100000,
			.ai = 1000,
			.beta = 800,
			.max_mdf = 500,
			.least = 10,
	};
}

#define PARAMETER(word, unit, member, least, most, help) \
	REACTION_PARAMETER(swift, word, unit, member, least, most, help)

static const struct fcn_reaction_parameter arguments[] = {
		PARAMETER("target", TIME, target_ns, 1, REACTION_MAX_NS,
				"the target delay of a path without hops and with a large window: "
				"a round trip without queueing, and the queueing that is wanted "
				"(default 20us)"),
		PARAMETER("per-hop", TIME, hop_ns, 0, REACTION_MAX_NS,
				"what each router on the way back adds to the target (default "
				"3053ns)"),
		PARAMETER("range", TIME, range_ns, 0, REACTION_MAX_NS,
				"what a small window adds to the target at most (default 100us; 0: "
				"no scaling by flows)"),
		PARAMETER("ai", RATIO, ai, 0, 1000000,
				"the additive increase in packets a round trip (default 1)"),
		PARAMETER("beta", RATIO, beta, 0, 1000,
				"the factor of a decrease for the share of the delay that is "
				"beyond the target (default 0.8)"),
		PARAMETER("max-mdf", RATIO, max_mdf, 0, 1000,
				"the greatest decrease, as a share of the window (default 0.5)"),
		PARAMETER("min-window", RATIO, least, 1, 1000000,
				"the least window in packets (default 0.01)"),
		PARAMETER("max-window", NUMBER, most, 0, 100000000,
				"the greatest window in packets (default: what the line carries "
				"in target and range)"),
};

/* A command takes eight optional arguments at most. */
static const struct fcn_reaction_parameter settings[] = {
		PARAMETER("swift-fs-min", RATIO, least_scaled, 1, 1000000,
				"Swift: the window in packets below which the target has all of "
				"range (default 0.1)"),
		PARAMETER("swift-fs-max", RATIO, most_scaled, 1, 1000000000,
				"Swift: the window in packets above which the target has nothing "
				"of "
				"range (default 100)"),
};

const struct fcn_reaction_type reaction_type_swift = {
		.help = "React to the round-trip times of acknowledged packets as Swift does. Each "
			"packet then asks for an acknowledgement",
		.arguments = arguments,
		.n_arguments = RTE_DIM(arguments),
		.settings = settings,
		.n_settings = RTE_DIM(settings),
		.defaults = swift_defaults,
		.init = swift_init,
		.line = swift_line,
		.ack = swift_ack,
		.loss = swift_loss,
};

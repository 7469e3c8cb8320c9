/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * NSCC, the network signaled congestion control of Ultra Ethernet 1.0 (section 3.6.13): a window in
 * bytes goes by the mark and the queueing delay of each acknowledged packet.
 *
 *                     delay below the target           delay at the target or above
 *     not marked      proportional (or fast) increase  fair increase
 *     marked          nothing                          multiplicative decrease
 *
 * Quick adapt sets the window to what arrived in the last round trip when that is little and the
 * delay is far above the target, or a packet was lost. Increases are collected, and added after
 * some packets or a round trip.
 *
 * Bytes are those on the wire. Nothing here trims packets.
 */

#include "reaction_private.h"

#define PERMILLE 1000.0
#define ADJUST_PACKETS 8
/* Network for which the increases are defined: 100 Gb/s * 12 us. */
#define REFERENCE_BYTES 150000.0
#define REFERENCE_NS 12000.0
#define MOST_BYTES 1e18    /* of a window, so that it is an integer */
#define NO_DELAY_NS 1000.0 /* delays below count as none, for the fast increase */

struct REACTION_PART nscc_conf {
	uint64_t base_rtt_ns;
	uint64_t target_ns; /* queueing delay; 0: 3/4 of base_rtt_ns */
	/* thousandths */
	uint32_t most, gamma, max_md_jump, fair, fast, eta, alpha, qa_threshold;
	uint32_t qa_gate;
};

struct REACTION_PART nscc {
	double window, most;
	double base_rtt_ns; /* as configured, or the shortest one */
	double average_ns;  /* queueing delay */
	double increase;    /* collected, in bytes times the window */
	double achieved;    /* bytes acknowledged in this period of quick adapt */
	double received;    /* bytes acknowledged since increases were added */
	double quiet;       /* bytes acknowledged in a row without delay */
	double to_ignore, ignored;
	uint64_t sample_at, decrease_at, adjust_at, adapt_at; /* adapt_at: end of the period */
	bool adapting;                                        /* adapt_at is set */
	bool trigger;                                         /* a loss asks for quick adapt */
	bool fast;                                            /* in a fast increase */
};

REACTION_CONF(NSCC, nscc)
REACTION_STATE(nscc)

static double
share(uint32_t permille)
{
	return permille / PERMILLE;
}

static double
bytes_in(const struct fcn_reaction *r, double ns)
{
	return (double)r->line_bps * ns / REACTION_BITS_NS;
}

static double
target_ns(const struct fcn_reaction *r)
{
	const struct nscc_conf *conf = nscc_conf(r);

	return conf->target_ns != 0 ? (double)conf->target_ns : 0.75 * (double)conf->base_rtt_ns;
}

/* scaling_a: by how much more the network holds than the reference. */
static double
scale(const struct fcn_reaction *r)
{
	return bytes_in(r, (double)nscc_conf(r)->base_rtt_ns) / REFERENCE_BYTES;
}

static void
set_window(struct fcn_reaction *r, double window)
{
	struct nscc *n = nscc_state(r);

	window = RTE_MIN(window, n->most);
	n->window = RTE_MAX(window, (double)r->packet);
	r->window = (uint64_t)n->window;
}

/* The shortest round trip sets the greatest window. */
static void
set_base_rtt(struct fcn_reaction *r, double ns)
{
	struct nscc *n = nscc_state(r);

	n->base_rtt_ns = RTE_MAX(ns, 1.0);
	n->most = share(nscc_conf(r)->most) * bytes_in(r, n->base_rtt_ns);
	n->most = RTE_MIN(n->most, MOST_BYTES);
	n->most = RTE_MAX(n->most, (double)r->packet);
}

/* Average over about a round trip: a delay weighs as long as the time since the one before. */
static void
average(struct nscc *n, double delay_ns, uint64_t now)
{
	double weight = (double)(now - n->sample_at) / n->base_rtt_ns;

	n->average_ns += RTE_MIN(weight, 1.0) * (delay_ns - n->average_ns);
	n->sample_at = now;
}

/* Returns true when the acknowledgement is dealt with. */
static bool
quick_adapt(struct fcn_reaction *r, bool loss, bool marked, double delay_ns, double in_flight,
		uint64_t now)
{
	const struct nscc_conf *conf = nscc_conf(r);
	struct nscc *n = nscc_state(r);
	bool done = false;

	if (n->ignored < n->to_ignore && marked) {
		done = true; /* it was in flight when the window was set */
	} else if (!n->adapting || now >= n->adapt_at) {
		double limit = share(conf->qa_threshold) * target_ns(r);
		bool due = n->trigger || loss || (limit > 0 && delay_ns > limit);

		if (n->adapting && due &&
				n->achieved < n->most / (double)(UINT64_C(1) << conf->qa_gate)) {
			set_window(r, n->achieved);
			n->to_ignore = in_flight;
			n->ignored = 0;
			n->trigger = false;
			done = true;
		}
		n->achieved = 0;
		n->adapting = true;
		n->adapt_at = reaction_after(now, (uint64_t)(n->base_rtt_ns + target_ns(r)));
	}
	if (done) {
		n->increase = 0;
		n->received = 0;
	}
	return done;
}

/* Without queueing for a whole window. Returns whether it increases so. */
static bool
fast_increase(struct fcn_reaction *r, double bytes, double delay_ns)
{
	struct nscc *n = nscc_state(r);

	if (delay_ns >= NO_DELAY_NS) {
		n->quiet = 0;
		n->fast = false;
		return false;
	}
	n->quiet += bytes;
	n->fast = n->fast || n->quiet > n->window;
	if (n->fast)
		set_window(r, n->window + bytes * share(nscc_conf(r)->fast) * scale(r));
	return n->fast;
}

static void
decrease(struct fcn_reaction *r, uint64_t now)
{
	const struct nscc_conf *conf = nscc_conf(r);
	struct nscc *n = nscc_state(r);
	double target = target_ns(r), factor;

	n->fast = false;
	n->quiet = 0;
	if (n->average_ns <= target || (double)(now - n->decrease_at) <= n->base_rtt_ns)
		return;
	factor = 1 - share(conf->gamma) * (n->average_ns - target) / n->average_ns;
	set_window(r, n->window * RTE_MAX(factor, share(conf->max_md_jump)));
	n->decrease_at = now;
}

/* Add what was collected, and once in a round trip eta. */
static void
adjust(struct fcn_reaction *r, uint64_t now)
{
	const struct nscc_conf *conf = nscc_conf(r);
	struct nscc *n = nscc_state(r);
	bool round = now - n->adjust_at >= conf->base_rtt_ns;
	double window = n->window;

	if (!round && n->received <= (double)ADJUST_PACKETS * r->packet)
		return;
	window += n->increase / n->window;
	if (round) {
		window += share(conf->eta) * r->packet * scale(r);
		n->adjust_at = now;
	}
	set_window(r, window);
	n->increase = 0;
	n->received = 0;
}

/* Collect an increase, or decrease, by the four cases. */
static void
by_case(struct fcn_reaction *r, double bytes, double delay_ns, bool marked, uint64_t now)
{
	const struct nscc_conf *conf = nscc_conf(r);
	struct nscc *n = nscc_state(r);
	double target = target_ns(r), step = r->packet * scale(r) * bytes;

	if (marked) {
		if (delay_ns >= target)
			decrease(r, now);
	} else if (delay_ns >= target) {
		n->increase += share(conf->fair) * step;
	} else if (!fast_increase(r, bytes, delay_ns)) {
		/* alpha has scaling_b, the target over the reference, and is for each target. */
		n->increase += share(conf->alpha) * (target / REFERENCE_NS) * step *
			       ((target - delay_ns) / target);
	}
}

static void
nscc_ack(struct fcn_reaction *r, const struct fcn_reaction_ack *ack, uint64_t now)
{
	struct nscc *n = nscc_state(r);
	double bytes = (double)ack->bytes, delay;

	n->ignored += bytes;
	n->received += bytes;
	n->achieved += bytes;
	if (ack->rtt_ns == FCN_REACTION_NO_RTT)
		return;
	if ((double)ack->rtt_ns < n->base_rtt_ns) {
		set_base_rtt(r, (double)ack->rtt_ns);
		set_window(r, n->window);
	}
	delay = (double)ack->rtt_ns - n->base_rtt_ns;
	delay = RTE_MAX(delay, 0.0);
	average(n, delay, now);
	if (quick_adapt(r, false, ack->marked, delay, (double)ack->in_flight, now))
		return;
	by_case(r, bytes, delay, ack->marked, now);
	adjust(r, now);
}

/* Bytes that are declared lost leave the window. */
static void
nscc_loss(struct fcn_reaction *r, bool timeout, uint64_t bytes, uint64_t now)
{
	struct nscc *n = nscc_state(r);

	RTE_SET_USED(timeout);
	RTE_SET_USED(now);
	n->ignored += (double)bytes;
	n->trigger = true;
	set_window(r, n->window - (double)bytes);
}

static void
nscc_init(struct fcn_reaction *r, uint64_t now)
{
	struct nscc *n = nscc_state(r);

	n->sample_at = n->decrease_at = n->adjust_at = now;
	set_base_rtt(r, (double)nscc_conf(r)->base_rtt_ns);
	set_window(r, n->most);
}

/* The greatest window follows the line; a window that was the greatest stays it. */
static void
nscc_line(struct fcn_reaction *r, uint64_t before_bps, uint64_t now)
{
	struct nscc *n = nscc_state(r);
	bool full = n->window >= n->most;

	RTE_SET_USED(before_bps);
	RTE_SET_USED(now);
	set_base_rtt(r, n->base_rtt_ns);
	set_window(r, full ? n->most : n->window);
}

static void
nscc_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	RTE_SET_USED(line_bps);
	*nscc_own(conf) = (struct nscc_conf){
			.base_rtt_ns = 8 * REACTION_US,
			.most = 1500,
			.gamma = 800,
			.max_md_jump = 500,
			.fair = 5000,
			.fast = 250,
			.eta = 150,
			.alpha = 4000,
			.qa_gate = 3,
			.qa_threshold = 4000,
	};
}

#define PARAMETER(word, unit, member, least, most, help) \
	REACTION_PARAMETER(nscc, word, unit, member, least, most, help)

static const struct fcn_reaction_parameter arguments[] = {
		PARAMETER("base-rtt", TIME, base_rtt_ns, 1, REACTION_MAX_NS,
				"the round trip time without queueing (default 8us); a shorter one "
				"that is measured replaces it"),
		PARAMETER("target", TIME, target_ns, 0, REACTION_MAX_NS,
				"the queueing delay from which a path counts as congested "
				"(default: 3/4 of base-rtt)"),
		PARAMETER("max-window", RATIO, most, 1, 1000000,
				"the greatest window, and the first one, in bandwidth-delay "
				"products (default 1.5)"),
		PARAMETER("gamma", RATIO, gamma, 0, 1000,
				"the factor of a decrease for the share of the average delay "
				"beyond the target (default 0.8)"),
		PARAMETER("fi", RATIO, fair, 0, 1000000,
				"the fair increase in packets (default 5)"),
		PARAMETER("eta", RATIO, eta, 0, 1000000,
				"the increase in packets of each round trip (default 0.15)"),
		PARAMETER("alpha", RATIO, alpha, 0, 1000000,
				"the proportional increase in packets (default 4)"),
		PARAMETER("qa-threshold", RATIO, qa_threshold, 0, 1000000,
				"the delay in targets above which quick adapt sets the window "
				"(default 4; 0: only after a loss)"),
};

/* A command takes eight optional arguments at most. */
static const struct fcn_reaction_parameter settings[] = {
		PARAMETER("nscc-max-md-jump", RATIO, max_md_jump, 0, 1000,
				"NSCC: a decrease leaves at least this share of the window "
				"(default "
				"0.5)"),
		PARAMETER("nscc-fi-scale", RATIO, fast, 0, 1000000,
				"NSCC: the fast increase in bytes for each acknowledged byte "
				"(default 0.25)"),
		PARAMETER("nscc-qa-gate", NUMBER, qa_gate, 0, 62,
				"NSCC: quick adapt acts if what arrived is less than the greatest "
				"window, halved this many times (default 3)"),
};

const struct fcn_reaction_type reaction_type_nscc = {
		.help = "React to the round-trip times and CE marks of acknowledged packets as "
			"NSCC of Ultra Ethernet does. Each packet then asks for an "
			"acknowledgement. This also turns ecn-echo on, which receivers need. The "
			"increases are for 100 Gb/s and 12 us, and grow with the product of both",
		.arguments = arguments,
		.n_arguments = RTE_DIM(arguments),
		.settings = settings,
		.n_settings = RTE_DIM(settings),
		.marks = true,
		.defaults = nscc_defaults,
		.init = nscc_init,
		.line = nscc_line,
		.ack = nscc_ack,
		.loss = nscc_loss,
};

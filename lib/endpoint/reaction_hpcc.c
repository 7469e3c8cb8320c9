/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * HPCC++: the hop with the highest utilisation determines the window.
 *
 * Only acknowledgements change the reference window and the stored records of hops. The trace of a
 * notice is newer than what acknowledgements have reported about the same hops, but they will
 * report it again. A notice therefore only sets a limit, which applies until an acknowledgement has
 * data about the limiting hop that is as new.
 */

#include "reaction_hpcc.h"

#define PERMILLE 1000.0
#define PACKET_BYTES 1024u
#define MAX_RTT_NS UINT64_C(10000000000)
/* Round trips after which a limit expires if no acknowledgement has such data. */
#define PATIENCE 16

/* The hop with the highest utilisation. */
struct load {
	const struct reaction_hop *hop; /* NULL: no hop could be compared with its record */
	double utilisation;
	double tau_ns;
};

static double
base_rtt(const struct fcn_reaction *r)
{
	uint64_t ns = RTE_MIN(hpcc_conf(r)->base_rtt_ns, MAX_RTT_NS);

	return (double)RTE_MAX(ns, UINT64_C(1));
}

static double
window_of(const struct fcn_reaction *r, uint64_t bps)
{
	return (double)bps * base_rtt(r) / REACTION_BITS_NS;
}

static double
eta(const struct fcn_reaction *r)
{
	return RTE_MAX(hpcc_conf(r)->eta_permille, 1u) / PERMILLE;
}

static double
additive(const struct fcn_reaction *r)
{
	const struct hpcc_conf *conf = hpcc_conf(r);
	double e = eta(r);

	if (conf->wai_bytes != 0)
		return (double)conf->wai_bytes;
	return e >= 1 ? 0 : window_of(r, r->line_bps) * (1 - e) / RTE_MAX(conf->flows, 1u);
}

/* Set the window and the rate for the sender. */
static void
set_window(struct fcn_reaction *r, double window)
{
	uint64_t least = reaction_min_rate(r, hpcc_conf(r)->min_rate_bps);
	uint64_t packet = hpcc_conf(r)->min_window;
	double rate = window * REACTION_BITS_NS / base_rtt(r);

	hpcc_state(r)->window = window;
	r->window = RTE_MAX((uint64_t)window, packet == 0 ? PACKET_BYTES : packet);
	r->rate_bps = RTE_MIN((uint64_t)(rate + 0.5), r->line_bps);
	r->rate_bps = RTE_MAX(r->rate_bps, least);
}

static void
hpcc_init(struct fcn_reaction *r, uint64_t now)
{
	RTE_SET_USED(now);
	*hpcc_state(r) = (struct hpcc){
			.utilisation = 1, /* the sender begins at line rate */
			.window_full = window_of(r, r->line_bps),
	};
	set_window(r, hpcc_seen(r)->window_full);
	r->rate_bps = r->line_bps;
}

static void
hpcc_line(struct fcn_reaction *r, uint64_t before_bps, uint64_t now)
{
	const double most = window_of(r, r->line_bps), before = window_of(r, before_bps);
	struct hpcc *h = hpcc_state(r);

	RTE_SET_USED(now);
	if (h->window_full >= before || h->window_full > most)
		h->window_full = most;
	set_window(r, h->window >= before ? most : RTE_MIN(h->window, most));
}

static struct reaction_hop *
find_record(struct reaction_hop *records, uint64_t node)
{
	for (unsigned int i = 0; i < REACTION_HOPS; i++)
		if (records[i].known && records[i].node == node)
			return &records[i];
	return NULL;
}

/*
 * Store the data of a hop in the record of its node, in a free record, or in the one that was not
 * updated for longest.
 */
static void
store(struct reaction_hop *records, const struct reaction_hop *hop)
{
	struct reaction_hop *place = find_record(records, hop->node);

	for (unsigned int i = 0; place == NULL && i < REACTION_HOPS; i++)
		if (!records[i].known)
			place = &records[i];
	if (place == NULL) {
		place = &records[0];
		for (unsigned int i = 1; i < REACTION_HOPS; i++)
			if (records[i].heard_ns < place->heard_ns)
				place = &records[i];
	}
	*place = *hop;
}

/* Time that a queue takes to drain, as a fraction of T. */
static double
queue_share(const struct fcn_reaction *r, const struct reaction_hop *hop, uint32_t queue)
{
	return queue * REACTION_BITS_NS / ((double)hop->rate_bps * base_rtt(r));
}

static uint32_t
known_queue(const struct reaction_hop *hop)
{
	return hop->queue == FCN_IOAM_NA32 ? 0 : hop->queue;
}

/*
 * Utilisation of a hop since its record. A hop without a byte counter counts as fully utilised when
 * it has a queue. When it has none, it is only known not to be overloaded, and counts as being at
 * the target.
 *
 * Returns false when hop and record cannot be compared.
 */
static bool
utilisation(const struct fcn_reaction *r, const struct reaction_hop *hop,
		const struct reaction_hop *last, struct load *load)
{
	uint64_t bytes = hop->tx_bytes - last->tx_bytes;
	uint32_t queue = RTE_MIN(known_queue(hop), known_queue(last));
	int64_t ns;

	if (!reaction_hops_elapsed(hop, last, &ns) || ns <= 0)
		return false;
	load->hop = hop;
	load->tau_ns = (double)ns;
	if (hop->tx_bytes != FCN_IOAM_NA64 && last->tx_bytes != FCN_IOAM_NA64) {
		if (bytes > INT64_MAX) /* the counter was reset */
			return false;
		load->utilisation = (double)bytes * REACTION_BITS_NS /
						    ((double)ns * (double)hop->rate_bps) +
				    queue_share(r, hop, queue);
		return true;
	}
	if (hop->queue == FCN_IOAM_NA32)
		return false;
	load->utilisation = hop->queue == 0 ? eta(r) : 1 + queue_share(r, hop, hop->queue);
	return true;
}

static double
averaged(const struct fcn_reaction *r, double before, const struct load *load)
{
	double share = load->tau_ns / base_rtt(r);

	if (share > 1)
		share = 1;
	return before * (1 - share) + load->utilisation * share;
}

/* Compute the window for a utilisation, and the next stage. */
static double
window_for(const struct fcn_reaction *r, double used, uint32_t *stage)
{
	const struct hpcc_conf *conf = hpcc_conf(r);
	double most = window_of(r, r->line_bps), e = eta(r), window;
	double least = window_of(r, reaction_min_rate(r, conf->min_rate_bps));

	if (used >= e || hpcc_seen(r)->stage >= conf->max_stage) {
		window = used > 0 ? hpcc_seen(r)->window_full / (used / e) + additive(r) : most;
		*stage = 0;
	} else {
		window = hpcc_seen(r)->window_full + additive(r);
		*stage = hpcc_seen(r)->stage + 1;
	}
	window = RTE_MIN(window, most);
	return RTE_MAX(window, least);
}

/*
 * Find the hop with the highest utilisation. A record that cannot be compared with its hop is
 * deleted.
 */
static struct load
most_used(const struct fcn_reaction *r, const struct reaction_hops *hops,
		const struct reaction_hop **last)
{
	struct load most = {.utilisation = -1}, load = {0};

	for (unsigned int i = 0; i < hops->n; i++) {
		if (last[i] == NULL)
			continue;
		if (!utilisation(r, &hops->hop[i], last[i], &load))
			last[i] = NULL;
		else if (load.utilisation > most.utilisation)
			most = load;
	}
	return most;
}

/*
 * Whether the limit of a notice ends: acknowledgements have data that is as new, or the path has
 * changed.
 */
static bool
limit_is_over(const struct fcn_reaction *r, const struct reaction_hops *hops, uint64_t now)
{
	const struct reaction_hop *cause = &hpcc_seen(r)->by_notice.cause;
	int64_t ns;

	if ((double)(now - cause->heard_ns) > PATIENCE * base_rtt(r))
		return true;
	for (unsigned int i = 0; i < hops->n; i++)
		if (hops->hop[i].node == cause->node)
			return !reaction_hops_elapsed(&hops->hop[i], cause, &ns) || ns >= 0;
	return hops->whole; /* complete, and without the hop: the path has changed */
}

static void
acknowledged(struct fcn_reaction *r, const struct reaction_hops *hops, bool full, uint64_t now)
{
	struct hpcc *h = hpcc_state(r);
	const struct reaction_hop *last[REACTION_HOPS];
	struct load load;
	uint32_t stage;
	double window;

	for (unsigned int i = 0; i < hops->n; i++)
		last[i] = find_record(h->hop, hops->hop[i].node);
	load = most_used(r, hops, last);
	for (unsigned int i = 0; i < hops->n; i++)
		store(h->hop, &hops->hop[i]);
	if (h->by_notice.cause.known && limit_is_over(r, hops, now))
		h->by_notice.cause.known = false;
	if (load.hop == NULL)
		return;
	h->utilisation = averaged(r, h->utilisation, &load);
	window = window_for(r, h->utilisation, &stage);
	if (full) {
		h->window_full = window;
		h->stage = stage;
		h->full_updates++;
	}
	if (h->by_notice.cause.known)
		window = RTE_MIN(window, h->by_notice.window);
	set_window(r, window);
}

/*
 * The newer record of a hop, from acknowledgements or notices; NULL when there is none, or it is
 * newer than hop.
 */
static const struct reaction_hop *
newest_record(struct hpcc *h, const struct reaction_hop *hop)
{
	const struct reaction_hop *by_ack = find_record(h->hop, hop->node);
	const struct reaction_hop *by_notice = find_record(h->by_notice.hop, hop->node);
	int64_t ns;

	if (by_ack == NULL || by_notice == NULL)
		return by_notice == NULL ? by_ack : by_notice;
	if (!reaction_hops_elapsed(by_notice, by_ack, &ns))
		return by_ack;
	return ns > 0 ? by_notice : by_ack;
}

/*
 * Apply a notice only if it makes the window smaller; otherwise the records of its hops stay as
 * they are.
 */
static bool
take_notice(struct fcn_reaction *r, const struct load *load)
{
	struct hpcc_early *early = &hpcc_state(r)->by_notice;
	double used = early->cause.known ? early->utilisation : hpcc_seen(r)->utilisation;
	double window;
	uint32_t stage;

	if (load->hop == NULL)
		return false;
	used = averaged(r, used, load);
	window = window_for(r, used, &stage);
	if (window >= hpcc_seen(r)->window)
		return false;
	early->cause = *load->hop;
	early->window = window;
	early->utilisation = used;
	hpcc_state(r)->early++;
	set_window(r, window);
	return true;
}

static void
noticed(struct fcn_reaction *r, const struct reaction_hops *hops)
{
	const struct reaction_hop *last[REACTION_HOPS];
	struct load load;
	bool taken;

	for (unsigned int i = 0; i < hops->n; i++)
		last[i] = newest_record(hpcc_state(r), &hops->hop[i]);
	load = most_used(r, hops, last);
	taken = take_notice(r, &load);
	for (unsigned int i = 0; i < hops->n; i++)
		if (taken || last[i] == NULL)
			store(hpcc_state(r)->by_notice.hop, &hops->hop[i]);
}

static void
hpcc_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early, bool full,
		uint64_t now)
{
	const struct hpcc_conf *conf = hpcc_conf(r);
	uint64_t fallback = conf->fallback_bps == 0 ? r->line_bps : conf->fallback_bps;
	struct reaction_hops hops;

	if (!reaction_hops_read(&hops, trace, fallback, now)) {
		hpcc_state(r)->malformed++;
		return;
	}
	hpcc_state(r)->n_hops = hops.n;
	hpcc_state(r)->partial += !hops.whole;
	if (early)
		noticed(r, &hops);
	else
		acknowledged(r, &hops, full, now);
}

static void
hpcc_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	*hpcc_own(conf) = (struct hpcc_conf){
			.base_rtt_ns = 8 * REACTION_US,
			.eta_permille = 950,
			.max_stage = 0,
			.flows = 16,
			.min_rate_bps = line_bps / 100,
	};
}

#define PARAMETER(word, unit, member, least, most, help) \
	REACTION_PARAMETER(hpcc, word, unit, member, least, most, help)

static const struct fcn_reaction_parameter arguments[] = {
		PARAMETER("base-rtt", TIME, base_rtt_ns, 1, REACTION_MAX_NS,
				"the round trip time without queueing"),
		PARAMETER("eta", RATIO, eta_permille, 1, 10000, "the target utilisation"),
		PARAMETER("max-stage", NUMBER, max_stage, 0, REACTION_MAX_NUMBER,
				"the maximum number of consecutive additive increases"),
		PARAMETER("wai", SIZE, wai_bytes, 0, REACTION_MAX_BYTES,
				"the additive increase of the window (default: computed from eta "
				"and flows)"),
		PARAMETER("flows", NUMBER, flows, 1, REACTION_MAX_NUMBER,
				"the expected number of flows"),
		PARAMETER("min-rate", RATE, min_rate_bps, 0, REACTION_MOST_BPS, "the minimum rate"),
		PARAMETER("fallback", RATE, fallback_bps, 0, REACTION_MOST_BPS,
				"the link rate of hops whose trace does not contain it"),
};

const struct fcn_reaction_type reaction_type_hpcc = {
		.help = "React to the IOAM traces in acknowledgements and Fast CNPs as HPCC++ "
			"does. This also turns ioam on",
		.arguments = arguments,
		.n_arguments = RTE_DIM(arguments),
		.traces = true,
		.defaults = hpcc_defaults,
		.init = hpcc_init,
		.line = hpcc_line,
		.trace = hpcc_trace,
};

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_malloc.h>

#include "fastcnp_vectors.h"
#include "fcn_notice_fastcnp.h"

#define FORM(verdict) ((verdict)-FCN_NOTIFY_SENT)

/*
 * Check the conditions for a Fast CNP about a packet (draft-xiao-rtgwg-rocev2-fast-cnp section 4).
 * @return FCN_NOTIFY_NONE, or the reason for which none is sent
 */
static inline enum fcn_notify_verdict
eligibility(const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	enum fcn_notify_verdict why;

	/* most packets of congested queues */
	if (likely((info->flags & (FCN_PKT_ROCE | FCN_PKT_TUNNEL | FCN_PKT_INNER_IPV4)) ==
					    FCN_PKT_ROCE &&
			    fcn_bth_opcode_triggers(info->opcode)))
		return likely(fcn_fastcnp_kind_is_sender(common, fcn_notify_sender(data, info)))
				       ? FCN_NOTIFY_NONE
				       : FCN_NOTIFY_SOURCE;
	why = fcn_fastcnp_kind_check_data(info);
	if (why != FCN_NOTIFY_NONE)
		return why;
	/* Notices about tunnelled packets are of another kind: the path to the sender is a tunnel,
	 * too, but where the tunnel begins. */
	if (info->flags & FCN_PKT_TUNNEL && !fcn_notice_is_own_tunnel(common, data, info))
		return FCN_NOTIFY_TUNNELLED;
	if (info->flags & FCN_PKT_INNER_IPV4)
		return FCN_NOTIFY_IPV4;
	if (!fcn_fastcnp_kind_is_sender(common, fcn_notify_sender(data, info)))
		return FCN_NOTIFY_SOURCE;
	return FCN_NOTIFY_NONE;
}

static __rte_always_inline void
due(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info, struct fcn_notice_due *d)
{
	d->reason = eligibility(common, data, info);
	if (d->reason != FCN_NOTIFY_NONE)
		return;
	d->to = fcn_notify_sender(data, info);
	fcn_fastcnp_kind_due(kind_conf, d->to, info, 0, d);
}

/* Prepare any packet. */
FCN_NOTICE_PREPARE(prepare_any, due)

/* Where those members of struct fcn_notice_due begin that are the same for all usual packets. */
#define DUE_REST offsetof(struct fcn_notice_due, reason)

_Static_assert(DUE_REST == sizeof(const uint8_t *) &&
				sizeof(struct fcn_notice_due) == DUE_REST + sizeof(uint64_t),
		"`to` is the first member, and the others are a word");

#define NO_FLAGS UINT32_MAX /* what no packet has of FCN_FASTCNP_USUAL_FLAGS */

/* What is known before packets are prepared. */
struct before {
	/* what FCN_FASTCNP_USUAL_FLAGS are of usual packets, or NO_FLAGS if it depends on each
	 * sender whether a notice is due */
	uint32_t flags;
	uint64_t due; /* DUE_REST of usual packets without a trace */
};

static struct before
before_of(const struct fcn_fastcnp_kind_conf *conf)
{
	static const struct fcn_wire_info plain;
	struct before before = {.flags = NO_FLAGS};
	struct fcn_notice_due due = {0};

	if (conf->senders != NULL)
		return before;
	fcn_fastcnp_kind_due(conf, NULL, &plain, 0, &due);
	if (due.reason == FCN_NOTIFY_NONE)
		before.flags = FCN_PKT_ROCE;
	memcpy(&before.due, (const uint8_t *)&due + DUE_REST, sizeof(before.due));
	return before;
}

static void
prepare(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
		struct fcn_notify_case *c, unsigned int n)
{
	const struct fcn_limit_cache flows = state->flows, destinations = state->destinations;
	const struct fcn_hash_prepared key = fcn_notify_prepared_key(state);
	const struct fcn_notice_common *common = conf->common;
	const struct before before = before_of(conf->own);

	for (const struct fcn_notify_case *end = c + n; c != end; c++) {
		const struct fcn_wire_info *info = c->info;
		const uint8_t *sender = fcn_notify_sender(c->data, info);

		if (unlikely(!fcn_fastcnp_kind_is_usual(before.flags, common, info, sender))) {
			prepare_any(conf, state, c, 1);
			continue;
		}
		c->due.to = sender;
		memcpy((uint8_t *)&c->due + DUE_REST, &before.due, sizeof(before.due));
		if (unlikely(info->flags & FCN_PKT_IOAM_TRACE))
			fcn_fastcnp_kind_due_form(info, 0, &c->due);
		fcn_notice_prepare_flow(fcn_notice_roce_flow, &key, &flows, &destinations, c);
	}
}

/* Put the Ethernet header in front of a notice that was built. Its buffer is new and therefore has
 * headroom. */
static inline void
put_head(const struct fcn_notice_order *o)
{
	memcpy(rte_pktmbuf_prepend(o->mbuf, sizeof(*o->head)), o->head, sizeof(*o->head));
	o->info->l3_off = sizeof(*o->head);
}

/* Build notices from requests, whatever the ICRC is made of. */
static __rte_noinline void
build_by_request(const struct fcn_fastcnp_kind_conf *conf, const struct fcn_notice_order *order,
		unsigned int n)
{
	struct fcn_fastcnp_request req[FCN_FASTCNP_KIND_PIECE];

	for (unsigned int done = 0, now; done < n; done += now) {
		now = RTE_MIN(n - done, (unsigned int)FCN_FASTCNP_KIND_PIECE);
		for (unsigned int i = 0; i < now; i++)
			fcn_fastcnp_kind_request(&order[done + i], 0, &req[i]);
		fcn_fastcnp_build_burst(&conf->fastcnp, req, now);
		for (unsigned int i = 0; i < now; i++) {
			fcn_fastcnp_kind_describe(
					&order[done + i], &conf->plain, &req[i], req[i].len);
			if (order[done + i].head != NULL)
				put_head(&order[done + i]);
		}
	}
}

#ifdef RTE_ARCH_X86

static inline __m128i
load(const void *p)
{
	return _mm_loadu_si128((const __m128i_u *)p);
}

static inline void
store(void *p, __m128i v)
{
	_mm_storeu_si128((__m128i_u *)p, v);
}

/* What is the same in the metadata of all notices. */
struct plain {
	__m128i first;  /* the first 16 octets of struct fcn_wire_info, of option 1 behind a header
			 */
	__m128i second; /* those behind them */
	uint64_t rest;
};

/*
 * Build a notice, and write its metadata and that of its buffer.
 *
 * @param is_usual it has option 1 and an Ethernet header
 */
FCN_FASTCNP_FOLD_TARGET static __rte_always_inline void
build_one(const struct fcn_fastcnp_fold *fold, const struct plain *plain,
		const struct fcn_notice_order *o, bool is_usual)
{
	/* source port and queue pair */
	const __m128i kept = _mm_setr_epi32(0, 0xFFFF, 0, ~0);
	const struct fcn_wire_info *about = o->about;
	const uint8_t *data = o->data, *receiver = data + about->final_dst_off;
	const __m128i second = _mm_and_si128(
			load((const uint8_t *)about + FCN_FASTCNP_INFO_SECOND), kept);
	const struct rte_ether_hdr *head = o->head;
	uint8_t *info = (uint8_t *)o->info;
	struct rte_mbuf *m = o->mbuf;
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *);
	unsigned int ext_len = FCN_FASTCNP_OPT1_EXT_LEN, len = FCN_FASTCNP_OPT1_LEN;
	__m128i first = plain->first;

	if (likely(is_usual || o->form != FCN_FASTCNP_KIND_OPT2 ||
			    !fcn_fastcnp_trace_fits(about->ioam_len - 2))) {
		fcn_fastcnp_fold_opt1(fold, ip, receiver);
	} else {
		/* The trace follows Option Type, Opt Data Len, Reserved and IOAM Opt-Type. */
		const uint8_t *trace = data + about->ioam_off;

		ext_len = fcn_fastcnp_fold_opt2(
				fold, ip, receiver, trace[3], trace + 4, about->ioam_len - 2u);
		len += ext_len - FCN_FASTCNP_OPT1_EXT_LEN;
		first = _mm_insert_epi16(first, (int)len, 7);
	}
	fcn_fastcnp_fold_end(
			fold, ip, ext_len, fcn_notify_sender(data, about), data + about->l4_off);
	if (likely(is_usual || head != NULL)) {
		fcn_fastcnp_put_head(m, ip, head);
		len += sizeof(*head);
	} else {
		first = _mm_insert_epi16(first, 0, 5);
	}
	fcn_fastcnp_put_lengths(m, len);
	store(info + FCN_FASTCNP_INFO_FIRST, first);
	store(info + FCN_FASTCNP_INFO_SECOND, _mm_or_si128(plain->second, second));
	memcpy(info + FCN_FASTCNP_INFO_REST, &plain->rest, sizeof(plain->rest));
}

FCN_FASTCNP_FOLD_TARGET static __rte_always_inline struct plain
plain_of(const struct fcn_wire_info *info)
{
	const uint8_t *p = (const uint8_t *)info;
	struct plain plain = {.first = load(p + FCN_FASTCNP_INFO_FIRST),
			.second = load(p + FCN_FASTCNP_INFO_SECOND)};

	plain.first = _mm_insert_epi16(plain.first, sizeof(struct rte_ether_hdr), 5);
	plain.first = _mm_insert_epi16(plain.first, FCN_FASTCNP_OPT1_LEN, 7);
	memcpy(&plain.rest, p + FCN_FASTCNP_INFO_REST, sizeof(plain.rest));
	return plain;
}

/*
 * Build the same notices as build_by_request() does, but each in one pass: the notice, its ICRC,
 * the metadata and the Ethernet header. No request is written to memory first; the fields of UDP
 * and BTH are read from the packet itself.
 */
FCN_FASTCNP_FOLD_TARGET static void
build_by_fold(const struct fcn_fastcnp_kind_conf *conf, const struct fcn_notice_order *order,
		unsigned int n)
{
	const struct fcn_fastcnp_fold fold = fcn_fastcnp_fold_begin(&conf->fastcnp);
	const struct plain plain = plain_of(&conf->plain);

	for (unsigned int i = 0; i < n; i++) {
		if (likely(order[i].form != FCN_FASTCNP_KIND_OPT2 && order[i].head != NULL))
			build_one(&fold, &plain, &order[i], true);
		else
			build_one(&fold, &plain, &order[i], false);
	}
}

#endif

static void
build_all(const struct fcn_fastcnp_kind_conf *conf, const struct fcn_notice_order *order,
		unsigned int n)
{
#ifdef RTE_ARCH_X86
	if (likely(fcn_fastcnp_folds(&conf->fastcnp))) {
		if (conf->fastcnp.folds >= RTE_VECT_SIMD_512 && n >= FCN_FASTCNP_WIDE_MIN)
			fcn_fastcnp_build_avx512(conf, order, n);
		else
			build_by_fold(conf, order, n);
		return;
	}
#endif
	build_by_request(conf, order, n);
}

static void
build(const void *kind_conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, unsigned int n)
{
	const struct fcn_fastcnp_kind_conf *conf = kind_conf;

	build_all(conf, order, n);
	if (unlikely(common->entropy))
		fcn_notice_copy_flow_labels(order, n, 0);
}

static bool
is_refused(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *ip,
		uint32_t len, struct fcn_refused_notice *refused)
{
	return fcn_fastcnp_kind_is_refused(kind_conf, common, ip, len, refused);
}

static void
free_conf(void *kind_conf)
{
	struct fcn_fastcnp_kind_conf *conf = kind_conf;

	if (conf == NULL)
		return;
	fcn_fastcnp_kind_fini(conf);
	rte_free(conf);
}

/* The forms: X(verdict, name, text). */
#define FORMS(X)                                                                        \
	X(FCN_FASTCNP_SENT_OPT1, "sent_option1", "Fast CNP with option 1 sent")         \
	X(FCN_FASTCNP_SENT_OPT2, "sent_option2", "Fast CNP with option 2 sent")         \
	X(FCN_FASTCNP_SENT_TOO_LONG, "sent_ioam_too_long",                              \
			"Fast CNP with option 1 sent, because the IOAM trace does not " \
			"fit option 2")                                                 \
	X(FCN_FASTCNP_SENT_EDGE, "sent_ioam_edge",                                      \
			"Fast CNP with option 1 sent, because its path to the sender "  \
			"crosses the edge of the IOAM domain")
#define FORM_OF(verdict, name, text) [FORM(verdict)] = {name, text},

_Static_assert(FORM(FCN_FASTCNP_SENT_OPT1) == FCN_FASTCNP_KIND_OPT1 &&
				FORM(FCN_FASTCNP_SENT_OPT2) == FCN_FASTCNP_KIND_OPT2 &&
				FORM(FCN_FASTCNP_SENT_TOO_LONG) == FCN_FASTCNP_KIND_TOO_LONG &&
				FORM(FCN_FASTCNP_SENT_EDGE) == FCN_FASTCNP_KIND_EDGE,
		"the verdicts are those of the forms");

const struct fcn_notice_kind fcn_notice_fastcnp = {
		.name = "fast_cnp",
		.title = "Fast CNP",
		.form = {FORMS(FORM_OF)},
		.is_roce = true,
		.framed_max = FCN_FASTCNP_MAX_LEN,
		.prepare = prepare,
		.build = build,
		.is_refused = is_refused,
		.free = free_conf,
};

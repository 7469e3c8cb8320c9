/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <rte_malloc.h>

#include "fcn_notice_fastcnp.h"
#include "notice_decide.h"

#define FORM(verdict) ((verdict)-FCN_NOTIFY_SENT)

#define PIECE 32 /* notices built at a time, so that what belongs to them stays in the cache */

int
fcn_notice_fastcnp_init(struct fcn_notice_fastcnp_conf *conf, const struct fcn_fastcnp_conf *notice)
{
	conf->plain = (struct fcn_wire_info){
			.flags = FCN_PKT_IPV6,
			.ether_type = RTE_ETHER_TYPE_IPV6,
			.dst_port = FCN_ROCE_UDP_PORT,
			.opcode = FCN_BTH_OPCODE_CNP,
			.proto = IPPROTO_UDP,
			.tclass = notice->dscp << 2,
			.ttl = notice->hop_limit,
	};
	return fcn_fastcnp_template_init(&conf->fastcnp, notice);
}

/* Check whether a notice can be sent to a source address: it is unicast, neither unspecified nor
 * loopback nor IPv4-mapped, and not the switch's own. */
static bool
is_to_answer(const struct fcn_notice_common *common, const uint8_t *addr)
{
	static const uint8_t zero[15];
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:0:0/96 */

	if (addr[0] == 0xff)
		return false;
	if (unlikely(addr[0] == 0) && ((addr[15] <= 1 && memcmp(addr, zero, sizeof(zero)) == 0) ||
						      memcmp(addr, mapped, sizeof(mapped)) == 0))
		return false;
	return memcmp(addr, common->source, sizeof(common->source)) != 0;
}

/*
 * Check the conditions for a Fast CNP about a packet (draft-xiao-rtgwg-rocev2-fast-cnp section 4).
 * @return FCN_NOTIFY_NONE, or the reason for which none is sent
 */
static enum fcn_notify_verdict
eligibility(const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	if (!(info->flags & FCN_PKT_ROCE))
		return FCN_NOTIFY_NOT_ROCE;
	if (!fcn_bth_opcode_triggers(info->opcode))
		return FCN_NOTIFY_NOT_DATA;
	/* Notices about tunnelled packets would need the SRv6 behaviour End.CON on their path. */
	if (info->flags & FCN_PKT_TUNNEL)
		return FCN_NOTIFY_TUNNELLED;
	if (info->flags & FCN_PKT_INNER_IPV4)
		return FCN_NOTIFY_IPV4;
	if (!is_to_answer(common, fcn_notify_sender(data, info)))
		return FCN_NOTIFY_SOURCE;
	return FCN_NOTIFY_NONE;
}

/*
 * Get the form of a Fast CNP: option 2 if the packet has an IOAM trace that fits, otherwise option
 * 1 (draft-xiao-rtgwg-rocev2-fast-cnp section 4).
 */
static uint8_t
form_of(const struct fcn_wire_info *info)
{
	if (!(info->flags & FCN_PKT_IOAM_TRACE))
		return FORM(FCN_FASTCNP_SENT_OPT1);
	if (info->ioam_len > 2 + FCN_IOAM_TRACE_HDR_LEN + 4 * FCN_FASTCNP_MAX_TRACE_WORDS)
		return FORM(FCN_FASTCNP_SENT_TOO_LONG);
	return FORM(FCN_FASTCNP_SENT_OPT2);
}

static inline void
due(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info, struct fcn_notice_due *d)
{
	const struct fcn_notice_fastcnp_conf *conf = kind_conf;
	const uint8_t *sender = fcn_notify_sender(data, info);
	enum fcn_sender_capability cap = conf->default_capability;

	d->reason = eligibility(common, data, info);
	if (d->reason != FCN_NOTIFY_NONE)
		return;
	if (conf->senders != NULL)
		cap = fcn_prefix_list_lookup6(conf->senders, sender, cap);
	if (cap == FCN_SENDER_NONE)
		d->reason = FCN_NOTIFY_SENDER_NONE;
	d->to = sender;
	d->form = form_of(info);
	d->edge_form = d->form == FORM(FCN_FASTCNP_SENT_OPT2) ? FORM(FCN_FASTCNP_SENT_EDGE)
							      : d->form;
	d->replaces_mark = cap == FCN_SENDER_CAPABLE || !conf->mark_unknown;
}

FCN_NOTICE_DECIDE(decide, due)

/* Fill in a request. Of what only option 2 needs, nothing is written without it. */
static inline void
request(const struct fcn_notice_order *o, struct fcn_fastcnp_request *req)
{
	const struct fcn_wire_info *about = o->about;

	req->sender = fcn_notify_sender(o->data, about);
	req->receiver = o->data + about->final_dst_off;
	req->trace = NULL;
	req->buf = rte_pktmbuf_mtod(o->mbuf, uint8_t *);
	req->dest_qp = about->dest_qp;
	req->src_port = about->src_port;
	req->p_key = about->p_key;
	if (unlikely(o->form == FORM(FCN_FASTCNP_SENT_OPT2))) {
		/* The trace follows Option Type, Opt Data Len, Reserved and IOAM Opt-Type. */
		req->trace = o->data + about->ioam_off + 4;
		req->trace_len = about->ioam_len - 2;
		req->trace_type = o->data[about->ioam_off + 3];
	}
}

/* Write what fcn_parse() would find in a notice, and the lengths of its buffer. */
static inline void
describe(const struct fcn_notice_order *o, const struct fcn_wire_info *plain,
		const struct fcn_fastcnp_request *req)
{
	*o->info = *plain;
	o->info->ip_len = req->len;
	o->info->src_port = req->src_port;
	o->info->dest_qp = req->dest_qp;
	o->mbuf->data_len = req->len;
	o->mbuf->pkt_len = req->len;
}

static void
build(const void *kind_conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, unsigned int n)
{
	const struct fcn_notice_fastcnp_conf *conf = kind_conf;
	struct fcn_fastcnp_request req[PIECE];

	RTE_SET_USED(common);
	for (unsigned int done = 0, now; done < n; done += now) {
		now = RTE_MIN(n - done, (unsigned int)PIECE);
		for (unsigned int i = 0; i < now; i++)
			request(&order[done + i], &req[i]);
		fcn_fastcnp_build_burst(&conf->fastcnp, req, now);
		for (unsigned int i = 0; i < now; i++)
			describe(&order[done + i], &conf->plain, &req[i]);
	}
}

static bool
is_refused(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *ip,
		uint32_t len, struct fcn_refused_notice *refused)
{
	const struct fcn_notice_fastcnp_conf *conf = kind_conf;
	const struct fcn_parse_codes codes = {
			.fastcnp_opt1 = conf->fastcnp.conf.opt1_type,
			.fastcnp_opt2 = conf->fastcnp.conf.opt2_type,
	};

	return fcn_param_problem_check(ip, len, &codes, common->source, refused) == FCN_MSG_OK;
}

static void
free_conf(void *kind_conf)
{
	struct fcn_notice_fastcnp_conf *conf = kind_conf;

	if (conf == NULL)
		return;
	fcn_fastcnp_template_fini(&conf->fastcnp);
	fcn_prefix_list_free(conf->senders);
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

const struct fcn_notice_kind fcn_notice_fastcnp = {
		.name = "fast_cnp",
		.title = "Fast CNP",
		.form = {FORMS(FORM_OF)},
		.decide = decide,
		.build = build,
		.is_refused = is_refused,
		.free = free_conf,
};

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <rte_malloc.h>

#include "fcn_notice_fastcnp.h"
#include "fcn_notify.h"

#define FORM(verdict) ((verdict)-FCN_NOTIFY_SENT)

/* The source of a packet that a notice can be sent to: a host, and not the switch itself. */
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

static enum fcn_notify_verdict
eligibility(const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	if (!(info->flags & FCN_PKT_ROCE))
		return FCN_NOTIFY_NOT_ROCE;
	if (!fcn_bth_opcode_triggers(info->opcode))
		return FCN_NOTIFY_NOT_DATA;
	/* Its path back needs END.CON. */
	if (info->flags & FCN_PKT_TUNNEL)
		return FCN_NOTIFY_TUNNELLED;
	if (info->flags & FCN_PKT_INNER_IPV4)
		return FCN_NOTIFY_IPV4;
	if (!is_to_answer(common, fcn_notify_sender(data, info)))
		return FCN_NOTIFY_SOURCE;
	return FCN_NOTIFY_NONE;
}

static uint8_t
form_of(const struct fcn_wire_info *info)
{
	if (!(info->flags & FCN_PKT_IOAM_TRACE))
		return FORM(FCN_FASTCNP_SENT_OPT1);
	if (info->ioam_len > 2 + FCN_IOAM_TRACE_HDR_LEN + 4 * FCN_FASTCNP_MAX_TRACE_WORDS)
		return FORM(FCN_FASTCNP_SENT_TOO_LONG);
	return FORM(FCN_FASTCNP_SENT_OPT2);
}

static struct fcn_notice_due
due(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	const struct fcn_notice_fastcnp_conf *conf = kind_conf;
	const uint8_t *sender = fcn_notify_sender(data, info);
	enum fcn_sender_capability cap = conf->default_capability;
	struct fcn_notice_due d = {.to = sender, .reason = eligibility(common, data, info)};

	if (d.reason != FCN_NOTIFY_NONE)
		return d;
	if (conf->senders != NULL)
		cap = fcn_prefix_list_lookup6(conf->senders, sender, cap);
	if (cap == FCN_SENDER_NONE)
		d.reason = FCN_NOTIFY_SENDER_NONE;
	d.form = form_of(info);
	d.edge_form = d.form == FORM(FCN_FASTCNP_SENT_OPT2) ? FORM(FCN_FASTCNP_SENT_EDGE) : d.form;
	d.replaces_mark = cap == FCN_SENDER_CAPABLE || !conf->mark_unknown;
	return d;
}

static void
request(const void *conf, uint8_t form, const uint8_t *data, const struct fcn_wire_info *info,
		uint8_t *buf, void *req)
{
	struct fcn_fastcnp_request *r = req;

	RTE_SET_USED(conf);
	*r = (struct fcn_fastcnp_request){
			.sender = fcn_notify_sender(data, info),
			.receiver = data + info->final_dst_off,
			.buf = buf,
			.dest_qp = info->dest_qp,
			.src_port = info->src_port,
			.p_key = info->p_key,
	};
	if (unlikely(form == FORM(FCN_FASTCNP_SENT_OPT2))) {
		/* behind Option Type, Opt Data Len, Reserved, IOAM Opt-Type */
		r->trace = data + info->ioam_off + 4;
		r->trace_len = info->ioam_len - 2;
		r->trace_type = data[info->ioam_off + 3];
	}
}

static void
build(const void *kind_conf, const struct fcn_notice_common *common, void *requests, unsigned int n,
		struct fcn_wire_info *const *info)
{
	const struct fcn_notice_fastcnp_conf *conf = kind_conf;
	struct fcn_fastcnp_request *req = requests;
	const struct fcn_wire_info plain = {
			.flags = FCN_PKT_IPV6,
			.ether_type = RTE_ETHER_TYPE_IPV6,
			.dst_port = FCN_ROCE_UDP_PORT,
			.opcode = FCN_BTH_OPCODE_CNP,
			.proto = IPPROTO_UDP,
			.tclass = common->dscp << 2,
			.ttl = common->hop_limit,
	};

	fcn_fastcnp_build_burst(&conf->fastcnp, req, n);
	for (unsigned int i = 0; i < n; i++) {
		*info[i] = plain;
		info[i]->ip_len = req[i].len;
		info[i]->src_port = req[i].src_port;
		info[i]->dest_qp = req[i].dest_qp;
	}
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

_Static_assert(sizeof(struct fcn_fastcnp_request) <= FCN_NOTICE_REQUEST_MAX, "it has room");

const struct fcn_notice_kind fcn_notice_fastcnp = {
		.name = "fast_cnp",
		.title = "Fast CNP",
		.form =
				{
						[FORM(FCN_FASTCNP_SENT_OPT1)] = {"sent_option1",
								"Fast CNP with option 1 made"},
						[FORM(FCN_FASTCNP_SENT_OPT2)] = {"sent_option2",
								"Fast CNP with option 2 made"},
						[FORM(FCN_FASTCNP_SENT_TOO_LONG)] = {"sent_ioam_"
										     "too_long",
								"Fast CNP with option 1 made, as "
								"the IOAM trace "
								"does not fit option 2"},
						[FORM(FCN_FASTCNP_SENT_EDGE)] = {"sent_ioam_edge",
								"Fast CNP with option 1 made, as "
								"its way back "
								"crosses the edge of the IOAM "
								"domain"},
				},
		.request_size = sizeof(struct fcn_fastcnp_request),
		.due = due,
		.request = request,
		.build = build,
		.free = free_conf,
};

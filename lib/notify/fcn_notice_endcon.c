/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_malloc.h>

#include "fcn_notice_endcon.h"
#include "fastcnp_kind_build.h"

int
fcn_notice_endcon_init(struct fcn_notice_endcon_conf *conf, const struct fcn_fastcnp_conf *notice)
{
	fcn_endcon_init(&conf->outer, notice->source, notice->dscp, notice->hop_limit);
	return fcn_fastcnp_kind_init(&conf->fast_cnp, notice);
}

static inline bool
is_in(const struct fcn_prefix_list *list, const uint8_t addr[16])
{
	return list != NULL && fcn_prefix_list_lookup6(list, addr, 0) != 0;
}

/* Tell whether END.CON passes a notice on to a sender. */
static inline bool
is_passed_on(const uint8_t *sender, const uint8_t *endcon)
{
	return !fcn_ip6_is_link_local(sender) && memcmp(sender, endcon, 16) != 0;
}

enum fcn_notify_verdict
fcn_notice_endcon_check(const struct fcn_notice_endcon_conf *conf,
		const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	enum fcn_notify_verdict why = fcn_fastcnp_kind_check_data(info);
	const uint8_t *endcon;

	if (why != FCN_NOTIFY_NONE)
		return why;
	if (!(info->flags & FCN_PKT_TUNNEL))
		return FCN_NOTIFY_NOT_TUNNELLED;
	if (info->flags & FCN_PKT_INNER_IPV4)
		return FCN_NOTIFY_IPV4;
	if (!(info->flags & FCN_PKT_IPV6))
		return FCN_NOTIFY_NO_ENDCON;
	if (conf->is_direct && fcn_notice_is_own_tunnel(common, data, info))
		return FCN_NOTIFY_OTHER_KIND;
	endcon = fcn_notice_outer_source(data, info);
	if (!is_in(conf->endcon, endcon) || is_in(conf->refused, endcon))
		return FCN_NOTIFY_NO_ENDCON;
	if (!fcn_fastcnp_kind_is_sender(common, fcn_notify_sender(data, info)) ||
			!fcn_fastcnp_kind_is_sender(common, endcon) ||
			!is_passed_on(fcn_notify_sender(data, info), endcon))
		return FCN_NOTIFY_SOURCE;
	return FCN_NOTIFY_NONE;
}

static inline void
due(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info, struct fcn_notice_due *d)
{
	const struct fcn_notice_endcon_conf *conf = kind_conf;

	d->reason = fcn_notice_endcon_check(conf, common, data, info);
	if (d->reason != FCN_NOTIFY_NONE)
		return;
	d->to = fcn_notice_outer_source(data, info);
	fcn_fastcnp_kind_due(&conf->fast_cnp, fcn_notify_sender(data, info), info,
			FCN_ENDCON_OUTER_LEN, d);
}

FCN_NOTICE_PREPARE(prepare, due)

static void
build(const void *kind_conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, unsigned int n)
{
	const struct fcn_notice_endcon_conf *conf = kind_conf;
	struct fcn_fastcnp_request req[FCN_FASTCNP_KIND_PIECE];

	for (unsigned int done = 0, now; done < n; done += now) {
		now = RTE_MIN(n - done, (unsigned int)FCN_FASTCNP_KIND_PIECE);
		for (unsigned int i = 0; i < now; i++)
			fcn_fastcnp_kind_request(&order[done + i], FCN_ENDCON_OUTER_LEN, &req[i]);
		fcn_fastcnp_build_burst(&conf->fast_cnp.fastcnp, req, now);
		for (unsigned int i = 0; i < now; i++)
			fcn_fastcnp_kind_put_outer(&order[done + i], &conf->outer,
					&conf->fast_cnp.plain, &req[i]);
	}
	if (unlikely(common->entropy))
		fcn_notice_copy_flow_labels(order, n, FCN_ENDCON_OUTER_LEN);
}

/*
 * Either END.CON has passed the Fast CNP on to the sender, which does not understand it, and quotes
 * the Fast CNP alone. Or the node with the END.CON address does not take it out, as it is no
 * END.CON, or does not know this P node, and quotes all of it: then it refuses those about other
 * senders, too. That node answers from this address, or from another one that is known as END.CON.
 * Notices are sent to known addresses only, so the quoted address has to be one: otherwise, anybody
 * could quote a notice to himself.
 */
/* Tell whether an END.CON address and the reporter of its refusal are of one prefix of the list,
 * and so of one node: no node refuses for another. */
static bool
is_of_one_node(const struct fcn_prefix_list *list, const uint8_t *endcon, const uint8_t *reporter)
{
	const uint32_t node = list != NULL ? fcn_prefix_list_lookup6(list, endcon, 0) : 0;

	return node != 0 && fcn_prefix_list_lookup6(list, reporter, 0) == node;
}

static bool
is_refused(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *ip,
		uint32_t len, struct fcn_refused_notice *refused)
{
	const struct fcn_notice_endcon_conf *conf = kind_conf;
	const struct fcn_parse_codes codes = fcn_fastcnp_kind_codes(&conf->fast_cnp);
	const uint8_t *reporter = ip + offsetof(struct rte_ipv6_hdr, src_addr);
	uint8_t endcon[16];

	if (fcn_fastcnp_kind_is_refused(&conf->fast_cnp, common, ip, len, refused)) {
		refused->is_passed_on = true;
		return true;
	}
	if (fcn_param_problem_check_endcon(ip, len, &codes, common->source, refused, endcon) !=
					FCN_MSG_OK ||
			!is_of_one_node(conf->endcon, endcon, reporter))
		return false;
	memcpy(refused->sender, endcon, sizeof(refused->sender));
	return true;
}

static void
free_conf(void *kind_conf)
{
	struct fcn_notice_endcon_conf *conf = kind_conf;

	if (conf == NULL)
		return;
	fcn_fastcnp_kind_fini(&conf->fast_cnp);
	fcn_prefix_list_free(conf->endcon);
	fcn_prefix_list_free(conf->refused);
	rte_free(conf);
}

const struct fcn_notice_kind fcn_notice_endcon = {
		.name = "endcon",
		.title = "Fast CNP to END.CON",
		.form = {[FCN_FASTCNP_KIND_OPT1] = {"sent_option1",
					 "Fast CNP with option 1 sent to END.CON"},
				[FCN_FASTCNP_KIND_OPT2] = {"sent_option2",
						"Fast CNP with option 2 sent to END.CON"},
				[FCN_FASTCNP_KIND_TOO_LONG] = {"sent_ioam_too_long",
						"Fast CNP with option 1 sent to END.CON, because "
						"the IOAM trace does not fit option 2"},
				[FCN_FASTCNP_KIND_EDGE] = {"sent_ioam_edge",
						"Fast CNP with option 1 sent to END.CON, because "
						"its path crosses the edge of the IOAM domain"}},
		.is_roce = true,
		.to_endcon = true,
		.prepare = prepare,
		.build = build,
		.is_refused = is_refused,
		.free = free_conf,
};

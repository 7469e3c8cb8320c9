/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_malloc.h>

#include "fcn_notice_fastcnp.h"
#include "notice_cnp_build.h"

#define FORM(verdict) ((verdict)-FCN_NOTIFY_SENT)

/*
 * Check the conditions for a Fast CNP about a packet (draft-xiao-rtgwg-rocev2-fast-cnp section 4).
 * @return FCN_NOTIFY_NONE, or the reason for which none is sent
 */
static inline enum fcn_notify_verdict
eligibility(const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	enum fcn_notify_verdict why = fcn_notice_cnp_check_data(info);

	if (why != FCN_NOTIFY_NONE)
		return why;
	/* Notices about tunnelled packets are of another kind: the path to the sender is a tunnel,
	 * too. */
	if (info->flags & FCN_PKT_TUNNEL)
		return FCN_NOTIFY_TUNNELLED;
	if (info->flags & FCN_PKT_INNER_IPV4)
		return FCN_NOTIFY_IPV4;
	if (!fcn_notice_cnp_is_sender(common, fcn_notify_sender(data, info)))
		return FCN_NOTIFY_SOURCE;
	return FCN_NOTIFY_NONE;
}

static inline void
due(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info, struct fcn_notice_due *d)
{
	d->reason = eligibility(common, data, info);
	if (d->reason != FCN_NOTIFY_NONE)
		return;
	d->to = fcn_notify_sender(data, info);
	fcn_notice_cnp_due(kind_conf, d->to, info, 0, d);
}

FCN_NOTICE_DECIDE(decide, due)
FCN_NOTICE_PREPARE(prepare, due)

static void
build(const void *kind_conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, unsigned int n)
{
	const struct fcn_notice_cnp_conf *conf = kind_conf;
	struct fcn_fastcnp_request req[FCN_NOTICE_CNP_PIECE];

	RTE_SET_USED(common);
	for (unsigned int done = 0, now; done < n; done += now) {
		now = RTE_MIN(n - done, (unsigned int)FCN_NOTICE_CNP_PIECE);
		for (unsigned int i = 0; i < now; i++)
			fcn_notice_cnp_request(&order[done + i], 0, &req[i]);
		fcn_fastcnp_build_burst(&conf->fastcnp, req, now);
		for (unsigned int i = 0; i < now; i++)
			fcn_notice_cnp_describe(
					&order[done + i], &conf->plain, &req[i], req[i].len);
	}
}

static bool
is_refused(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *ip,
		uint32_t len, struct fcn_refused_notice *refused)
{
	return fcn_notice_cnp_is_refused(kind_conf, common, ip, len, refused);
}

static void
free_conf(void *kind_conf)
{
	struct fcn_notice_cnp_conf *conf = kind_conf;

	if (conf == NULL)
		return;
	fcn_notice_cnp_fini(conf);
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

_Static_assert(FORM(FCN_FASTCNP_SENT_OPT1) == FCN_NOTICE_CNP_OPT1 &&
				FORM(FCN_FASTCNP_SENT_OPT2) == FCN_NOTICE_CNP_OPT2 &&
				FORM(FCN_FASTCNP_SENT_TOO_LONG) == FCN_NOTICE_CNP_TOO_LONG &&
				FORM(FCN_FASTCNP_SENT_EDGE) == FCN_NOTICE_CNP_EDGE,
		"the verdicts are those of the forms");

const struct fcn_notice_kind fcn_notice_fastcnp = {
		.name = "fast_cnp",
		.title = "Fast CNP",
		.form = {FORMS(FORM_OF)},
		.is_roce = true,
		.decide = decide,
		.prepare = prepare,
		.build = build,
		.is_refused = is_refused,
		.free = free_conf,
};

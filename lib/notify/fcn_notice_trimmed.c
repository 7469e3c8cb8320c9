/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_malloc.h>

#include "fastcnp_kind_build.h"
#include "fcn_detector.h"
#include "fcn_notice_trimmed.h"
#include "fcn_trimmed_option.h"

/** The forms of this kind. */
enum form {
	TO_SENDER,
	TO_ENDCON,
};

/* Check whether a packet is in a tunnel that begins at another node. */
static inline bool
is_in_tunnel(const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_TUNNEL && !fcn_notice_is_own_tunnel(common, data, info);
}

/* Check the conditions for a notice about a packet. @return FCN_NOTIFY_NONE, or the reason for
 * which none is sent */
static enum fcn_notify_verdict
eligibility(const struct fcn_notice_trimmed_conf *conf, const struct fcn_notice_common *common,
		const uint8_t *data, const struct fcn_wire_info *info)
{
	enum fcn_notify_verdict why = fcn_fastcnp_kind_check_data(info);

	if (why != FCN_NOTIFY_NONE)
		return why;
	if (info->flags & FCN_PKT_INNER_IPV4)
		return FCN_NOTIFY_IPV4;
	if (is_in_tunnel(common, data, info))
		return conf->endcon == NULL
				       ? FCN_NOTIFY_TUNNELLED
				       : fcn_notice_endcon_check(conf->endcon, common, data, info);
	return fcn_fastcnp_kind_is_sender(common, fcn_notify_sender(data, info))
			       ? FCN_NOTIFY_NONE
			       : FCN_NOTIFY_SOURCE;
}

static inline void
due(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info, struct fcn_notice_due *d)
{
	const struct fcn_notice_trimmed_conf *conf = kind_conf;
	const uint8_t *sender = fcn_notify_sender(data, info);

	d->reason = eligibility(conf, common, data, info);
	if (d->reason != FCN_NOTIFY_NONE)
		return;
	if (fcn_fastcnp_kind_capability(&conf->fast_cnp, sender) == FCN_SENDER_NONE)
		d->reason = FCN_NOTIFY_SENDER_NONE;
	d->to = sender;
	d->form = TO_SENDER;
	d->len = FCN_FASTCNP_TRIMMED_LEN;
	if (is_in_tunnel(common, data, info)) {
		d->to = fcn_notice_outer_source(data, info);
		d->form = TO_ENDCON;
		d->len += FCN_ENDCON_OUTER_LEN;
	}
	d->edge_form = d->form;
	d->edge_len = d->len;
}

FCN_NOTICE_PREPARE(prepare, due)

/* Get the number of bytes in front of the notice that gets to the sender. */
static inline uint32_t
room_of(const struct fcn_notice_order *o)
{
	return o->form == TO_ENDCON ? FCN_ENDCON_OUTER_LEN : 0;
}

static void
build_one(const struct fcn_notice_trimmed_conf *conf, const struct fcn_notice_order *o)
{
	const struct fcn_trimmed_option option = fcn_trimmed_option_of(
			o->data, o->about, FCN_LEVEL_MAX);
	uint8_t written[2 + FCN_TRIMMED_OPTION_DATA];
	struct fcn_fastcnp_request req;

	fcn_trimmed_option_write(written, conf->fast_cnp.trimmed_type, &option);
	fcn_fastcnp_kind_request(o, room_of(o), &req);
	req.trimmed = written;
	fcn_fastcnp_build_burst(&conf->fast_cnp.fastcnp, &req, 1);
	if (o->form == TO_ENDCON)
		fcn_fastcnp_kind_put_outer(o, &conf->endcon->outer, &conf->fast_cnp.plain, &req);
	else
		fcn_fastcnp_kind_describe(o, &conf->fast_cnp.plain, &req, req.len);
}

static void
build(const void *kind_conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		build_one(kind_conf, &order[i]);
		if (unlikely(common->entropy))
			fcn_notice_copy_flow_labels(&order[i], 1, room_of(&order[i]));
	}
}

static bool
is_refused(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *ip,
		uint32_t len, struct fcn_refused_notice *refused)
{
	const struct fcn_notice_trimmed_conf *conf = kind_conf;

	if (!fcn_fastcnp_kind_is_refused(&conf->fast_cnp, common, ip, len, refused))
		return false;
	refused->is_passed_on = conf->endcon != NULL;
	return true;
}

static void
free_conf(void *kind_conf)
{
	struct fcn_notice_trimmed_conf *conf = kind_conf;

	if (conf == NULL)
		return;
	fcn_fastcnp_kind_fini(&conf->fast_cnp);
	rte_free(conf);
}

const struct fcn_notice_kind fcn_notice_trimmed = {
		.name = "trimmed",
		.title = "returned header",
		.form = {[TO_SENDER] = {"sent_trimmed", "Fast CNP about a trimmed packet sent"},
				[TO_ENDCON] = {"sent_trimmed_endcon",
						"Fast CNP about a trimmed packet sent to END.CON"}},
		.is_roce = true,
		.about_loss = true,
		.prepare = prepare,
		.build = build,
		.is_refused = is_refused,
		.free = free_conf,
};

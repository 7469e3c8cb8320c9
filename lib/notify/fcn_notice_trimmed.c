/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_malloc.h>

#include "fastcnp_vectors.h"
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

/* Prepare any packet. */
FCN_NOTICE_PREPARE(prepare_any, due)

/* What is the same of all notices to senders outside of tunnels. */
static const struct fcn_notice_due due_to_sender = {
		.form = TO_SENDER,
		.edge_form = TO_SENDER,
		.len = FCN_FASTCNP_TRIMMED_LEN,
		.edge_len = FCN_FASTCNP_TRIMMED_LEN,
};

static void
prepare(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
		struct fcn_notify_case *c, unsigned int n)
{
	const struct fcn_notice_trimmed_conf *own = conf->own;
	const struct fcn_hash_prepared key = fcn_hash_prepare(&state->key);
	const bool all_told = own->fast_cnp.senders == NULL &&
			      own->fast_cnp.default_capability != FCN_SENDER_NONE;

	for (unsigned int i = 0; i < n; i++, c++) {
		const uint8_t *sender = fcn_notify_sender(c->data, c->info);

		if (unlikely(!all_told || !fcn_fastcnp_kind_is_usual(FCN_PKT_ROCE, conf->common,
							  c->info, sender))) {
			prepare_any(conf, state, c, 1);
			continue;
		}
		c->due = due_to_sender;
		c->due.to = sender;
		fcn_notice_prepare_flow(
				fcn_notice_roce_flow, &key, &state->flows, &state->destinations, c);
	}
}

/* Get the number of bytes in front of the notice that gets to the sender. */
static inline uint32_t
room_of(const struct fcn_notice_order *o)
{
	return o->form == TO_ENDCON ? FCN_ENDCON_OUTER_LEN : 0;
}

/* Put the Ethernet header in front of a notice that was built. Its buffer is new and therefore has
 * headroom. */
static inline void
put_head(const struct fcn_notice_order *o)
{
	memcpy(rte_pktmbuf_prepend(o->mbuf, sizeof(*o->head)), o->head, sizeof(*o->head));
	o->info->l3_off = sizeof(*o->head);
}

/* Build any notice. */
static __rte_noinline void
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
	if (o->head != NULL)
		put_head(o);
}

#ifdef RTE_ARCH_X86

/* Build a notice to the sender in one pass, the same that build_one() builds. */
FCN_FASTCNP_FOLD_TARGET static __rte_always_inline void
fold_one(const struct fcn_notice_trimmed_conf *conf, const struct fcn_fastcnp_fold *fold,
		const struct fcn_notice_order *o)
{
	const struct fcn_wire_info *about = o->about;
	const uint8_t *l4 = o->data + about->l4_off;
	struct rte_mbuf *m = o->mbuf;
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *);

	fcn_fastcnp_fold_opt1(fold, ip, o->data + about->final_dst_off);
	fcn_trimmed_option_put(ip, conf->fast_cnp.trimmed_type, FCN_LEVEL_MAX,
			o->data + about->inner_l3_off, l4 + sizeof(struct rte_udp_hdr));
	fcn_fastcnp_fold_end(fold, ip, FCN_TRIMMED_EXT_LEN, fcn_notify_sender(o->data, about), l4);
	*o->info = conf->fast_cnp.plain;
	o->info->l3_off = sizeof(*o->head);
	o->info->ip_len = FCN_FASTCNP_TRIMMED_LEN;
	o->info->src_port = about->src_port;
	o->info->dest_qp = about->dest_qp;
	fcn_fastcnp_put_head(m, ip, o->head);
	fcn_fastcnp_put_lengths(m, FCN_FASTCNP_TRIMMED_LEN + sizeof(*o->head));
}

FCN_FASTCNP_FOLD_TARGET static void
build_by_fold(const struct fcn_notice_trimmed_conf *conf, const struct fcn_notice_order *order,
		unsigned int n)
{
	const struct fcn_fastcnp_fold fold = fcn_fastcnp_fold_begin(&conf->fast_cnp.fastcnp);

	for (unsigned int i = 0; i < n; i++) {
		if (likely(order[i].form == TO_SENDER && order[i].head != NULL))
			fold_one(conf, &fold, &order[i]);
		else
			build_one(conf, &order[i]);
	}
}

#endif

static void
build_all(const struct fcn_notice_trimmed_conf *conf, const struct fcn_notice_order *order,
		unsigned int n)
{
#ifdef RTE_ARCH_X86
	if (likely(fcn_fastcnp_folds(&conf->fast_cnp.fastcnp))) {
		build_by_fold(conf, order, n);
		return;
	}
#endif
	for (unsigned int i = 0; i < n; i++)
		build_one(conf, &order[i]);
}

static void
build(const void *kind_conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, unsigned int n)
{
	build_all(kind_conf, order, n);
	for (unsigned int i = 0; unlikely(common->entropy) && i < n; i++)
		fcn_notice_copy_flow_labels(&order[i], 1, room_of(&order[i]));
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
		.framed_max = FCN_FASTCNP_TRIMMED_LEN + FCN_ENDCON_OUTER_LEN,
		.prepare = prepare,
		.build = build,
		.is_refused = is_refused,
		.free = free_conf,
};

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_bth_opcode.h"
#include "show_private.h"

static void
read_trace(struct fcn_worker *w, void *arg)
{
	memcpy(arg, &w->trace, sizeof(w->trace));
}

#define STEERED_TEXT (FCN_PREFIX_STRLEN + FCN_SRV6_NAME_LEN + 64)
#define NOTICES_TEXT (64 * FCN_NOTICE_KIND_MAX)
#define CONGESTION_TEXT (NOTICES_TEXT + 64)

static const char *
protocol(const struct fcn_wire_info *info)
{
	if (info->flags & FCN_PKT_ROCE)
		return "RoCEv2";
	if (info->flags & FCN_PKT_TRIMMED)
		return "trimmed RoCEv2";
	if (info->flags & FCN_PKT_UDP)
		return "UDP";
	if (info->flags & FCN_PKT_IPV6)
		return "IPv6";
	if (info->flags & FCN_PKT_IPV4)
		return "IPv4";
	return "Ethernet";
}

/* The steering rule that sent a packet into a policy, if the configuration still has it. */
static const char *
steered(const struct fcn_config *cfg, const struct fcn_packet *p, char text[STEERED_TEXT])
{
	char prefix[FCN_PREFIX_STRLEN];

	text[0] = '\0';
	for (size_t i = 0; p->steering != 0 && i < cfg->srv6.steering.n; i++) {
		const struct fcn_config_srv6_steering *r = &cfg->srv6.steering.item[i];

		if (r->slot == p->steering - 1)
			snprintf(text, STEERED_TEXT, "steered by rule %u of %s into policy %s, ",
					r->slot,
					fcn_prefix_format(&r->prefix, prefix, sizeof(prefix)),
					fcn_config_srv6_policy_of(cfg, r->policy)->name);
	}
	return text;
}

/* The next hop, and the sub-interfaces by which the packet came in and leaves. */
static json_t *
routed(const struct fcn_control *ctl, const struct fcn_packet *p)
{
	const bool sub = p->in_port < FCN_MAX_PORTS &&
			 fcn_config_is_sub_interface(fcn_control_config(ctl), p->in_port);
	char tag[24] = "", rule[STEERED_TEXT];

	if (p->info.n_vlans > 0)
		snprintf(tag, sizeof(tag), ", VLAN %u", p->info.vlan_tci & 0x0FFF);
	return json_sprintf("%s%s%s%s%snext hop %u, to %s%s, hop limit %u",
			p->flags & FCN_PACKET_TRANSLATED ? "Fast CNP translated into a CNP, " : "",
			sub ? "from " : "", sub ? fcn_show_port_name(ctl, p->in_port) : "",
			sub ? ", " : "", steered(fcn_control_config(ctl), p, rule), p->next_hop,
			fcn_show_port_name(ctl, p->out_port), tag, p->info.ttl);
}

/* The verdicts on notices about a packet; of a single kind, its name is left out. */
static const char *
notices(const struct fcn_trace_record *r, const struct fcn_packet *p, char text[NOTICES_TEXT])
{
	size_t n = snprintf(text, NOTICES_TEXT, ", notice: %s",
			fcn_notify_verdict_name(fcn_notice_kind_of(0), r->verdict[0]));

	for (unsigned int k = 1; k < fcn_notice_kind_count && n < NOTICES_TEXT; k++) {
		const struct fcn_notice_kind *kind = fcn_notice_kind_of(k);

		if (r->verdict[k] != FCN_NOTIFY_NONE)
			n += snprintf(text + n, NOTICES_TEXT - n, ", %s: %s", kind->title,
					fcn_notify_verdict_name(kind, r->verdict[k]));
	}
	if (p->reactions & FCN_REACTION_HALT && n < NOTICES_TEXT)
		snprintf(text + n, NOTICES_TEXT - n, ", upstream asked to halt it");
	return text;
}

/* What kind of packet it is, and its class. */
static json_t *
classified(const struct fcn_packet *p)
{
	const struct fcn_wire_info *info = &p->info;
	char name[FCN_BTH_OPCODE_NAME_LEN];

	if (info->flags & (FCN_PKT_ROCE | FCN_PKT_TRIMMED))
		return json_sprintf("%s %s, QP %u, DSCP %u, ECN %u, class %u%s", protocol(info),
				fcn_bth_opcode_name(info->opcode, name, sizeof(name)),
				info->dest_qp, info->tclass >> 2, info->tclass & 3, p->class,
				info->flags & FCN_PKT_IOAM_TRACE ? ", IOAM trace" : "");
	return json_sprintf("%s, class %u%s%s", protocol(info), p->class,
			info->error != FCN_WIRE_OK ? ", " : "",
			info->error != FCN_WIRE_OK ? fcn_wire_error_name(info->error) : "");
}

/* What an untrusted port sets anew of a packet: class, DSCP and PCP. */
static json_t *
distrusted(const struct fcn_packet *p)
{
	const struct fcn_wire_info *info = &p->info;
	char dscp[16] = "", pcp[16] = "";

	if (info->flags & (FCN_PKT_IPV6 | FCN_PKT_IPV4))
		snprintf(dscp, sizeof(dscp), ", DSCP %u", info->tclass >> 2);
	if (info->n_vlans > 0)
		snprintf(pcp, sizeof(pcp), ", PCP %u", info->vlan_tci >> 13);
	return json_sprintf("port is not trusted: class %u%s%s", p->class, dscp, pcp);
}

static json_t *
entered(const struct fcn_control *ctl, const struct fcn_packet *p)
{
	if (!fcn_config_is_sub_interface(fcn_control_config(ctl), p->in_port))
		return json_string("tag without a VLAN taken off");
	return json_sprintf("tag taken off, enters by %s", fcn_show_port_name(ctl, p->in_port));
}

/* The behaviour of a packet for the switch. A SID is named if the current snapshot has it. */
static json_t *
local(const struct fcn_control *ctl, const struct fcn_packet *p, const char *what)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	const struct fcn_build_env *env = fcn_control_build_env(ctl);
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; p->local == FCN_LOCAL_SRV6 && i < cfg->srv6.sids.n; i++) {
		const struct fcn_config_srv6_sid *sid = &cfg->srv6.sids.item[i];

		if (sid->slot != p->sid_slot)
			continue;
		return json_sprintf("%s: SID %s, %s", what,
				fcn_prefix_format(&sid->prefix, text, sizeof(text)),
				fcn_srv6_behavior_name(sid->behavior));
	}
	for (size_t i = 0; p->local == FCN_LOCAL_SRV6 && i < env->n_kernel_sids; i++) {
		struct fcn_config_srv6_sid sid;
		const char *why;

		if (FCN_SRV6_SIDS + env->kernel_sids[i].slot != p->sid_slot ||
				!fcn_build_kernel_sid(cfg, env->kernel_table, &env->kernel_sids[i],
						&sid, &why))
			continue;
		return json_sprintf("%s: SID %s of the kernel, %s", what,
				fcn_prefix_format(&sid.prefix, text, sizeof(text)),
				fcn_srv6_behavior_name(sid.behavior));
	}
	return json_sprintf("%s: %s", what, fcn_local_text(p->local));
}

/* Where a bridge or a route sends the packet; each may find that it is for the switch itself. */
static json_t *
directed(const struct fcn_control *ctl, const struct fcn_trace_step *step)
{
	const struct fcn_packet *p = &step->pkt;
	const char *out = fcn_show_port_name(ctl, p->out_port);

	if (step->left)
		return json_string("cannot be forwarded: left to the host functions");
	if (p->flags & FCN_PACKET_BRIDGED)
		return json_sprintf("VLAN %u, to %s", p->vlan, out);
	if (p->flags & FCN_PACKET_LOCAL)
		return local(ctl, p, "for the switch");
	return routed(ctl, p);
}

#define FLOW_TEXT (2 * FCN_ADDR_STRLEN + 64)

static const char *
address(const struct fcn_flow_descriptor *flow, const uint8_t *bytes, char text[FCN_ADDR_STRLEN])
{
	struct fcn_addr addr = {.version = flow->version};

	memcpy(addr.bytes, bytes, flow->version == 4 ? 4 : 16);
	return fcn_addr_format(&addr, text, FCN_ADDR_STRLEN);
}

/* What a message is about. */
static const char *
subject(const struct fcn_arn *arn, char text[FLOW_TEXT])
{
	const struct fcn_flow_descriptor *f = &arn->flow;
	char src[FCN_ADDR_STRLEN], dst[FCN_ADDR_STRLEN];

	switch (fcn_arn_mode_of(arn)) {
	case FCN_ARN_MODE_PRIORITY:
		snprintf(text, FLOW_TEXT, "class %u", arn->priority);
		break;
	case FCN_ARN_MODE_SERVICE:
		snprintf(text, FLOW_TEXT, "the tunnel from %s to %s", address(f, f->src, src),
				address(f, f->dst, dst));
		break;
	default:
		snprintf(text, FLOW_TEXT, "the flow of protocol %u from %s port %u to %s port %u",
				f->proto, address(f, f->src, src), f->src_port,
				address(f, f->dst, dst), f->dst_port);
		break;
	}
	return text;
}

/* What a message asked for, as far as its first bytes tell. */
static json_t *
asked(const struct fcn_trace_record *r)
{
	struct fcn_wire_info info;
	struct fcn_arn arn;
	char text[FLOW_TEXT];

	fcn_parse_slow(r->bytes, r->n_bytes, r->len, &fcn_parse_default_codes, &info);
	if (info.l3_off == 0 || info.l4_off == 0 || info.l3_off + info.ip_len > r->n_bytes ||
			fcn_arn_parse(r->bytes + info.l3_off, info.l4_off - info.l3_off,
					info.ip_len, &arn) != FCN_ARN_OK)
		return json_sprintf("taken: %s", fcn_local_text(FCN_LOCAL_ARN));
	if (fcn_arn_is_end(&arn))
		return json_sprintf("taken: lets %s resume", subject(&arn, text));
	if (arn.time_us == FCN_ARN_TIME_FOREVER)
		return json_sprintf("taken: asks to halt %s until it is told to resume",
				subject(&arn, text));
	return json_sprintf("taken: asks to halt %s for %" PRIu32 " us", subject(&arn, text),
			arn.time_us);
}

/* What a Congestion Notification Message reports, as far as its first bytes tell. */
static json_t *
reported(const struct fcn_trace_record *r)
{
	struct fcn_flow_descriptor f;
	struct fcn_wire_info info;
	char src[FCN_ADDR_STRLEN], dst[FCN_ADDR_STRLEN];
	uint32_t off, len = 0;

	fcn_parse_slow(r->bytes, r->n_bytes, r->len, &fcn_parse_default_codes, &info);
	off = info.l4_off + 8u;
	if (info.l4_off != 0 && off < r->n_bytes)
		len = fcn_flow_descriptor_len(r->bytes[off]);
	if (len == 0 || off + len > r->n_bytes)
		return json_sprintf("taken: %s", fcn_local_text(FCN_LOCAL_CNM));
	fcn_flow_descriptor_read(r->bytes + off, &f);
	return json_sprintf("taken: reports congestion of level %u by the flow of protocol %u from "
			    "%s port %u to %s port %u",
			f.level, f.proto, address(&f, f.src, src), f.src_port,
			address(&f, f.dst, dst), f.dst_port);
}

static json_t *
delivered(const struct fcn_control *ctl, const struct fcn_trace_record *r,
		const struct fcn_trace_step *step)
{
	if (step->pkt.local == FCN_LOCAL_ARN)
		return asked(r);
	if (step->pkt.local == FCN_LOCAL_CNM)
		return reported(r);
	return local(ctl, &step->pkt, step->left ? "taken" : "changed, to be routed again");
}

/* What a queue found that takes a packet, or has no room for it. */
static const char *
congestion(const struct fcn_trace_record *r, const struct fcn_packet *p, char text[CONGESTION_TEXT])
{
	char about[NOTICES_TEXT];

	text[0] = '\0';
	if (p->level != FCN_LEVEL_NONE)
		snprintf(text, CONGESTION_TEXT, ", congestion level %d%s%s", p->level,
				notices(r, p, about),
				p->flags & FCN_PACKET_CE_MARKED ? ", CE-marked" : "");
	return text;
}

static json_t *
queued(const struct fcn_control *ctl, const struct fcn_trace_record *r,
		const struct fcn_trace_step *step)
{
	const struct fcn_packet *p = &step->pkt;
	const char *out = fcn_show_port_name(ctl, p->out_port);
	char text[CONGESTION_TEXT];

	if (fcn_packet_is_trimmed_here(p))
		return json_sprintf("%s class %u has no room: %s (%s)%s; trimmed to %u bytes, %s "
				    "class %u, %u bytes queued",
				out, p->trim_class, fcn_drop_name(p->trim_reason),
				fcn_drop_text(p->trim_reason), congestion(r, p, text),
				p->info.l3_off + p->info.ip_len, out, p->class, step->queue_bytes);
	return json_sprintf("%s class %u, %u bytes queued%s", out, p->class, step->queue_bytes,
			congestion(r, p, text));
}

/* For how long a packet waits whose flow is held. */
static json_t *
held(const struct fcn_trace_step *step)
{
	if (step->until_ns == 0)
		return json_sprintf("waits behind packets of its flow, %u bytes wait",
				step->queue_bytes);
	return json_sprintf("its flow is held for %llu ns more, %u bytes wait",
			(unsigned long long)(step->until_ns -
					     RTE_MIN(step->until_ns, step->time_ns)),
			step->queue_bytes);
}

/* What a stage decided, in a few words. */
static json_t *
decision(const struct fcn_control *ctl, const struct fcn_trace_record *r,
		const struct fcn_trace_step *step)
{
	const struct fcn_packet *p = &step->pkt;
	const char *out = fcn_show_port_name(ctl, p->out_port);

	if (p->drop != FCN_DROP_NONE)
		return json_sprintf(
				"dropped: %s (%s)", fcn_drop_name(p->drop), fcn_drop_text(p->drop));
	switch ((enum fcn_stage)step->stage) {
	case FCN_STAGE_RX:
		return json_sprintf("received on %s", fcn_show_port_name(ctl, p->in_port));
	case FCN_STAGE_CLASSIFY:
		return classified(p);
	case FCN_STAGE_TRUST:
		return distrusted(p);
	case FCN_STAGE_MAC_CONTROL:
		return json_string("taken: flow control of the link");
	case FCN_STAGE_SUB_INTERFACE:
		return entered(ctl, p);
	case FCN_STAGE_PROXY_INSERT:
		return json_string("option with the address of the sender's proxy inserted");
	case FCN_STAGE_PROXY_REMOVE:
		return json_string("option with the address of a proxy removed");
	case FCN_STAGE_BRIDGE:
	case FCN_STAGE_ROUTE:
		return directed(ctl, step);
	case FCN_STAGE_LOCAL:
		return delivered(ctl, r, step);
	case FCN_STAGE_PROXY_MARK:
		return json_string("CE-marked, as the proxy was told about its flow");
	case FCN_STAGE_IOAM_EDGE:
		return json_string("IOAM taken out, as its domain ends here");
	case FCN_STAGE_CROSS_CORE_TX:
		return json_sprintf("sent to worker %u, which has %s",
				fcn_control_owner(ctl, p->out_port)->id, out);
	case FCN_STAGE_CROSS_CORE_RX:
		return r->from_worker == FCN_TRACE_ANY_WORKER
				       ? json_string("received from another worker")
				       : json_sprintf("received from worker %u", r->from_worker);
	case FCN_STAGE_HOLD:
		return held(step);
	case FCN_STAGE_ENQUEUE:
		return queued(ctl, r, step);
	case FCN_STAGE_NOTICE:
		return json_sprintf("%s for congestion of %s, class %u",
				fcn_notice_kind_of(p->notice_kind)->title,
				fcn_show_port_name(ctl, p->in_port), p->class);
	case FCN_STAGE_TRANSMIT:
		return json_sprintf("handed to %s from class %u", out, p->class);
	case FCN_STAGE_FAST_PATH: /* traced packets do not take it */
	case FCN_STAGE_BORDER_IN:
	case FCN_STAGE_BORDER_OUT: /* these stages only drop packets */
	case FCN_STAGE_INJECT:     /* packets that enter there are not traced */
	case FCN_STAGE_COUNT:
		break;
	}
	return json_string(fcn_stage_text(step->stage));
}

/* The traces of all workers, and the number under which each record is shown. */
struct traces {
	unsigned int n; /* workers */
	struct fcn_trace *of[FCN_MAX_WORKERS];
	uint16_t shown[FCN_MAX_WORKERS][FCN_TRACE_MAX];
	/* The records of each worker in the order in which they were begun, and their number. */
	uint8_t order[FCN_MAX_WORKERS][FCN_TRACE_MAX];
	unsigned int n_kept[FCN_MAX_WORKERS];
};

static bool
is_kept(const struct fcn_trace_record *r)
{
	return !r->unused && !r->candidate;
}

/* Put the records of a worker that are kept in order. */
static void
sort(struct traces *t, unsigned int w)
{
	uint8_t *order = t->order[w];
	const struct fcn_trace_record *r = t->of[w]->record;
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->of[w]->n; i++) {
		unsigned int k = n;

		if (!is_kept(&r[i]))
			continue;
		for (; k > 0 && (int32_t)(r[order[k - 1]].serial - r[i].serial) > 0; k--)
			order[k] = order[k - 1];
		order[k] = (uint8_t)i;
		n++;
	}
	t->n_kept[w] = n;
}

/* Append the steps of a record. Those before may be of the worker that received the packet. */
static void
add_steps(const struct fcn_control *ctl, const struct fcn_trace_record *r, json_t *steps)
{
	const json_t *last = json_array_get(steps, json_array_size(steps) - 1);
	uint64_t before = json_integer_value(json_object_get(last, "time_ns"));
	bool first = last == NULL;

	for (unsigned int k = 0; k < r->n_steps; k++) {
		json_t *s = fcn_show_row(steps);

		fcn_show_set(s, "time_ns", r->step[k].time_ns);
		fcn_show_set_known(s, "after_ns", !first, r->step[k].time_ns - before);
		before = r->step[k].time_ns;
		first = false;
		fcn_show_set_str(s, "stage", fcn_stage_name(r->step[k].stage));
		json_object_set_new(s, "decision_text", decision(ctl, r, &r->step[k]));
	}
}

static void
show_record(const struct fcn_control *ctl, const struct traces *t, unsigned int w, unsigned int i,
		bool bytes, json_t *list)
{
	const struct fcn_trace_record *r = &t->of[w]->record[i];
	json_t *o = fcn_show_row(list), *steps = json_array();
	char hex[2 * FCN_TRACE_BYTES + 1] = "";

	for (unsigned int k = 0; k < r->n_bytes; k++)
		snprintf(hex + 2 * k, 3, "%02x", r->bytes[k]);
	fcn_show_set(o, "packet", t->shown[w][i]);
	fcn_show_set(o, "bytes", r->len);
	fcn_show_set_known(o, "caused_by", r->cause != 0,
			r->cause != 0 ? t->shown[w][r->cause - 1] : 0);
	fcn_show_trace_packet(r, o);
	add_steps(ctl, r, steps);
	json_object_set_new(o, "steps", steps);
	if (bytes)
		fcn_show_set_str(o, "first_bytes", hex);
}

/* The record that another worker began of the same packet, if it is still kept. */
static const struct fcn_trace_record *
origin(const struct traces *t, const struct fcn_trace_record *r)
{
	const struct fcn_trace *of;

	if (r->from == 0 || r->from_worker >= t->n)
		return NULL;
	of = t->of[r->from_worker];
	return r->from <= of->n && of->record[r->from - 1].from == 0 &&
					       is_kept(&of->record[r->from - 1])
			       ? &of->record[r->from - 1]
			       : NULL;
}

/* A record that continues one of another worker is shown as part of that one. */
static void
number(struct traces *t)
{
	unsigned int n = 0;

	for (unsigned int w = 0; w < t->n; w++) {
		sort(t, w);
		for (unsigned int k = 0; k < t->n_kept[w]; k++) {
			const unsigned int i = t->order[w][k];

			if (origin(t, &t->of[w]->record[i]) == NULL)
				t->shown[w][i] = ++n;
		}
	}
	for (unsigned int w = 0; w < t->n; w++) {
		for (unsigned int k = 0; k < t->n_kept[w]; k++) {
			const unsigned int i = t->order[w][k];
			const struct fcn_trace_record *r = &t->of[w]->record[i];

			if (origin(t, r) != NULL)
				t->shown[w][i] = t->shown[r->from_worker][r->from - 1];
		}
	}
}

static json_t *
show_traces(struct fcn_control *ctl, struct traces *t, bool bytes)
{
	json_t *list = json_array();

	number(t);
	for (unsigned int w = 0; w < t->n; w++) {
		for (unsigned int k = 0; k < t->n_kept[w]; k++) {
			const unsigned int i = t->order[w][k];

			if (origin(t, &t->of[w]->record[i]) == NULL)
				show_record(ctl, t, w, i, bytes, list);
		}
	}
	/* A packet takes a cross-core ring at most once, a notice that it causes once more. */
	for (unsigned int w = 0; w < t->n; w++) {
		for (unsigned int k = 0; k < t->n_kept[w]; k++) {
			const unsigned int i = t->order[w][k];
			const struct fcn_trace_record *r = &t->of[w]->record[i];
			json_t *row = json_array_get(list, t->shown[w][i] - 1u);

			if (origin(t, r) != NULL)
				add_steps(ctl, r, json_object_get(row, "steps"));
		}
	}
	return list;
}

json_t *
fcn_show_trace(struct fcn_control *ctl, bool bytes)
{
	struct traces *t = calloc(1, sizeof(*t));
	json_t *list = NULL;
	bool complete = t != NULL;

	if (complete)
		t->n = fcn_control_n_workers(ctl);
	for (unsigned int w = 0; complete && w < t->n; w++) {
		t->of[w] = malloc(sizeof(*t->of[w]));
		complete = t->of[w] != NULL;
		if (complete)
			fcn_worker_read(fcn_control_worker(ctl, w), read_trace, t->of[w],
					sizeof(*t->of[w]));
	}
	if (complete)
		list = show_traces(ctl, t, bytes);
	for (unsigned int w = 0; t != NULL && w < t->n; w++)
		free(t->of[w]);
	free(t);
	return list != NULL ? list : json_array();
}

json_t *
fcn_show_trace_of(struct fcn_control *ctl, struct fcn_trace *trace)
{
	struct traces *t = calloc(1, sizeof(*t));
	json_t *list;

	if (t == NULL)
		return json_array();
	t->n = 1;
	t->of[0] = trace;
	list = show_traces(ctl, t, false);
	free(t);
	return list;
}

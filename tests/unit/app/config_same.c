/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Each member of two configurations, compared: numbers of ports may differ, their names do not. */

#include "config_same.h"
#include "app_util.h"

#define SAME(member) assert_int_equal(x->member, y->member)

static void
assert_same_sids(const struct fcn_config_srv6 *x, const struct fcn_config_srv6 *y)
{
	SAME(policies.n);
	for (size_t i = 0; i < y->policies.n; i++) {
		assert_string_equal(x->policies.item[i].name, y->policies.item[i].name);
		SAME(policies.item[i].mode);
		SAME(policies.item[i].ecn);
		SAME(policies.item[i].flow_label);
		SAME(policies.item[i].dscp);
		SAME(policies.item[i].hop_limit);
		assert_true(fcn_addr_equal(
				&x->policies.item[i].source, &y->policies.item[i].source));
		assert_true(fcn_addr_equal(&x->policies.item[i].roce_source,
				&y->policies.item[i].roce_source));
	}
	SAME(segments.n);
	for (size_t i = 0; i < y->segments.n; i++) {
		assert_true(fcn_segment_list_is_same(
				&x->segments.item[i].list, &y->segments.item[i].list));
		SAME(segments.item[i].weight);
		SAME(segments.item[i].has_path_id);
		SAME(segments.item[i].path_id);
	}
	SAME(echo);
	SAME(ecn_event);
	SAME(endcon_source.rate);
	SAME(endcon_source.burst);
	SAME(endcon_total.rate);
	SAME(endcon_total.burst);
	SAME(p_nodes.n);
	for (size_t i = 0; i < y->p_nodes.n; i++)
		assert_true(fcn_prefix_equal(&x->p_nodes.item[i], &y->p_nodes.item[i]));
	SAME(sids.n);
	for (size_t i = 0; i < y->sids.n; i++) {
		assert_true(fcn_prefix_equal(&x->sids.item[i].prefix, &y->sids.item[i].prefix));
		SAME(sids.item[i].behavior);
		SAME(sids.item[i].flavors);
		SAME(sids.item[i].has_csid);
		SAME(sids.item[i].csid.block_bits);
		SAME(sids.item[i].csid.node_function_bits);
		SAME(sids.item[i].port);
		SAME(sids.item[i].table);
		assert_true(fcn_addr_equal(&x->sids.item[i].via, &y->sids.item[i].via));
	}
}

/* Numbers of ports and slots of policies may differ, their names do not. */
static void
assert_same_steering(const struct fcn_config *a, const struct fcn_config *b)
{
	const struct fcn_config_srv6 *x = &a->srv6, *y = &b->srv6;

	SAME(steering.n);
	for (size_t i = 0; i < y->steering.n; i++) {
		const struct fcn_config_srv6_steering *p = &x->steering.item[i];
		const struct fcn_config_srv6_steering *q = &y->steering.item[i];

		assert_true(fcn_prefix_equal(&p->prefix, &q->prefix));
		SAME(steering.item[i].table);
		SAME(steering.item[i].dscp);
		SAME(steering.item[i].roce);
		assert_string_equal(fcn_config_srv6_policy_of(a, p->policy)->name,
				fcn_config_srv6_policy_of(b, q->policy)->name);
		assert_int_equal(p->port == FCN_SRV6_ANY, q->port == FCN_SRV6_ANY);
		if (p->port != FCN_SRV6_ANY)
			assert_string_equal(a->port[p->port].name, b->port[q->port].name);
	}
}

static void
assert_same_detector(const struct fcn_config_detector *x, const struct fcn_config_detector *y)
{
	SAME(type);
	SAME(at_dequeue);
	SAME(enter);
	SAME(leave);
	SAME(kmax);
	SAME(pmax);
	SAME(qeq);
	SAME(weight);
	SAME(sample);
	SAME(target_ns);
	SAME(leave_ns);
	SAME(interval_ns);
	SAME(threshold);
	SAME(leave_ratio);
	SAME(hold_ns);
}

static void
assert_same_arn(const struct fcn_config_arn *x, const struct fcn_config_arn *y)
{
	SAME(port);
	SAME(send);
	SAME(receive);
	SAME(neighbours.n);
	for (size_t i = 0; i < y->neighbours.n; i++) {
		assert_true(fcn_addr_equal(
				&x->neighbours.item[i].addr, &y->neighbours.item[i].addr));
		SAME(neighbours.item[i].port);
		SAME(neighbours.item[i].table);
	}
	SAME(source_bucket.rate);
	SAME(source_bucket.burst);
	SAME(receive_bucket.rate);
	SAME(receive_bucket.burst);
	SAME(held.flows);
	SAME(held.packets);
	SAME(held.bytes);
	SAME(held.flow_packets);
	SAME(held.flow_bytes);
	SAME(held.max_ns);
	SAME(held.detect_ns);
	SAME(held.restore_ns);
	SAME(pass_on_bytes);
	SAME(from_pfc);
	SAME(from_pfc_ns);
	SAME(sources.n);
	for (size_t i = 0; i < y->sources.n; i++) {
		assert_true(fcn_prefix_equal(
				&x->sources.item[i].prefix, &y->sources.item[i].prefix));
		SAME(sources.item[i].port);
	}
}

static void
assert_same_inserts(const struct fcn_config_proxy *x, const struct fcn_config_proxy *y)
{
	SAME(too_big);
	SAME(inserts.n);
	for (size_t i = 0; i < y->inserts.n; i++) {
		assert_true(fcn_prefix_equal(
				&x->inserts.item[i].prefix, &y->inserts.item[i].prefix));
		assert_true(fcn_addr_equal(
				&x->inserts.item[i].address, &y->inserts.item[i].address));
	}
}

static void
assert_same_proxy(const struct fcn_config_proxy *x, const struct fcn_config_proxy *y)
{
	SAME(cnm_port);
	SAME(address_from);
	SAME(direct);
	SAME(allowed.n);
	for (size_t i = 0; i < y->allowed.n; i++)
		assert_true(fcn_prefix_equal(&x->allowed.item[i], &y->allowed.item[i]));
	SAME(prefixes.n);
	for (size_t i = 0; i < y->prefixes.n; i++) {
		assert_true(fcn_prefix_equal(
				&x->prefixes.item[i].prefix, &y->prefixes.item[i].prefix));
		assert_true(fcn_addr_equal(
				&x->prefixes.item[i].address, &y->prefixes.item[i].address));
	}
	SAME(receive);
	SAME(node_bucket.rate);
	SAME(node_bucket.burst);
	SAME(total_bucket.rate);
	SAME(total_bucket.burst);
	SAME(interval_ns);
	SAME(level7_ns);
	SAME(pfc_ns);
	SAME(ce_ns);
	SAME(nodes.n);
	for (size_t i = 0; i < y->nodes.n; i++)
		assert_true(fcn_prefix_equal(&x->nodes.item[i], &y->nodes.item[i]));
	SAME(senders.n);
	for (size_t i = 0; i < y->senders.n; i++) {
		assert_true(fcn_prefix_equal(
				&x->senders.item[i].prefix, &y->senders.item[i].prefix));
		SAME(senders.item[i].translation);
	}
	SAME(qps.n);
	for (size_t i = 0; i < y->qps.n; i++) {
		assert_true(fcn_addr_equal(&x->qps.item[i].receiver, &y->qps.item[i].receiver));
		SAME(qps.item[i].receiver_qp);
		SAME(qps.item[i].sender_qp);
		assert_true(fcn_addr_equal(&x->qps.item[i].sender, &y->qps.item[i].sender));
	}
	SAME(reported);
	SAME(reported_host);
	SAME(intercept);
}

static void
assert_same_queue(const struct fcn_config_queue *x, const struct fcn_config_queue *y)
{
	SAME(limit_bytes);
	SAME(limit_packets);
	SAME(weight);
	SAME(strict);
	SAME(policy.ecn);
	SAME(policy.notify);
	SAME(policy.heavy_flows);
	SAME(policy.arn);
	SAME(policy.arn_level);
	SAME(arn_time_ns);
	SAME(trim);
	SAME(trim_size);
	SAME(policy.mark_level);
	SAME(policy.mark_bytes);
	SAME(policy.notify_level);
	SAME(policy.notify_bytes);
	SAME(committed.bps);
	SAME(peak.bps);
	if (x->committed.bps != 0)
		SAME(committed.burst);
	if (x->peak.bps != 0)
		SAME(peak.burst);
	SAME(reserve);
	SAME(alpha);
	assert_same_detector(&x->detector, &y->detector);
}

static void
assert_same_pfc(const struct fcn_config_pfc *x, const struct fcn_config_pfc *y)
{
	SAME(quanta);
	SAME(delay_ns);
	SAME(react_ns);
	SAME(link_pause);
	SAME(hardware);
	SAME(action);
	SAME(detect_ns);
	SAME(restore_ns);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		SAME(class[c].send);
		SAME(class[c].receive);
		SAME(class[c].dynamic);
		SAME(class[c].reserve);
		SAME(class[c].headroom);
		if (x->class[c].dynamic) {
			SAME(class[c].alpha);
			SAME(class[c].xon_below);
		} else {
			SAME(class[c].xoff);
			SAME(class[c].xon);
		}
	}
}

static void
assert_same_ioam(const struct fcn_config_ioam *x, const struct fcn_config_ioam *y)
{
	SAME(node_id);
	SAME(node_id_wide);
	SAME(time_format);
	SAME(tai_offset);
	SAME(namespaces.n);
	for (size_t i = 0; i < x->namespaces.n; i++) {
		SAME(namespaces.item[i].id);
		SAME(namespaces.item[i].short_data);
		SAME(namespaces.item[i].wide_data);
		if (x->namespaces.item[i].short_data == FCN_IOAM_DATA_VALUE)
			SAME(namespaces.item[i].short_value);
		if (x->namespaces.item[i].wide_data == FCN_IOAM_DATA_VALUE)
			SAME(namespaces.item[i].wide_value);
		SAME(namespaces.item[i].schema_id);
		SAME(namespaces.item[i].schema_words);
		assert_memory_equal(x->namespaces.item[i].schema, y->namespaces.item[i].schema,
				sizeof(x->namespaces.item[i].schema));
	}
}

static void
assert_same_host(const struct fcn_config_host *x, const struct fcn_config_host *y)
{
	SAME(mode);
	SAME(dad);
	SAME(mld);
	SAME(class);
	SAME(errors.rate);
	SAME(errors.burst);
	SAME(replies.rate);
	SAME(replies.burst);
	SAME(reachable_ns);
	SAME(retrans_ns);
	SAME(advertise_ns);
	SAME(solicitations.rate);
	SAME(solicitations.burst);
	SAME(port_neighbours);
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		SAME(police[k].set);
		SAME(police[k].rate.per_second);
		SAME(police[k].rate.burst);
	}
	SAME(capability_ns);
	SAME(max_neighbours);
}

void
assert_same_config(const struct fcn_config *before, const struct fcn_config *now)
{
	assert_same_host(&before->host, &now->host);
	assert_int_equal(before->kernel.mode, now->kernel.mode);
	assert_true(before->exports.metrics.version == now->exports.metrics.version &&
			fcn_addr_equal(&before->exports.metrics, &now->exports.metrics));
	assert_int_equal(before->exports.port, now->exports.port);
	assert_string_equal(before->exports.events, now->exports.events);
	assert_int_equal(before->exports.event_rate, now->exports.event_rate);
	assert_int_equal(before->kernel.table, now->kernel.table);
	assert_string_equal(before->kernel.vrf, now->kernel.vrf);
	assert_string_equal(before->kernel.netns, now->kernel.netns);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		assert_string_equal(before->port[p].kernel, now->port[p].kernel);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *a = &before->port[p];
		/* numbers may differ, names do not */
		int q = a->name[0] == '\0' ? -1 : fcn_config_port_find(now, a->name);
		const struct fcn_config_port *b;

		if (a->name[0] == '\0')
			continue;
		assert_true(q >= 0);
		b = &now->port[q];
		assert_string_equal(a->device, b->device);
		assert_memory_equal(&a->mac, &b->mac, sizeof(a->mac));
		assert_int_equal(a->link_bps, b->link_bps);
		assert_int_equal(a->rate_bps, b->rate_bps);
		assert_int_equal(a->burst, b->burst);
		assert_int_equal(a->overhead, b->overhead);
		assert_int_equal(a->queues, b->queues);
		assert_int_equal(a->rx_descriptors, b->rx_descriptors);
		assert_int_equal(a->tx_descriptors, b->tx_descriptors);
		assert_int_equal(a->worker, b->worker);
		assert_same_pfc(&a->pfc, &b->pfc);
		assert_int_equal(a->ioam.transit, b->ioam.transit);
		assert_int_equal(a->ioam.edge, b->ioam.edge);
		assert_int_equal(a->ioam.id, b->ioam.id);
		assert_int_equal(a->ioam.id_wide, b->ioam.id_wide);
		assert_int_equal(a->advertise, b->advertise);
		assert_string_equal(a->table, b->table);
		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
			assert_int_equal(a->police[k].set, b->police[k].set);
			assert_int_equal(
					a->police[k].rate.per_second, b->police[k].rate.per_second);
			assert_int_equal(a->police[k].rate.burst, b->police[k].rate.burst);
		}
		assert_int_equal(a->mtu, b->mtu);
		assert_int_equal(a->trust, b->trust);
		assert_int_equal(a->border, b->border);
		assert_int_equal(a->source_check, b->source_check);
		assert_int_equal(a->class_trust, b->class_trust);
		assert_int_equal(a->untrusted_class, b->untrusted_class);
		assert_int_equal(a->remark, b->remark);
		assert_int_equal(a->remark_dscp, b->remark_dscp);
		assert_int_equal(a->promiscuous, b->promiscuous);
		assert_int_equal(a->bridge >= 0, b->bridge >= 0);
		assert_int_equal(a->pvid, b->pvid);
		assert_memory_equal(a->tagged, b->tagged, sizeof(a->tagged));
		assert_int_equal(a->mac_limit, b->mac_limit);
		assert_int_equal(a->arn_edge, b->arn_edge);
		assert_int_equal(a->proxy_option, b->proxy_option);
		assert_int_equal(a->trim_dscp, b->trim_dscp);
		assert_int_equal(a->vlan, b->vlan);
		assert_int_equal(a->of_bridge >= 0, b->of_bridge >= 0);
		for (unsigned int k = 0; k < FCN_FLOOD_KINDS; k++) {
			assert_int_equal(a->storm[k].rate, b->storm[k].rate);
			assert_int_equal(a->storm[k].burst, b->storm[k].burst);
		}
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			assert_same_queue(&a->queue[c], &b->queue[c]);
	}
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		const struct fcn_config_bridge *a = &before->bridge[b];
		int same = a->name[0] == '\0' ? -1 : fcn_config_bridge_find(now, a->name);

		if (a->name[0] == '\0')
			continue;
		assert_true(same >= 0);
		assert_int_equal(a->ageing_ns, now->bridge[same].ageing_ns);
		assert_int_equal(a->move_limit, now->bridge[same].move_limit);
		assert_int_equal(a->loop_action, now->bridge[same].loop_action);
		assert_int_equal(a->recover_ns, now->bridge[same].recover_ns);
	}
	assert_true(fcn_addr_equal(&before->loopback, &now->loopback));
	assert_true(fcn_addr_equal(&before->loopback4, &now->loopback4));
	assert_memory_equal(&before->class_map, &now->class_map, sizeof(now->class_map));
	assert_int_equal(before->notify.on, now->notify.on);
	assert_int_equal(before->trim.class, now->trim.class);
	assert_int_equal(before->trim.dscp, now->trim.dscp);
	assert_int_equal(before->trim.link_share, now->trim.link_share);
	assert_int_equal(before->notify.interval_ns, now->notify.interval_ns);
	assert_int_equal(before->notify.queue_bucket.rate, now->notify.queue_bucket.rate);
	assert_int_equal(before->notify.queue_bucket.burst, now->notify.queue_bucket.burst);
	assert_int_equal(before->notify.global_bucket.rate, now->notify.global_bucket.rate);
	assert_int_equal(before->codes.proxy_addr, now->codes.proxy_addr);
	assert_int_equal(before->border.cnm_port, now->border.cnm_port);
	assert_int_equal(before->border.arn_port, now->border.arn_port);
	assert_int_equal(before->border.cnp, now->border.cnp);
	assert_int_equal(before->border.local_sids, now->border.local_sids);
	assert_same_arn(&before->arn, &now->arn);
	assert_same_proxy(&before->proxy, &now->proxy);
	assert_same_inserts(&before->proxy, &now->proxy);
	assert_int_equal(before->border.peers.n, now->border.peers.n);
	for (size_t i = 0; i < now->border.peers.n; i++)
		assert_true(fcn_prefix_equal(
				&before->border.peers.item[i], &now->border.peers.item[i]));
	assert_same_sids(&before->srv6, &now->srv6);
	assert_same_steering(before, now);
	assert_int_equal(before->border.unchecked.n, now->border.unchecked.n);
	for (size_t i = 0; i < now->border.unchecked.n; i++)
		assert_true(fcn_prefix_equal(
				&before->border.unchecked.item[i], &now->border.unchecked.item[i]));
	assert_int_equal(before->border.sids.n, now->border.sids.n);
	for (size_t i = 0; i < now->border.sids.n; i++)
		assert_true(fcn_prefix_equal(
				&before->border.sids.item[i], &now->border.sids.item[i]));
	assert_int_equal(before->protected_classes, now->protected_classes);
	assert_int_equal(before->idle_ns, now->idle_ns);
	assert_int_equal(before->stage_cycles, now->stage_cycles);
	assert_int_equal(before->cycle_share, now->cycle_share);
	assert_int_equal(before->buffer, now->buffer);
	assert_int_equal(before->packets, now->packets);
	assert_int_equal(before->copies, now->copies);
	assert_same_ioam(&before->ioam, &now->ioam);
	assert_int_equal(before->notify.dest_bucket.rate, now->notify.dest_bucket.rate);
	assert_int_equal(before->notify.link_share, now->notify.link_share);
	assert_int_equal(before->notify.source_bucket.rate, now->notify.source_bucket.rate);
	assert_int_equal(before->codes.fastcnp_opt1, now->codes.fastcnp_opt1);
	assert_int_equal(before->codes.fastcnp_opt2, now->codes.fastcnp_opt2);
	assert_int_equal(before->addresses.n, now->addresses.n);
	assert_int_equal(before->neighbours.n, now->neighbours.n);
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
		assert_string_equal(before->table[t].name, now->table[t].name);
	assert_int_equal(before->routes.n, now->routes.n);
	for (size_t i = 0; i < now->routes.n; i++)
		assert_int_equal(before->routes.item[i].table, now->routes.item[i].table);
	assert_int_equal(before->senders.n, now->senders.n);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What save writes is what is in force: loaded, it gives the same again. */

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app_util.h"

/* Every command that changes the configuration is among the lines of these tests. */
static const char *const undo[] = {
		"port remove p2",
		"set port p1 rate off",
		"set port p1 rate 3G",
		"bridge remove br0",
		"bridge br0 port remove p1",
		"set bridge br0 port p1 tagged none",
		"set bridge br0 port p1 pvid 7",
		"bridge br0 interface add br0.4094 vlan 4094",
		"port remove br0.5",
		"set bridge br0 loop-action log",
		"set bridge br0 loop-action disable",
		"set bridge br0 loop-action disable recover never",
		"set bridge br0 port p1 mac-limit auto",
		"set bridge br0 port p1 storm-control broadcast off",
		"set bridge br0 port p1 storm-control multicast 3M",
		"set loopback 2001:db8::77",
		"address remove p0 2001:db8::1/64",
		"neighbour remove p0 fe80::2",
		"neighbour add p0 fe80::2 02:00:00:00:00:99",
		"route remove 2001:db8:8::/48",
		"route remove 2001:db8:8::/48 via fe80::2 port p0",
		"route remove 2001:db8:9::/48",
		"set queue p0 class all limit 1G packets 50",
		"set queue p0 class all strict on",
		"set queue p0 class 6 strict auto",
		"set queue p0 class all weight 3",
		"set queue p0 class 0 detector step 20K leave 5K",
		"set queue p0 class 0 detector step 20K hold 3us",
		"set queue p0 class 0 detector off",
		"set queue p0 class 3 detector qcn qeq 30K",
		"set queue p0 class 3 detector qcn weight 3",
		"set queue p0 class 3 detector qcn sample 5000",
		"set queue p0 class 3 detector qcn leave 9",
		"set queue p0 class 3 detector qcn hold 1s",
		"set queue p0 class 3 ecn off",
		"set queue p0 class 3 notify off",
		"set notify bucket queue off",
		"set notify bucket queue auto",
		"set notify link-share off",
		"set notify bucket source off",
		"set notify bucket global off",
		"set copies copy",
		"set copies auto",
		"set worker idle spin",
		"set worker idle sleep 1ms",
		"set worker idle sleep 100us",
		"set port p0 rate 2G burst 3000",
		"set port p0 rate off",
		"set port p0 promiscuous on",
		"set queue p2 class 2 detector step threshold 1001",
		"set queue p2 class 3 detector red",
		"set queue p2 class 3 detector red pmax 0 at enqueue",
		"set queue p2 class 3 detector red kmin 1",
		"set queue p2 class 3 detector red kmax 1M",
		"set queue p2 class 4 detector sojourn target 29us",
		"set queue p2 class 4 detector sojourn interval 1s",
		"set queue p2 class 6 detector rate threshold 8",
		"set queue p2 class 6 detector rate leave 0.001",
		"set queue p2 class 6 detector rate window 1ms hold 1s",
		"set queue p0 class 1 committed 100M",
		"set queue p0 class 1 committed off",
		"set queue p0 class 2 peak off",
		"set queue p0 class 3 mark from 0",
		"set queue p0 class 3 mark level 0",
		"set queue p0 class 4 notify level 0",
		"set queue p0 class 3 heavy-flows off",
		"set queue all class 7 reserve 0",
		"set queue p0 class all alpha 1",
		"set pfc p0 class 3 send off",
		"set pfc p0 class 4 receive off",
		"set pfc p0 class 3 xoff 100K",
		"set pfc p0 class 3 xoff auto",
		"set pfc p1 class 3 xoff auto",
		"set pfc p2 class 3 xoff dynamic 128",
		"set pfc p2 class 3 xoff dynamic below 0",
		"set pfc p0 class 3 reserve 0",
		"set pfc p0 class 3 headroom auto",
		"set pfc p0 quanta 65535",
		"set pfc p0 delay 500ns",
		"set pfc p0 react auto",
		"set pfc p0 link-pause off",
		"set pfc p0 watchdog off",
		"set pfc p0 watchdog drop restore 1us",
		"set pfc all watchdog forward detect 100s",
		"set pfc p0 hardware off",
		"set ioam node off",
		"set ioam node 1",
		"set ioam time ptp",
		"set ioam time posix-ns",
		"ioam namespace remove 7",
		"set ioam namespace 7 short none",
		"set ioam namespace 7 wide none",
		"set ioam namespace 65535 wide value 0",
		"set ioam namespace 7 schema 0",
		"set ioam namespace 7 schema none",
		"set ioam port p0 transit off",
		"set ioam port p0 id 0 wide 1",
		"set ioam port p2 id auto",
		"set ioam port p1 edge drop",
		"set ioam port p1 edge off",
		"set border proxy-type 0x1e",
		"set border cnm-port off",
		"set border cnm-port 65535",
		"set border arn-port off",
		"border peer remove 192.0.2.128/25",
		"border sid remove 2001:db8:f::/48",
		"set srv6 policy other mode no-srh",
		"set srv6 policy toward source 2001:db8:f::6",
		"set srv6 policy toward source loopback",
		"set srv6 policy toward roce-source none",
		"set srv6 policy other roce-source 2001:db8:51:9::2",
		"set srv6 policy toward ecn normal",
		"set srv6 policy toward dscp copy",
		"set srv6 policy toward dscp 0",
		"set srv6 policy other hop-limit 255",
		"srv6 segments remove toward 2001:db8:8::2",
		"srv6 segments add other 2001:db8:8::3 path-id 0",
		"route remove 198.51.100.0/24",
		"srv6 steering remove 2001:db8:b::/48 port p0.100",
		"srv6 steering add 2001:db8:b::/48 policy toward port p0 roce off",
		"srv6 steering add ::/0 policy other table blue",
		"srv6 steering remove 198.51.100.0/25 table blue dscp 63",
		"srv6 policy remove toward",
		"set srv6 endcon-rate off",
		"set srv6 endcon-total 1M",
		"set srv6 echo on",
		"set srv6 kernel-source loopback",
		"set srv6 kernel-source 2001:db8:f::6",
		"set srv6 kernel-roce-source none",
		"set srv6 ecn-events on",
		"srv6 sid remove 2001:db8:51:1::/64",
		"srv6 sid add 2001:db8:53:1::/64 end.x via 2001:db8:1::9 port p0 next-csid 48 16",
		"srv6 sid remove 2001:db8:51:6::/64",
		"srv6 p-node remove 2001:db8:5f::/48",
		"srv6 endcon remove 2001:db8:5e::/48",
		"set srv6 endcon-protocol off",
		"set srv6 endcon-protocol 0",
		"set queue p0 class 3 arn off",
		"set queue p0 class 4 arn flow",
		"set queue p0 class 3 arn-level 0",
		"set queue p0 class 3 arn-time 1s",
		"set arn bucket queue off",
		"set arn bucket global off",
		"set arn bucket neighbour 3 burst 4",
		"set arn send off",
		"set arn port 65535",
		"set arn receive off",
		"set arn bucket source off",
		"set arn bucket received off",
		"set arn held-flows 1024",
		"set arn held-packets 16384",
		"set arn held-bytes 1",
		"set arn flow-packets 1",
		"set arn flow-bytes 1G",
		"set arn pass-on off",
		"set arn max-time 1us",
		"set arn watchdog off",
		"set arn watchdog detect 1ms",
		"set arn from-pfc off",
		"set arn from-pfc-after 0",
		"arn source remove 2001:db8:f:1::/64",
		"arn source add 2001:db8:f:2::1/128",
		"set port p0 arn-edge off",
		"set proxy receive off",
		"set proxy rate off",
		"set proxy total-rate off",
		"set proxy interval 1us",
		"set proxy interval 30us level-7 30us",
		"set proxy pfc-time 1us",
		"set proxy ce-time 10s",
		"proxy node remove 192.0.2.64/26",
		"proxy sender add 198.51.100.0/24 translate fast-cnp",
		"proxy sender remove 198.51.100.0/24",
		"proxy qp add 192.0.2.7 17 sender-qp 0",
		"proxy qp remove 192.0.2.7 17",
		"set port all arn-edge pfc",
		"set cnm port 65535",
		"set cnm address-from option-prefix",
		"set cnm address-from prefix-option",
		"set cnm direct otherwise",
		"set cnm direct never",
		"proxy allowed remove 2001:db8:f::/64",
		"set notify cnm off",
		"proxy prefix remove 192.0.2.0/24",
		"proxy prefix add 192.0.2.0/24 address 2001:db8:f::22",
		"set proxy-option too-big omit",
		"set port p0 proxy-option off",
		"set port all proxy-option remove",
		"proxy insert remove 2001:db8:a::/48",
		"proxy insert add 2001:db8:b::/48 address 2001:db8:f::23",
		"arn neighbour remove 2001:db8:f::11",
		"arn neighbour remove 2001:db8:f::12 port p1",
		"set port p1 border off",
		"set port p0 class-trust auto",
		"set port p0 remark off",
		"set protected-class all off",
		"set protected-class auto",
		"set notify bucket destination 7K burst 3",
		"set notify mark-unknown on",
		"set host auto",
		"set host off",
		"set host dad on",
		"set host mld on",
		"set host errors 1000 burst 100",
		"set host replies 1K burst 100",
		"set host reachable 30s",
		"set host retrans 1s",
		"set host solicitations 500 burst 250",
		"set host neighbours 8192",
		"set host police all default",
		"set port p0 police neighbour 2K burst 10",
		"set port p0 police all default",
		"set port p0 table blue",
		"set port p0.100 table main",
		"table remove green",
		"set kernel table 100",
		"set table blue kernel off",
		"set table red kernel table 100",
		"set kernel table main",
		"set kernel namespace none",
		"set kernel off",
		"set port p0 kernel off",
		"set host capability off",
		"set host advertise 200s",
		"set host class 7",
		"set port p0 advertise off",
		"set notify fast-cnp off",
		"set notify endcon off",
		"set notify interval 0",
		"sender remove 2001:db8:a::/48",
		"sender add 2001:db8:a::/48 unknown",
		"sender default none",
		"set class-map dscp 5 class 0",
		"set class-map pcp 2 class 2",
		NULL,
};

/* A buffer goes when nothing is a part of it any more. */
static const char *const no_buffer[] = {
		"set pfc all class 3 xoff auto",
		"set buffer off",
		NULL,
};

/* As in app_everything; without what stands in the way of this command. */
static const char *const alone[] = {
		"set notify fast-cnp off",
		"set notify endcon off",
		"set notify cnm off",
		"set arn send off",
		"set arn receive off",
		"set arn port off",
		"set proxy receive off",
		"set cnm port off",
		"set loopback none",
		NULL,
};

/* Lines with words that commands had before, and what is saved of them. */
static const struct {
	const char *former, *now, *begins;
} former_words[] = {
		{"set queue p0 class 3 contributors on", "set queue p0 class 3 heavy-flows on",
				"set queue p0 class 3 con"},
};

static bool
is_among(size_t form, const char *const *lines)
{
	for (; *lines != NULL; lines++) {
		if (fcn_command_form_matches(session.table, form, *lines))
			return true;
	}
	return false;
}

static bool
is_former(size_t form)
{
	for (size_t i = 0; i < RTE_DIM(former_words); i++) {
		if (fcn_command_form_matches(session.table, form, former_words[i].former))
			return true;
	}
	return false;
}

/* A command's optional parts are ways to write it: at least one of each command is here. */
static void
test_every_command_is_here(void **state)
{
	const struct fcn_command_table *t = session.table;
	const size_t n_forms = fcn_command_form_count(t);

	RTE_SET_USED(state);
	for (size_t i = 0; i < n_forms; i++) {
		const struct fcn_command *c = fcn_command_form_command(t, i);
		bool found = false;

		if (c->kind != FCN_COMMAND_CONFIG)
			continue;
		for (size_t k = 0; k < n_forms; k++) {
			if (fcn_command_form_command(t, k) == c)
				found |= is_among(k, app_everything) || is_among(k, undo) ||
					 is_among(k, no_buffer) || is_among(k, alone) ||
					 (c->former && is_former(k));
		}
		if (!found)
			fail_msg("no test of: %s", c->syntax);
	}
}

#define SAME(member) assert_int_equal(x->member, y->member)

static void
assert_same_sids(const struct fcn_config_srv6 *x, const struct fcn_config_srv6 *y)
{
	SAME(policies.n);
	for (size_t i = 0; i < y->policies.n; i++) {
		assert_string_equal(x->policies.item[i].name, y->policies.item[i].name);
		SAME(policies.item[i].mode);
		SAME(policies.item[i].ecn);
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
	}
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
	SAME(n_namespaces);
	for (uint32_t i = 0; i < x->n_namespaces; i++) {
		SAME(ns[i].id);
		SAME(ns[i].short_data);
		SAME(ns[i].wide_data);
		if (x->ns[i].short_data == FCN_IOAM_DATA_VALUE)
			SAME(ns[i].short_value);
		if (x->ns[i].wide_data == FCN_IOAM_DATA_VALUE)
			SAME(ns[i].wide_value);
		SAME(ns[i].schema_id);
		SAME(ns[i].schema_words);
		assert_memory_equal(x->ns[i].schema, y->ns[i].schema, sizeof(x->ns[i].schema));
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

/* Put what is in force aside, begin anew, load it: the same text, and the same in memory. */
static void
round_trip(void)
{
	char *text = app_config(), *again;
	struct fcn_config *before = fcn_config_copy(fcn_control_config(platform.ctl));
	const struct fcn_config *now;

	app_ok("save round.conf");
	app_teardown(NULL);
	app_setup(NULL);
	app_ok("load round.conf");
	again = app_config();
	assert_string_equal(again, text);
	free(again);
	now = fcn_control_config(platform.ctl);
	assert_same_host(&before->host, &now->host);
	assert_int_equal(before->kernel.mode, now->kernel.mode);
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
	assert_memory_equal(&before->class_map, &now->class_map, sizeof(now->class_map));
	assert_int_equal(before->notify.on, now->notify.on);
	assert_int_equal(before->notify.interval_ns, now->notify.interval_ns);
	assert_int_equal(before->notify.queue_bucket.rate, now->notify.queue_bucket.rate);
	assert_int_equal(before->notify.queue_bucket.burst, now->notify.queue_bucket.burst);
	assert_int_equal(before->notify.global_bucket.rate, now->notify.global_bucket.rate);
	assert_int_equal(before->codes.proxy_addr, now->codes.proxy_addr);
	assert_int_equal(before->border.cnm_port, now->border.cnm_port);
	assert_int_equal(before->border.arn_port, now->border.arn_port);
	assert_same_arn(&before->arn, &now->arn);
	assert_same_proxy(&before->proxy, &now->proxy);
	assert_same_inserts(&before->proxy, &now->proxy);
	assert_int_equal(before->border.peers.n, now->border.peers.n);
	for (size_t i = 0; i < now->border.peers.n; i++)
		assert_true(fcn_prefix_equal(
				&before->border.peers.item[i], &now->border.peers.item[i]));
	assert_same_sids(&before->srv6, &now->srv6);
	assert_same_steering(before, now);
	assert_int_equal(before->border.sids.n, now->border.sids.n);
	for (size_t i = 0; i < now->border.sids.n; i++)
		assert_true(fcn_prefix_equal(
				&before->border.sids.item[i], &now->border.sids.item[i]));
	assert_int_equal(before->protected_classes, now->protected_classes);
	assert_int_equal(before->idle_ns, now->idle_ns);
	assert_int_equal(before->buffer, now->buffer);
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
	fcn_config_free(before);
	free(text);
}

static void
test_everything(void **state)
{
	char *text;

	RTE_SET_USED(state);
	app_all(app_everything);
	text = app_config();
	app_ok("show config");
	assert_string_equal(app_output(), text);
	free(text);
	round_trip();
}

/* Configuration files may have words that commands had before: they do the same, and are saved as
 * the words of today. Help and completion do not name them. */
static void
test_former_words(void **state)
{
	RTE_SET_USED(state);
	for (size_t i = 0; i < RTE_DIM(former_words); i++) {
		char file[256], *text;

		snprintf(file, sizeof(file), "port add p0\n%s\n", former_words[i].former);
		app_write("former.conf", file);
		app_ok("load former.conf");
		text = app_config();
		assert_non_null(strstr(text, former_words[i].now));
		assert_null(strstr(text, former_words[i].former));
		free(text);
		snprintf(file, sizeof(file), "help %s", former_words[i].begins);
		app_line(file);
		assert_null(strstr(app_output(), "contributors"));
	}
}

static void
test_nothing(void **state)
{
	RTE_SET_USED(state);
	round_trip();
	app_ok("port add p0");
	round_trip();
}

/* Each line of the configuration shows in what is saved, from the moment it is in force. */
static void
test_each_shows(void **state)
{
	char *before = app_config(), *after;

	RTE_SET_USED(state);
	for (const char *const *line = app_everything; *line != NULL; line++) {
		app_ok(*line);
		after = app_config();
		if (strcmp(before, after) == 0)
			fail_msg("not saved: %s", *line);
		free(before);
		before = after;
	}
	free(before);
}

/* And each change of it: one at a time, and there and back through a file. */
static void
test_each_change(void **state)
{
	char *full, *after;

	RTE_SET_USED(state);
	app_all(app_everything);
	full = app_config();
	app_write("full.conf", full);
	for (const char *const *line = undo; *line != NULL; line++) {
		app_teardown(NULL);
		app_setup(NULL);
		app_ok("load full.conf");
		app_ok(*line);
		after = app_config();
		if (strcmp(full, after) == 0)
			fail_msg("not saved: %s", *line);
		free(after);
		round_trip();
	}
	app_teardown(NULL);
	app_setup(NULL);
	app_ok("load full.conf");
	app_all(alone);
	round_trip();
	app_all(no_buffer);
	round_trip();
	free(full);
}

/* Written beside the old one and put in its place; what cannot be written leaves it whole. */
static void
test_save_file(void **state)
{
	struct stat st;

	RTE_SET_USED(state);
	app_write("keep.conf", "# mine\n");
	app_ok("save keep.conf");
	assert_int_equal(stat("keep.conf", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(chmod("keep.conf", 0600), 0);
	assert_int_equal(symlink("keep.conf", "link.conf"), 0);
	app_ok("save link.conf");
	assert_int_equal(lstat("link.conf", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(unlink("link.conf"), 0);
	assert_int_equal(stat("keep.conf", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(app_line("save pipe"), -EINVAL);
	assert_string_equal(app_output(),
			"column 6: pipe: it is a pipe, and only a regular file is written\n");
	assert_int_equal(unlink("pipe"), 0);
	assert_int_equal(app_line("save no/such/dir"), -ENOENT);
	assert_int_equal(mkdir("adir", 0755), 0);
	assert_int_not_equal(app_line("save adir"), 0);
	assert_int_equal(rmdir("adir"), 0);
	assert_int_equal(system("test \"$(ls)\" = keep.conf -o -z \"$(ls | grep keep.conf.)\""), 0);
	assert_int_equal(unlink("keep.conf"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, app_setup, app_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_every_command_is_here),
			TEST(test_everything),
			TEST(test_former_words),
			TEST(test_nothing),
			TEST(test_each_shows),
			TEST(test_each_change),
			TEST(test_save_file),
	};

	return cmocka_run_group_tests_name("save", tests, app_group_setup, app_group_teardown);
}

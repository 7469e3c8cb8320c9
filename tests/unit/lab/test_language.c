/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What good lines make: names, parameters, hosts' parameters, faults and actions, expectations. */

#include <unistd.h>

#include "lab_util.h"

#define STAR             \
	"host add a,b\n" \
	"switch add s\n" \
	"link add a,b s\n"

TEST(ranges)
{
	static const char *const expected[] = {
			"h1", "h2", "h5", "p0x2", "p0x3", "p1x2", "p1x3", "r08", "r09", "r10", "t"};
	struct lab_scenario *sc = good("host add h[1-2,5],p[0-1]x[2-3],r[08-10],t\n"
				       "switch add s\n"
				       "link add h[1-2,5],p[0-1]x[2-3],r[08-10],t s\n");

	assert_int_equal(sc->n_hosts, RTE_DIM(expected));
	for (unsigned int i = 0; i < sc->n_hosts; i++)
		assert_string_equal(sc->host[i].name, expected[i]);
	lab_scenario_free(sc);
}

/* Names of ports: of the other end, numbered from the second link on, or as given. */
TEST(ports)
{
	struct lab_scenario *sc = good("host add h[1-2]\n"
				       "switch add s[1-2]\n"
				       "link add h[1-2] s1 port p[1-2]\n"
				       "link add s1 s2\n"
				       "link add s1 s2\n"
				       "link add s1 s2 port up down\n"
				       "link s1 s2 pcap\n");

	assert_string_equal(sc->link[0].port[0], "");
	assert_string_equal(sc->link[0].port[1], "p1");
	assert_string_equal(sc->link[1].port[1], "p2");
	assert_string_equal(sc->link[2].port[0], "s2");
	assert_string_equal(sc->link[2].port[1], "s1");
	assert_string_equal(sc->link[3].port[0], "s2_2");
	assert_string_equal(sc->link[3].port[1], "s1_2");
	assert_string_equal(sc->link[4].port[0], "up");
	assert_string_equal(sc->link[4].port[1], "down");
	assert_false(sc->link[1].pcap);
	assert_true(sc->link[2].pcap && sc->link[3].pcap && sc->link[4].pcap);
	lab_scenario_free(sc);
}

TEST(params)
{
	static const struct lab_setting set[] = {
			{"n", "1"}, {"seed", "7"}, {"n", "3"}, {"duration", "2ms"}};
	static const char text[] = "title $$5 of it\n"
				   "param n 2\n"
				   "param rtt 4us\n"
				   "param last h$n\n"
				   "seed 9\n"
				   "duration 1s\n"
				   "settle $((100*$rtt))ns\n"
				   "host add h[1-$n],x # $nobody\n"
				   "switch add s\n"
				   "link add h[1-$n],x s rate $((25*$n))G\n"
				   "flow add f from ${last} to x size $((1/4))M stop $duration\n"
				   "switch s do set loopback 2001:db8::$seed\n";
	struct lab_scenario *sc;
	char *said, err[200], *more;

	sc = load(text, set, RTE_DIM(set), &said);
	assert_string_equal(said, "");
	free(said);
	assert_string_equal(sc->title, "$5 of it");
	assert_int_equal(sc->seed, 7);
	assert_int_equal(sc->duration_ns, 2000000);
	assert_int_equal(sc->settle_ns, 400000);
	assert_int_equal(sc->n_hosts, 4);
	assert_int_equal(sc->link[0].rate_bps, 75000000000);
	assert_int_equal(sc->flow[0].from, 2);
	assert_int_equal(sc->flow[0].bytes, 250000);
	assert_int_equal(sc->flow[0].stop_ns, 2000000);
	assert_string_equal(sc->node_switch[0].lines[0].text, "set loopback 2001:db8::7");
	assert_int_equal(sc->node_switch[0].lines[0].column, 13);

	more = lab_scenario_expand(sc, "# as it is $nobody\n\nset port $last mtu 9000 # $no\r\n$n",
			err, sizeof(err));
	assert_string_equal(more, "\n\nset port h3 mtu 9000 \n3");
	free(more);
	assert_null(lab_scenario_expand(sc, "a\nb $n $no\n", err, sizeof(err)));
	assert_string_equal(err, "line 2, column 6: there is no parameter no");
	lab_scenario_free(sc);
}

TEST(settings)
{
	static const struct lab_setting unknown[] = {{"m", "1"}};
	static const struct lab_setting wrong[] = {{"duration", "1"}};
	char *said;

	assert_null(load("param n 2\nparam k 3\nduration 1ms\n", unknown, 1, &said));
	assert_string_equal(said, "--set: x.lab has no parameter m; it has n, k\n");
	free(said);
	assert_null(load("duration 1ms\n", wrong, 1, &said));
	assert_string_equal(said, "--set: duration 1: 1 has no unit (examples: 4us, 100ns, 5ms, "
				  "300s)\n");
	free(said);
}

/*
 * Lines of the command line are added to the end of the scenario: they count more than those before
 * them, see its parameters, happen after what happens at the same time, and messages tell where
 * they are.
 */
TEST(lines)
{
	static const struct lab_setting set[] = {{NULL, "host $name set payload 512"},
			{"name", "b"}, {NULL, "switch s do set loopback 2001:db8::2"},
			{NULL, "at 5us link a s down"}};
	static const struct lab_setting wrong[] = {
			{NULL, "duration 1ms"}, {NULL, "host all set payload 500"}};
	static const char text[] = "param name a\n"
				   "switch add s\n"
				   "host add a,b\n"
				   "link add a,b s\n"
				   "host all set payload 4096\n"
				   "switch s do set loopback 2001:db8::1\n"
				   "at 5us link a s loss 1%\n"
				   "at 5us link a s up\n";
	struct lab_scenario *sc;
	char *said;

	sc = load(text, set, RTE_DIM(set), &said);
	assert_string_equal(said, "");
	free(said);
	assert_int_equal(sc->host[0].conf.payload, 4096);
	assert_int_equal(sc->host[1].conf.payload, 512);
	assert_int_equal(sc->node_switch[0].n_lines, 2);
	assert_int_equal(sc->node_switch[0].lines[1].place.line, 2);
	assert_string_equal(sc->node_switch[0].lines[1].place.file, "--line");
	assert_string_equal(sc->node_switch[0].lines[1].text, "set loopback 2001:db8::2");
	assert_int_equal(sc->n_actions, 4);
	assert_int_equal(sc->action[0].kind, LAB_LINK_FAULTS);
	assert_int_equal(sc->action[2].kind, LAB_LINK_UP);
	assert_int_equal(sc->action[3].kind, LAB_LINK_DOWN);
	assert_int_equal(sc->n_lines, 3);
	assert_string_equal(sc->line[0], "host $name set payload 512");
	lab_scenario_free(sc);
	assert_null(load(text, wrong, RTE_DIM(wrong), &said));
	assert_non_null(strstr(said, "--line:2:22: "));
	free(said);
}

TEST(host_values)
{
	struct lab_scenario *sc = good(STAR "host a set payload 4096\n"
					    "host a set operation write\n"
					    "host a set window 1M\n"
					    "host a set hop-limit 9\n"
					    "host a set timeout 3ms\n"
					    "host a set selective-repeat on\n"
					    "host a set ack-every 16\n"
					    "host a set ack-dscp 48\n"
					    "host a set cnp off\n"
					    "host a set cnp-scope pair\n"
					    "host a set cnp-interval 50us\n"
					    "host a set cnp-delay 2us\n"
					    "host a set reaction-interval 10us\n"
					    "host a set fast-cnp accept from 2001:db8:f::/48\n"
					    "host a set fast-cnp accept from 2001:db8:e::1\n"
					    "host a set detour after 3 hold 1ms\n"
					    "host a set ioam on hops 4 namespace 7\n"
					    "host a set icrc norm\n"
					    "host b set fast-cnp ignore\n"
					    "host b set window none\n");
	const struct fcn_endpoint_conf *a = &sc->host[0].conf, *b = &sc->host[1].conf;

	assert_int_equal(a->payload, 4096);
	assert_int_equal(a->window, 1000000);
	assert_int_equal(a->operation, FCN_OPERATION_WRITE);
	assert_int_equal(b->operation, FCN_OPERATION_SEND);
	assert_int_equal(a->hop_limit, 9);
	assert_int_equal(a->timeout_ns, 3000000);
	assert_true(a->selective_repeat);
	assert_int_equal(a->ack_every, 16);
	assert_int_equal(a->ack_dscp, 48);
	assert_false(a->cnp);
	assert_int_equal(a->cnp_scope, FCN_CNP_PER_IP_PAIR);
	assert_int_equal(a->cnp_interval_ns, 50000);
	assert_int_equal(a->cnp_delay_ns, 2000);
	assert_int_equal(a->reaction_interval_ns, 10000);
	assert_int_equal(a->fastcnp, FCN_FASTCNP_ACCEPT);
	assert_int_equal(a->n_access, 2);
	assert_int_equal(a->access[0].len, 48);
	assert_int_equal(a->access[1].len, 128);
	assert_int_equal(a->detour_after, 3);
	assert_int_equal(a->detour_hold_ns, 1000000);
	assert_true(a->ioam);
	assert_int_equal(a->ioam_hops, 4);
	assert_int_equal(a->ioam_namespace, 7);
	assert_int_equal(a->icrc_mode, FCN_ICRC_NORM);
	assert_int_equal(b->fastcnp, FCN_FASTCNP_IGNORE);
	assert_int_equal(b->window, FCN_WINDOW_NONE);
	assert_true(b->cnp);
	assert_int_equal(b->payload, 1024);
	lab_scenario_free(sc);
}

static uint64_t
parameter(const struct fcn_reaction_conf *conf, enum fcn_reaction_kind kind, const char *word)
{
	uint64_t value = 0;

	assert_non_null(fcn_reaction_parameter(conf, kind, word, &value));
	return value;
}

TEST(reactions)
{
	struct lab_scenario *sc = good(STAR
			"host all reaction dcqcn\n"
			"host all set rpg-threshold 3\n"
			"host all set clamp-tgt-rate on\n"
			"host all set rate-reduce-monitor-period 8us\n"
			"host all set initial-alpha 512\n"
			"host b reaction hpcc base-rtt 8us eta 99% max-stage 5 wai 80 flows 4\n");
	const struct fcn_reaction_conf *a = &sc->host[0].conf.reaction;
	const struct fcn_reaction_conf *b = &sc->host[1].conf.reaction;

	assert_int_equal(a->kind, FCN_REACTION_DCQCN);
	assert_int_equal(parameter(a, FCN_REACTION_DCQCN, "rpg-threshold"), 3);
	assert_int_equal(parameter(a, FCN_REACTION_DCQCN, "dce-tcp-g"), 1019);
	assert_int_equal(parameter(a, FCN_REACTION_DCQCN, "clamp-tgt-rate"), 1);
	assert_int_equal(parameter(a, FCN_REACTION_DCQCN, "rate-reduce-monitor-period"), 8000);
	assert_int_equal(parameter(a, FCN_REACTION_DCQCN, "initial-alpha"), 512);
	assert_false(sc->host[0].conf.ioam);
	assert_int_equal(b->kind, FCN_REACTION_HPCC);
	assert_int_equal(parameter(b, FCN_REACTION_HPCC, "base-rtt"), 8000);
	assert_int_equal(parameter(b, FCN_REACTION_HPCC, "eta"), 990);
	assert_int_equal(parameter(b, FCN_REACTION_HPCC, "max-stage"), 5);
	assert_int_equal(parameter(b, FCN_REACTION_HPCC, "wai"), 80);
	assert_int_equal(parameter(b, FCN_REACTION_HPCC, "flows"), 4);
	assert_true(sc->host[1].conf.ioam);
	lab_scenario_free(sc);

	sc = good(STAR "host a reaction beta factor 0.8 increase 50M base-rtt 9us "
		       "quiet-rounds 5 bytes 64K min-rate 10M\n"
		       "host b reaction level paper\n");
	a = &sc->host[0].conf.reaction;
	b = &sc->host[1].conf.reaction;
	assert_int_equal(a->kind, FCN_REACTION_BETA);
	assert_int_equal(parameter(a, FCN_REACTION_BETA, "factor"), 800);
	assert_int_equal(parameter(a, FCN_REACTION_BETA, "increase"), 50000000);
	assert_int_equal(parameter(a, FCN_REACTION_BETA, "base-rtt"), 9000);
	assert_int_equal(parameter(a, FCN_REACTION_BETA, "quiet-rounds"), 5);
	assert_int_equal(parameter(a, FCN_REACTION_BETA, "bytes"), 64000);
	assert_int_equal(parameter(a, FCN_REACTION_BETA, "min-rate"), 10000000);
	assert_int_equal(b->kind, FCN_REACTION_LEVEL);
	assert_int_equal(parameter(b, FCN_REACTION_DCQCN, "rpg-threshold"), 5);
	assert_int_equal(parameter(b, FCN_REACTION_LEVEL, "default-level"), 7);
	assert_int_equal(parameter(b, FCN_REACTION_LEVEL, "threshold"), 0);
	assert_int_equal(parameter(b, FCN_REACTION_LEVEL, "limit"), 0);
	lab_scenario_free(sc);

	sc = good(STAR "host a reaction level default-level 3 threshold 100K limit 2M\n");
	a = &sc->host[0].conf.reaction;
	assert_int_equal(a->kind, FCN_REACTION_LEVEL);
	assert_int_equal(parameter(a, FCN_REACTION_LEVEL, "default-level"), 3);
	assert_int_equal(parameter(a, FCN_REACTION_LEVEL, "threshold"), 100000);
	assert_int_equal(parameter(a, FCN_REACTION_LEVEL, "limit"), 2000000);
	lab_scenario_free(sc);
}

TEST(flows)
{
	struct lab_scenario *sc = good(STAR
			"host add c\nlink add c s\nduration 1s\n"
			"flow add f from a,b to b,c size 10K messages 3 interval 5us start 1us "
			"stop 9ms every 2us rate 1G dscp 34 source-port 49152\n"
			"flow add g from a to b size 1 endless\n"
			"flow set f operation write\n"
			"flow add f from c to b size 1\n");

	assert_int_equal(sc->n_flows, 5);
	for (unsigned int i = 0; i < sc->n_flows; i++)
		assert_int_equal(sc->flow[i].operation,
				i < 3 ? FCN_OPERATION_WRITE : FCN_OPERATION_DEFAULT);
	/* a to b, a to c, b to c, not b to b */
	assert_int_equal(sc->flow[0].from, 0);
	assert_int_equal(sc->flow[0].to, 1);
	assert_int_equal(sc->flow[0].start_ns, 1000);
	assert_int_equal(sc->flow[1].to, 2);
	assert_int_equal(sc->flow[1].start_ns, 1000);
	assert_int_equal(sc->flow[2].from, 1);
	assert_int_equal(sc->flow[2].to, 2);
	assert_int_equal(sc->flow[2].start_ns, 3000);
	assert_string_equal(sc->flow[2].name, "f");
	assert_int_equal(sc->flow[2].bytes, 10000);
	assert_int_equal(sc->flow[2].messages, 3);
	assert_int_equal(sc->flow[2].interval_ns, 5000);
	assert_int_equal(sc->flow[2].stop_ns, 9000000);
	assert_int_equal(sc->flow[2].rate_bps, 1000000000);
	assert_int_equal(sc->flow[2].dscp, 34);
	assert_int_equal(sc->flow[2].src_port, 49152);
	assert_true(sc->flow[3].messages == UINT64_MAX);
	assert_int_equal(sc->flow[3].dscp, 26);
	assert_true(sc->flow[3].stop_ns == FCN_ENDPOINT_NEVER);
	/* a has part in 3 flows, b in 4, c in 3 */
	assert_int_equal(sc->host[0].conf.max_qps, 3);
	assert_int_equal(sc->host[1].conf.max_qps, 4);
	assert_int_equal(sc->host[2].conf.max_qps, 3);
	lab_scenario_free(sc);
}

TEST(faults)
{
	struct lab_scenario *sc = good(
			STAR "link a,b s loss 1%\n"
			     "link s a corrupt 0.5 towards a\n"
			     "at 3us link a s duplicate 2% towards s\n"
			     "at 1us link a s loss 0\n"
			     "at 2us notices drop 10%\n"
			     "at 4us link s b reorder 3% by 7us\n"
			     "at 4us switch s do set notify fast-cnp off\n"
			     "at 5us switch s starve 100\n"
			     "at 6us switch s starve back\n"
			     "at 7us switch s restart\n"
			     "at 8us link a s down\n"
			     "at 9us link a s up\n"
			     "at 9us host a spoof 5 to b\n"
			     "at 10us switch s collector stop\n"
			     "at 11us switch s collector stop room 7\n"
			     "at 12us switch s collector start\n"
			     "flow add f from a to b size 1M\n"
			     "at 13us host b halt f at s for 20us\n"
			     "at 14us host b halt f at s for 0 as s\n"
			     "at 15us host b tell s about f level 5 times 3 every 2us as s\n"
			     "at 20us host b tell s about f level 7\n");
	const struct lab_action *a = sc->action;

	/* [0] is from the first end: a, b */
	assert_int_equal(sc->link[0].faults[0].loss, 10000000);
	assert_int_equal(sc->link[0].faults[1].loss, 10000000);
	assert_int_equal(sc->link[0].faults[0].corrupt, 0);
	assert_int_equal(sc->link[0].faults[1].corrupt, 500000000);
	assert_int_equal(sc->link[1].faults[1].corrupt, 0);
	assert_int_equal(sc->n_actions, 22);

	assert_int_equal(a[0].kind, LAB_LINK_FAULTS);
	assert_int_equal(a[0].time_ns, 1000);
	assert_int_equal(a[0].target, 0);
	assert_int_equal(a[0].direction, 0);
	assert_int_equal(a[0].faults.loss, 0);
	assert_int_equal(a[0].faults.notice_loss, 0); /* not yet */
	assert_int_equal(a[1].direction, 1);
	assert_int_equal(a[1].faults.loss, 0);
	assert_int_equal(a[1].faults.corrupt, 500000000);
	assert_int_equal(a[2].kind, LAB_NOTICES_DROP);
	assert_int_equal(a[2].ratio, 100000000);
	/* what the two before did is still so */
	assert_int_equal(a[3].kind, LAB_LINK_FAULTS);
	assert_int_equal(a[3].time_ns, 3000);
	assert_int_equal(a[3].direction, 0);
	assert_int_equal(a[3].faults.loss, 0);
	assert_int_equal(a[3].faults.duplicate, 20000000);
	assert_int_equal(a[3].faults.notice_loss, 100000000);
	assert_int_equal(a[4].target, 1);
	assert_int_equal(a[4].faults.reorder, 30000000);
	assert_int_equal(a[4].faults.reorder_ns, 7000);
	assert_int_equal(a[4].faults.loss, 10000000);
	assert_int_equal(a[5].direction, 1);
	assert_int_equal(a[6].kind, LAB_SWITCH_LINE);
	assert_string_equal(a[6].text, "set notify fast-cnp off");
	assert_int_equal(a[6].place.line, 10);
	assert_int_equal(a[7].kind, LAB_SWITCH_STARVE);
	assert_int_equal(a[7].count, 100);
	assert_true(a[8].count == UINT64_MAX);
	assert_int_equal(a[9].kind, LAB_SWITCH_RESTART);
	assert_int_equal(a[10].kind, LAB_LINK_DOWN);
	assert_int_equal(a[10].target, 0);
	assert_int_equal(a[11].kind, LAB_LINK_UP);
	assert_int_equal(a[12].kind, LAB_NOTICES_SPOOF);
	assert_int_equal(a[12].target, 0);
	assert_int_equal(a[12].other, 1);
	assert_int_equal(a[12].count, 5);
	assert_int_equal(a[13].kind, LAB_COLLECTOR_STOP);
	assert_int_equal(a[13].count, LAB_SWITCH_EVENTS);
	assert_int_equal(a[14].count, 7);
	assert_int_equal(a[15].kind, LAB_COLLECTOR_START);
	assert_int_equal(a[16].kind, LAB_HOST_HALT);
	assert_int_equal(a[16].target, 1);
	assert_int_equal(a[16].other, 0);
	assert_int_equal(a[16].as, -1);
	assert_int_equal(a[16].count, 20000);
	assert_string_equal(a[16].text, "f");
	assert_int_equal(a[17].as, 0);
	assert_int_equal(a[17].count, 0);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(a[18 + i].kind, LAB_HOST_TELL);
		assert_int_equal(a[18 + i].time_ns, 15000 + 2000 * i);
		assert_int_equal(a[18 + i].count, 5);
		assert_int_equal(a[18 + i].as, 0);
	}
	assert_int_equal(a[21].as, -1);
	assert_int_equal(a[21].count, 7);
	assert_string_equal(a[21].text, "f");
	lab_scenario_free(sc);
}

TEST(expectations)
{
	struct lab_scenario *sc = good(
			STAR "expect queue.s.a.3.peak <= 2*K + n.K -- n.K is another\n"
			     "param k 4\n"
			     "let K = J * $k\n"
			     "let J = 1K\n"
			     "expect $k = k\n"
			     "watch s a,b class 3\n"
			     "watch s a class all\n");

	/* definitions follow each other, expectations see all of them */
	assert_int_equal(sc->n_expects, 2);
	assert_string_equal(sc->expect[0].said, "queue.s.a.3.peak <= 2*K + n.K");
	assert_string_equal(sc->expect[0].text, "queue.s.a.3.peak <= 2*(J * 4) + n.K");
	assert_string_equal(sc->expect[0].note, "n.K is another");
	assert_int_equal(sc->expect[0].place.line, 4);
	assert_string_equal(sc->expect[1].text, "4 = k");
	assert_null(sc->expect[1].note);
	assert_int_equal(sc->n_watches, 10);
	assert_string_equal(sc->watch[1].port, "b");
	assert_int_equal(sc->watch[1].class, 3);
	assert_string_equal(sc->watch[9].port, "a");
	assert_int_equal(sc->watch[9].class, 7);
	lab_scenario_free(sc);
}

/* A definition of a definition, doubled again and again, ends before it fills memory. */
TEST(definitions)
{
	char text[4000] = "let a0 = 1+1+1+1+1+1+1+1\n", line[64], *said;
	struct lab_scenario *sc;

	sc = good("let J = 1K\nlet K = J*2\nexpect K = 2000\n");
	assert_string_equal(sc->expect[0].text, "((1K)*2) = 2000");
	lab_scenario_free(sc);
	for (unsigned int i = 1; i < 20; i++) {
		snprintf(line, sizeof(line), "let a%u = a%u+a%u\n", i, i - 1, i - 1);
		strcat(text, line);
	}
	assert_null(load(text, NULL, 0, &said));
	assert_memory_equal(said,
			"x.lab:10:10: the expression with its definitions is longer "
			"than 8191 bytes",
			64);
	free(said);
}

/* A switch with a file: beside the scenario, bare when it has ports of its own. */
TEST(switch_files)
{
	char dir[] = "/tmp/fcn_lab_XXXXXX", path[64], text[200];
	struct lab_scenario *sc;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.conf", dir);
	f = fopen(path, "w");
	fputs("# port add x\nset notify interval 4us\n", f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/b.conf", dir);
	f = fopen(path, "w");
	fputs("set notify interval 4us\n  port  add x\n", f);
	fclose(f);
	snprintf(text, sizeof(text),
			"switch add s file a.conf\nswitch add t file b.conf\n"
			"switch add u bare\n");
	snprintf(path, sizeof(path), "%s/x.lab", dir);
	sc = lab_scenario_load(path, text, NULL, 0, stderr);
	assert_non_null(sc);
	snprintf(path, sizeof(path), "%s/a.conf", dir);
	assert_string_equal(sc->node_switch[0].file, path);
	assert_true(sc->node_switch[0].autoconf);
	assert_false(sc->node_switch[1].autoconf);
	assert_false(sc->node_switch[2].autoconf);
	lab_scenario_free(sc);
	unlink(path);
	snprintf(path, sizeof(path), "%s/b.conf", dir);
	unlink(path);
	rmdir(dir);
}

/* Words that were replaced by others still say the same. */
TEST(old_words)
{
	struct lab_scenario *now = good(STAR "traffic generator t from a to b flows 9 packets 2\n"
					     "at 9us host a spoof 5 to b\n");
	struct lab_scenario *old = good(STAR "traffic spray t from a to b flows 9 packets 2\n"
					     "at 9us host a forge 5 to b\n");

	assert_int_equal(now->n_generators, 1);
	assert_int_equal(now->generator[0].flows, 9);
	assert_int_equal(old->n_generators, 1);
	assert_int_equal(old->generator[0].flows, 9);
	assert_int_equal(old->generator[0].packets, 2);
	assert_int_equal(now->n_actions, 1);
	assert_int_equal(now->action[0].kind, LAB_NOTICES_SPOOF);
	assert_int_equal(old->n_actions, 1);
	assert_int_equal(old->action[0].kind, LAB_NOTICES_SPOOF);
	assert_int_equal(old->action[0].count, 5);
	lab_scenario_free(now);
	lab_scenario_free(old);
}

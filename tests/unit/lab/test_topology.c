/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Switches, hosts, links: what lines make of them, and what they refuse. */

#include "lab_util.h"

TEST(star)
{
	struct lab_scenario *sc = good("# a star\n"
				       "title Four and one\n"
				       "host add h[1-4],r\n"
				       "\n"
				       "switch add s1 latency 500ns\n"
				       "link add h[1-4] s1 rate 10G delay 2us\n"
				       "link add s1 r\n");

	assert_string_equal(sc->title, "Four and one");
	assert_int_equal(sc->n_hosts, 5);
	assert_string_equal(sc->host[3].name, "h4");
	assert_string_equal(sc->host[4].name, "r");
	assert_int_equal(sc->host[4].place.line, 3);
	assert_string_equal(sc->host[4].place.file, "x.lab");
	assert_int_equal(sc->n_switches, 1);
	assert_string_equal(sc->node_switch[0].name, "s1");
	assert_int_equal(sc->node_switch[0].latency_ns, 500);
	assert_true(sc->node_switch[0].autoconf);
	assert_null(sc->node_switch[0].file);
	assert_int_equal(sc->n_links, 5);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(sc->link[i].end[0].kind, LAB_HOST);
		assert_int_equal(sc->link[i].end[0].index, i);
		assert_int_equal(sc->link[i].end[1].kind, LAB_SWITCH);
		assert_int_equal(sc->link[i].rate_bps, 10000000000);
		assert_int_equal(sc->link[i].delay_ns, 2000);
		assert_string_equal(sc->link[i].port[0], "");
		assert_string_equal(sc->link[i].port[1], sc->host[i].name);
		assert_int_equal(sc->host[i].conf.line_bps, 10000000000);
	}
	assert_string_equal(sc->link[4].port[0], "r");
	assert_int_equal(sc->link[4].rate_bps, 100000000000);
	assert_int_equal(sc->link[4].delay_ns, 1000);
	assert_int_equal(sc->host[4].conf.line_bps, 100000000000);
	lab_scenario_free(sc);
}

/* What a line is about may come after it. */
TEST(order)
{
	struct lab_scenario *sc = good("flow add f from a to b size 1M start 1us\n"
				       "host a reaction dcqcn paper\n"
				       "link add a,b s rate 25G\n"
				       "switch s do set class 3 pfc on\n"
				       "host add a,b\n"
				       "switch add s\n");
	uint64_t threshold = 0;

	assert_int_equal(sc->n_flows, 1);
	assert_int_equal(sc->flow[0].from, 0);
	assert_int_equal(sc->flow[0].to, 1);
	assert_int_equal(sc->host[0].conf.line_bps, 25000000000);
	assert_int_equal(sc->host[0].conf.reaction.kind, FCN_REACTION_DCQCN);
	fcn_reaction_parameter(&sc->host[0].conf.reaction, FCN_REACTION_DCQCN, "rpg-threshold",
			&threshold);
	assert_int_equal(threshold, 5);
	assert_int_equal(sc->host[1].conf.reaction.kind, FCN_REACTION_NONE);
	assert_int_equal(sc->node_switch[0].n_lines, 1);
	assert_string_equal(sc->node_switch[0].lines[0].text, "set class 3 pfc on");
	assert_int_equal(sc->node_switch[0].lines[0].place.line, 4);
	lab_scenario_free(sc);
}

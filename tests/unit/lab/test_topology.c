/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Switches, hosts, links: what lines make of them, and what they refuse. */

#include "lab_util.h"
#include "path.h"

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

/* The number of links between two hosts. */
static unsigned int
apart(const struct lab_scenario *sc, unsigned int a, unsigned int b)
{
	struct lab_path path;
	unsigned int n;

	assert_int_equal(lab_path_find(sc, (struct lab_node){LAB_HOST, a},
					 (struct lab_node){LAB_HOST, b}, &path),
			0);
	n = path.n_hops;
	lab_path_free(&path);
	return n;
}

static unsigned int
degree(const struct lab_scenario *sc, enum lab_node_kind kind, unsigned int index)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < 2 * sc->n_links; i++) {
		const struct lab_node *node = &sc->link[i / 2].end[i % 2];

		n += node->kind == kind && node->index == index;
	}
	return n;
}

/* k*k*k/4 hosts, 5*k*k/4 switches with k links each; 2 links to the hosts of the same edge, 4 to
 * those of the same pod, 6 to all others. */
TEST(fat_tree)
{
	static const unsigned int list[] = {2, 4, 6, 16};

	for (size_t i = 0; i < RTE_DIM(list); i++) {
		const unsigned int k = list[i], half = k / 2;
		struct lab_scenario *sc;
		char line[80];

		snprintf(line, sizeof(line), "topology fat-tree k %u rate 25G host-delay 3us\n", k);
		sc = good(line);
		assert_int_equal(sc->n_hosts, k * k * k / 4);
		assert_int_equal(sc->n_switches, 5 * k * k / 4);
		assert_int_equal(sc->n_links, 3 * k * k * k / 4);
		for (unsigned int s = 0; s < sc->n_switches; s++)
			assert_int_equal(degree(sc, LAB_SWITCH, s), k);
		for (unsigned int h = 0; h < sc->n_hosts; h++)
			assert_int_equal(degree(sc, LAB_HOST, h), 1);
		for (unsigned int h = 1; h < sc->n_hosts; h += 1 + h / 8)
			assert_int_equal(apart(sc, 0, h), h < half ? 2 : h < half * half ? 4 : 6);
		assert_string_equal(sc->host[sc->n_hosts - 1].name, k == 16  ? "h1024"
								    : k == 6 ? "h54"
								    : k == 4 ? "h16"
									     : "h2");
		for (unsigned int l = 0; l < sc->n_links; l++) {
			assert_int_equal(sc->link[l].rate_bps, 25000000000);
			assert_int_equal(sc->link[l].delay_ns,
					sc->link[l].end[0].kind == LAB_HOST ? 3000 : 1000);
		}
		lab_scenario_free(sc);
	}
}

/* Each core switch has one link to each pod. */
TEST(fat_tree_cores)
{
	struct lab_scenario *sc = good("topology fat-tree k 6\n");
	unsigned int pods;

	for (unsigned int core = 0; core < 9; core++) {
		pods = 0;
		for (unsigned int l = 0; l < sc->n_links; l++) {
			const struct lab_link *link = &sc->link[l];

			if (link->end[1].kind == LAB_SWITCH && link->end[1].index == core)
				pods |= 1u << (sc->node_switch[link->end[0].index].name[3] - '1');
		}
		assert_int_equal(pods, 0x3F);
	}
	lab_scenario_free(sc);
}

TEST(leaf_spine)
{
	struct lab_scenario *sc = good("topology leaf-spine leaves 3 spines 2 hosts 4 links 2 rate "
				       "400G host-rate 100G latency 500ns\n"
				       "host h12 set fast-cnp accept\n"
				       "watch leaf2 spine1_2 class 3\n");

	assert_int_equal(sc->n_hosts, 12);
	assert_int_equal(sc->n_switches, 5);
	assert_int_equal(sc->n_links, 12 + 3 * 2 * 2);
	for (unsigned int s = 0; s < 5; s++) {
		assert_int_equal(degree(sc, LAB_SWITCH, s), s < 3 ? 8 : 6);
		assert_int_equal(sc->node_switch[s].latency_ns, 500);
	}
	assert_int_equal(apart(sc, 0, 3), 2);
	assert_int_equal(apart(sc, 0, 4), 4);
	assert_int_equal(sc->link[0].rate_bps, 100000000000);
	assert_int_equal(sc->link[12].rate_bps, 400000000000);
	lab_scenario_free(sc);
}

TEST(whole_networks_refused)
{
	bad("topology fat-tree k 5\n", "x.lab:1:21: k must be even, and 2 to 24");
	bad("topology fat-tree k 26\n", "x.lab:1:21: k must be even, and 2 to 24");
	bad("topology leaf-spine leaves 257 spines 1 hosts 1\n",
			"x.lab:1:1: link add leaf257 spine[1-1] rate 100000000000 delay 1000ns: "
			"switch "
			"spine1 has 256 links already, as many as a switch can have");
	bad("topology leaf-spine leaves 100 spines 1 hosts 50\n",
			"x.lab:1:47: 100 leaves with 50 hosts each have more than 4096 hosts");
	bad("host add h3\ntopology fat-tree k 4\n",
			"x.lab:2:1: host add h[1-16]: there is a host h3 already");
}

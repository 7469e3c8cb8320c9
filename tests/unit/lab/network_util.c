/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_test.h"
#include "network_util.h"
#include "run.h"

#define SWITCHES 8 /* more than any of the tests has */
#define QUEUES_MB 64

struct lab_scenario *sc;
struct lab_measure *measure;
struct lab_network *net;

void
start(const char *text, const char *rest)
{
	char whole[4096], err[256] = "";

	snprintf(whole, sizeof(whole), "%s%s\n", text, rest);
	sc = lab_scenario_load("test", whole, NULL, 0, stderr);
	assert_non_null(sc);
	measure = lab_measure_create(sc, NULL, err, sizeof(err));
	assert_non_null(measure);
	net = lab_network_create(sc, measure, stderr);
	assert_non_null(net);
}

void
run(void (*meddle)(void))
{
	while (fcn_sim_step(net->sim, sc->duration_ns)) {
		if (meddle != NULL)
			meddle();
	}
	lab_check_end(net);
}

unsigned int
violations_with(const char *text)
{
	unsigned int n = 0;
	json_t *line;
	size_t i;

	json_array_foreach (net->violations, i, line)
		n += strstr(json_string_value(line), text) != NULL;
	return n;
}

unsigned int
stop(void)
{
	unsigned int leaked = lab_network_free(net);

	lab_measure_free(measure);
	lab_scenario_free(sc);
	return leaked;
}

struct fcn_worker *
worker(unsigned int node)
{
	return fcn_control_worker(net->node_switch[node].ctl, 0);
}

struct lab_net_port *
port_named(unsigned int node, const char *name)
{
	struct lab_net_switch *sw = &net->node_switch[node];

	for (unsigned int i = 0; i < sw->n_ends; i++) {
		if (strcmp(sc->link[sw->ends[i].link].port[sw->ends[i].end], name) == 0)
			return &sw->ends[i];
	}
	fail();
	return NULL;
}

struct fcn_queue *
queue_to(unsigned int node, const char *name)
{
	return &worker(node)->port[port_named(node, name)->number].egress->queue[3];
}

int
net_eal(void **state)
{
	RTE_SET_USED(state);
	return lab_eal_init(SWITCHES, QUEUES_MB);
}

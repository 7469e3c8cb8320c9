/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of flows of other simulators: as examples have them, and with mistakes. */

#include <errno.h>

#include "fcn_test.h"
#include "flow_file.h"
#include "lab_util.h"

static int
read_text(bool matrix, const char *text, struct lab_flow_list *list, char *err, size_t err_size)
{
	size_t size = strlen(text);
	char *copy = malloc(size + 1); /* without an end that a reader might rely on */
	int rc;

	memcpy(copy, text, size);
	copy[size] = '7';
	rc = (matrix ? lab_flow_list_read_htsim : lab_flow_list_read_ns3)(
			copy, size, list, err, err_size);
	free(copy);
	return rc;
}

/* As traffic_gen.py of the HPCC repository writes them; what follows the stated number is not read.
 */
TEST(ns3)
{
	struct lab_flow_list list;
	char err[256];

	assert_int_equal(read_text(false,
					 "3 \n1 0 3 100 200000000 2.000000001\n\n 2\t0 4 200 1 "
					 "2\r\n0 "
					 "2 0 65535 1099511627776 2.5e-6\n9 9 9\n",
					 &list, err, sizeof(err)),
			0);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.n_hosts, 3);
	assert_int_equal(list.flow[0].from, 1);
	assert_int_equal(list.flow[0].to, 0);
	assert_int_equal(list.flow[0].group, 3);
	assert_int_equal(list.flow[0].port, 100);
	assert_int_equal(list.flow[0].bytes, 200000000);
	assert_int_equal(list.flow[0].start_ns, 2000000001);
	assert_int_equal(list.flow[0].line, 2);
	assert_int_equal(list.flow[1].start_ns, 2000000000);
	assert_int_equal(list.flow[1].line, 4);
	assert_int_equal(list.flow[2].start_ns, 2500);
	assert_int_equal(list.flow[2].port, 65535);
	lab_flow_list_free(&list);
	assert_int_equal(read_text(false, "0\n", &list, err, sizeof(err)), 0);
	lab_flow_list_free(&list);
}

/* As those of htsim/sim/datacenter/connection_matrices: times are in ps. */
TEST(htsim)
{
	struct lab_flow_list list;
	char err[256];

	assert_int_equal(read_text(true,
					 "# a comment\nNodes 16\nConnections 3\n0->13 start 0 size "
					 "2000000\n0->11 id 2 start 62004000 size 1048576\r\n15->0 "
					 "start "
					 "0.000000 size 0 prio 7",
					 &list, err, sizeof(err)),
			0);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.n_hosts, 16);
	assert_int_equal(list.flow[0].to, 13);
	assert_int_equal(list.flow[0].bytes, 2000000);
	assert_int_equal(list.flow[0].group, -1);
	assert_int_equal(list.flow[1].start_ns, 62004);
	assert_int_equal(list.flow[2].from, 15);
	assert_int_equal(list.flow[2].bytes, 0);
	assert_int_equal(list.flow[2].line, 6);
	lab_flow_list_free(&list);
}

TEST(mistakes)
{
	static const struct {
		bool matrix;
		const char *text, *err;
	} list[] = {
			{false, "", "1:1: expected the number of flows, found the end of the file"},
			{false, "x\n", "1:1: expected the number of flows, 0 to 1000000"},
			{false, "1000001\n", "1:1: expected the number of flows, 0 to 1000000"},
			{false, "2\n0 1 3 100 5 2\n", "3:1: the file ends after 1 of 2 flows"},
			{false, "1\n0 1 3 100 5\n",
					"2:12: expected the start in seconds, found the end of the "
					"line"},
			{false, "1\n0 1 3 100 5 2 7\n", "2:15: expected the end of the line"},
			{false, "1\n0 1 8 100 5 2\n", "2:5: expected a priority group, 0 to 7"},
			{false, "1\n0 -1 3 100 5 2\n", "2:3: expected a destination, 0 to 4095"},
			{false, "1\n0 1 3 100 0 2\n", "2:11: a flow has at least one byte"},
			{false, "1\n4 4 3 100 5 2\n", "2:1: host 4 sends to itself"},
			{false, "1\n0 1 3 100 5 -2\n",
					"2:13: a start is at least 0, and at most 1000000 s"},
			{false, "1\n0 1 3 100 5 nan\n", "2:13: expected the start in seconds"},
			{false, "1\n0 1 3 100 5 0x2\n", "2:13: expected the start in seconds"},
			{false, "1\n0 1 3 100 5 1e99\n",
					"2:13: a start is at least 0, and at most 1000000 s"},
			{true, "Nodes 2\nConnections 2\n0->1 start 0 size 5\n",
					"4:1: there are 1 connections, not 2"},
			{true, "Nodes 2\nConnections 1\n0->2 start 0 size 5\n",
					"3:1: there are 2 nodes, counted from 0"},
			{true, "Nodes 2\nConnections 1\n0>1 start 0 size 5\n",
					"3:1: expected SOURCE->DESTINATION, two numbers up to "
					"4095"},
			{true, "Nodes 2\nConnections 1\n0-> start 0 size 5\n",
					"3:1: expected SOURCE->DESTINATION, two numbers up to "
					"4095"},
			{true, "Nodes 2\nConnections 1\n0->1 start 0\n",
					"3:13: the connection has no size"},
			{true, "Nodes 2\nConnections 1\n0->1 size 9\n",
					"3:12: the connection has no start"},
			{true, "Nodes 2\nConnections 1\n0->1 begin 0 size 5\n",
					"3:6: expected start, size, id or prio"},
			{true, "Nodes 2\nConnections 1\n0->1 trigger 1 size 5\n",
					"3:6: flows that others trigger are not read: a trace of "
					"group "
					"operations has what waits for what"},
			{true, "Nodes 2\ntrigger id 1 oneshot\n",
					"2:1: triggers and failures are not read"},
	};
	struct lab_flow_list read;
	char err[256];

	for (size_t i = 0; i < RTE_DIM(list); i++) {
		assert_int_equal(read_text(list[i].matrix, list[i].text, &read, err, sizeof(err)),
				-EINVAL);
		assert_string_equal(err, list[i].err);
	}
}

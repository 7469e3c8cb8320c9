/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is said about a bad scenario: each kind of error, where it is. */

#include "lab_util.h"

/* Two hosts at a switch, in three lines. */
#define STAR             \
	"host add a,b\n" \
	"switch add s\n" \
	"link add a,b s\n"

struct error {
	const char *text, *said;
};

static void
check(const struct error *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bad(list[i].text, list[i].said);
}

TEST(words)
{
	static const struct error list[] = {
			{STAR "hots add c\n",
					"x.lab:4:1: did you mean host? expected title, param, "
					"choice, if, duration, settle, seed, buffers or 13 "
					"more, found \"hots\""},
			{STAR "  flow add f from a to b sise 1M\n",
					"x.lab:4:26: did you mean size? expected size, found "
					"\"sise\""},
			{STAR "flow add f from a to b size 1M dscp\n",
					"x.lab:4:36: expected <dscp:number> (a number; examples: "
					"10, "
					"0x1f), found end of line"},
			{STAR "duration 10\n", "x.lab:4:10: 10 has no unit (examples: 4us, 100ns, "
					       "5ms, 300s)"},
			{STAR "host a set cnp maybe\n",
					"x.lab:4:16: expected on or off, found \"maybe\""},
			{STAR "host a set cnp-interval 4\n", "x.lab:4:25: 4 has no unit (examples: "
							     "4us, 100ns, 5ms, 300s)"},
	};

	check(list, RTE_DIM(list));
}

TEST(names)
{
	static const struct error list[] = {
			{"host add h[1-2\n", "x.lab:1:10: [ without ]"},
			{"host add h1-2]\n", "x.lab:1:10: ] without ["},
			{"host add h[2-1]\n", "x.lab:1:10: the range 2-1 ends before it begins"},
			{"host add h[]\n", "x.lab:1:10: brackets contain numbers and ranges, as in "
					   "h[1-4,7]"},
			{"host add h[1-x]\n",
					"x.lab:1:10: brackets contain numbers and ranges, as in "
					"h[1-4,7]"},
			{"host add h[1;2]\n",
					"x.lab:1:10: h[1;2] is not a list of names (examples: "
					"h1, h1,h2, h[1-16])"},
			{"host add h[9999999]\n",
					"x.lab:1:10: a number in brackets must be at most 1000000"},
			{"host add a,,b\n", "x.lab:1:10: the list has an empty name"},
			{"host add a,\n", "x.lab:1:10: the list has an empty name"},
			{"host add h[0-4096]\n", "x.lab:1:10: the list has more than 4096 names"},
			{"host add abcdefghijklmnopqrstuvwxyz123456\n",
					"x.lab:1:10: a name has at most 31 characters"},
			{"host add 1a\n", "x.lab:1:10: 1a does not begin with a letter"},
			{"host add a-b\n", "x.lab:1:10: a-b has another character than letters, "
					   "digits and _"},
			{"host add all\n", "x.lab:1:10: all is a word of the scenario language"},
			{"switch add add\n", "x.lab:1:12: add is a word of the scenario language"},
	};

	check(list, RTE_DIM(list));
}

TEST(nodes)
{
	static const struct error list[] = {
			{STAR "host add a\n", "x.lab:4:10: there is a host a already"},
			{STAR "switch add b\n", "x.lab:4:12: there is a host b already"},
			{STAR "host add s\n", "x.lab:4:10: there is a switch s already"},
			{STAR "host add c\n", "x.lab:4:10: host c has no link"},
			{STAR "host add c\nlink add a c\n",
					"x.lab:5:10: host a has a link already"},
			{STAR "link add s x\n", "x.lab:4:12: there is no switch or host x"},
			{STAR "link add s s\n", "x.lab:4:12: a link cannot connect s to itself"},
			{STAR "switch add t,u\nlink add s,t s,t,u\n",
					"x.lab:5:14: 2 nodes and 3 nodes: lists must "
					"have the same length, or one of them a single "
					"node"},
			{STAR "switch add t\nlink add s t rate 0\n",
					"x.lab:5:19: the rate of a link must be 1K to 10T"},
			{STAR "switch add t\nlink add s t delay 11s\n",
					"x.lab:5:20: the delay of a link must be at most 10s"},
			{STAR "switch add t\nlink add s t port a b\n",
					"x.lab:5:19: s has a port a already"},
			{STAR "switch add t\nlink add s t port x,y\n",
					"x.lab:5:19: there are 2 ports for 1 links"},
			{STAR "host add c\nlink add c s port x y\n",
					"x.lab:5:19: c is a host: its port has no name"},
			{STAR "switch add t\nhost add h[1-257]\nlink add h[1-257] t\n",
					"x.lab:6:19: switch t has 256 links already, as many as a "
					"switch can have"},
			{"host add a,b\nlink add a b\nlink add a b\n",
					"x.lab:3:10: host a has a link already"},
			{STAR "switch t do show ports\n", "x.lab:4:8: there is no switch t"},
			{STAR "switch a do show ports\n", "x.lab:4:8: a is a host, not a switch"},
			{STAR "host s set cnp on\n", "x.lab:4:6: s is a switch, not a host"},
			{STAR "switch add t latency 2s\n",
					"x.lab:4:22: a latency must be at most 1s"},
			{STAR "switch add t file no/such.conf\n",
					"x.lab:4:19: no/such.conf: No such file or directory"},
			{"host all set cnp on\n", "x.lab:1:6: there is no host"},
	};

	check(list, RTE_DIM(list));
}

TEST(hosts)
{
	static const struct error list[] = {
			{STAR "host a set hop-limit 0\n", "x.lab:4:22: hop-limit is 1 to 255"},
			{STAR "host a set cnp-dscp 64\n", "x.lab:4:21: cnp-dscp is 0 to 63"},
			{STAR "host a set window 0\n",
					"x.lab:4:19: a window is at least 1 byte, or none"},
			{STAR "host a set fast-cnp accept from 10.0.0.0/8\n",
					"x.lab:4:33: Fast CNPs come from IPv6 addresses"},
			{STAR "host a set detour after 0\n", "x.lab:4:25: the number of Fast CNPs "
							     "must be 1 to 4294967295"},
			{STAR "host a set ioam on hops 17\n",
					"x.lab:4:25: the number of nodes must be 1 to 16"},
			{STAR "host a set ioam on namespace 65536\n",
					"x.lab:4:30: a namespace must be 0 to 65535"},
			{STAR "host a set ioam on type 0x1000000\n",
					"x.lab:4:25: a trace type has 24 bits, as 0xb62000"},
			{STAR "host a set base-rtt 0\n", "x.lab:4:21: a time must be 1ns to 1000s"},
			{STAR "host a set ack-dscp 64\n", "x.lab:4:21: a DSCP must be 0 to 63"},
			{STAR "host a reaction hpcc eta 0.9505\n", "x.lab:4:26: a ratio of at most "
								   "three decimals is expected"},
			{STAR "host a reaction level default-level 8\n",
					"x.lab:4:37: default-level must be 0 to 7"},
			{STAR "host a reaction level limit 0\n",
					"x.lab:4:29: limit must be 1 to 1000000000000"},
			{STAR "host a reaction beta factor 0\n",
					"x.lab:4:29: factor must be 0.001 to 1"},
			{STAR "host a reaction hpcc flows 0\n",
					"x.lab:4:28: flows must be 1 to 1000000"},
			{STAR "host a reaction tcp\n", "x.lab:4:17: expected none, dcqcn, hpcc, "
						       "beta, level, swift or "
						       "nscc, found "
						       "\"tcp\""},
	};

	check(list, RTE_DIM(list));
}

TEST(traffic)
{
	static const struct error list[] = {
			{STAR "flow add f from a to a size 1M\n",
					"x.lab:4:22: a cannot send a flow to itself"},
			{STAR "flow add f from a to s size 1M\n",
					"x.lab:4:22: s is a switch, not a host"},
			{STAR "flow add f from a,c to b size 1M\n",
					"x.lab:4:17: there is no host c"},
			{STAR "flow add f from a to b size 0\n",
					"x.lab:4:29: the size of a message must be 1 to 1Ti bytes"},
			{STAR "flow add f from a to b size 1M messages 0\n",
					"x.lab:4:41: the number of messages must be at least 1"},
			{STAR "flow add f from a to b size 1M dscp 64\n",
					"x.lab:4:37: a DSCP must be 0 to 63"},
			{STAR "flow add f from a to b size 1M source-port 65536\n",
					"x.lab:4:44: a port must be 1 to 65535"},
			{STAR "flow add f from a to b size 1M start 2us stop 2us\n",
					"x.lab:4:47: stop is before start"},
			{STAR "flow add f.1 from a to b size 1M\n",
					"x.lab:4:10: f.1 has another character than letters, "
					"digits and "
					"_"},
			{STAR "flow add f from a to b size 1M endless\n",
					"x.lab:4:1: this flow is endless, so the run needs a "
					"duration"},
			{STAR "traffic poisson p hosts a,b load 50% distribution websearch\n",
					"x.lab:4:1: give until, because the run has no duration"},
			{STAR "traffic poisson p hosts a,b load 0 distribution hadoop until 1ms\n",
					"x.lab:4:34: a load must be above 0, and at "
					"most 10"},
			{STAR "traffic poisson p hosts a load 1 distribution hadoop until 1ms\n",
					"x.lab:4:25: at least two hosts are needed"},
			{STAR "traffic poisson p hosts a,b,a load 1 distribution hadoop until "
			      "1ms\n",
					"x.lab:4:25: a is given twice"},
			{STAR "traffic poisson p hosts a,b load 1 distribution none until 1ms\n",
					"x.lab:4:49: websearch, hadoop, alistorage or a file; "
					"none: No such "
					"file or "
					"directory"},
			{STAR "traffic poisson p hosts a,b load 1 distribution hadoop from 1ms "
			      "until "
			      "1ms\n",
					"x.lab:4:71: until is before from"},
			{STAR "flow add p from a to b size 1M\n"
			      "traffic poisson p hosts a,b load 1 distribution hadoop until 1ms\n",
					"x.lab:5:17: there are flows named p already"},
			{STAR "traffic incast i to b from b size 1M every 1ms count 2\n",
					"x.lab:4:28: b cannot send a flow to itself"},
			{STAR "traffic incast i to a,b from b size 1M every 1ms count 2\n",
					"x.lab:4:21: exactly one host must be given "
					"here"},
			{STAR "traffic incast i to a from b size 1M every 0 count 2\n",
					"x.lab:4:44: an interval must be at least 1ns"},
			{STAR "traffic incast i to a from b size 1M every 1ms count 0\n",
					"x.lab:4:54: the number of bursts must be at least 1"},
			{STAR "traffic generator t from a to b flows 0\n",
					"x.lab:4:39: the number of flows must be 1 to 8388607"},
			{STAR "traffic generator t from a to b flows 8388608\n",
					"x.lab:4:39: the number of flows must be 1 to 8388607"},
			{STAR "traffic generator t from a to b flows 8M\n"
			      "traffic generator u from b to a flows 388608\n",
					"x.lab:5:39: all generators together have at "
					"most 8388607 flows"},
			{STAR "traffic generator t from a to b flows 5 active 6\n",
					"x.lab:4:48: the number of active flows must be 1 to 5"},
			{STAR "traffic generator t from a to b flows 5 active 0\n",
					"x.lab:4:48: the number of active flows must be 1 to 5"},
			{STAR "traffic generator t from a to b flows 5 packets 0\n",
					"x.lab:4:49: the number of packets of a flow must be 1 to "
					"1000000"},
			{STAR "traffic generator t from a to b flows 5 size 62\n",
					"x.lab:4:46: the size must be a multiple of 4, and at most "
					"1024 bytes"},
			{STAR "traffic generator t from a to b flows 5 size 1028\n",
					"x.lab:4:46: the size must be a multiple of 4, and at most "
					"1024 bytes"},
			{STAR "traffic generator t from a,b to b flows 5\n",
					"x.lab:4:26: b cannot send a flow to itself"},
			{STAR "traffic generator t from a to b flows 5\n"
			      "traffic generator t from b to a flows 5\n",
					"x.lab:5:19: there are flows named t already"},
			{STAR "traffic pcap a file no.pcap\n",
					"x.lab:4:21: no.pcap: No such file or directory"},
			{STAR "traffic pcap a file /dev/null speed 0\n",
					"x.lab:4:37: a speed must be above 0"},
			{STAR "traffic pcap a file /dev/null\nflow add f from b to a size 1\n",
					"x.lab:4:1: host a sends a capture and cannot "
					"be an end of flow f"},
			{STAR "host b set operation write\nflow add f from b to a size "
			      "2147483649\n",
					"x.lab:1:1: a message of flow f from b is "
					"longer than 2 GiB, the maximum of an RDMA "
					"WRITE"},
			{STAR "flow add f from b to a size 3G\nflow set f operation write\n",
					"x.lab:1:1: a message of flow f from b is "
					"longer than 2 GiB, the maximum of an RDMA "
					"WRITE"},
			{STAR "flow set f operation write\nflow add f from b to a size 1\n",
					"x.lab:4:10: there are no flows named f before "
					"this line"},
			{"host add a,b\nlink add a b\nhost b reports\n",
					"x.lab:3:1: host b has no switch at its link to which it "
					"could report"},
			{STAR "host b set selective-repeat on\nflow add f from b to a size 1\n",
					"x.lab:1:1: selective-repeat is on at one end of flow f "
					"only, b to a"},
			{STAR "traffic pcap a file /dev/null\ntraffic pcap a file /dev/null\n",
					"x.lab:5:1: host a sends another capture already"},
	};

	check(list, RTE_DIM(list));
}

TEST(faults)
{
	static const struct error list[] = {
			{STAR "link a b loss 1%\n", "x.lab:4:8: there is no link between a and b"},
			{STAR "link a s loss 101%\n",
					"x.lab:4:15: a probability must be at most 1"},
			{STAR "link a s loss 1% towards b\n",
					"x.lab:4:26: this node is not an end of the "
					"link between a and s"},
			{STAR "link a s reorder 1% by 0\n",
					"x.lab:4:24: a delay must be at least 1ns"},
			{STAR "link a s lose 1%\n",
					"x.lab:4:10: did you mean loss? expected loss, duplicate, "
					"corrupt, reorder, notice-loss or pcap, found \"lose\""},
			{STAR "at 1ms switch a restart\n", "x.lab:4:15: a is a host, not a switch"},
			{STAR "at 1ms link a x down\n", "x.lab:4:15: there is no switch or host x"},
			{STAR "at 1ms link a s rate 0\n",
					"x.lab:4:22: the rate of a link must be 1K to 10T"},
			{STAR "at 1ms notices drop 2\n",
					"x.lab:4:21: a probability must be at most 1"},
			{STAR "at 1ms host a spoof 0 to b\n", "x.lab:4:21: the number of spoofed "
							      "notices must be 1 to 1000000"},
			{STAR "at 1ms host a pause 3 65536\n",
					"x.lab:4:23: the number of quanta must be at most 65535"},
			{STAR "at 1ms host a halt f at s for 1us\n",
					"x.lab:4:20: there are no flows named f before this line"},
			{STAR "flow add f from a to b size 1\nat 1ms host a halt f at s for 1ns\n",
					"x.lab:5:31: a whole number of microseconds, at most "
					"3600s"},
			{STAR "flow add f from a to b size 1\nat 1ms host a tell s about f level "
			      "8\n",
					"x.lab:5:36: a level must be 0 to 7"},
			{STAR "flow add f from a to b size 1\nat 1ms host a tell s about f level 7 "
			      "times 100001\n",
					"x.lab:5:44: the number of messages must be at most "
					"100000"},
			{STAR "at 1ms host a spoof 1 to a\n",
					"x.lab:4:26: the two hosts must be different"},
			{STAR "switch add t flows 4\n", "x.lab:4:20: the number of flows must be a "
							"power of two, 8 to 1048576"},
			{STAR "switch add t flows 100\n", "x.lab:4:20: the number of flows must be "
							  "a power of two, 8 to 1048576"},
			{STAR "switch add t flows 2097152\n",
					"x.lab:4:20: the number of flows must be a power of two, 8 "
					"to 1048576"},
			{STAR "at 1ms switch s collector stop room 4097\n",
					"x.lab:4:37: the number of events must be at most 4096"},
			{STAR "at 1ms switch s collector\n",
					"x.lab:4:26: expected stop or start, found end of "
					"line"},
			{STAR "at 1ms switch s starve 5G\n", "x.lab:4:24: the number of buffers "
							     "must be at most 4294967295"},
	};

	check(list, RTE_DIM(list));
}

TEST(measures)
{
	static const struct error list[] = {
			{STAR "watch t a class 3\n", "x.lab:4:7: there is no switch t"},
			{STAR "watch s x class 3\n",
					"x.lab:4:9: switch s has no port x with a link"},
			{STAR "watch s a class 8\n", "x.lab:4:17: 8 is not a class (0..7, or all)"},
			{STAR "expect pfc.frames\n", "x.lab:4:18: a comparison is expected: <, <=, "
						     ">, >=, =, != or "
						     "within"},
			{STAR "expect  a = (1 -- note\n", "x.lab:4:13: ( without )"},
			{STAR "let K = 1 +\n", "x.lab:4:12: a number, a name or ( is expected, "
					       "found the end"},
			{STAR "let sum = 1\n", "x.lab:4:5: the name of a definition has "
					       "letters, digits and _, does not begin with a "
					       "digit, and is not that of a function"},
			{STAR "let K = 1\nlet K = 2\n",
					"x.lab:5:5: there is a definition K already"},
			{STAR "let z = 0\nexpect 1/z = 2\n",
					"x.lab:5:8: with its definitions: division by zero"},
	};

	check(list, RTE_DIM(list));
}

TEST(scalars)
{
	static const struct error list[] = {
			{"duration 0\n", "x.lab:1:10: a duration must be 1ns to 1000000s"},
			{"settle 2000000s\n", "x.lab:1:8: a time must be at most 1000000s"},
			{"buffers 100\n",
					"x.lab:1:9: the number of buffers must be 1024 to 4194304"},
			{"title a\ntitle b\n", "x.lab:2:1: the scenario has a title already"},
			{"duration 1us\nsettle 1us\n", "x.lab: settle is after the end of the run"},
			{"param 1a 2\n", "x.lab:1:7: the name of a parameter has letters, "
					 "digits and _, and does not begin with a digit"},
			{"param seed 2\n", "x.lab:1:7: seed is a command, and $seed is "
					   "its value without a param line"},
			{"param n 2\nparam n 3\n", "x.lab:2:7: there is a parameter n already"},
	};

	check(list, RTE_DIM(list));
}

/* In the column of the file, not of what the line becomes. */
TEST(columns)
{
	static const struct error list[] = {
			{"param wide abcdefghijkl\nhost add $wide x\n",
					"x.lab:2:16: expected end of line, found \"x\""},
			{"param n 2\nhost add h[$n-1]\n",
					"x.lab:2:10: the range 2-1 ends before it begins"},
			/* within what a parameter stands for: where the parameter is */
			{STAR "param x cnp maybe\nhost a set $x\n",
					"x.lab:5:12: expected on or off, found \"maybe\""},
			{"host add $n\n", "x.lab:1:10: there is no parameter n"},
			{"host add ${n\n", "x.lab:1:10: $ must be followed by name, {name} or "
					   "((arithmetic)); $$ stands for $"},
			{"host add h$\n", "x.lab:1:11: $ must be followed by name, {name} or "
					  "((arithmetic)); $$ stands for $"},
			{"host add h$((1\n", "x.lab:1:11: $(( without ))"},
			{"host add h$((1 + x))\n", "x.lab:1:18: there is no metric or definition "
						   "x; write $x for the parameter"},
			{"param n 3\nhost add h$(($n / (3-$n)))\n", "x.lab:2:17: division by zero"},
			{"param n 3\nhost add h$(($n $n))\n",
					"x.lab:2:17: an operator or the end is expected"},
			{"\xef\xbb\xbfhots\r\n",
					"x.lab:1:1: did you mean host? expected title, param, "
					"choice, if, duration, settle, seed, buffers or 13 "
					"more, found \"hots\""},
	};

	check(list, RTE_DIM(list));
}

/* All of them, in the order of the file; of many, how many more there are. */
TEST(many)
{
	char text[200] = "", *said, *end;
	unsigned int lines = 0;

	bad("host add a,b\nhost a set cnp-dscp 64\nhost b set cnp-dscp 64\n",
			"x.lab:1:10: host a has no link\n"
			"x.lab:2:21: cnp-dscp is 0 to 63\n"
			"x.lab:3:21: cnp-dscp is 0 to 63");
	for (unsigned int i = 0; i < 25; i++)
		strcat(text, "bad\n");
	assert_null(load(text, NULL, 0, &said));
	for (end = said; (end = strchr(end, '\n')) != NULL; end++)
		lines++;
	assert_int_equal(lines, 21);
	assert_non_null(strstr(said, "\nx.lab:20:1: "));
	assert_null(strstr(said, "\nx.lab:21:1: "));
	assert_non_null(strstr(said, "\nx.lab: and 5 more\n"));
	free(said);
}

/* Good scenarios that may not do what was meant. */
TEST(warnings)
{
	struct lab_scenario *sc;
	char *said;

	sc = load(STAR "flow add f from a to b size 1M start 1ms\nat 5ms link a s down\n"
		       "duration 1ms\n",
			NULL, 0, &said);
	assert_non_null(sc);
	assert_string_equal(said, "x.lab:4:38: warning: start is after the end of the "
				  "run\nx.lab:5:4: warning: the run is over at this time\n");
	lab_scenario_free(sc);
	free(said);
}

TEST(files)
{
	size_t size;
	char *said;
	FILE *err = open_memstream(&said, &size);

	assert_null(lab_scenario_load("no/such.lab", NULL, NULL, 0, err));
	assert_null(lab_scenario_load("/", NULL, NULL, 0, err));
	assert_null(lab_scenario_load("/dev/zero", NULL, NULL, 0, err));
	fclose(err);
	assert_string_equal(said, "no/such.lab: No such file or directory\n"
				  "/: Is a directory\n"
				  "/dev/zero: File too large\n");
	free(said);
}

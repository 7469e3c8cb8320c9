/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <unistd.h>

#include "app_util.h"

struct fcn_session session;

static struct fcn_command_table *table;
static char dir[] = "/tmp/fcn-app-XXXXXX";
static char *said;
static size_t said_size;

const char *const app_everything[] = {
		"set class-map dscp 5 class 3",
		"set class-map dscp 63 class 0",
		"set class-map pcp 2 class 7",
		"set worker idle sleep 55us",
		"set worker stage-cycles on",
		"set worker cycle-share off",
		"port add p0 queues 4 mtu 2000 rx-descriptors 1024 tx-descriptors 32 device "
		"net_tap0",
		"port add p1 worker 3",
		"port add p2 mtu 4200",
		"port add p.3_:-/x",
		"port add p0.100 vlan 100 of p0",
		"port add p0.x vlan 4094 of p0",
		"set port p0 mac 02:11:22:33:44:55",
		"set port p0 mtu 9000",
		"set port p0.x mtu 9000",
		"set port p0 link 2.5G",
		"set port p1 link 1234567891",
		"set port p1 rate 3G burst 15000",
		"set port p2 rate 999999937",
		"set port p0 rate 2G burst 3000 overhead 20",
		"set port p0 trust pcp",
		"set port p0 promiscuous off",
		"set port p1 trust none",
		"bridge add br0",
		"bridge add empty",
		"set bridge br0 ageing 1.5s",
		"set bridge empty ageing 1000001ns",
		"bridge br0 port add p1",
		"bridge br0 port add p2",
		"set bridge br0 port p1 pvid none",
		"set bridge br0 port p1 tagged 1-3,7,9,10,100-4094",
		"set bridge br0 port p2 pvid 4094",
		"set bridge br0 port p2 tagged 5",
		"bridge br0 interface add br0.5 vlan 5",
		"set port br0.5 mac 02:00:00:00:05:05",
		"set port br0.5 mtu 1400",
		"address add br0.5 2001:db8:b::fe/64",
		"bridge empty interface add host",
		"set bridge br0 move-limit 1000",
		"set bridge empty move-limit off",
		"set bridge br0 loop-action disable recover 90s",
		"set bridge br0 port p1 mac-limit 1000",
		"set bridge br0 port p2 mac-limit 1000000",
		"set bridge br0 port p1 storm-control broadcast 1000",
		"set bridge br0 port p1 storm-control multicast 1 burst 1",
		"set bridge br0 port p2 storm-control unknown-unicast 100M burst 1M",
		"set loopback 2001:db8:f::5",
		"set loopback 203.0.113.5",
		"srv6 policy add toward",
		"set srv6 policy toward mode encaps",
		"set srv6 policy toward source 2001:db8:f::5",
		"set srv6 policy toward roce-source 2001:db8:51:9::1",
		"set srv6 policy toward dscp 46",
		"set srv6 policy toward hop-limit 33",
		"set srv6 policy toward flow-label copy",
		"srv6 policy add other",
		"set srv6 policy other source 2001:db8:f::5",
		"set srv6 policy other ecn compatibility",
		"set srv6 policy other hop-limit copy",
		"srv6 segments add toward 2001:db8:8::1,2001:db8:99::1 weight 3 path-id 77",
		"srv6 segments add toward 2001:db8:8::2",
		"srv6 segments add other 2001:db8:8::1",
		"srv6 segments add toward "
		"2001:db8:1111:2222:3333:4444:5555:6660,2001:db8:1111:2222:3333:4444:5555:6661,"
		"2001:db8:1111:2222:3333:4444:5555:6662,2001:db8:1111:2222:3333:4444:5555:6663,"
		"2001:db8:1111:2222:3333:4444:5555:6664,2001:db8:1111:2222:3333:4444:5555:6665,"
		"2001:db8:1111:2222:3333:4444:5555:6666,2001:db8:1111:2222:3333:4444:5555:6667,"
		"2001:db8:1111:2222:3333:4444:5555:6668,2001:db8:1111:2222:3333:4444:5555:6669,"
		"2001:db8:1111:2222:3333:4444:5555:666a,2001:db8:1111:2222:3333:4444:5555:666b,"
		"2001:db8:1111:2222:3333:4444:5555:666c,2001:db8:1111:2222:3333:4444:5555:666d,"
		"2001:db8:1111:2222:3333:4444:5555:666e,2001:db8:1111:2222:3333:4444:5555:666f",
		"route add 2001:db8:a::/48 policy toward",
		"route add 198.51.100.0/24 policy other",
		"table add red",
		"table add blue",
		"table add green",
		"srv6 steering add 2001:db8:b::/48 policy toward",
		"srv6 steering add 2001:db8:b::/48 policy other port p0 dscp 26 roce on",
		"srv6 steering add 2001:db8:b::/48 policy other port p0.100",
		"srv6 steering add 2001:db8:b::/48 policy other dscp 0",
		"srv6 steering add 2001:db8:b::/48 policy toward roce off",
		"srv6 steering add 198.51.100.0/25 policy other table blue dscp 63",
		"set port p0.100 table blue",
		"set port p0.x table red",
		"address add p0.x 2001:db8::1/64",
		"address add p0 2001:db8::1/64",
		"address add p0 192.0.2.1/31",
		"address add p.3_:-/x 2001:db8:3::1",
		"address add p0.100 2001:db8:4::1/64",
		"neighbour add p0.100 2001:db8:4::2 02:00:00:00:00:05",
		"route add 2001:db8:40::/48 via 2001:db8:4::2 port p0.100",
		"neighbour add p0 2001:db8::2 02:00:00:00:00:02",
		"neighbour add p0 fe80::2 02:00:00:00:00:03",
		"neighbour add p.3_:-/x 192.0.2.9 02:00:00:00:00:04",
		"route add 2001:db8:8::/48 via 2001:db8::2 port p0",
		"route add 2001:db8:8::/48 via fe80::2 port p0",
		"route add 0.0.0.0/0 via 192.0.2.9 port p.3_:-/x",
		"route add 2001:db8:9::/48 blackhole",
		"route add 2001:db8:9::/48 via 2001:db8::9 port p0.x table red",
		"route add 2001:db8:a::/48 policy toward table red",
		"route add 2001:db8:9::/48 blackhole table blue",
		"set queue p0 class 0 limit 1.5M packets 100",
		"set queue p0 class 1 limit 77",
		"set queue p0 class 2 strict on",
		"set queue p0 class 6 strict off",
		"set queue p0 class 3 weight 1000",
		"set queue p0 class 0 detector step 20K leave 5K hold 3us",
		"set queue p0 class 4 detector step 64Ki",
		"set queue p0 class 2 detector qcn",
		"set queue p0 class 3 detector qcn qeq 30K weight 0 sample 1 leave 10 hold 0",
		"set queue p1 class all detector qcn weight 64 sample 9K",
		"set queue p1 class 4 detector off",
		"set queue p0 class 5 detector red",
		"set queue p0 class 7 detector step leave 33",
		"set queue p2 class 1 detector step threshold 30K hold 1us",
		"set queue p2 class 2 detector step",
		"set queue p2 class 3 detector red kmin 10K kmax 500K pmax 1/3 at dequeue leave 7 "
		"hold 9ns",
		"set queue p2 class 4 detector sojourn target 30us interval 0 leave 1ns hold 5ns",
		"set queue p2 class 5 detector sojourn",
		"set queue p2 class 6 detector rate threshold 123% window 50us leave 1/8 hold 2ns",
		"set queue p2 class 7 detector rate",
		"set queue p0 class 1 committed 100M burst 3000",
		"set queue p0 class 2 committed 64K",
		"set queue p0 class 2 peak 1.5G burst 0",
		"set queue p2 class 2 peak 100000007",
		"set queue p0 class 3 mark from 30K level 2",
		"set queue p0 class 4 mark level 7",
		"set queue p0 class 3 notify from 40K",
		"set queue p0 class 4 notify from 0 level 1",
		"set queue p0 class 5 notify level 3",
		"set queue p0 class 3 heavy-flows on",
		"set queue p0 class 3 trim forward size 128",
		"set queue p1 class 4 trim forward",
		"set trim class 2",
		"set trim dscp 0",
		"set trim link-share 3.5%",
		"set port p1 trim-dscp 46",
		"set buffer size 32M",
		"set buffer packets 60000",
		"set copies clone",
		"set queue all class 7 reserve 10K",
		"set queue p1 class 1 reserve 1",
		"set queue p0 class all alpha 2",
		"set queue p0 class 1 alpha 1/3",
		"set queue p0 class 2 alpha 0",
		"set pfc all class 3 send on",
		"set pfc p0 class 4 receive on",
		"set pfc p0 class 3 xoff 100K xon 90K",
		"set pfc p0 class 4 xoff 50K",
		"set pfc p1 class 3 xoff dynamic",
		"set pfc p2 class 3 xoff dynamic 0.0625 below 5K",
		"set pfc p0 class 3 reserve 20K",
		"set pfc p0 class 3 headroom 66K",
		"set pfc p1 class 3 headroom 0",
		"set pfc p0 quanta 1000",
		"set pfc p0 delay 5us",
		"set pfc p0 react 0",
		"set pfc p0 link-pause on",
		"set pfc p0 watchdog off",
		"set pfc p1 watchdog forward detect 1ms restore 3ms",
		"set pfc p0 hardware on",
		"set ioam node 0xfffffe wide 0xfffffffffffffe",
		"set ioam time ntp tai-offset 0",
		"ioam namespace add 7",
		"ioam namespace add 65535 profile hpcc",
		"ioam namespace add 0",
		"set ioam namespace 7 short value 0xffffffff",
		"set ioam namespace 7 wide value 18446744073709551615",
		"set ioam namespace 0 short link-speed",
		"set ioam namespace 0 wide tx-bytes",
		"set ioam namespace 7 schema 0 data 00112233AABBCCDD",
		"set ioam namespace 0 schema 0xfffffe",
		"set ioam port all transit on",
		"set ioam port p0 id 0 wide 0",
		"set ioam port p1 id 65534",
		"set ioam port p2 id off",
		"set ioam port p1 transit off",
		"set ioam port p1 edge strip",
		"set queue p0 class all ecn on",
		"set queue p0 class 3 notify on",
		"set notify option1-type 0x81",
		"set notify option2-type 0x9e",
		"set notify icrc norm",
		"set notify dscp 0",
		"set notify hop-limit 255",
		"set notify class 0",
		"set notify interval 1001ns",
		"set notify bucket queue 123456 burst 999",
		"set notify bucket global 5M burst 1",
		"set notify bucket destination off",
		"set notify link-share 5%",
		"set notify bucket source 77K burst 3",
		"set host on",
		"set host dad off",
		"set host mld off",
		"set host errors 500 burst 7",
		"set host replies 0 burst 1",
		"set host reachable 45s",
		"set host retrans 250ms",
		"set host solicitations 77 burst 8",
		"set host neighbours 100 port 60",
		"set host police hop_limit 100 burst 20",
		"set host police local 0 burst 1",
		"set port p0 police neighbour 1K burst 9",
		"set port p0 police all 333 burst 3",
		"set host capability 90s",
		"set host advertise 30s",
		"set host class 5",
		"set kernel namespace control",
		"set kernel vrf red",
		"set table red kernel vrf customer",
		"set table blue kernel table 4711",
		"set port p0 kernel sw0",
		"set port p0 advertise on",
		"set border proxy-type 0x05",
		"set border cnm-port 1021",
		"set border arn-port 1022",
		"set border cnp drop",
		"set border local-sids pass",
		"border peer add 2001:db8:e::/48",
		"border peer add 192.0.2.128/25",
		"border sid add 2001:db8:f::/48",
		"source exempt add 2001:db8:9::/48",
		"set srv6 endcon-rate 5K burst 9",
		"set srv6 endcon-total off",
		"set srv6 echo off",
		"set srv6 kernel-source 2001:db8:f::5",
		"set srv6 kernel-roce-source 2001:db8:51:9::1",
		"set srv6 ecn-events off",
		"srv6 sid add 2001:db8:51:1::/64 end psp usd",
		"srv6 sid add 2001:db8:51:2::/64 end.x via fe80::2 port p0 usp",
		"srv6 sid add 2001:db8:51:3::/64 end.t table main psp usp usd",
		"srv6 sid add 2001:db8:52::/48 end next-csid 32 16",
		"srv6 sid add 2001:db8:51:4::/64 end.dx6 via 2001:db8:1::9 port p0",
		"srv6 sid add 2001:db8:51:5::/64 end.dx4 via 192.0.2.9 port p0",
		"srv6 sid add 2001:db8:51:6::/64 end.dt6 table main",
		"srv6 sid add 2001:db8:51:7::/64 end.dt4",
		"srv6 sid add 2001:db8:51:8::/64 end.dt46",
		"srv6 sid add 2001:db8:51:9::1/128 end.con",
		"srv6 p-node add 2001:db8:5f::/48",
		"srv6 endcon add 2001:db8:5e::/48",
		"set srv6 endcon-protocol 17",
		"set queue p0 class 3 arn service",
		"set queue p0 class 4 arn priority",
		"set queue p0 class 3 arn-level 4",
		"set queue p0 class 3 arn-time 20us",
		"set arn bucket queue 1234 burst 5",
		"set arn bucket global 2M burst 7",
		"set arn bucket neighbour off",
		"set arn port 1023",
		"arn neighbour add 2001:db8:f::11",
		"arn neighbour add 2001:db8:f::12 port p1",
		"arn neighbour add 2001:db8:f::12 port p1 table red",
		"arn neighbour add 2001:db8:f::13 table blue",
		"set arn send on",
		"set arn receive on",
		"set arn bucket source 2K burst 6",
		"set arn bucket received 3M burst 8",
		"set arn hops 3",
		"set arn any-port on",
		"set arn held-flows 100",
		"set arn held-packets 2000",
		"set arn held-bytes 3M",
		"set arn flow-packets 50",
		"set arn flow-bytes 60K",
		"set arn pass-on 7K",
		"set arn max-time 8ms",
		"set arn watchdog detect 9ms restore 10ms",
		"set arn from-pfc on",
		"set arn from-pfc-after 11us",
		"arn source add 2001:db8:f:1::/64",
		"arn source add 2001:db8:f:2::1/128 port p1",
		"set port p0 arn-edge pfc",
		"set cnm port 1021",
		"set cnm address-from prefix",
		"set cnm direct always",
		"proxy allowed add 2001:db8:f::/64",
		"set proxy receive on",
		"set proxy rate 4K burst 9",
		"set proxy total-rate 5M burst 10",
		"set proxy interval 70us level-7 20us",
		"set proxy pfc-time 90us",
		"set proxy ce-time 3ms",
		"proxy node add 2001:db8:c::/48",
		"proxy node add 192.0.2.64/26",
		"proxy sender add 2001:db8:a::/48 translate fast-cnp",
		"proxy sender add 2001:db8:a:1::/64 translate fast-cnp-trace",
		"proxy sender add 198.51.100.0/24 translate cnp",
		"proxy sender add 198.51.100.8/32 translate pfc",
		"proxy sender add 198.51.100.9/32 translate ce",
		"proxy sender add 198.51.100.10/32 translate none",
		"set metrics listen 9751 on 2001:db8::9",
		"set log events /var/log/events.json",
		"set log events rate 77",
		"proxy qp add 2001:db8:b::7 17 sender-qp 0x12",
		"proxy qp add 2001:db8:b::7 18 sender-qp 0x13 sender 2001:db8:a::8",
		"proxy qp add 192.0.2.7 17 sender-qp 16777215",
		"set proxy reported 300 per-host 200",
		"set proxy intercept on",
		"set port p1 arn-edge fast-cnp",
		"proxy prefix add 2001:db8:a::/48 address 2001:db8:f::21",
		"proxy prefix add 192.0.2.0/24 address 198.51.100.21",
		"set proxy-option too-big error",
		"set port p0 proxy-option insert",
		"set port p1 proxy-option both",
		"proxy insert add 2001:db8:a::/48 address 2001:db8:f::21",
		"proxy insert add 2001:db8:b::/48 address 2001:db8:f::22",
		"set port p1 border on",
		"set port p1 source-check strict",
		"set port p0 class-trust off",
		"set port p0 untrusted-class 1",
		"set port p0 remark moved dscp 10",
		"set port p1 class-trust on",
		"set port p1 remark all",
		"set protected-class 5 on",
		"set protected-class 7 off",
		"set notify mark-unknown off",
		"sender default capable",
		"sender add 2001:db8:a::/48 none",
		"sender add 2001:db8:a:1::/64 unknown",
		"sender add 192.0.2.0/24 capable",
		"set notify fast-cnp on",
		"set notify endcon on",
		"set notify cnm on",
		"set notify cnp on",
		NULL,
};

int
app_group_setup(void **state)
{
	RTE_SET_USED(state);
	table = fcn_session_commands();
	if (table == NULL || mkdtemp(dir) == NULL || chdir(dir) != 0)
		return -1;
	return fcn_test_eal("0");
}

int
app_group_teardown(void **state)
{
	char cmd[64];

	RTE_SET_USED(state);
	fcn_command_table_free(table);
	rte_eal_cleanup();
	snprintf(cmd, sizeof(cmd), "rm -r '%s'", dir);
	return system(cmd);
}

int
app_setup(void **state)
{
	RTE_SET_USED(state);
	if (platform_setup(false) != 0)
		return -1;
	session = (struct fcn_session){.ctl = platform.ctl, .table = table};
	session.out = open_memstream(&said, &said_size);
	return session.out == NULL ? -1 : 0;
}

int
app_teardown(void **state)
{
	RTE_SET_USED(state);
	fclose(session.out);
	free(said);
	said = NULL;
	return platform_teardown(state);
}

int
app_line(const char *line)
{
	int rc;

	rewind(session.out);
	rc = fcn_session_line(&session, line, -1);
	fputc('\0', session.out);
	fflush(session.out);
	assert_null(session.candidate);
	return rc;
}

const char *
app_output(void)
{
	return said;
}

void
app_ok(const char *line)
{
	int rc = app_line(line);

	if (rc != 0)
		fail_msg("%s: %d, %s", line, rc, app_output());
}

void
app_all(const char *const *lines)
{
	for (; *lines != NULL; lines++)
		app_ok(*lines);
}

char *
app_config(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fcn_session_save(fcn_control_config(platform.ctl), out);
	fclose(out);
	return text;
}

void
app_reload(void)
{
	char *text = app_config(), *again;

	app_write("reload.conf", text);
	app_teardown(NULL);
	app_setup(NULL);
	if (app_line("load reload.conf") != 0)
		fail_msg("what was in force cannot be loaded: %s\n%s", app_output(), text);
	again = app_config();
	assert_string_equal(again, text);
	free(again);
	free(text);
}

void
app_write(const char *file, const char *text)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

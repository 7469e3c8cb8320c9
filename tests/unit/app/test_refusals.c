/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is refused of scheduling, buffer, detectors, flow control and IOAM, and what is said then.
 */

#include "app_util.h"

/* A line that is refused as it stands, from where on, and what is said. */
struct error {
	const char *line, *from, *said;
};

static const char *const start[] = {"port add p0", "port add p1", "port add p0.7 vlan 7 of p0",
		"bridge add br0", "set loopback 2001:db8:f::5", "ioam namespace add 7",
		"srv6 policy add green", NULL};

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(lines)
{
	static const struct error errors[] = {
			{"set port p0 rate 1G overhead 65", "65",
					"an overhead must be at most 64 bytes"},
			{"set queue p9 class 3 weight 1", "p9 class 3 weight 1",
					"there is no port p9"},
			{"set queue p0 class 3 committed 999", "999",
					"a rate must be 1K to 4000G, or off"},
			{"set queue p0 class 3 peak 4001G", "4001G",
					"a rate must be 1K to 4000G, or off"},
			{"set queue p0 class 3 peak 1G burst 2G", "2G",
					"a burst must be at most 1G bytes"},
			{"set queue p0 class 3 mark from 2G", "2G",
					"an occupancy must be at most 1G bytes"},
			{"set queue p0 class 3 mark level 8", "8", "a level must be 0 to 7"},
			{"set queue p0 class 3 notify from 1 level 9", "9",
					"a level must be 0 to 7"},
			{"set queue p0 class 3 detector step threshold 0", "0",
					"a threshold must be 1 to 1G bytes"},
			{"set queue p0 class 3 detector step threshold 5 leave 6", "6",
					"leave must be at or below the threshold at which "
					"congestion begins"},
			{"set queue p0 class 3 detector red kmin 5K kmax 5K", "5K",
					"kmax must be above kmin"},
			{"set queue p0 class 3 detector red pmax 1.000000001", "1.000000001",
					"a probability must be at most 1"},
			{"set queue p0 class 3 detector red kmin 5 leave 6", "6",
					"leave must be at or below the threshold at which "
					"congestion begins"},
			{"set queue p0 class 3 detector sojourn target 0", "0",
					"a time of target must be 1ns to 1s"},
			{"set queue p0 class 3 detector sojourn interval 2s", "2s",
					"a time of interval must be at most 1s"},
			{"set queue p0 class 3 detector sojourn target 20us leave 21us", "21us",
					"leave must be at or below the threshold at which "
					"congestion begins"},
			{"set queue p0 class 3 detector rate threshold 0", "0",
					"a part of the rate must be 0.001 to 8, in steps of 0.001"},
			{"set queue p0 class 3 detector rate threshold 0.9505", "0.9505",
					"a part of the rate must be 0.001 to 8, in steps of 0.001"},
			{"set queue p0 class 3 detector rate leave 8.001", "8.001",
					"a part of the rate must be 0.001 to 8, in steps of 0.001"},
			{"set queue p0 class 3 detector rate leave 0.951", "0.951",
					"leave must be at or below the threshold at which "
					"congestion begins"},
			{"set queue p0 class 3 detector rate window 999ns", "999ns",
					"a time of window must be 1us to 1ms"},
			{"set queue p0 class 3 detector rate window 1001us", "1001us",
					"a time of window must be 1us to 1ms"},
			{"set queue p0 class 3 detector red hold 1001ms", "1001ms",
					"a time of hold must be at most 1s"},
			{"set buffer size 0", "0", "a buffer must be 1 to 4G bytes, or off"},
			{"set buffer packets 63", "63",
					"a number of packets must be 64 to 8388607, or auto"},
			{"set buffer size 4000000001", "4000000001",
					"a buffer must be 1 to 4G bytes, or off"},
			{"set queue p0 class 3 reserve 2G", "2G",
					"a reserve must be at most 1G bytes"},
			{"set queue p0 class 3 alpha 128.1", "128.1", "alpha must be at most 128"},
			{"set pfc p0 class 3 xoff 0", "0",
					"a threshold must be 1 to 1G bytes, or auto"},
			{"set pfc p0 class 3 xoff 10 xon 11", "11", "xon must be at or below xoff"},
			{"set pfc p0 class 3 xoff dynamic 0", "0",
					"alpha must be 0.000000001 to 128"},
			{"set pfc p0 class 3 xoff dynamic 1/8 below 2G", "2G",
					"a distance must be at most 1G bytes"},
			{"set pfc p0 class 3 headroom 2G", "2G",
					"a headroom must be at most 1G bytes, or auto"},
			{"set pfc p0 quanta 0", "0", "a pause in quanta must be 1 to 65535"},
			{"set pfc p0 quanta 65536", "65536",
					"a pause in quanta must be 1 to 65535"},
			{"set pfc p0 delay 2s", "2s", "a delay must be at most 1s"},
			{"set pfc p0 watchdog drop detect 999ns", "999ns",
					"a watchdog's time must be 1us to 100s"},
			{"set pfc p0 watchdog drop restore 101s", "101s",
					"a watchdog's time must be 1us to 100s"},
			{"set ioam node 0xffffff", "0xffffff",
					"a node's id must be 0 to 16777214, or off"},
			{"set ioam node 1 wide 0xffffffffffffff", "0xffffffffffffff",
					"a node's wide id must be 0 to 72057594037927934"},
			{"set ioam time ptp tai-offset 1001", "1001",
					"the offset of TAI in seconds must be 0 to 1000"},
			{"ioam namespace add 65536", "65536", "a namespace must be 0 to 65535"},
			{"ioam namespace add 7", "7", "there is a namespace 7 already"},
			{"ioam namespace remove 8", "8", "there is no namespace 8"},
			{"set ioam namespace 8 short none", "8 short none",
					"there is no namespace 8: ioam namespace add 8"},
			{"set ioam namespace 7 short value 0x100000000", "0x100000000",
					"the value must be 0 to 4294967295"},
			{"set ioam namespace 7 schema 0xffffff", "0xffffff",
					"a schema must be 0 to 16777214, or none"},
			{"set ioam namespace 7 schema 1 data 0011223", "0011223",
					"the data must be at most 63 words of eight "
					"hexadecimal digits"},
			{"set ioam namespace 7 schema 1 data 0011223g", "0011223g",
					"the data must be at most 63 words of eight "
					"hexadecimal digits"},
			{"set ioam port p0 id 65535", "65535",
					"a port's id must be 0 to 65534, or auto, or off"},
			{"set ioam port p0 id 1 wide 0xffffffff", "0xffffffff",
					"a port's wide id must be 0 to 4294967294"},
			{"set notify bucket global 2G burst 1", "2G burst 1",
					"the number of notices per second must be 1 to 1G, or off"},
			{"set port p0.7 border on", "p0.7 border on",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set border proxy-type 1", "1",
					"the option type of a proxy's address must be 0x02 to "
					"0x1f"},
			{"set border proxy-type 0x3e", "0x3e",
					"the option type of a proxy's address must be 0x02 to "
					"0x1f"},
			{"set border proxy-type 0x11", "0x11",
					"option type 0x11 is that of IOAM (RFC 9486)"},
			{"set border cnm-port 0", "0", "a UDP port must be 1 to 65535, or off"},
			{"set cnm port 65536", "65536", "a UDP port must be 1 to 65535, or off"},
			{"set cnm address-from both", "both",
					"expected option-prefix, prefix-option, option or prefix, "
					"found \"both\""},
			{"set cnm direct off", "off",
					"expected otherwise, always or never, found \"off\""},
			{"proxy prefix add 2001:db8::/32 address fe80::1", "fe80::1",
					"messages cannot be sent to this address: it has to be the "
					"global unicast address of a proxy"},
			{"proxy prefix add 192.0.2.0/24 address 224.0.0.1", "224.0.0.1",
					"messages cannot be sent to this address: it has to be the "
					"global unicast address of a proxy"},
			{"proxy prefix remove 192.0.2.0/24", "192.0.2.0/24",
					"there is no such prefix"},
			{"proxy allowed add 192.0.2.0/24", "192.0.2.0/24",
					"an option contains an IPv6 address, so only IPv6 prefixes "
					"can be allowed"},
			{"proxy insert add 192.0.2.0/24 address 2001:db8::1",
					"192.0.2.0/24 address 2001:db8::1",
					"only IPv6 packets have this option, and it contains an "
					"IPv6 address"},
			{"proxy insert add 2001:db8::/32 address 192.0.2.1", "192.0.2.1",
					"only IPv6 packets have this option, and it contains an "
					"IPv6 address"},
			{"proxy insert remove 2001:db8::/32", "2001:db8::/32",
					"there is no such prefix"},
			{"proxy node remove 2001:db8::/32", "2001:db8::/32",
					"there is no such prefix"},
			{"proxy sender remove 2001:db8::/32", "2001:db8::/32",
					"there is no such prefix"},
			{"proxy allowed remove 2001:db8::/32", "2001:db8::/32",
					"there is no such prefix"},
			{"set border arn-port 65536", "65536",
					"a UDP port must be 1 to 65535, or off"},
			{"border peer remove 2001:db8::/32", "2001:db8::/32",
					"there is no such prefix"},
			{"set port p0 untrusted-class all", "all",
					"a single class must be given, 0 to 7"},
			{"set port p0 remark all dscp 64", "64", "a DSCP must be 0 to 63"},
			{"set loopback fe80::1", "fe80::1",
					"the loopback address must be reachable from everywhere, "
					"and cannot be link-local"},
			{"set loopback febf::1", "febf::1",
					"the loopback address must be reachable from everywhere, "
					"and cannot be link-local"},
			{"set loopback 169.254.0.1", "169.254.0.1",
					"the loopback address must be reachable from everywhere, "
					"and cannot be link-local"},
			{"set loopback 127.0.0.1", "127.0.0.1",
					"not the address of a host: a loopback address"},
			{"set loopback ff02::1", "ff02::1",
					"not the address of a host: a multicast address"},
			{"set loopback ::", "::",
					"not the address of a host: the unspecified address"},
			{"set loopback ::1", "::1",
					"not the address of a host: a loopback address"},
			{"set loopback ::ffff:192.0.2.1", "::ffff:192.0.2.1",
					"not the address of a host: an IPv4-mapped address"},
			{"address add p0 ff02::1/64", "ff02::1/64",
					"not the address of a host: a multicast address"},
			{"address add p0 2001:db8:5::/64", "2001:db8:5::/64",
					"not the address of a host: the Subnet-Router anycast "
					"address of its prefix (RFC 4291); an address of this "
					"prefix is 2001:db8:5::1/64"},
			{"address add p0 2001:db8::fdff:ffff:ffff:fffe/64",
					"2001:db8::fdff:ffff:ffff:fffe/64",
					"not the address of a host: one of the highest 128 of its "
					"prefix, which are reserved for anycast (RFC 2526); an "
					"address of this prefix is 2001:db8::1/64"},
			{"address add p0 192.0.2.0/24", "192.0.2.0/24",
					"not the address of a host: the address of the network "
					"itself (RFC 1122); an address of this prefix is "
					"192.0.2.1/24"},
			{"address add p0 192.0.2.7/30", "192.0.2.7/30",
					"not the address of a host: the broadcast address of its "
					"prefix (RFC 1122); an address of this prefix is "
					"192.0.2.5/30"},
			{"set port p0 link 10000", "10000", "a link's speed must be 1M to 4000G"},
			{"address add p0 ::1/128", "::1/128",
					"not the address of a host: a loopback address"},
			{"address add p0 127.0.0.1/8", "127.0.0.1/8",
					"not the address of a host: a loopback address"},
			{"address add p0 224.0.0.1/24", "224.0.0.1/24",
					"not the address of a host: a multicast address"},
			{"address add p0 0.0.0.5/8", "0.0.0.5/8",
					"not the address of a host: an unspecified address"},
			{"address add p0 255.255.255.255/32", "255.255.255.255/32",
					"not the address of a host: the broadcast address"},
			{"address add p0 ::ffff:1.2.3.4/128", "::ffff:1.2.3.4/128",
					"not the address of a host: an IPv4-mapped address"},
			{"neighbour add p0 ::1 02:00:00:00:00:01", "::1 02:00:00:00:00:01",
					"not the address of a host: a loopback address"},
			{"neighbour add p0 127.0.0.1 02:00:00:00:00:01",
					"127.0.0.1 02:00:00:00:00:01",
					"not the address of a host: a loopback address"},
			{"neighbour add p0 fe80::1 03:00:00:00:00:01", "03:00:00:00:00:01",
					"not a unicast MAC address"},
			{"route add 2001:db8::/32 via ff02::1 port p0", "ff02::1 port p0",
					"not the address of a host: a multicast address"},
			{"route add 2001:db8::/32 via :: port p0", ":: port p0",
					"not the address of a host: the unspecified address"},
			{"route add 10.0.0.0/8 via 127.0.0.1 port p0", "127.0.0.1 port p0",
					"not the address of a host: a loopback address"},
			{"route add 2001:db8::/32 via 10.0.0.1 port p0", "10.0.0.1 port p0",
					"IPv6 packets need an IPv6 gateway"},
			{"route add 10.0.0.0/8 via ff02::1 port p0", "ff02::1 port p0",
					"not the address of a host: a multicast address"},
			{"port add all", "all", "all is a word of the console"},
			{"port add q mtu 1279", "1279", "an MTU must be 1280 to 9600 bytes"},
			{"port add q mtu 9601", "9601", "an MTU must be 1280 to 9600 bytes"},
			{"port add all vlan 5 of p0", "all vlan 5 of p0",
					"all is a word of the console"},
			{"port add p0.5 vlan 5 of p9", "p9", "there is no port p9"},
			{"port add p0.5 vlan 0 of p0", "0 of p0", "a VLAN must be 1 to 4094"},
			{"port add p0.5 vlan 4095 of p0", "4095 of p0", "a VLAN must be 1 to 4094"},
			{"port add p1 vlan 5 of p0", "p1 vlan 5 of p0",
					"there is a port p1 already"},
			{"port add again vlan 7 of p0", "7 of p0", "VLAN 7 of p0 is p0.7"},
			{"port add q vlan 5 of p0.7", "p0.7",
					"p0.7 is a sub-interface itself, and frames "
					"have at most one VLAN tag"},
			{"set port p0.7 mac 02:00:00:00:00:01", "p0.7 mac 02:00:00:00:00:01",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set port p0.7 link 1G", "p0.7 link 1G",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set port p0.7 rate 1G", "p0.7 rate 1G",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set port p0.7 trust pcp", "p0.7 trust pcp",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set queue p0.7 class 3 weight 1", "p0.7 class 3 weight 1",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set pfc p0.7 class 3 send on", "p0.7 class 3 send on",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set ioam port p0.7 transit on", "p0.7 transit on",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set ioam port p0.7 id 5", "p0.7 id 5",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"bridge br0 interface add p0 vlan 9", "p0 vlan 9",
					"there is a port p0 already"},
			{"bridge br0 interface add host vlan 4095", "4095",
					"a VLAN must be 1 to 4094"},
			{"bridge br0 interface add all", "all", "all is a word of the console"},
			{"bridge add json", "json", "json is a word of the console"},
			{"show bridge p0", "p0", "there is no bridge p0"},
			{"bridge br0 interface add another", "bridge br0 interface add another",
					"the interface of bridge br0 in VLAN 1 is br0.1"},
			{"set port br0.1 link 1G", "br0.1 link 1G",
					"br0.1 is an interface of bridge br0 and has no link"},
			{"port add x vlan 2 of br0.1", "br0.1",
					"br0.1 is an interface of bridge br0 and has no link"},
			{"bridge br0 port add br0.1", "br0.1",
					"br0.1 is an interface of bridge br0 and has no link"},
			{"set bridge br0 port p5 mac-limit 0", "0",
					"a limit of addresses must be 1 to 1M, or auto"},
			{"set bridge br0 port p5 mac-limit 1000001", "1000001",
					"a limit of addresses must be 1 to 1M, or auto"},
			{"set bridge br0 port p5 storm-control multicast 0", "0",
					"the number of frames per second must be 1 to 100M, or "
					"off"},
			{"set bridge br0 port p5 storm-control multicast 5 burst 0", "0",
					"a burst of frames must be 1 to 1M"},
			{"set bridge br0 port p0 mac-limit 5", "p0 mac-limit 5",
					"port p0 is not in bridge br0"},
			{"bridge br0 port add p0.7", "p0.7",
					"p0.7 is a sub-interface; this is set on its "
					"port, p0"},
			{"set port br0.1 police local 5 burst 2", "br0.1 police local 5 burst 2",
					"packets for a bridge interface are policed at the port "
					"that received them"},
			{"set host police local 1000001 burst 1", "1000001 burst 1",
					"the number of packets per second must be at most 1M"},
			{"set host police local 1 burst 0", "0",
					"a burst of packets must be 1 to 1M"},
			{"set bridge br0 move-limit 0", "0",
					"a limit of moves a second must be 1 to 1M, or off"},
			{"set bridge br9 loop-action disable", "br9 loop-action disable",
					"there is no bridge br9"},
			{"set bridge br0 loop-action disable recover 999999999ns", "999999999ns",
					"the time after which a port is opened again must be 1s to "
					"1000000s, or never"},
			{"set bridge br0 loop-action disable recover 1000001s", "1000001s",
					"the time after which a port is opened again must be 1s to "
					"1000000s, or never"},
			{"srv6 sid add ::/0 end", "::/0 end",
					"a SID must be an address that packets can be routed to"},
			{"srv6 sid add 2001:db8::/31 end", "2001:db8::/31 end",
					"the prefix of a SID has at least 32 bits"},
			{"srv6 sid add fe80::1/128 end", "fe80::1/128 end",
					"a SID must be an address that packets can be routed to"},
			{"srv6 sid add 192.0.2.1/32 end", "192.0.2.1/32 end",
					"a SID is an IPv6 prefix"},
			{"srv6 sid add fcbb:bb00:1::/48 end next-csid 0 48", "0 48",
					"the number of bits of a block must be 1 to 126"},
			{"srv6 sid add fcbb:bb00:1::/48 end next-csid 48 300", "300",
					"the number of bits of a node must be 1 to 126"},
			{"srv6 sid add fcbb:bb00:1::/48 end next-csid 80 48", "80 48",
					"block and node must have at least 1 bit each, and 127 "
					"together"},
			{"srv6 sid add fcbb:bb00:1::/64 end next-csid 32 16", "32 16",
					"the prefix must be as long as block and node together, as "
					"what follows them is the argument"},
			{"srv6 sid add 2001:db8:9::/48 end.dt6 psp", "psp",
					"expected table or end of line, found \"psp\""},
			{"srv6 sid add 2001:db8:9::/48 end.dx6", "",
					"expected via, found end of line"},
			{"srv6 sid add 2001:db8:9::/48 end.dx6 via 192.0.2.1 port p0",
					"192.0.2.1 port p0",
					"the packets are IPv6, so the station needs an IPv6 "
					"address"},
			{"srv6 sid add 2001:db8:9::/48 end.dx4 via fe80::1 port p0",
					"fe80::1 port p0",
					"the packets are IPv4, so the station needs an IPv4 "
					"address"},
			{"srv6 sid add 2001:db8:9::/48 end.x via ff02::1 port p0",
					"ff02::1 port p0",
					"not the address of a host: a multicast address"},
			{"srv6 sid add 2001:db8:9::/48 end.x via fe80::1 port p9", "p9",
					"there is no port p9"},
			{"srv6 sid add 2001:db8:9::/48 end.t table blue", "blue",
					"there is no table blue"},
			{"route add 240.0.0.0/8 via 192.0.2.9 port p0",
					"240.0.0.0/8 via 192.0.2.9 port p0",
					"no packet is forwarded to these addresses: 240.0.0.0/4 is "
					"reserved (RFC 1112)"},
			{"route add 192.0.3.0/24 via 240.0.0.1 port p0", "240.0.0.1 port p0",
					"not the address of a host: an address of 240.0.0.0/4, "
					"which is reserved and not forwarded"},
			{"address add p0 240.0.0.1/24", "240.0.0.1/24",
					"not the address of a host: an address of 240.0.0.0/4, "
					"which is reserved and not forwarded"},
			{"route add 2001:db8:9::/48 blackhole table blue", "blue",
					"there is no table blue"},
			{"show route table blue", "blue", "there is no table blue"},
			{"table add main", "main", "there is a table main already"},
			{"table remove main", "main", "the main table cannot be removed"},
			{"table remove blue", "blue", "there is no table blue"},
			{"srv6 steering add 2001:db8:9::/48 policy none", "none",
					"there is no policy none"},
			{"srv6 steering add 2001:db8:9::/48 policy green dscp 64", "64",
					"a DSCP must be 0 to 63"},
			{"srv6 steering add 2001:db8:9::/48 policy green dscp 65535", "65535",
					"a DSCP must be 0 to 63"},
			{"srv6 steering add 2001:db8:9::/48 policy green table blue", "blue",
					"there is no table blue"},
			{"srv6 steering add 2001:db8:9::/48 policy green port p9", "p9",
					"there is no port p9"},
			{"srv6 steering add 2001:db8:9::/48 policy green roce on dscp 5", "dscp 5",
					"expected end of line, found \"dscp\", which has to come "
					"before roce"},
			{"srv6 steering remove 2001:db8:9::/48 roce on", "2001:db8:9::/48 roce on",
					"there is no such rule with just these options"},
			{"srv6 sid remove 2001:db8:9::/48", "2001:db8:9::/48",
					"there is no such SID"},
			{"srv6 p-node add 192.0.2.0/24", "192.0.2.0/24",
					"P nodes have IPv6 addresses"},
			{"srv6 p-node remove 2001:db8::/32", "2001:db8::/32",
					"there is no such prefix"},
			{"srv6 endcon add 192.0.2.0/24", "192.0.2.0/24",
					"END.CON addresses are IPv6 addresses"},
			{"srv6 endcon remove 2001:db8::/32", "2001:db8::/32",
					"there is no such prefix"},
			{"set srv6 endcon-protocol 256", "256",
					"a routing protocol must be 0 to 255, or off"},
			{"set srv6 endcon-rate 0", "0", "a rate must be 1 to 10M, or auto, or off"},
			{"set srv6 endcon-total 1K burst 5K", "5K", "a burst must be 1 to 4096"},
			{"arn neighbour add 2001:db8:f::1 table blue", "blue",
					"there is no table blue"},
			{"arn source add 192.0.2.0/24", "192.0.2.0/24",
					"sources of messages have IPv6 addresses"},
			{"arn source add 2001:db8::/32 port p9", "p9", "there is no port p9"},
			{"arn source remove 2001:db8::/32", "2001:db8::/32",
					"there is no such prefix"},
			{"set arn held-flows 1025", "1025", "a number of flows must be 1 to 1024"},
			{"set arn held-packets 16385", "16385",
					"a number of packets must be 1 to 16384"},
			{"set arn flow-packets 0", "0", "a number of packets must be 1 to 16384"},
			{"set arn held-bytes 0", "0", "a limit must be 1 to 1G bytes"},
			{"set arn max-time 61s", "61s", "this time must be 1us to 60s"},
			{"set arn watchdog detect 1us", "1us",
					"a watchdog's time must be 1ms to 100s, or off"},
			{"set arn from-pfc-after 2s", "2s", "this time must be at most 1s"},
			{"set arn pass-on 0", "0",
					"a number of bytes must be 1 to 1G bytes, or off"},
			{"set port p0 arn-edge ecn", "ecn",
					"expected pfc, fast-cnp or off, found \"ecn\""},
			{"clear err-disable port p9", "p9", "there is no port p9"},
			{"clear err-disable port p5", "p5",
					"port p5 is not closed because of a loop"},
			{"port add p9 device net_null0 mtu 4200", "net_null0 mtu 4200",
					"mtu must be before device, which takes the "
					"rest of the line"},
			{"port add p9 device net_null0  queues", "net_null0  queues",
					"queues must be before device, which takes the "
					"rest of the line"},
			{"port add last", "last", "last is a word of the console"},
			{"port add class", "class", "class is a word of the console"},
			{"port add detail", "detail", "detail is a word of the console"},
			{"port add p9 rx-descriptors 31 device net_null0", "31 device net_null0",
					"a queue of a device has 32 to 32768 descriptors"},
			{"port add p9 tx-descriptors 32769", "32769",
					"a queue of a device has 32 to 32768 descriptors"},
			{"port add p9 device net_null0 tx-descriptors 64",
					"net_null0 tx-descriptors 64",
					"tx-descriptors must be before device, which takes the "
					"rest of the line"},
			{"port add p9 queues 0 device net_null0", "0 device net_null0",
					"a device has 1 to 16 receive queues"},
			{"port add p9 queues 17 device net_null0", "17 device net_null0",
					"a device has 1 to 16 receive queues"},
	};
	char *before, *after;

	assert_int_not_equal(app_line("set queue all class 0 ecn on"), 0);
	assert_string_equal(app_output(), "column 11: there is no port\n");
	app_all(start);
	app_ok("port add p5");
	app_ok("bridge br0 port add p5");
	app_ok("bridge br0 interface add br0.1");
	before = app_config();
	for (size_t i = 0; i < RTE_DIM(errors); i++) {
		const struct error *m = &errors[i];
		size_t at = strlen(m->line) - strlen(m->from);
		char want[256];

		assert_string_equal(m->line + at, m->from);
		snprintf(want, sizeof(want), "column %zu: %s\n", at + 1, m->said);
		assert_int_not_equal(app_line(m->line), 0);
		if (strcmp(app_output(), want) != 0)
			fail_msg("%s:\n%s", m->line, app_output());
	}
	after = app_config();
	assert_string_equal(after, before);
	free(before);
	free(after);
}

/* A prefix has as many steering rules as it can have: one that is there is said to be there, and
 * one that is not has no room. */
TEST(full_prefix)
{
	char line[128];

	app_ok("srv6 policy add green");
	for (unsigned int dscp = 0; dscp < 64; dscp++) {
		snprintf(line, sizeof(line),
				"srv6 steering add 2001:db8:9::/48 policy green dscp %u", dscp);
		app_ok(line);
	}
	assert_int_not_equal(app_line(line), 0);
	assert_string_equal(app_output(), "column 19: this rule exists already\n");
	assert_int_not_equal(app_line("srv6 steering add 2001:db8:9::/48 policy green roce on"), 0);
	assert_string_equal(app_output(), "column 19: the prefix has 64 rules already\n");
}

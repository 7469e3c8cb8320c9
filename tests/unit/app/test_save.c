/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What save writes is what is in force: loaded, it gives the same again. */

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app_util.h"
#include "config_same.h"

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
		"set loopback 203.0.113.77",
		"route add 10.8.0.0/16 via fe80::2 port p0",
		"address remove p0 2001:db8::1/64",
		"neighbour remove p0 fe80::2",
		"neighbour add p0 fe80::2 02:00:00:00:00:99",
		"route remove 2001:db8:8::/48",
		"route remove 2001:db8:8::/48 via fe80::2 port p0",
		"route remove 2001:db8:9::/48",
		"set queue p0 class all limit 1G packets 50",
		"set queue p0 class 1 limit auto packets 51",
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
		"set notify bucket destination auto",
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
		"set queue p0 class 3 trim off",
		"set trim dscp keep",
		"set trim option-type 0x8a",
		"set notify entropy on",
		"set trim link-share off",
		"set port p1 trim-dscp auto",
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
		"set pfc p0 watchdog drop",
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
		"set metrics off",
		"set metrics listen 0",
		"set log events off",
		"set log events rate all",
		"set border proxy-type 0x1e",
		"set border cnm-port off",
		"set border cnm-port 65535",
		"set border arn-port off",
		"set border cnp pass",
		"set border local-sids drop",
		"border peer remove 192.0.2.128/25",
		"border sid remove 2001:db8:f::/48",
		"source exempt remove 2001:db8:9::/48",
		"set srv6 policy other mode no-srh",
		"set srv6 policy toward source 2001:db8:f::6",
		"set srv6 policy toward source loopback",
		"set srv6 policy toward roce-source none",
		"set srv6 policy toward roce-source 2001:db8:51:9::2",
		"set srv6 policy other ecn normal",
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
		"set srv6 endcon-rate auto",
		"set srv6 endcon-total 1M",
		"set srv6 endcon-total auto",
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
		"set arn bucket source auto",
		"set arn bucket received off",
		"set arn bucket received auto",
		"set arn hops 255",
		"set arn any-port off",
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
		"set proxy rate auto",
		"set proxy total-rate off",
		"set proxy total-rate auto",
		"set proxy interval 1us",
		"set proxy interval 30us level-7 30us",
		"set proxy pfc-time 1us",
		"set proxy ce-time 10s",
		"proxy node remove 192.0.2.64/26",
		"proxy sender add 198.51.100.0/24 translate fast-cnp",
		"proxy sender remove 198.51.100.0/24",
		"proxy qp add 192.0.2.7 17 sender-qp 0",
		"proxy qp add 192.0.2.7 17 sender-qp 1 sender 198.51.100.9",
		"set proxy reported 1000",
		"set proxy reported 0",
		"set proxy intercept off",
		"proxy qp remove 192.0.2.7 17",
		"set port all arn-edge pfc",
		"set cnm port 65535",
		"set cnm address-from option-prefix",
		"set cnm address-from prefix-option",
		"set cnm direct otherwise",
		"set cnm direct never",
		"proxy allowed remove 2001:db8:f::/64",
		"set notify cnm off",
		"set notify cnp off",
		"proxy prefix remove 192.0.2.0/24",
		"proxy prefix add 192.0.2.0/24 address 2001:db8:f::22",
		"set proxy-option too-big omit",
		"set port p0 proxy-option off",
		"set port all proxy-option remove",
		"proxy insert remove 2001:db8:a::/48",
		"proxy insert add 2001:db8:b::/48 address 2001:db8:f::23",
		"arn neighbour remove 2001:db8:f::11",
		"arn neighbour remove 2001:db8:f::12 port p1",
		"arn neighbour remove 2001:db8:f::13 table blue",
		"set port p1 border off",
		"set port p1 source-check off",
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
		"set buffer packets 1000",
		"set buffer packets auto",
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
	const char *syntax = fcn_command_form_command(session.table, form)->syntax;
	const size_t first_word = strcspn(syntax, " ");

	for (; *lines != NULL; lines++) {
		if (strncmp(*lines, syntax, first_word) == 0 &&
				fcn_command_form_matches(session.table, form, *lines))
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

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

/* A command's optional parts are ways to write it: at least one of each command is here. */
TEST(every_command_is_here)
{
	const struct fcn_command_table *t = session.table;
	const size_t n_forms = fcn_command_form_count(t);

	for (size_t i = 0; i < n_forms; i++) {
		const struct fcn_command *c = fcn_command_form_command(t, i);
		bool found = false;

		if (c->kind != FCN_COMMAND_CONFIG)
			continue;
		for (size_t k = 0; k < n_forms && !found; k++) {
			if (fcn_command_form_command(t, k) == c)
				found = is_among(k, app_everything) || is_among(k, undo) ||
					is_among(k, no_buffer) || is_among(k, alone) ||
					(c->former && is_former(k));
		}
		if (!found)
			fail_msg("no test of: %s", c->syntax);
	}
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
	assert_same_config(before, now);
	fcn_config_free(before);
	free(text);
}

TEST(everything)
{
	char *text;

	app_all(app_everything);
	text = app_config();
	app_ok("show config");
	assert_string_equal(app_output(), text);
	free(text);
	round_trip();
}

/* Configuration files may have words that commands had before: they do the same, and are saved as
 * the words of today. Help and completion do not name them. */
TEST(former_words)
{
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

TEST(nothing)
{
	round_trip();
	app_ok("port add p0");
	round_trip();
}

/* Each line of the configuration shows in what is saved, from the moment it is in force. */
TEST(each_shows)
{
	const unsigned int step = 100 / fcn_test_effort(100);
	unsigned int n = 0;
	char *before, *after;

	for (const char *const *line = app_everything; *line != NULL; line++) {
		if (n++ % step != 0) {
			app_ok(*line);
			continue;
		}
		before = app_config();
		app_ok(*line);
		after = app_config();
		if (strcmp(before, after) == 0)
			fail_msg("not saved: %s", *line);
		free(before);
		free(after);
	}
}

/* And each change of it: one at a time, and there and back through a file. */
TEST(each_change)
{
	const unsigned int n = RTE_DIM(undo) - 1;
	char *full, *after;

	app_all(app_everything);
	full = app_config();
	app_write("full.conf", full);
	for (size_t i = 0; i < n; i += RTE_MAX(1u, n / fcn_test_effort(n))) {
		app_teardown(NULL);
		app_setup(NULL);
		app_ok("load full.conf");
		app_ok(undo[i]);
		after = app_config();
		if (strcmp(full, after) == 0)
			fail_msg("not saved: %s", undo[i]);
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
TEST(save_file)
{
	struct stat st;

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

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Every show, as text and as JSON: the same names, from a switch that has something to show. */

#include "app_util.h"
#include "show_util.h"

/* One line for each way to write a show that takes json, without that word. */
static bool
line_of(size_t form, char *line, size_t size)
{
	struct fcn_command_word words[FCN_COMMAND_MAX_WORDS];
	unsigned int n = fcn_command_form_words(session.table, form, words);
	bool json = false;

	line[0] = '\0';
	if (strcmp(words[0].literal, "show") != 0)
		return false;
	/* These need files and a program: test_commits.c. */
	if (strcmp(words[1].literal, "diff") == 0 ||
			(n > 2 && words[2].literal != NULL &&
					strcmp(words[2].literal, "follow") == 0))
		return false;
	for (unsigned int i = 0; i < n; i++) {
		const struct fcn_command_word *w = &words[i];
		const char *word = w->literal != NULL               ? w->literal
				   : strcmp(w->type, "class") == 0  ? "3"
				   : strcmp(w->type, "number") == 0 ? "7"
				   : strcmp(w->type, "prefix") == 0 ? "2001:db8:77::1"
				   : strcmp(w->key, "bridge") == 0  ? "br0"
				   : strchr(w->type, '#') != NULL   ? "port"
				   : strcmp(w->key, "table") == 0   ? "main"
								    : "p1";

		if (strcmp(word, "json") == 0)
			json = true;
		else
			snprintf(line + strlen(line), size - strlen(line), "%s%s", i > 0 ? " " : "",
					word);
	}
	return json;
}

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(all)
{
	unsigned int n = 0;
	char line[256];

	for (unsigned int round = 0; round < 2; round++) { /* of an empty switch first */
		if (round == 1) {
			fill();
		} else {
			app_ok("port add p1");
			app_ok("bridge add br0");
		}
		for (size_t i = 0; i < fcn_command_form_count(session.table); i++) {
			if (!line_of(i, line, sizeof(line)))
				continue;
			json_decref(show(line));
			n++;
		}
		if (round == 0) {
			app_ok("port remove p1");
			app_ok("bridge remove br0");
		}
	}
	assert_true(n >= 2 * 20);
}

/* Each detector of the list has a command, and a queue shows it with its thresholds. */
TEST(detectors)
{
	app_ok("port add p1");
	app_ok("set port p1 link 10G");
	for (unsigned int t = 0; t < FCN_DETECTOR_TYPE_COUNT; t++) {
		const char *name = fcn_detector_type_name(t);
		const json_t *row;
		char line[64];
		json_t *v;

		snprintf(line, sizeof(line), "set queue p1 class 3 detector %s", name);
		app_ok(line);
		v = show("show queue p1 class 3");
		row = json_array_get(v, 0);
		assert_string_equal(json_string_value(json_object_get(row, "detector")), name);
		assert_true(t == FCN_DETECTOR_OFF ||
				json_object_size(json_object_get(row, "thresholds")) > 2);
		json_decref(v);
	}
}

/* What the tables say adds up. */
TEST(sums)
{
	json_int_t sent = 0, suppressed = 0, drops = 0, rx = 0, tx = 0, queued = 0, notices = 0;
	json_t *v, *row, *total;
	size_t i;

	fill();
	v = show("show notify");
	json_array_foreach (json_object_get(v, "verdicts"), i, row) {
		const char *outcome = json_string_value(json_object_get(row, "outcome"));

		if (strcmp(outcome, "sent") == 0)
			sent += number(row, "packets");
		else if (strcmp(outcome, "suppressed") == 0)
			suppressed += number(row, "packets");
	}
	total = json_object_get(v, "total");
	assert_true(sent > 0 && suppressed > 0);
	assert_int_equal(number(total, "sent"), sent);
	assert_int_equal(number(total, "suppressed"), suppressed);
	assert_int_equal(number(total, "wanted"), sent + suppressed);
	json_decref(v);

	v = show("show port");
	json_array_foreach (v, i, row) {
		rx += number(row, "rx_packets");
		tx += number(row, "tx_packets");
		drops += number(row, "drops");
		notices += number(row, "notices");
	}
	assert_int_equal(notices, sent);
	json_decref(v);
	app_ok("show port"); /* a short table, and the rest on demand */
	assert_ptr_equal(strstr(app_output(), "port  state  link  rx  tx  drops  notices\n"),
			app_output());
	assert_null(strstr(app_output(), "tx_packets"));
	app_ok("show port p1 detail");
	assert_non_null(strstr(app_output(), "tx_packets: "));
	v = show("show drops");
	json_array_foreach (v, i, row)
		drops -= number(row, "packets");
	assert_int_equal(drops, 0);
	json_decref(v);

	v = show("show queue");
	json_array_foreach (v, i, row) {
		queued += number(row, "queued_packets");
		assert_int_equal(number(row, "packets"),
				number(row, "sent") + number(row, "queued_packets"));
	}
	json_decref(v);
	v = show("show conservation");
	assert_true(json_is_true(json_object_get(v, "ok")));
	assert_int_equal(number(v, "received"), rx);
	assert_int_equal(number(v, "transmitted"), tx);
	assert_int_equal(number(v, "generated"), notices);
	assert_true(number(v, "queued") >= queued); /* and those that a port had no room for */
	json_decref(v);

	v = show("show flows notified");
	assert_true(json_array_size(v) == 10);
	json_array_foreach (v, i, row) {
		if (i > 0)
			assert_true(number(json_array_get(v, i - 1), "notices") >=
					number(row, "notices"));
	}
	json_decref(v);
}

/* Flows by their bytes: the sum is what the queues count, each notice is about one of them, and
 * flows of which only notices are known come last. */
TEST(flows)
{
	json_int_t bytes = 0, notices = 0, most = INT64_MAX, of_queues = 0;
	json_t *v, *row, *of_class;
	size_t i, shown = 0;

	fill();
	v = show("show queue all");
	json_array_foreach (v, i, row)
		of_queues += number(row, "arrived_congested_bytes");
	json_decref(v);
	v = show("show flows limit 256");
	assert_true(json_array_size(v) > 10);
	json_array_foreach (v, i, row) {
		assert_true(json_is_true(json_object_get(row, "exact")));
		assert_true(number(row, "bytes") <= most && number(row, "bytes") > 0);
		most = number(row, "bytes");
		bytes += most;
		notices += number(row, "notices");
	}
	assert_int_equal(bytes, of_queues);
	for (json_int_t c = 0; c < FCN_CLASSES; c++) {
		char line[64];

		snprintf(line, sizeof(line), "show flows p1 class %d limit 256", (int)c);
		of_class = show(line);
		json_array_foreach (of_class, i, row)
			assert_int_equal(number(row, "class"), c);
		shown += json_array_size(of_class);
		json_decref(of_class);
	}
	assert_int_equal(shown, json_array_size(v));
	json_decref(v);
	v = show("show flows notified limit 256");
	json_array_foreach (v, i, row)
		notices -= number(row, "notices");
	assert_int_equal(notices, 0);
	json_decref(v);
	v = show("show flows limit 3");
	assert_int_equal(json_array_size(v), 3);
	json_decref(v);

	/* The worker forgets, and the collector does not. */
	fcn_worker_clear_counters(fcn_control_worker(platform.ctl, 0));
	v = show("show flows");
	assert_int_equal(json_array_size(v), 10);
	json_array_foreach (v, i, row) {
		assert_true(json_is_null(json_object_get(row, "bytes")));
		assert_true(json_is_null(json_object_get(row, "port")));
		assert_true(number(row, "notices") > 0);
	}
	json_decref(v);
	v = show("show flows p1");
	assert_int_equal(json_array_size(v), 0);
	json_decref(v);
}

/* Sources, the newest first, and refusals by their reasons, of all ports. */
TEST(arn_received)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	struct fcn_arn_received *r = &w->arn_received;
	const uint8_t older[16] = {0x20, 1, 0x0d, 0xb8, [15] = 1};
	const uint8_t newer[16] = {0x20, 1, 0x0d, 0xb8, [15] = 2};
	json_t *v, *row;

	fcn_arn_received_source(r, &w->hash_key, older, w->now)->flows = 3;
	fcn_arn_received_source(r, &w->hash_key, newer, w->now + 5)->refused = 4;
	w->now += 7;
	w->counters[0].drop[FCN_DROP_ARN_UDP_LENGTH] = 1;
	w->counters[1].drop[FCN_DROP_ARN_UDP_LENGTH] = 2;
	w->counters[1].drop[FCN_DROP_ARN_TOTAL] = 5;
	w->counters[1].drop[FCN_DROP_ARN_TOTAL_LIMIT] = 6; /* of packets that were held */
	v = show("show arn received");
	row = json_array_get(json_object_get(v, "sources"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "source")), "2001:db8::2");
	assert_int_equal(number(row, "refused"), 4);
	assert_int_equal(number(row, "age_ns"), 2);
	row = json_array_get(json_object_get(v, "sources"), 1);
	assert_string_equal(json_string_value(json_object_get(row, "source")), "2001:db8::1");
	assert_int_equal(number(row, "flows"), 3);
	assert_int_equal(number(row, "age_ns"), 7);
	assert_int_equal(json_array_size(json_object_get(v, "sources")), 2);
	row = json_array_get(json_object_get(v, "refusals"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "reason")), "arn_udp_length");
	assert_int_equal(number(row, "packets"), 3);
	row = json_array_get(json_object_get(v, "refusals"), 1);
	assert_string_equal(json_string_value(json_object_get(row, "reason")), "arn_total");
	assert_int_equal(number(row, "packets"), 5);
	assert_int_equal(json_array_size(json_object_get(v, "refusals")), 2);
	json_decref(v);
	memset(w->counters[0].drop, 0, sizeof(w->counters[0].drop));
	memset(w->counters[1].drop, 0, sizeof(w->counters[1].drop));
}

/* Reading the queues changes nothing, as text and as JSON; clearing is by a command. */
TEST(watermarks)
{
	json_int_t max, min;
	json_t *v, *row;

	fill();
	v = show("show queue p1"); /* JSON, then text */
	row = json_array_get(v, 0);
	max = number(row, "occ_max");
	min = number(row, "occ_min");
	assert_true(max > 0 && min < number(row, "occ_last"));
	json_decref(v);
	app_ok("clear counters");
	v = show("show queue p1 class 3");
	row = json_array_get(v, 0);
	assert_int_equal(number(row, "occ_max"), max);
	assert_int_equal(number(row, "occ_min"), min);
	json_decref(v);
	app_ok("clear watermarks");
	v = show("show queue p1 class 3");
	row = json_array_get(v, 0);
	assert_int_equal(number(row, "occ_max"), number(row, "occ_last"));
	assert_int_equal(number(row, "occ_min"), number(row, "occ_last"));
	json_decref(v);
}

/* Some of the routes: by number, and by what they hold or lie in. */
TEST(routes)
{
	static const char *const lines[] = {"route add 2001:db8:77:8000::/49 blackhole",
			"route add ::/0 blackhole", "route add 0.0.0.0/0 blackhole", NULL};
	static const struct {
		const char *line;
		const char *wanted[4];
	} cases[] = {
			{"show route 2001:db8:77::/48",
					{"2001:db8:77::/48", "2001:db8:77:8000::/49", "::/0"}},
			{"show route 2001:db8:77::1", {"2001:db8:77::/48", "::/0"}},
			{"show route 2001:db8:77::1 skip 1", {"::/0"}},
			{"show route 192.0.2.77", {"192.0.2.0/24", "0.0.0.0/0"}},
			{"show route limit 2", {"192.0.2.0/24", "2001:db8::/48"}},
			{"show route skip 1 limit 2", {"2001:db8::/48", "2001:db8:77::/48"}},
			{"show route skip 7", {NULL}},
	};
	json_t *v;

	fill();
	app_all(lines);
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		unsigned int n = 0;

		v = show(cases[i].line);
		for (; n < RTE_DIM(cases[i].wanted) && cases[i].wanted[n] != NULL; n++)
			assert_string_equal(json_string_value(json_object_get(
							    json_array_get(v, n), "prefix")),
					cases[i].wanted[n]);
		assert_int_equal(json_array_size(v), n);
		json_decref(v);
	}
	v = show("show route count");
	assert_int_equal(number(v, "connected"), 1);
	assert_int_equal(number(v, "static"), 2);
	assert_int_equal(number(v, "blackhole"), 4);
	assert_int_equal(number(v, "total"), 7);
	json_decref(v);
}

/* What people type most stays clear when it is abbreviated. */
TEST(short)
{
	static const char *const lines[] = {
			"port add p1", "sh por p1", "sh stat", "sh ver", "sh po"};

	for (unsigned int i = 0; i < RTE_DIM(lines); i++)
		app_ok(lines[i]);
	assert_non_null(strstr(app_output(), "notices"));
}

/* One bridge of several: its own ports and interfaces alone. */
TEST(bridge)
{
	static const char *const lines[] = {"port add p1", "port add p2", "bridge add br0",
			"bridge add br1", "bridge br0 port add p1", "bridge br1 port add p2",
			"bridge br1 interface add host", NULL};
	json_t *v, *ports;

	app_all(lines);
	v = show("show bridge");
	assert_int_equal(json_array_size(v), 2);
	json_decref(v);
	v = show("show bridge br1");
	assert_int_equal(json_array_size(v), 1);
	assert_string_equal(
			json_string_value(json_object_get(json_array_get(v, 0), "bridge")), "br1");
	ports = json_object_get(json_array_get(v, 0), "ports");
	assert_int_equal(json_array_size(ports), 1);
	assert_string_equal(
			json_string_value(json_object_get(json_array_get(ports, 0), "port")), "p2");
	assert_int_equal(json_array_size(json_object_get(json_array_get(v, 0), "interfaces")), 1);
	json_decref(v);
}

/* How long an address is checked yet is a time like any other. */
TEST(address)
{
	static const char *const lines[] = {"port add p1", "set host on", "set host dad on",
			"address add p1 2001:db8::1/64", NULL};
	const char *at;
	json_t *v;

	app_all(lines);
	v = show("show address");
	assert_string_equal(json_string_value(json_object_get(json_array_get(v, 0), "state")),
			"tentative");
	assert_true(number(json_array_get(v, 0), "left_ns") > 0);
	json_decref(v);
	at = strstr(app_output(), "tentative");
	assert_non_null(at);
	at += strspn(at, "tentative ");
	assert_in_range(strcspn(at, "\n"), 2, 8); /* a few digits */
	assert_int_equal(at[strcspn(at, "\n") - 1], 's');
}

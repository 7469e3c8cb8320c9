/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Events as lines of JSON. */

#include <time.h>

#include <jansson.h>

#include "fcn_event_line.h"
#include "fcn_notify.h"
#include "fcn_proxy_map.h"
#include "fcn_test.h"
#include "fcn_warning.h"

/* 2026-01-31 12:00:00 UTC: 56 years of which 14 had a leap day, and 30.5 days */
#define NOON ((56ull * 365 + 14 + 30) * 86400 + 43200)

static const char *
port_name(void *arg, unsigned int port)
{
	return ((const char *const *)arg)[port];
}

static const char *const ports[] = {"p0", "a.b:c/d_e-f",
		"a123456789b123456789c123456789d123456789e123456789f123456789g123"};
static const struct fcn_event_names names = {
		.epoch_ns = NOON * 1000000000, .port = port_name, .arg = (void *)(uintptr_t)ports};

TEST(notice)
{
	const struct fcn_event ev = {.time_ns = 8000012345,
			.type = FCN_EVENT_NOTICE,
			.class = 3,
			.level = 7,
			.verdict = FCN_NOTIFY_SENT,
			.port = 1,
			.in_port = 0,
			.occupancy = 40210,
			.dest_qp = 0x12,
			.sender = {0x20, 1, 0xd, 0xb8, [15] = 1},
			.receiver = {0x20, 1, 0xd, 0xb8, [15] = 2}};
	char buf[FCN_EVENT_LINE_MAX];
	size_t len = fcn_event_line(&ev, &names, buf);

	assert_int_equal(len, strlen(buf));
	assert_string_equal(buf,
			"{\"time\":\"2026-01-31T12:00:08.000012345Z\",\"time_ns\":8000012345,"
			"\"event\":\"notice\",\"port\":\"a.b:c/d_e-f\",\"class\":3,"
			"\"occupancy\":40210,\"notice\":\"fast_cnp\",\"level\":7,\"verdict\":"
			"\"sent_option1\","
			"\"in_port\":\"p0\",\"sender\":\"2001:db8::1\",\"receiver\":\"2001:db8::"
			"2\","
			"\"qp\":\"0x000012\"}\n");
}

TEST(notice_sent)
{
	const struct fcn_event ev = {.type = FCN_EVENT_NOTICE_SENT,
			.class = 6,
			.occupancy = 99,
			.wait_ns = UINT32_MAX,
			.len = 118};
	char buf[FCN_EVENT_LINE_MAX];

	fcn_event_line(&ev, &names, buf);
	assert_string_equal(buf, "{\"time\":\"2026-01-31T12:00:00.000000000Z\",\"time_ns\":0,"
				 "\"event\":\"notice_sent\",\"port\":\"p0\",\"class\":6,"
				 "\"notice\":\"fast_cnp\",\"wait_ns\":4294967295,\"bytes\":118}\n");
}

/* Each kind is JSON by its name, and the longest there can be has room. */
TEST(all)
{
	struct fcn_event ev;
	char buf[FCN_EVENT_LINE_MAX];

	memset(&ev, 0xff, sizeof(ev));
	ev.time_ns = INT64_MAX; /* jansson has no larger number */
	ev.level = INT8_MIN;
	ev.port = 2;
	ev.in_port = 2;
	for (unsigned int t = 0; t < FCN_EVENT_TYPE_COUNT; t++) {
		json_error_t error;
		json_t *o;

		ev.type = t;
		ev.verdict = FCN_NOTIFY_VERDICT_COUNT - 1;
		assert_in_range(fcn_event_line(&ev, &names, buf), 1, 700);
		o = json_loads(buf, JSON_REJECT_DUPLICATES, &error);
		if (o == NULL)
			fail_msg("%s: %s", error.text, buf);
		assert_string_equal(
				json_string_value(json_object_get(o, "event")), fcn_event_name(t));
		if ((t >= FCN_EVENT_SENDER && t <= FCN_EVENT_ENDCON_LOST) ||
				t == FCN_EVENT_WORKER_STALLED || t == FCN_EVENT_WORKER_RECOVERED ||
				(t >= FCN_EVENT_CONFIGURED && t <= FCN_EVENT_HOST_REFUSED))
			assert_null(json_object_get(o, "port"));
		else
			assert_string_equal(
					json_string_value(json_object_get(o, "port")), ports[2]);
		assert_int_equal(json_object_get(o, "occupancy") == NULL,
				t == FCN_EVENT_NOTICE_SENT || t >= FCN_EVENT_ARN_RECEIVED);
		assert_int_equal(json_object_get(o, "mac") != NULL,
				t == FCN_EVENT_MAC_FLAPPING || t == FCN_EVENT_ERR_DISABLED);
		assert_int_equal(json_object_get(o, "from") != NULL,
				t == FCN_EVENT_MAC_FLAPPING || t == FCN_EVENT_ERR_DISABLED);
		assert_int_equal(json_object_get(o, "notice") != NULL,
				t == FCN_EVENT_NOTICE || t == FCN_EVENT_NOTICE_SENT ||
						(t >= FCN_EVENT_SENDER &&
								t <= FCN_EVENT_SENDER_FORGOTTEN));
		assert_int_equal(json_object_get(o, "kind") != NULL, t == FCN_EVENT_FLOOD_STORM);
		assert_int_equal(json_object_get(o, "packets") != NULL,
				t == FCN_EVENT_DROP_BURST || t == FCN_EVENT_POLICED ||
						t == FCN_EVENT_SUPPRESSED || t == FCN_EVENT_BORDER);
		assert_int_equal(json_object_get(o, "address") != NULL,
				(t >= FCN_EVENT_NEIGHBOUR && t <= FCN_EVENT_SENDER_FORGOTTEN) ||
						(t >= FCN_EVENT_ARN_SENT &&
								t <= FCN_EVENT_ARN_RESUMED));
		assert_int_equal(json_object_get(o, "translation") != NULL,
				t == FCN_EVENT_PROXY_NOTIFIED);
		assert_int_equal(json_object_get(o, "in_port") != NULL,
				t == FCN_EVENT_NOTICE || t == FCN_EVENT_ARN_PASSED_ON);
		assert_int_equal(json_object_get(o, "level") != NULL,
				t == FCN_EVENT_NOTICE || t == FCN_EVENT_ARN_PASSED_ON ||
						t == FCN_EVENT_PROXY_NOTIFIED);
		assert_int_equal(json_object_get(o, "prefix") != NULL,
				t == FCN_EVENT_PROXY_LEARNED || t == FCN_EVENT_PROXY_LOST);
		assert_int_equal(json_object_get(o, "sid") != NULL,
				t == FCN_EVENT_ENDCON_LEARNED || t == FCN_EVENT_ENDCON_LOST);
		assert_int_equal(json_object_get(o, "protocol") != NULL,
				t >= FCN_EVENT_PROXY_LEARNED && t <= FCN_EVENT_ENDCON_LOST);
		assert_int_equal(json_object_get(o, "worker") != NULL,
				t == FCN_EVENT_WORKER_STALLED || t == FCN_EVENT_WORKER_RECOVERED);
		assert_int_equal(json_object_get(o, "mode") != NULL,
				t == FCN_EVENT_ARN_RECEIVED || t == FCN_EVENT_ARN_RESUMED);
		json_decref(o);
	}
}

/* Where an address was, and where it is now. */
TEST(moved)
{
	const struct fcn_event ev = {.type = FCN_EVENT_MAC_FLAPPING,
			.port = 1,
			.in_port = 0,
			.sender = {2, 0, 0, 0xab, 0, 1}};
	char buf[FCN_EVENT_LINE_MAX];

	fcn_event_line(&ev, &names, buf);
	assert_string_equal(buf, "{\"time\":\"2026-01-31T12:00:00.000000000Z\",\"time_ns\":0,"
				 "\"event\":\"mac_flapping\",\"port\":\"a.b:c/d_e-f\","
				 "\"from\":\"p0\",\"mac\":\"02:00:00:ab:00:01\"}\n");
}

/* Prefix and proxy, each of either IP version. */
TEST(proxy)
{
	struct fcn_event ev = {.type = FCN_EVENT_PROXY_LEARNED,
			.kind = FCN_PROXY_BGP,
			.len = 24,
			.sender = {[10] = 0xFF, [11] = 0xFF, [12] = 192, [14] = 2},
			.receiver = {0x20, 0x01, 0x0d, 0xb8, [15] = 5}};
	char buf[FCN_EVENT_LINE_MAX];

	fcn_event_line(&ev, &names, buf);
	assert_string_equal(buf, "{\"time\":\"2026-01-31T12:00:00.000000000Z\",\"time_ns\":0,"
				 "\"event\":\"proxy_learned\",\"prefix\":\"192.0.2.0/24\","
				 "\"proxy\":\"2001:db8::5\",\"protocol\":\"bgp\"}\n");
	ev = (struct fcn_event){.type = FCN_EVENT_PROXY_LOST,
			.kind = FCN_PROXY_ISIS,
			.len = 48,
			.sender = {0x20, 0x01, 0x0d, 0xb8},
			.receiver = {[10] = 0xFF, [11] = 0xFF, [12] = 192, [14] = 2, [15] = 1}};
	fcn_event_line(&ev, &names, buf);
	assert_string_equal(buf, "{\"time\":\"2026-01-31T12:00:00.000000000Z\",\"time_ns\":0,"
				 "\"event\":\"proxy_lost\",\"prefix\":\"2001:db8::/48\","
				 "\"proxy\":\"192.0.2.1\",\"protocol\":\"isis\"}\n");
	ev = (struct fcn_event){.type = FCN_EVENT_ENDCON_LEARNED,
			.kind = FCN_PROXY_OSPF3,
			.len = 128,
			.sender = {0x20, 0x01, 0x0d, 0xb8, [15] = 0xc}};
	fcn_event_line(&ev, &names, buf);
	assert_string_equal(buf, "{\"time\":\"2026-01-31T12:00:00.000000000Z\",\"time_ns\":0,"
				 "\"event\":\"endcon_learned\",\"sid\":\"2001:db8::c\","
				 "\"protocol\":\"ospf3\"}\n");
}

/* Whether a cell of the reference, as "all but `x`, `y`", names an event. */
static bool
is_named(const char *cell, const char *event)
{
	const bool but = strncmp(cell, "all but ", 8) == 0;
	char name[64];

	snprintf(name, sizeof(name), "`%s`", event);
	return strcmp(cell, "all") == 0 || but != (strstr(cell, name) != NULL);
}

/* The documentation has each event, and says of each field the events that have it. */
TEST(reference)
{
	char *text = NULL, *row, *rest, *warnings, buf[FCN_EVENT_LINE_MAX], want[512];
	json_t *line[FCN_EVENT_TYPE_COUNT];
	unsigned int n_named = 0, n_fields = 0;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fcn_event_reference(out);
	assert_int_equal(fclose(out), 0);
	for (unsigned int t = 0; t < FCN_EVENT_TYPE_COUNT; t++) {
		const struct fcn_event ev = {.type = t, .verdict = 1};

		fcn_event_line(&ev, &names, buf);
		line[t] = json_loads(buf, 0, NULL);
		assert_non_null(line[t]);
		snprintf(want, sizeof(want), "\n| `%s` | %s |\n", fcn_event_name(t),
				fcn_event_text(t));
		assert_non_null(strstr(text, want));
		n_fields += json_object_size(line[t]);
	}
	warnings = strstr(text, "\n\n| kind of warning | meaning |\n|---|---|\n");
	assert_non_null(warnings);
	for (unsigned int k = 0; k < FCN_WARNING_KIND_COUNT; k++) {
		snprintf(want, sizeof(want), "\n| `%s` | %s |\n", fcn_warning_name(k),
				fcn_warning_text(k));
		assert_non_null(strstr(warnings, want));
	}
	*warnings = '\0';
	row = strstr(text, "\n\n| field | in events | meaning |\n|---|---|---|\n");
	assert_non_null(row);
	row = strtok_r(strstr(row, "---|\n") + 5, "\n", &rest);
	for (; row != NULL; row = strtok_r(NULL, "\n", &rest)) {
		char field[64], events[512];

		assert_int_equal(sscanf(row, "| `%63[^`]` | %511[^|]", field, events), 2);
		assert_int_equal(events[strlen(events) - 1], ' ');
		events[strlen(events) - 1] = '\0';
		for (unsigned int t = 0; t < FCN_EVENT_TYPE_COUNT; t++) {
			bool has = json_object_get(line[t], field) != NULL;

			if (is_named(events, fcn_event_name(t)) != has)
				fail_msg("%s: %s in %s", field, fcn_event_name(t), events);
			n_named += has;
		}
	}
	assert_int_equal(n_named, n_fields); /* no field is missing */
	for (unsigned int t = 0; t < FCN_EVENT_TYPE_COUNT; t++)
		json_decref(line[t]);
	free(text);
}

TEST(utc)
{
	char buf[FCN_UTC_SIZE];

	assert_string_equal(fcn_format_utc(0, buf), "1970-01-01T00:00:00.000000000Z");
	assert_string_equal(fcn_format_utc(NOON * 1000000000 - 1, buf),
			"2026-01-31T11:59:59.999999999Z");
	/* whatever the machine's own zone is */
	setenv("TZ", "FCN5", 1);
	tzset();
	assert_string_equal(
			fcn_format_utc(NOON * 1000000000, buf), "2026-01-31T12:00:00.000000000Z");
}

static const struct fcn_event_text *
words(void *arg, uint32_t number)
{
	static const struct fcn_event_text text = {
			.user = "alice", .role = "full", .text = "set port \"p\\1\"\tmtu 1400"};

	assert_ptr_equal(arg, ports);
	return number == 7 ? &text : NULL;
}

/* The longest there can be is a line of 1024 characters that all need an escape. */
static const struct fcn_event_text *
many_words(void *arg, uint32_t number)
{
	static char line[1025];
	static const struct fcn_event_text text = {.user = "alice", .role = "full", .text = line};

	RTE_SET_USED(arg);
	RTE_SET_USED(number);
	memset(line, '"', sizeof(line) - 1);
	return &text;
}

TEST(worded)
{
	struct fcn_event_names with_words = names;
	struct fcn_event ev = {.type = FCN_EVENT_CONFIGURED, .len = 7};
	char buf[FCN_EVENT_LINE_MAX];
	json_t *o;

	with_words.words = words;
	fcn_event_line(&ev, &with_words, buf);
	assert_string_equal(buf, "{\"time\":\"2026-01-31T12:00:00.000000000Z\",\"time_ns\":0,"
				 "\"event\":\"configured\",\"user\":\"alice\",\"role\":\"full\","
				 "\"text\":\"set port \\\"p\\\\1\\\" mtu 1400\"}\n");
	fcn_event_words_line(&ev, &with_words, buf);
	assert_string_equal(buf, "12:00:00.000000 configured user alice role full text "
				 "\"set port \\\"p\\\\1\\\" mtu 1400\"\n");
	ev.len = 8; /* forgotten */
	fcn_event_words_line(&ev, &with_words, buf);
	assert_string_equal(buf, "12:00:00.000000 configured user null role null text null\n");
	with_words.words = many_words;
	assert_in_range(fcn_event_line(&ev, &with_words, buf), 2048, FCN_EVENT_LINE_MAX - 1);
	o = json_loads(buf, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(o);
	assert_int_equal(json_string_length(json_object_get(o, "text")), 1024);
	json_decref(o);
	assert_in_range(fcn_event_words_line(&ev, &with_words, buf), 2048, FCN_EVENT_LINE_MAX - 1);
}

TEST(link)
{
	const struct fcn_event ev = {
			.time_ns = 12345, .type = FCN_EVENT_LINK_UP, .port = 1, .len = 100000};
	char buf[FCN_EVENT_LINE_MAX];

	fcn_event_words_line(&ev, &names, buf);
	assert_string_equal(buf, "12:00:00.000012 link_up port a.b:c/d_e-f mbps 100000\n");
}

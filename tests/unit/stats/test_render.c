/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Text and JSON from one value. */

#include "fcn_render.h"
#include "fcn_test.h"

static char *
text_of(const json_t *v)
{
	char *buf = NULL;
	size_t size;
	FILE *out = open_memstream(&buf, &size);

	assert_non_null(out);
	fcn_render_text(v, out);
	fclose(out);
	return buf;
}

static void
assert_text(json_t *v, const char *want)
{
	char *text;

	assert_non_null(v);
	text = text_of(v);
	assert_string_equal(text, want);
	free(text);
	json_decref(v);
}

TEST(object)
{
	assert_text(json_pack("{s:s, s:i, s:b, s:b, s:n}", "port", "p1", "packets", 12, "ok", 1,
				    "late", 0, "level"),
			"port:    p1\n"
			"packets: 12\n"
			"ok:      yes\n"
			"late:    no\n"
			"level:   -\n");
	assert_text(json_pack("{s:f}", "share", 0.25), "share: 0.25\n");
	assert_text(json_pack("{s:[i,i,i], s:[]}", "vlans", 10, 20, 30, "none"), "vlans: 10,20,30\n"
										 "none:  -\n");
	assert_text(json_array(), "none\n");
	assert_text(json_string("alone"), "alone\n");
}

/* The unit is in the member's name; text has it behind the number. */
TEST(units)
{
	assert_text(json_pack("{s:I, s:I, s:I}", "link_bps", (json_int_t)10000000000, "wait_ns",
				    (json_int_t)4000, "occ_max", (json_int_t)100000),
			"link:    10G\n"
			"wait:    4us\n"
			"occ_max: 100000\n");
	assert_text(json_pack("[{s:I, s:I}]", "rate_bps", (json_int_t)2500000000, "age_ns",
				    (json_int_t)1),
			"rate  age\n"
			"2.5G  1ns\n");
	/* _bps and _ns alone are names, not units. */
	assert_text(json_pack("{s:i, s:i}", "_ns", 1, "_bps", 2), "_ns:  1\n_bps: 2\n");
}

TEST(table)
{
	/* Numbers to the right, the rest to the left; nothing behind the last. */
	assert_text(json_pack("[{s:s, s:i, s:s}, {s:s, s:i, s:s}]", "port", "p1", "packets", 5,
				    "reason_text", "first", "port", "longer", "packets", 123456789,
				    "reason_text", "x"),
			"port      packets  \n"
			"p1              5  first\n"
			"longer  123456789  x\n");
	/* A member that a row has not; one that only a later row has. */
	assert_text(json_pack("[{s:s, s:s}, {s:s, s:i}]", "a", "1", "b", "x", "a", "2", "c", 7),
			"a  b  c\n"
			"1  x   \n"
			"2     7\n");
	/* null stands in a column of numbers */
	assert_text(json_pack("[{s:n}, {s:i}]", "level", "level", 3), "level\n    -\n    3\n");
}

TEST(nested)
{
	assert_text(json_pack("{s:{s:i}, s:[{s:i}], s:[]}", "total", "sent", 3, "rows", "n", 1,
				    "empty"),
			"total:\n"
			"  sent: 3\n"
			"rows:\n"
			"  n\n"
			"  1\n"
			"empty: -\n");
	assert_text(json_pack("[{s:s, s:[{s:s}]}, {s:s, s:[]}]", "bridge", "br0", "ports", "port",
				    "p1", "bridge", "br1", "ports"),
			"bridge  ports\n"
			"br0     \n"
			"  ports:\n"
			"    port\n"
			"    p1\n"
			"br1     -\n");
}

/* No column is left out, and no value cut off, however many and long they are. */
TEST(nothing_is_lost)
{
	json_t *row = json_object(), *table = json_array(), *list = json_array();
	char key[16], value[600], *text;

	for (unsigned int i = 0; i < 40; i++) {
		snprintf(key, sizeof(key), "column%u", i);
		json_object_set_new(row, key, json_integer(1000 + i));
	}
	json_array_append_new(table, row);
	text = text_of(table);
	for (unsigned int i = 0; i < 40; i++) {
		snprintf(key, sizeof(key), "column%u", i);
		assert_non_null(strstr(text, key));
		snprintf(key, sizeof(key), "%u", 1000 + i);
		assert_non_null(strstr(text, key));
	}
	free(text);
	json_decref(table);

	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	table = json_pack("[{s:s}]", "first_bytes", value);
	text = text_of(table);
	assert_non_null(strstr(text, value));
	free(text);
	json_decref(table);

	for (unsigned int v = 1; v <= 4094; v++)
		json_array_append_new(list, json_integer(v));
	table = json_pack("{s:o}", "vlans", list);
	text = text_of(table);
	assert_non_null(strstr(text, "vlans: 1,2,3,"));
	assert_non_null(strstr(text, ",4093,4094\n"));
	free(text);
	json_decref(table);
}

TEST(json)
{
	json_t *v = json_pack(
			"{s:I, s:[{s:s}]}", "link_bps", (json_int_t)10000000000, "z", "a", "b");
	char *buf = NULL;
	json_t *again;
	size_t size;
	FILE *out;

	out = open_memstream(&buf, &size);
	fcn_render_json(v, out);
	fclose(out);
	assert_string_equal(buf, "{\n"
				 "  \"link_bps\": 10000000000,\n"
				 "  \"z\": [\n"
				 "    {\n"
				 "      \"a\": \"b\"\n"
				 "    }\n"
				 "  ]\n"
				 "}\n");
	again = json_loads(buf, 0, NULL);
	assert_true(json_equal(again, v));
	json_decref(again);
	json_decref(v);
	free(buf);
}

TEST(rates_and_times)
{
	static const struct {
		uint64_t value;
		const char *rate, *time;
	} cases[] = {
			{0, "0", "0"},
			{1, "1", "1ns"},
			{999, "999", "999ns"},
			{1000, "1K", "1us"},
			{1001, "1.001K", "1.001us"},
			{113600, "113.6K", "113.6us"},
			{999999, "999.999K", "999.999us"},
			{1000000, "1M", "1ms"},
			{1000001, "1.000001M", "1.000001ms"},
			{2500000000, "2.5G", "2.5s"},
			{300000000000, "300G", "300s"},
			{1234567891, "1.234567891G", "1.234567891s"},
			{10000000010, "10.00000001G", "10.00000001s"},
			{UINT64_MAX, "18446744073.709551615G", "18446744073.709551615s"},
	};
	char buf[32];

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		assert_string_equal(
				fcn_format_rate(cases[i].value, buf, sizeof(buf)), cases[i].rate);
		assert_string_equal(
				fcn_format_time(cases[i].value, buf, sizeof(buf)), cases[i].time);
	}
}

/* People read three digits of a time, four of a rate, and moments to the microsecond. */
TEST(short)
{
	static const struct {
		uint64_t value;
		const char *rate, *time, *moment;
	} cases[] = {
			{0, "0", "0", "0"},
			{1, "1", "1ns", "1ns"},
			{999, "999", "999ns", "999ns"},
			{9999, "9.999K", "10us", "9.999us"},
			{234648, "234.6K", "235us", "234.648us"},
			{999499, "999.5K", "999us", "999.499us"},
			{999951, "1M", "1ms", "999.951us"},
			{29200000000, "29.2G", "29.2s", "29.2s"},
			{608280270882, "608.3G", "608s", "608.280271s"},
			{9876543210, "9.877G", "9.88s", "9.876543s"},
			{86400499999999, "86400G", "86400s", "86400.5s"},
			{UINT64_MAX, "18446744073G", "18446744073s", "18446744073.709551s"},
	};
	char buf[32];

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		const uint64_t v = cases[i].value;

		assert_string_equal(fcn_format_short_rate(v, buf, sizeof(buf)), cases[i].rate);
		assert_string_equal(fcn_format_short_time(v, buf, sizeof(buf)), cases[i].time);
		assert_string_equal(fcn_format_moment(v, buf, sizeof(buf)), cases[i].moment);
	}
	assert_text(json_pack("{s:I, s:I, s:I}", "left_ns", (json_int_t)29212345678, "start_ns",
				    (json_int_t)29212345678, "rx_bps", (json_int_t)9876543210),
			"left:  29.2s\n"
			"start: 29.212346s\n"
			"rx:    9.877G\n");
}

TEST(ratios)
{
	char buf[32];

	assert_string_equal(fcn_format_ratio(0, buf, sizeof(buf)), "0");
	assert_string_equal(fcn_format_ratio(1, buf, sizeof(buf)), "0.000000001");
	assert_string_equal(fcn_format_ratio(125000000, buf, sizeof(buf)), "0.125");
	assert_string_equal(fcn_format_ratio(128000000000, buf, sizeof(buf)), "128");
}

/* What a function writes, to be freed. */
static char *
written(const json_t *v, void (*write)(const json_t *v, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(v, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void
write_columns(const json_t *v, FILE *out)
{
	static const char *const keys[] = {"port", "none", "wait_ns", NULL};

	fcn_render_columns(v, keys, out);
}

TEST(columns_and_each)
{
	json_t *v = json_pack("[{s:i, s:s, s:i}, {s:i, s:s}]", "wait_ns", 1500, "port", "p0",
			"other", 1, "other", 2, "port", "p11");
	json_t *empty = json_array();
	char *text;

	text = written(v, write_columns);
	assert_string_equal(text, "port   wait\n"
				  "p0    1.5us\n"
				  "p11       -\n");
	free(text);
	text = written(v, fcn_render_each);
	assert_string_equal(text, "wait:  1.5us\n"
				  "port:  p0\n"
				  "other: 1\n"
				  "\n"
				  "other: 2\n"
				  "port:  p11\n");
	free(text);
	text = written(empty, write_columns);
	assert_string_equal(text, "none\n");
	free(text);
	text = written(empty, fcn_render_each);
	assert_string_equal(text, "none\n");
	free(text);
	json_decref(empty);
	json_decref(v);
	/* a number that is not whole is what was meant, in JSON and in text */
	v = json_pack("{s:f, s:f}", "third", 0.333333333, "tenth", 0.1);
	text = written(v, fcn_render_json);
	assert_string_equal(text, "{\n  \"third\": 0.333333333,\n  \"tenth\": 0.1\n}\n");
	free(text);
	text = written(v, fcn_render_text);
	assert_string_equal(text, "third: 0.333333333\ntenth: 0.1\n");
	free(text);
	json_decref(v);
}

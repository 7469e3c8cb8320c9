/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The packet of `explain`: fields, hexadecimal digits, capture files, and slips in them. */

#include <unistd.h>

#include <pcap/pcap.h>

#include "app_util.h"
#include "explain_private.h"
#include "show_util.h"

static int
setup(void **state)
{
	int rc = app_setup(state);

	app_ok("port add p0");
	app_ok("port add p1");
	app_ok("set port p0 mac 02:66:63:6e:00:00");
	app_ok("address add p1 2001:db8:1::fe/64");
	app_ok("neighbour add p1 2001:db8:1::1 02:00:00:00:00:01");
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1000000);
	return rc;
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = app_teardown);

static json_t *
explained(const char *line)
{
	json_t *v;

	app_ok(line);
	v = json_loads(app_output(), 0, NULL);
	if (v == NULL)
		fail_msg("%s gave: %s", line, app_output());
	return v;
}

static const char *
string(const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));

	return s != NULL ? s : "-";
}

static void
refused(const char *line, const char *error)
{
	assert_int_not_equal(app_line(line), 0);
	if (strstr(app_output(), error) == NULL)
		fail_msg("%s: %s", line, app_output());
}

static void
addr(struct fcn_addr *to, const char *text)
{
	assert_int_equal(fcn_addr_parse(text, to), 0);
}

static struct explain_fields
fields(const char *src, const char *dst)
{
	struct explain_fields f = {
			.from = {{2, 0, 0, 0, 1, 1}},
			.to = {{2, 0x66, 0x63, 0x6e, 0, 0}},
			.qp = 17,
			.source_port = 49152,
			.dscp = 3 << 3,
			.ecn = 2,
			.hop_limit = 64,
			.len = 94,
	};

	addr(&f.src, src);
	addr(&f.dst, dst);
	return f;
}

static void
assert_forwarded(json_t *v)
{
	assert_string_equal(string(v, "outcome"), "forwarded");
	assert_string_equal(string(v, "out_port"), "p1");
	json_decref(v);
}

/* The fields of a line make the frame that scapy makes of them, with its checksums and its ICRC. */
TEST(the_frame_of_fields)
{
	static const char want6[] = "0266636e0000020000000101"
				    "86dd"
				    "66a00000"
				    "0028"
				    "11"
				    "40"
				    "20010db8000000000000000000000001"
				    "20010db8000100000000000000000001"
				    "c00012b700280000"
				    "0440ffff000000110000000000000000000000000000000000000000";
	struct explain_fields f = fields("2001:db8::1", "2001:db8:1::1");
	static struct explain_frame made, read;
	char text[2 * 120 + 1];
	size_t where;

	f.dscp = 26;
	assert_int_equal(explain_frame_make(&f, &made), 0);
	assert_int_equal(made.len, 94);
	snprintf(text, sizeof(text), "%s", want6);
	assert_int_equal(explain_frame_read(text, 94, &read, &where), 0);
	assert_memory_equal(made.data, read.data, 90);
}

TEST(slips)
{
	static const struct {
		const char *line, *error;
	} slips[] = {
			{"explain in p9 src ::1 dst ::2 qp 1", "p9"},
			{"explain in p0 src 2001:db8::1 dst 192.0.2.1 qp 1", "different versions"},
			{"explain in p0 src 2001:db8::1 dst 2001:db8::2 qp 16777216", "qp must be"},
			{"explain in p0 src 2001:db8::1 dst 2001:db8::2 qp 1 dscp 64",
					"dscp must be"},
			{"explain in p0 src 2001:db8::1 dst 2001:db8::2 qp 1 size 60", "no room"},
			{"explain in p0 src 2001:db8::1 dst 2001:db8::2 qp 1 size 20000",
					"size must be"},
			{"explain in p0 hex 0", "at character 2"},
			{"explain in p0 hex 00 zz", "at character 4"},
			{"explain in p0 size 2 hex 001122", "longer than its size"},
			{"explain in p0 hex :", "at character 1"},
			{"explain in p0 capture none.pcap frame 1", "none.pcap"},
			{"explain in p0 capture . frame 1", "not a regular file"},
			{"explain in p0 capture none.pcap frame 0", "from 1"},
	};

	for (unsigned int i = 0; i < RTE_DIM(slips); i++)
		refused(slips[i].line, slips[i].error);
}

/* A file with whole frames and one that was cut. */
TEST(capture_file)
{
	static struct explain_frame frame;
	const struct explain_fields f = fields("2001:db8::1", "2001:db8:1::1");
	struct pcap_pkthdr hdr = {0};
	pcap_t *dead = pcap_open_dead(DLT_EN10MB, 65535);
	pcap_dumper_t *out = pcap_dump_open(dead, "frames.pcap");
	json_t *v;

	assert_non_null(out);
	assert_int_equal(explain_frame_make(&f, &frame), 0);
	hdr.caplen = hdr.len = frame.len;
	pcap_dump((uint8_t *)out, &hdr, frame.data);
	hdr.len = 1400; /* its UDP and IP lengths are wrong then, but it is as long as it was */
	hdr.caplen = 80;
	pcap_dump((uint8_t *)out, &hdr, frame.data);
	pcap_dump_close(out);
	pcap_close(dead);
	v = explained("explain in p0 capture frames.pcap frame 1 json");
	assert_int_equal(number(v, "bytes"), 94);
	assert_forwarded(v);
	v = explained("explain in p0 capture frames.pcap frame 2 json");
	assert_int_equal(number(v, "bytes"), 1400);
	json_decref(v);
	assert_int_not_equal(app_line("explain in p0 capture frames.pcap frame 3"), 0);
	assert_non_null(strstr(app_output(), "has 2 frames"));
}

/* A file with a hole: a frame that ends in the part that is read at most is found there, and none
 * behind it. */
TEST(long_capture_file)
{
	static struct explain_frame frame;
	const struct explain_fields f = fields("2001:db8::1", "2001:db8:1::1");
	const struct pcap_file_header head = {.magic = 0xa1b2c3d4,
			.version_major = 2,
			.version_minor = 4,
			.snaplen = 262144,
			.linktype = DLT_EN10MB};
	const uint32_t filler[] = {0, 0, 262144, 262144};
	const uint32_t fillers = EXPLAIN_MAX_READ / (filler[2] + sizeof(filler));
	FILE *out = fopen("long.pcap", "w");

	assert_non_null(out);
	assert_int_equal(explain_frame_make(&f, &frame), 0);
	fwrite(&head, sizeof(head), 1, out);
	for (uint32_t i = 0; i < fillers; i++) {
		fwrite(filler, sizeof(filler), 1, out);
		fseek(out, filler[2], SEEK_CUR);
	}
	fwrite((uint32_t[]){0, 0, frame.len, frame.len}, sizeof(filler), 1, out);
	fwrite(frame.data, frame.len, 1, out);
	assert_true(ftell(out) < EXPLAIN_MAX_READ);
	fwrite(filler, sizeof(filler), 1, out);
	fseek(out, filler[2] - 1, SEEK_CUR);
	fputc(0, out);
	assert_int_equal(fclose(out), 0);

	app_ok("explain in p0 capture long.pcap frame 1024 json");
	assert_int_equal(fillers + 1, 1024);
	refused("explain in p0 capture long.pcap frame 1025",
			"frame 1025 is not in the first 256 MiB of the file");
	assert_non_null(strstr(app_output(), "\"editcap -r FILE PART 1025\""));
	refused("explain in p0 capture long.pcap frame 1026", "frame 1026 is not in the first");
	assert_int_equal(truncate("long.pcap", EXPLAIN_MAX_READ), 0);
	refused("explain in p0 capture long.pcap frame 1025", "truncated");
}

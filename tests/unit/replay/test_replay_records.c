/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Records of capture files are what libpcap reads and writes, also across the ends of buffers. */

#include <byteswap.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay_impl.h"
#include "replay_util.h"

#define RECORDS 700
#define MAX_LEN 2000

struct header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, figures, snaplen, link;
};

static uint32_t
len_of(uint32_t i)
{
	return i * 7919 % MAX_LEN;
}

/* Write a plain pcap file, in the other byte order if wanted. @return its length */
static size_t
write_file(const char *path, uint32_t magic, uint32_t snaplen, bool swapped)
{
	struct header hdr = {magic, 2, 4, 0, 0, snaplen, 1};
	FILE *f = fopen(path, "wb");
	size_t len;

	assert_non_null(f);
	if (swapped)
		hdr = (struct header){bswap_32(magic), bswap_16(2), bswap_16(4), 0, 0,
				bswap_32(snaplen), bswap_32(1)};
	assert_int_equal(fwrite(&hdr, sizeof(hdr), 1, f), 1);
	for (uint32_t i = 0; i < RECORDS; i++) {
		/* Some seconds are after 2038, and some fractions are above a second. */
		uint32_t record[4] = {i % 50 == 7 ? 0x80000001 : i, i % 60 == 9 ? 2000000000 : i,
				len_of(i), len_of(i) + i % 3};

		for (unsigned int k = 0; swapped && k < 4; k++)
			record[k] = bswap_32(record[k]);
		assert_int_equal(fwrite(record, sizeof(record), 1, f), 1);
		if (len_of(i) != 0)
			assert_int_equal(fwrite(util_frame(i, len_of(i)), len_of(i), 1, f), 1);
	}
	len = ftell(f);
	assert_int_equal(fclose(f), 0);
	return len;
}

/* Read a file here and by libpcap. @return number of records */
static unsigned int
assert_same_records(const char *path)
{
	char why[PCAP_ERRBUF_SIZE] = "", why_pcap[PCAP_ERRBUF_SIZE] = "";
	pcap_t *pcap = pcap_open_offline_with_tstamp_precision(
			path, PCAP_TSTAMP_PRECISION_NANO, why_pcap);
	uint8_t *buf = malloc(REPLAY_IO_BUF);
	struct replay_reader r;
	unsigned int n = 0;
	int rc;

	assert_non_null(buf);
	assert_int_equal(replay_reader_open(&r, open(path, O_RDONLY), buf, why), pcap != NULL);
	assert_string_equal(why, why_pcap);
	if (pcap == NULL) {
		free(buf);
		return 0;
	}
	do {
		struct pcap_pkthdr *hdr, *hdr_pcap;
		const uint8_t *data, *data_pcap;

		rc = pcap_next_ex(pcap, &hdr_pcap, &data_pcap);
		assert_int_equal(replay_reader_next(&r, &hdr, &data), rc);
		if (rc != 1)
			continue;
		assert_memory_equal(hdr, hdr_pcap, sizeof(*hdr));
		assert_memory_equal(data, data_pcap, hdr->caplen);
		n++;
	} while (rc == 1);
	if (rc == PCAP_ERROR)
		assert_string_equal(pcap_geterr(r.pcap), pcap_geterr(pcap));
	pcap_close(pcap);
	replay_reader_close(&r);
	free(buf);
	return n;
}

static void
test_read_same(void **state)
{
	static const uint32_t magic[] = {0xa1b2c3d4, 0xa1b23c4d};
	const char *path = util_path("records.pcap");

	(void)state;
	for (unsigned int m = 0; m < 2; m++) {
		for (unsigned int swapped = 0; swapped < 2; swapped++) {
			write_file(path, magic[m], 65535, swapped);
			assert_int_equal(assert_same_records(path), RECORDS);
			/* libpcap cuts what is longer than the file says. */
			write_file(path, magic[m], 500, swapped);
			assert_same_records(path);
			write_file(path, magic[m], 0, swapped);
			assert_int_equal(assert_same_records(path), RECORDS);
		}
	}
}

/* Wherever a file ends. */
static void
test_read_cut(void **state)
{
	const char *path = util_path("cut.pcap");
	const size_t len = write_file(path, 0xa1b23c4d, 65535, false);
	unsigned int before = RECORDS;

	(void)state;
	assert_true(len > 4 * REPLAY_IO_BUF);
	for (size_t end = len; end > 4000; end -= 3989) {
		unsigned int n;

		assert_int_equal(truncate(path, end), 0);
		n = assert_same_records(path);
		assert_true(n <= before);
		before = n;
	}
	for (size_t end = 60; end != 0; end--) {
		assert_int_equal(truncate(path, end - 1), 0);
		assert_same_records(path);
	}
}

static void
test_write_same(void **state)
{
	pcap_t *dead = pcap_open_dead_with_tstamp_precision(
			DLT_EN10MB, REPLAY_SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
	const char *path = util_path("written.pcap"), *path_pcap = util_path("dumped.pcap");
	pcap_dumper_t *dumper = pcap_dump_open(dead, path_pcap);
	uint8_t *buf = malloc(REPLAY_IO_BUF), *written, *dumped;
	size_t len, len_pcap;
	struct replay_writer w;

	(void)state;
	assert_non_null(dumper);
	assert_non_null(buf);
	replay_writer_open(&w, open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), buf);
	for (uint32_t i = 0; i < RECORDS; i++) {
		const uint64_t stamp = i * UINT64_C(4000000123456789) % REPLAY_MAX_STAMP;
		const struct pcap_pkthdr hdr = {
				.ts = {.tv_sec = stamp / REPLAY_NS_PER_S,
						.tv_usec = stamp % REPLAY_NS_PER_S},
				.caplen = len_of(i),
				.len = len_of(i) + i % 3,
		};

		pcap_dump((u_char *)dumper, &hdr, util_frame(i, len_of(i)));
		assert_true(replay_writer_add(
				&w, stamp, util_frame(i, len_of(i)), hdr.caplen, hdr.len));
	}
	pcap_dump_close(dumper);
	pcap_close(dead);
	assert_true(replay_writer_flush(&w));
	replay_writer_close(&w);
	written = util_read_file(path, &len);
	dumped = util_read_file(path_pcap, &len_pcap);
	assert_true(len > 4 * REPLAY_IO_BUF);
	assert_int_equal(len, len_pcap);
	assert_memory_equal(written, dumped, len);
	free(written);
	free(dumped);
	free(buf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_read_same),
			cmocka_unit_test(test_read_cut),
			cmocka_unit_test(test_write_same),
	};

	return cmocka_run_group_tests(tests, util_group_setup, util_group_teardown);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "test_case.h"
#include <rte_common.h>

#include "vectors.h"

#define PCAP_FILE_HDR 24
#define PCAP_RECORD_HDR 16

const char *const vector_files[] = {
		"01_roce6_write",
		"02_roce4_write",
		"03_roce6_ack",
		"04_cnp",
		"05_roce6_write_ioam",
		"06_srv6_encaps_srh",
		"07_srv6_encaps_nosrh",
		"08_srv6_encaps_red",
		"09_fastcnp_opt1",
		"10_fastcnp_opt2",
		"11_fastcnp_srv6_endcon",
		"13_roce6_write_proxyopt",
		"16_malformed",
};
const unsigned int vector_n_files = RTE_DIM(vector_files);

uint8_t *
exact_copy(const uint8_t *data, uint32_t len)
{
	uint8_t *copy = malloc(len);

	assert_true(copy != NULL || len == 0);
	if (len > 0)
		memcpy(copy, data, len);
	return copy;
}

static uint32_t
le32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

void
vectors_load(struct vectors *v, const char *name)
{
	static uint8_t file[65536];
	char path[1024];
	size_t size, off = PCAP_FILE_HDR;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.pcap", FCN_VECTOR_DIR, name);
	f = fopen(path, "rb");
	if (f == NULL)
		fail_msg("cannot open %s", path);
	size = fread(file, 1, sizeof(file), f);
	fclose(f);
	assert_true(size > PCAP_FILE_HDR && size < sizeof(file));
	assert_int_equal(le32(file), 0xA1B2C3D4);

	memset(v, 0, sizeof(*v));
	while (off < size) {
		uint32_t len = le32(file + off + 8);

		assert_true(v->n < VECTORS_MAX && off + PCAP_RECORD_HDR + len <= size);
		v->data[v->n] = exact_copy(file + off + PCAP_RECORD_HDR, len);
		v->len[v->n++] = len;
		off += PCAP_RECORD_HDR + len;
	}
}

void
vectors_free(struct vectors *v)
{
	for (unsigned int i = 0; i < v->n; i++)
		free(v->data[i]);
	v->n = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The reader of rdma netlink, with messages that are written here octet by octet. */

#include <errno.h>

#include "rdma_nl.h"
#include "test_case.h"

/* As Linux has them (rdma/rdma_netlink.h, linux/netlink.h), which no program may change. */
enum {
	TYPE_ERROR = 2,
	TYPE_DONE = 3,
	TYPE_GET = 5 << 10 | 1,
	TYPE_QP = 5 << 10 | 10,
	TYPE_CM_ID = 5 << 10 | 11,
	DEV_INDEX = 1,
	DEV_NAME = 2,
	RES_QP = 19,
	RES_QP_ENTRY = 20,
	RES_LQPN = 21,
	RES_RQPN = 22,
	RES_TYPE = 26,
	RES_STATE = 27,
	RES_PID = 28,
	RES_KERN_NAME = 29,
	RES_CM_ID = 30,
	RES_CM_ID_ENTRY = 31,
	RES_SRC_ADDR = 33,
	RES_DST_ADDR = 34,
	DEV_PROTOCOL = 67,
	SEQ = 77,
};

/* A message, written from its beginning. */
static struct {
	uint8_t data[4096];
	size_t len, begin;
} out;

/* What was told. */
static struct {
	unsigned int n_devices, n_qps, n_cm_ids, n_ends;
	struct rdma_nl_qp qp;
	struct rdma_nl_cm_id id;
	uint32_t index;
	char name[RDMA_NL_NAME_SIZE];
	bool is_roce;
	int error;
} told;

static void
device(void *arg, uint32_t index, const char *name, bool is_roce)
{
	(void)arg;
	told.n_devices++;
	told.index = index;
	told.is_roce = is_roce;
	snprintf(told.name, sizeof(told.name), "%s", name);
}

static void
qp(void *arg, const struct rdma_nl_qp *q)
{
	(void)arg;
	told.n_qps++;
	told.qp = *q;
}

static void
cm_id(void *arg, const struct rdma_nl_cm_id *id)
{
	(void)arg;
	told.n_cm_ids++;
	told.id = *id;
}

static void
end(void *arg, int error)
{
	(void)arg;
	told.n_ends++;
	told.error = error;
}

static const struct rdma_nl_sink sink = {device, qp, cm_id, end, NULL};

/* From exactly as many octets on the heap. */
static int
read_octets(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len + (len == 0));
	int rc;

	assert_non_null(copy);
	memcpy(copy, data, len);
	memset(&told, 0, sizeof(told));
	rc = rdma_nl_read(copy, len, SEQ, &sink);
	free(copy);
	return rc;
}

static int
read_message(void)
{
	return read_octets(out.data, out.len);
}

static void
put(const void *data, size_t n)
{
	memcpy(out.data + out.len, data, n);
	out.len += n;
	while (out.len % 4 != 0)
		out.data[out.len++] = 0;
}

static void
put_u16(uint16_t v)
{
	memcpy(out.data + out.len, &v, 2);
	out.len += 2;
}

static void
put_u32(uint32_t v)
{
	put(&v, 4);
}

static void
begin_message(uint16_t type, uint32_t seq)
{
	out.begin = out.len;
	put_u32(0);
	put_u16(type);
	put_u16(2); /* NLM_F_MULTI */
	put_u32(seq);
	put_u32(0);
}

static void
end_message(void)
{
	const uint32_t n = (uint32_t)(out.len - out.begin);

	memcpy(out.data + out.begin, &n, 4);
}

static void
attr(uint16_t type, const void *data, size_t n)
{
	put_u16((uint16_t)(4 + n));
	put_u16(type);
	put(data, n);
}

static void
attr_u32(uint16_t type, uint32_t v)
{
	attr(type, &v, 4);
}

static void
attr_u8(uint16_t type, uint8_t v)
{
	attr(type, &v, 1);
}

static size_t
begin_nest(uint16_t type)
{
	const size_t at = out.len;

	put_u16(0);
	put_u16(type | 0x8000); /* NLA_F_NESTED */
	return at;
}

static void
end_nest(size_t at)
{
	const uint16_t n = (uint16_t)(out.len - at);

	memcpy(out.data + at, &n, 2);
}

/* A queue pair as Linux 6.1 writes it. @return where the entry is */
static size_t
write_qp(void)
{
	size_t table, entry;

	memset(&out, 0, sizeof(out));
	begin_message(TYPE_QP, SEQ);
	attr_u32(DEV_INDEX, 3);
	attr(DEV_NAME, "mlx5_0", 7);
	table = begin_nest(RES_QP);
	entry = begin_nest(RES_QP_ENTRY);
	attr_u32(RES_LQPN, 0x123);
	attr_u32(RES_RQPN, 0x456);
	attr_u8(RES_TYPE, 2);
	attr_u8(RES_STATE, 3);
	attr_u32(RES_PID, 4321);
	end_nest(entry);
	end_nest(table);
	end_message();
	return entry;
}

TEST(queue_pair)
{
	write_qp();
	assert_int_equal(read_message(), 0);
	assert_int_equal(told.n_qps, 1);
	assert_int_equal(told.qp.device, 3);
	assert_int_equal(told.qp.local_qp, 0x123);
	assert_int_equal(told.qp.remote_qp, 0x456);
	assert_int_equal(told.qp.type, RDMA_NL_TYPE_RC);
	assert_int_equal(told.qp.state, 3);
	assert_int_equal(told.qp.pid, 4321);
	assert_true(told.qp.has_remote);
	assert_false(told.qp.is_kernel);
}

TEST(several_messages)
{
	size_t table, entry;

	write_qp();
	begin_message(TYPE_QP, SEQ);
	attr_u32(DEV_INDEX, 4);
	table = begin_nest(RES_QP);
	for (uint32_t i = 0; i < 3; i++) {
		entry = begin_nest(RES_QP_ENTRY);
		attr_u32(RES_LQPN, 100 + i);
		attr(RES_KERN_NAME, "nvme_rdma", 10);
		end_nest(entry);
	}
	end_nest(table);
	end_message();
	begin_message(TYPE_DONE, SEQ);
	put_u32(0);
	end_message();
	assert_int_equal(read_message(), 0);
	assert_int_equal(told.n_qps, 4);
	assert_int_equal(told.qp.device, 4);
	assert_int_equal(told.qp.local_qp, 102);
	assert_true(told.qp.is_kernel);
	assert_false(told.qp.has_remote);
	assert_int_equal(told.n_ends, 1);
	assert_int_equal(told.error, 0);
}

/* Of one CM_ID. */
static void
write_cm_id(const void *local, size_t local_size, const void *remote, size_t remote_size)
{
	size_t table, entry;

	memset(&out, 0, sizeof(out));
	begin_message(TYPE_CM_ID, SEQ);
	attr_u32(DEV_INDEX, 1);
	table = begin_nest(RES_CM_ID);
	entry = begin_nest(RES_CM_ID_ENTRY);
	attr_u32(RES_LQPN, 19);
	attr_u32(RES_PID, 205);
	attr(RES_SRC_ADDR, local, local_size);
	attr(RES_DST_ADDR, remote, remote_size);
	end_nest(entry);
	end_nest(table);
	end_message();
}

static const uint8_t ipv4[128] = {2, 0, 0x1C, 0x06, 192, 0, 2, 1};
static const uint8_t ipv6[128] = {10, 0, 0x1C, 0x06, 0, 0, 0, 0, 0x20, 1, 0xD, 0xB8, [23] = 2};

TEST(addresses)
{
	static const uint8_t wanted4[16] = {[10] = 0xFF, 0xFF, 192, 0, 2, 1};
	static const uint8_t wanted6[16] = {0x20, 1, 0xD, 0xB8, [15] = 2};

	/* A sockaddr_storage, and the shortest of each family. */
	for (int i = 0; i < 2; i++) {
		write_cm_id(ipv4, i == 0 ? 128 : 16, ipv6, i == 0 ? 128 : 28);
		assert_int_equal(read_message(), 0);
		assert_int_equal(told.n_cm_ids, 1);
		assert_int_equal(told.id.device, 1);
		assert_int_equal(told.id.local_qp, 19);
		assert_int_equal(told.id.pid, 205);
		assert_true(told.id.has_addresses);
		assert_memory_equal(told.id.local, wanted4, 16);
		assert_memory_equal(told.id.remote, wanted6, 16);
	}
}

TEST(addresses_that_are_none)
{
	static const uint8_t infiniband[128] = {27, 0, 1, 2, 3};

	write_cm_id(ipv4, 15, ipv6, 128);
	assert_int_equal(read_message(), 0);
	assert_false(told.id.has_addresses);
	write_cm_id(ipv4, 16, ipv6, 27);
	assert_int_equal(read_message(), 0);
	assert_false(told.id.has_addresses);
	write_cm_id(ipv4, 1, ipv6, 0);
	assert_int_equal(read_message(), 0);
	assert_false(told.id.has_addresses);
	write_cm_id(infiniband, 128, infiniband, 128);
	assert_int_equal(read_message(), 0);
	assert_false(told.id.has_addresses);
}

static void
write_device(const char *name, size_t size, const char *protocol)
{
	memset(&out, 0, sizeof(out));
	begin_message(TYPE_GET, SEQ);
	attr_u32(DEV_INDEX, 9);
	attr(DEV_NAME, name, size);
	if (protocol != NULL)
		attr(DEV_PROTOCOL, protocol, strlen(protocol) + 1);
	end_message();
}

TEST(devices)
{
	static const struct {
		const char *protocol;
		bool is_roce;
	} cases[] = {{"roce", true}, {NULL, true}, {"ib", false}, {"iw", false}, {"roce2", false},
			{"", false}};
	char longest[RDMA_NL_NAME_SIZE + 1];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_device("rxe0", 5, cases[i].protocol);
		assert_int_equal(read_message(), 0);
		assert_int_equal(told.n_devices, 1);
		assert_int_equal(told.index, 9);
		assert_string_equal(told.name, "rxe0");
		assert_int_equal(told.is_roce, cases[i].is_roce);
	}
	/* Without a terminator, and too long. */
	memset(longest, 'n', sizeof(longest));
	write_device(longest, RDMA_NL_NAME_SIZE - 1, NULL);
	assert_int_equal(read_message(), 0);
	assert_int_equal(strlen(told.name), RDMA_NL_NAME_SIZE - 1);
	write_device(longest, RDMA_NL_NAME_SIZE, NULL);
	assert_int_equal(read_message(), -EBADMSG);
	assert_int_equal(told.n_devices, 0);
}

TEST(refusal)
{
	memset(&out, 0, sizeof(out));
	begin_message(TYPE_ERROR, SEQ);
	put_u32((uint32_t)-ENODEV);
	put("request that was refused", 24);
	end_message();
	assert_int_equal(read_message(), 0);
	assert_int_equal(told.n_ends, 1);
	assert_int_equal(told.error, -ENODEV);
}

TEST(answer_to_another_request)
{
	memset(&out, 0, sizeof(out));
	begin_message(TYPE_DONE, SEQ - 1);
	put_u32(0);
	end_message();
	assert_int_equal(read_message(), 0);
	assert_int_equal(told.n_ends, 0);
}

/* Whatever a message is cut to, nothing behind its end is read, and no part of it is a whole one.
 */
TEST(cut)
{
	const size_t entry = write_qp();
	const size_t len = out.len;

	for (size_t n = 0; n < len; n++) {
		const uint32_t shorter = (uint32_t)n;

		assert_int_equal(read_octets(out.data, n), n == 0 ? 0 : -EBADMSG);
		assert_int_equal(told.n_qps, 0);
		/* The header knows that it is shorter; what is in it does not. */
		memcpy(out.data, &shorter, 4);
		if (n >= 16)
			read_octets(out.data, n);
		if (n > entry)
			assert_int_equal(told.n_qps, 0);
		memcpy(out.data, &len, 4);
	}
}

/* Each length of an attribute, with all values: too small, too large, into the next one. */
TEST(wrong_lengths)
{
	size_t at[16], n = 0;

	write_qp();
	at[n++] = 16;
	at[n++] = 24;
	for (size_t i = 36; i < out.len; i += 4)
		if (n < 16)
			at[n++] = i;
	for (size_t i = 0; i < n; i++) {
		for (unsigned int v = 0; v <= UINT16_MAX; v += v < 80 ? 1 : 509) {
			const uint16_t wrong = (uint16_t)v;
			uint16_t kept;
			int rc;

			memcpy(&kept, out.data + at[i], 2);
			memcpy(out.data + at[i], &wrong, 2);
			rc = read_message();
			assert_true(rc == 0 || rc == -EBADMSG);
			assert_true(told.n_qps <= 1);
			if (i < 2 && (v < 4 || v > out.len))
				assert_int_equal(rc, -EBADMSG);
			memcpy(out.data + at[i], &kept, 2);
		}
	}
}

TEST(values_that_are_short)
{
	size_t table, entry;

	memset(&out, 0, sizeof(out));
	begin_message(TYPE_QP, SEQ);
	table = begin_nest(RES_QP);
	entry = begin_nest(RES_QP_ENTRY);
	attr(RES_LQPN, "abc", 3);
	end_nest(entry);
	end_nest(table);
	end_message();
	assert_int_equal(read_message(), -EBADMSG);
	assert_int_equal(told.n_qps, 0);
}

TEST(requests)
{
	static const uint8_t devices[] = {16, 0, 0, 0, 1, 20, 1, 3, 7, 0, 0, 0, 0, 0, 0, 0};
	static const uint8_t qps[] = {
			24, 0, 0, 0, 10, 20, 1, 3, 8, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 5, 0, 0, 0};
	uint8_t request[RDMA_NL_REQUEST_SIZE];

	assert_int_equal(rdma_nl_request(request, RDMA_NL_DEVICES, 0, 7), sizeof(devices));
	assert_memory_equal(request, devices, sizeof(devices));
	assert_int_equal(rdma_nl_request(request, RDMA_NL_QPS, 5, 8), sizeof(qps));
	assert_memory_equal(request, qps, sizeof(qps));
	assert_int_equal(rdma_nl_request(request, RDMA_NL_CM_IDS, 5, 8), sizeof(qps));
	assert_int_equal(request[4], 11);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_host_report.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define HEADER 4

static const uint8_t magic[4] = {'F', 'Q', 'P', 'R'};

/* Octets of the content of a record. @return -1: there is no such type */
static int
content_length(uint8_t type)
{
	switch (type) {
#define LENGTH(sym, number, octets) \
	case (number):              \
		return (octets);
		FCN_HOST_REPORT_RECORDS(LENGTH)
#undef LENGTH
	default:
		return -1;
	}
}

static void
put(uint8_t *out, unsigned int octets, uint64_t v)
{
	while (octets > 0) {
		out[--octets] = (uint8_t)v;
		v >>= 8;
	}
}

static uint64_t
get(const uint8_t *in, unsigned int octets)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < octets; i++)
		v = v << 8 | in[i];
	return v;
}

static void
put_qp(uint8_t *out, const struct fcn_host_report_qp *qp)
{
	memcpy(out, qp->local, 16);
	memcpy(out + 16, qp->remote, 16);
	put(out + 32, 4, qp->local_qp);
	put(out + 36, 4, qp->remote_qp);
}

static int
get_qp(const uint8_t *in, struct fcn_host_report_qp *qp)
{
	memcpy(qp->local, in, 16);
	memcpy(qp->remote, in + 16, 16);
	qp->local_qp = (uint32_t)get(in + 32, 4);
	qp->remote_qp = (uint32_t)get(in + 36, 4);
	return qp->local_qp <= FCN_HOST_REPORT_MAX_QP && qp->remote_qp <= FCN_HOST_REPORT_MAX_QP
			       ? 0
			       : -EBADMSG;
}

size_t
fcn_host_report_write(
		const struct fcn_host_report_record *record, uint8_t out[FCN_HOST_REPORT_SIZE])
{
	const size_t len = HEADER + (size_t)content_length((uint8_t)record->type);
	uint8_t *content = out + HEADER;

	memset(out, 0, len);
	out[0] = (uint8_t)record->type;
	put(out + 2, 2, len);
	switch (record->type) {
	case FCN_HOST_REPORT_HELLO:
		memcpy(content, magic, sizeof(magic));
		content[4] = record->version;
		break;
	case FCN_HOST_REPORT_ADD:
	case FCN_HOST_REPORT_REMOVE:
		put_qp(content, &record->qp);
		break;
	case FCN_HOST_REPORT_CONFIRM:
		put(content + 8, 8, record->in_force);
		put(content, 8, record->number);
		break;
	case FCN_HOST_REPORT_SYNC:
		put(content, 8, record->number);
		break;
	case FCN_HOST_REPORT_REFUSED:
		content[0] = record->reason;
		put_qp(content + 4, &record->qp);
		break;
	case FCN_HOST_REPORT_BEGIN:
	case FCN_HOST_REPORT_END:
		break;
	}
	return len;
}

static bool
are_zero(const uint8_t *in, unsigned int octets)
{
	return get(in, octets) == 0;
}

/* Read what is behind the header. @return 0, -EBADMSG */
static int
read_content(const uint8_t *content, struct fcn_host_report_record *record)
{
	switch (record->type) {
	case FCN_HOST_REPORT_HELLO:
		record->version = content[4];
		/* What else is in it is up to the version. */
		return memcmp(content, magic, sizeof(magic)) == 0 ? 0 : -EBADMSG;
	case FCN_HOST_REPORT_ADD:
	case FCN_HOST_REPORT_REMOVE:
		return get_qp(content, &record->qp);
	case FCN_HOST_REPORT_CONFIRM:
		record->number = get(content, 8);
		record->in_force = get(content + 8, 8);
		return record->in_force <= record->number ? 0 : -EBADMSG;
	case FCN_HOST_REPORT_SYNC:
		record->number = get(content, 8);
		return 0;
	case FCN_HOST_REPORT_REFUSED:
		record->reason = content[0];
		return are_zero(content + 1, 3) ? get_qp(content + 4, &record->qp) : -EBADMSG;
	case FCN_HOST_REPORT_BEGIN:
	case FCN_HOST_REPORT_END:
		return 0;
	}
	return -EBADMSG;
}

int
fcn_host_report_read(const uint8_t *data, size_t len, struct fcn_host_report_record *record)
{
	int content;

	memset(record, 0, sizeof(*record));
	if (len == 0)
		return 0;
	/* What is no record is found out at its first octet that is wrong: nobody waits for more.
	 */
	content = content_length(data[0]);
	if (content < 0 || (len > 1 && data[1] != 0) ||
			(len > 2 && data[2] != 0) || /* no record is that long */
			(len > 3 && data[3] != HEADER + content))
		return -EBADMSG;
	if (len < HEADER + (size_t)content)
		return 0;
	record->type = data[0];
	return read_content(data + HEADER, record) == 0 ? HEADER + content : -EBADMSG;
}

const char *
fcn_host_report_reason_text(uint8_t reason)
{
	switch (reason) {
#define TEXT(sym, number, text) \
	case (number):          \
		return (text);
		FCN_HOST_REPORT_REASONS(TEXT)
#undef TEXT
	default:
		return "it has a reason that this version does not know";
	}
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A frame of a capture file. */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bsd/string.h>
#include <pcap/pcap.h>

#include <rte_common.h>

#include "explain_private.h"

/* What may be read of a file, as the stream that libpcap reads. */
struct beginning {
	int fd;
	uint64_t left; /* octets that may still be read */
	bool reached;  /* the file has more than these */
};

static ssize_t
beginning_read(void *cookie, char *to, size_t size)
{
	struct beginning *b = cookie;
	ssize_t n;

	if (b->left == 0) {
		b->reached = read(b->fd, to, 1) == 1;
		return 0;
	}
	n = read(b->fd, to, RTE_MIN(size, b->left));
	if (n > 0)
		b->left -= n;
	return n;
}

/* A device or a pipe might keep its reader waiting. */
static int
open_regular(const char *path, struct beginning *b, FILE **in, char *err, size_t err_size)
{
	const cookie_io_functions_t functions = {.read = beginning_read};
	struct stat st;

	*b = (struct beginning){.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC),
			.left = EXPLAIN_MAX_READ};
	if (b->fd >= 0 && fstat(b->fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		snprintf(err, err_size, "%s is not a regular file", path);
		close(b->fd);
		return -EINVAL;
	}
	*in = b->fd >= 0 ? fopencookie(b, "r", functions) : NULL;
	if (*in == NULL) {
		const int rc = -errno;

		snprintf(err, err_size, "%s: %s", path, strerror(-rc));
		if (b->fd >= 0)
			close(b->fd);
		return rc;
	}
	return 0;
}

static int
take(pcap_t *file, const char *path, uint64_t number, struct explain_frame *frame, char *err,
		size_t err_size)
{
	struct pcap_pkthdr *hdr = NULL;
	const uint8_t *data = NULL;
	uint64_t n = 0;
	int rc = 1;

	while (n < number && rc == 1) {
		rc = pcap_next_ex(file, &hdr, &data);
		n += rc == 1;
	}
	if (rc == PCAP_ERROR) {
		snprintf(err, err_size, "%s: %s", path, pcap_geterr(file));
		return -EINVAL;
	}
	if (rc != 1) {
		snprintf(err, err_size, "%s has %llu frames", path, (unsigned long long)n);
		return -ERANGE;
	}
	if (hdr->len == 0 || hdr->caplen > hdr->len || hdr->len > sizeof(frame->data)) {
		snprintf(err, err_size, "frame %llu has %u bytes: 1 to %u are permitted",
				(unsigned long long)number, hdr->len, FCN_DRY_RUN_MAX_LEN);
		return -ERANGE;
	}
	memset(frame->data, 0, hdr->len);
	memcpy(frame->data, data, hdr->caplen);
	frame->len = hdr->len;
	return 0;
}

/* Why there is no frame when the file goes on where reading ended. */
static int
too_far(const char *path, uint64_t number, char *err, size_t err_size)
{
	snprintf(err, err_size,
			"%s: frame %llu is not in the first %u MiB of the file, and no more is "
			"read of it: copy what is wanted to a file of its own, as \"editcap -r "
			"FILE PART %llu\" does, whose frame 1 it is",
			path, (unsigned long long)number, EXPLAIN_MAX_READ >> 20,
			(unsigned long long)number);
	return -EFBIG;
}

int
explain_frame_load(const char *path, uint64_t number, struct explain_frame *frame, char *err,
		size_t err_size)
{
	char why[PCAP_ERRBUF_SIZE];
	struct beginning b;
	pcap_t *file;
	FILE *in;
	int rc = open_regular(path, &b, &in, err, err_size);

	if (rc != 0)
		return rc;
	file = pcap_fopen_offline(in, why);
	if (file == NULL) {
		snprintf(err, err_size, "%s: %s", path, why);
		fclose(in);
		rc = -EINVAL;
	} else if (pcap_datalink(file) == DLT_EN10MB) {
		rc = take(file, path, number, frame, err, err_size);
	} else {
		snprintf(err, err_size, "%s has no frames of Ethernet", path);
		rc = -EINVAL;
	}
	if (file != NULL)
		pcap_close(file); /* closes `in`, too */
	close(b.fd);
	return rc != 0 && b.reached ? too_far(path, number, err, err_size) : rc;
}

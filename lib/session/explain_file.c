/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A frame of a capture file. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bsd/string.h>
#include <pcap/pcap.h>

#include "explain_private.h"

/* A device or a pipe might keep its reader waiting. */
static int
open_regular(const char *path, FILE **in, char *err, size_t err_size)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int rc = 0;

	*in = NULL;
	if (fd < 0 || fstat(fd, &st) != 0) {
		rc = -errno;
		snprintf(err, err_size, "%s: %s", path, strerror(-rc));
	} else if (!S_ISREG(st.st_mode)) {
		rc = -EINVAL;
		snprintf(err, err_size, "%s is not a regular file", path);
	} else {
		*in = fdopen(fd, "r");
		if (*in == NULL) {
			rc = -errno;
			snprintf(err, err_size, "%s: %s", path, strerror(-rc));
		}
	}
	if (*in == NULL && fd >= 0)
		close(fd);
	return rc;
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

int
explain_frame_load(const char *path, uint64_t number, struct explain_frame *frame, char *err,
		size_t err_size)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *file;
	FILE *in;
	int rc = open_regular(path, &in, err, err_size);

	if (rc != 0)
		return rc;
	file = pcap_fopen_offline(in, why);
	if (file == NULL) {
		snprintf(err, err_size, "%s: %s", path, why);
		fclose(in);
		return -EINVAL;
	}
	if (pcap_datalink(file) == DLT_EN10MB) {
		rc = take(file, path, number, frame, err, err_size);
	} else {
		snprintf(err, err_size, "%s has no frames of Ethernet", path);
		rc = -EINVAL;
	}
	pcap_close(file); /* closes `in`, too */
	return rc;
}

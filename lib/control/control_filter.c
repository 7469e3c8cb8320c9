/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>

#include <bsd/string.h>

#include "fcn_control.h"

/* Filters are compiled for frames up to this length, bytes. */
#define SNAPLEN 65535

int
fcn_control_filter_compile(const char *text, struct bpf_program *filter, char *err, size_t err_size)
{
	pcap_t *dead = pcap_open_dead(DLT_EN10MB, SNAPLEN);
	int rc;

	if (dead == NULL) {
		strlcpy(err, "out of memory", err_size);
		return -ENOMEM;
	}
	rc = pcap_compile(dead, filter, text, 1, PCAP_NETMASK_UNKNOWN);
	if (rc != 0)
		snprintf(err, err_size, "filter: %s", pcap_geterr(dead));
	pcap_close(dead);
	return rc == 0 ? 0 : -EINVAL;
}

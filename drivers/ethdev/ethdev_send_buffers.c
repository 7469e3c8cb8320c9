/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * net_af_packet puts frames into a ring and requests the kernel to send them. The kernel sends as
 * many as the send buffer of the socket has room for. The driver repeats the request only when it
 * has more frames to send, and has no function to repeat it alone. Therefore the buffer is made
 * large enough. The driver does not give access to its sockets, so they are searched among the open
 * files of this process.
 */

#include <dirent.h>
#include <stdlib.h>

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <rte_common.h>
#include <sys/socket.h>

#include "ethdev_impl.h"

/*
 * Bytes that the kernel accounts for a frame, overhead included. The kernel also doubles the
 * requested size.
 */
#define FRAME_BYTES 8192
#define MOST_BYTES (1 << 29)

static bool
is_packet_socket(int fd, int if_index)
{
	struct sockaddr_ll address = {0};
	socklen_t len = sizeof(address);

	return getsockname(fd, (struct sockaddr *)&address, &len) == 0 &&
	       address.sll_family == AF_PACKET && address.sll_ifindex == if_index;
}

void
ethdev_send_buffers(int if_index, uint32_t frames)
{
	int bytes = RTE_MIN((uint64_t)frames * FRAME_BYTES, (uint64_t)MOST_BYTES);
	DIR *files = opendir("/proc/self/fd");

	for (const struct dirent *e; files != NULL && (e = readdir(files)) != NULL;) {
		int fd = atoi(e->d_name);

		if (!is_packet_socket(fd, if_index))
			continue;
		/* Without the privilege, the limit of the system applies. */
		if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) != 0)
			setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	}
	if (files != NULL)
		closedir(files);
}

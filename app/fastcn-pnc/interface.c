/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "interface.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#define OSPF 89
#define LLC_ISIS 0xFEFE
#define ETHERTYPE_JUMBO_LLC 0x8870

int
interface_index(const char *name, unsigned int *index)
{
	*index = if_nametoindex(name);
	return *index != 0 ? 0 : -errno;
}

/*
 * Keep IS-IS and OSPF, also behind a VLAN tag (the kernel has taken the outer one off already). The
 * EtherType is at the offset in X, which a tag moves by 4.
 */
static int
attach_filter(int fd)
{
	struct sock_filter code[] = {
			BPF_STMT(BPF_LDX | BPF_IMM, 0),
			BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_8021Q, 1, 0),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_8021AD, 0, 2),
			BPF_STMT(BPF_LDX | BPF_IMM, 4),
			BPF_STMT(BPF_LD | BPF_H | BPF_IND, 12),
			/* 6 */
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 2),
			BPF_STMT(BPF_LD | BPF_B | BPF_IND, 23),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OSPF, 7, 8),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 0, 2),
			BPF_STMT(BPF_LD | BPF_B | BPF_IND, 20),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OSPF, 4, 5),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETHERTYPE_JUMBO_LLC, 1, 0),
			BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 1535, 3, 0),
			BPF_STMT(BPF_LD | BPF_H | BPF_IND, 14),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LLC_ISIS, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
			BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

int
interface_open(unsigned int index)
{
	const struct sockaddr_ll to = {.sll_family = AF_PACKET,
			.sll_protocol = htons(ETH_P_ALL),
			.sll_ifindex = (int)index};
	const struct packet_mreq all = {.mr_ifindex = (int)index, .mr_type = PACKET_MR_ALLMULTI};
	const int size = 1 << 20;
	/* Protocol 0: nothing comes before there is a filter, and an interface. */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), error;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (attach_filter(fd) == 0 &&
			setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) == 0 &&
			bind(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/if_tun.h>

#include <bsd/string.h>

#include "fcn_kernel_tap.h"

#define MAX_FRAME 16384
#define MAX_SEGMENTS 64

struct fcn_kernel_tap {
	int fd;
	uint32_t ifindex;
	bool carrier;
	bool gone;
	char name[IFNAMSIZ];
	struct fcn_kernel_tap_counts counts;
	uint8_t buf[MAX_FRAME];
};

static int
attach(int fd, const char *ifname)
{
	struct ifreq ifr = {.ifr_flags = IFF_TAP | IFF_NO_PI};

	strlcpy(ifr.ifr_name, ifname, sizeof(ifr.ifr_name));
	return ioctl(fd, TUNSETIFF, &ifr);
}

struct fcn_kernel_tap *
fcn_kernel_tap_open(const char *ifname, char *err, size_t err_size)
{
	struct fcn_kernel_tap *tap = calloc(1, sizeof(*tap));

	if (tap == NULL) {
		strlcpy(err, "out of memory", err_size);
		return NULL;
	}
	strlcpy(tap->name, ifname, sizeof(tap->name));
	tap->carrier = true;
	tap->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tap->fd < 0) {
		snprintf(err, err_size, "kernel interface %s: /dev/net/tun: %s", ifname,
				strerror(errno));
	} else if (attach(tap->fd, ifname) != 0) {
		snprintf(err, err_size, "kernel interface %s: %s", ifname,
				errno == EINVAL ? "another interface has this name"
						: strerror(errno));
	} else {
		tap->ifindex = if_nametoindex(ifname);
		if (tap->ifindex != 0)
			return tap;
		snprintf(err, err_size, "kernel interface %s: %s", ifname, strerror(errno));
	}
	fcn_kernel_tap_close(tap);
	return NULL;
}

void
fcn_kernel_tap_close(struct fcn_kernel_tap *tap)
{
	if (tap == NULL)
		return;
	if (tap->fd >= 0)
		close(tap->fd);
	free(tap);
}

int
fcn_kernel_tap_fd(const struct fcn_kernel_tap *tap)
{
	return tap->fd;
}

const char *
fcn_kernel_tap_name(const struct fcn_kernel_tap *tap)
{
	return tap->name;
}

uint32_t
fcn_kernel_tap_ifindex(const struct fcn_kernel_tap *tap)
{
	return tap->ifindex;
}

bool
fcn_kernel_tap_is_gone(const struct fcn_kernel_tap *tap)
{
	return tap->gone;
}

void
fcn_kernel_tap_set_carrier(struct fcn_kernel_tap *tap, bool up)
{
	int on = up;

	if (tap->carrier == up)
		return;
	tap->carrier = up;
#ifdef TUNSETCARRIER
	ioctl(tap->fd, TUNSETCARRIER, &on);
#endif
}

bool
fcn_kernel_tap_has_carrier(const struct fcn_kernel_tap *tap)
{
	return tap->carrier;
}

bool
fcn_kernel_tap_write(struct fcn_kernel_tap *tap, const struct rte_mbuf *m)
{
	struct iovec iov[MAX_SEGMENTS];
	int n = 0;

	for (; m != NULL && n < MAX_SEGMENTS; m = m->next)
		iov[n++] = (struct iovec){
				.iov_base = rte_pktmbuf_mtod(m, void *), .iov_len = m->data_len};
	if (m == NULL && writev(tap->fd, iov, n) >= 0) {
		tap->counts.to_kernel++;
		return true;
	}
	if (m == NULL && (errno == EIO || errno == EBADFD)) {
		tap->counts.to_kernel_down++;
		tap->gone |= errno == EBADFD;
	} else {
		tap->counts.to_kernel_full++;
	}
	return false;
}

static struct rte_mbuf *
to_mbuf(const uint8_t *data, size_t len, struct rte_mempool *pool)
{
	struct rte_mbuf *head = NULL, *last = NULL;

	while (len > 0) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
		uint16_t part;

		if (m == NULL || (part = RTE_MIN(len, rte_pktmbuf_tailroom(m))) == 0) {
			rte_pktmbuf_free(m);
			rte_pktmbuf_free(head);
			return NULL;
		}
		memcpy(rte_pktmbuf_append(m, part), data, part);
		data += part;
		len -= part;
		if (head == NULL) {
			head = m;
		} else {
			last->next = m;
			head->nb_segs++;
			head->pkt_len += part;
		}
		last = m;
	}
	return head;
}

struct rte_mbuf *
fcn_kernel_tap_read(struct fcn_kernel_tap *tap, struct rte_mempool *pool, bool *more)
{
	ssize_t n = read(tap->fd, tap->buf, sizeof(tap->buf));
	struct rte_mbuf *m;

	*more = n > 0;
	if (n <= 0) {
		tap->gone |= n < 0 && errno == EBADFD;
		return NULL;
	}
	tap->counts.from_kernel++;
	m = to_mbuf(tap->buf, (size_t)n, pool);
	if (m == NULL)
		tap->counts.from_kernel_refused++;
	return m;
}

void
fcn_kernel_tap_refused(struct fcn_kernel_tap *tap)
{
	tap->counts.from_kernel_refused++;
}

const struct fcn_kernel_tap_counts *
fcn_kernel_tap_counts(const struct fcn_kernel_tap *tap)
{
	return &tap->counts;
}

void
fcn_kernel_tap_clear_counts(struct fcn_kernel_tap *tap)
{
	tap->counts = (struct fcn_kernel_tap_counts){0};
}

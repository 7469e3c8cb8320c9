/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bsd/string.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "kernel_fake.h"
#include "talk.h"

#define SOCKET_PORT 4242
#define DATAGRAMS 64
#define DATAGRAM_MAX 256

struct fcn_kernel_tap {
	struct kernel_interface *interface;
	int fd;
	bool carrier;
	bool gone;
	struct fcn_kernel_tap_counts counts;
};

struct fcn_netlink_socket {
	int fd;
};

struct datagram {
	size_t len;
	uint8_t data[DATAGRAM_MAX];
};

struct kernel kernel;

/*
 * The socket that listens, the datagrams that it has not read yet, and the messages of which
 * answers are made.
 */
static struct fcn_netlink_socket *listener;
static struct datagram queue[DATAGRAMS], known[DATAGRAMS];
static unsigned int n_queued, n_known;
static int netns_fd = -1;

void
kernel_reset(void)
{
	memset(&kernel, 0, sizeof(kernel));
	n_queued = n_known = 0;
	listener = NULL;
}

/* ---- descriptors: readable as long as there is something ---- */

static void
signal_fd(int fd)
{
	assert_int_equal(eventfd_write(fd, 1), 0);
}

static void
quieten_fd(int fd)
{
	eventfd_t n;

	(void)eventfd_read(fd, &n);
}

/* ---- names and namespaces ---- */

unsigned int __wrap_if_nametoindex(const char *name);
int __wrap_setns(int fd, int type);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

unsigned int
__wrap_if_nametoindex(const char *name)
{
	struct kernel_interface *i = kernel_find(name);

	if (i != NULL && !i->removed)
		return i->ifindex;
	return kernel.other != NULL && strcmp(kernel.other, name) == 0 ? kernel.other_ifindex : 0;
}

int
__wrap_setns(int fd, int type)
{
	assert_int_equal(type, 0x40000000); /* CLONE_NEWNET */
	if (kernel.enter_error != 0 && fd == netns_fd) {
		errno = kernel.enter_error;
		return -1;
	}
	assert_int_equal(kernel.away, fd != netns_fd);
	kernel.away = fd == netns_fd;
	return 0;
}

int
__wrap_open(const char *path, int flags, ...)
{
	if (strncmp(path, "/run/netns/", 11) != 0)
		return __real_open(path, flags, 0);
	if (!kernel.has_netns) {
		errno = ENOENT;
		return -1;
	}
	netns_fd = __real_open(kernel.other_netns ? "/dev/zero" : "/dev/null", flags);
	return netns_fd;
}

int
__wrap_open64(const char *path, int flags, ...)
{
	return __wrap_open(path, flags);
}

/* ---- interfaces ---- */

struct kernel_interface *
kernel_find(const char *name)
{
	for (unsigned int i = kernel.n_interfaces; i-- > 0;) {
		struct kernel_interface *known_as = &kernel.interface[i];

		if (known_as->tap != NULL && strcmp(known_as->name, name) == 0)
			return known_as;
	}
	return NULL;
}

static struct kernel_interface *
find_ifindex(uint32_t ifindex)
{
	for (unsigned int i = 0; i < kernel.n_interfaces; i++) {
		if (kernel.interface[i].ifindex == ifindex)
			return &kernel.interface[i];
	}
	fail_msg("no interface %u", ifindex);
	return NULL;
}

bool
kernel_has_address(const struct kernel_interface *i, const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	for (unsigned int k = 0; k < i->n_addresses; k++) {
		if (fcn_prefix_equal(&i->address[k], &p))
			return true;
	}
	return false;
}

void
kernel_remove(const char *name)
{
	struct kernel_interface *i = kernel_find(name);

	assert_non_null(i);
	i->removed = true;
	signal_fd(i->tap->fd);
}

void
kernel_send(const char *name, unsigned int n)
{
	struct kernel_interface *i = kernel_find(name);

	assert_non_null(i);
	i->to_send += n;
	signal_fd(i->tap->fd);
}

struct fcn_kernel_tap *
fcn_kernel_tap_open(const char *ifname, char *err, size_t err_size)
{
	struct kernel_interface *i = &kernel.interface[kernel.n_interfaces];
	struct fcn_kernel_tap *tap;

	if (kernel.refused != NULL && strcmp(kernel.refused, ifname) == 0) {
		snprintf(err, err_size, "kernel interface %s: refused", ifname);
		return NULL;
	}
	assert_in_range(kernel.n_interfaces, 0, KERNEL_INTERFACES - 1);
	tap = calloc(1, sizeof(*tap));
	assert_non_null(tap);
	tap->interface = i;
	tap->carrier = true;
	tap->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	assert_true(tap->fd >= 0);
	strlcpy(i->name, ifname, sizeof(i->name));
	i->ifindex = KERNEL_FIRST_IFINDEX + kernel.n_interfaces++;
	i->tap = tap;
	i->in_netns = kernel.away;
	return tap;
}

void
fcn_kernel_tap_close(struct fcn_kernel_tap *tap)
{
	if (tap == NULL)
		return;
	tap->interface->tap = NULL;
	kernel.n_closed++;
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
	return tap->interface->name;
}

uint32_t
fcn_kernel_tap_ifindex(const struct fcn_kernel_tap *tap)
{
	return tap->interface->ifindex;
}

bool
fcn_kernel_tap_is_gone(const struct fcn_kernel_tap *tap)
{
	return tap->gone;
}

void
fcn_kernel_tap_set_carrier(struct fcn_kernel_tap *tap, bool up)
{
	tap->carrier = up;
}

bool
fcn_kernel_tap_has_carrier(const struct fcn_kernel_tap *tap)
{
	return tap->carrier;
}

bool
fcn_kernel_tap_write(struct fcn_kernel_tap *tap, const struct rte_mbuf *m)
{
	struct kernel_interface *i = tap->interface;

	if (i->removed) {
		tap->gone = true;
		tap->counts.to_kernel_down++;
		return false;
	}
	memcpy(i->received, rte_pktmbuf_mtod(m, const void *),
			RTE_MIN(m->data_len, sizeof(i->received)));
	tap->counts.to_kernel++;
	return true;
}

/* Give the switch a frame of 60 octets without addresses. */
struct rte_mbuf *
fcn_kernel_tap_read(struct fcn_kernel_tap *tap, struct rte_mempool *pool, bool *more)
{
	struct kernel_interface *i = tap->interface;
	struct rte_mbuf *m;

	*more = !i->removed && i->to_send > 0;
	tap->gone |= i->removed;
	if (!*more) {
		quieten_fd(tap->fd);
		return NULL;
	}
	i->to_send--;
	tap->counts.from_kernel++;
	m = rte_pktmbuf_alloc(pool);
	if (m == NULL)
		tap->counts.from_kernel_refused++;
	else
		memset(rte_pktmbuf_append(m, 60), 0x55, 60);
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

/* ---- sockets and requests ---- */

bool
fcn_netlink_socket_is_built(void)
{
	return !kernel.without_mnl;
}

static struct fcn_netlink_socket *
open_socket(void)
{
	struct fcn_netlink_socket *s;

	if (kernel.socket_error != 0) {
		errno = kernel.socket_error;
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	assert_non_null(s);
	s->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	assert_true(s->fd >= 0);
	kernel.n_sockets++;
	kernel.sockets_in_netns = kernel.away;
	return s;
}

struct fcn_netlink_socket *
fcn_netlink_socket_listen(void)
{
	listener = open_socket();
	n_queued = 0;
	return listener;
}

struct fcn_netlink_socket *
fcn_netlink_socket_request(void)
{
	return open_socket();
}

void
fcn_netlink_socket_close(struct fcn_netlink_socket *s)
{
	if (s == NULL)
		return;
	if (s == listener)
		listener = NULL;
	kernel.n_sockets--;
	close(s->fd);
	free(s);
}

int
fcn_netlink_socket_fd(const struct fcn_netlink_socket *s)
{
	return s->fd;
}

int
fcn_netlink_set_link(struct fcn_netlink_socket *s, const struct fcn_netlink_link *link)
{
	assert_non_null(s);
	kernel.n_links++;
	find_ifindex(link->ifindex)->link = *link;
	return kernel.link_error;
}

int
fcn_netlink_set_address(struct fcn_netlink_socket *s, uint32_t ifindex,
		const struct fcn_prefix *address, bool add)
{
	struct kernel_interface *i = find_ifindex(ifindex);
	unsigned int at = 0;

	assert_non_null(s);
	kernel.n_added += add;
	kernel.n_removed += !add;
	if (kernel.address_error != 0)
		return kernel.address_error;
	while (at < i->n_addresses && !fcn_prefix_equal(&i->address[at], address))
		at++;
	if (at == i->n_addresses && add) {
		assert_in_range(at, 0, KERNEL_ADDRESSES - 1);
		i->address[i->n_addresses++] = *address;
	} else if (at < i->n_addresses && !add) {
		i->address[at] = i->address[--i->n_addresses];
	}
	return 0;
}

/* ---- the conversation ---- */

static void
enqueue(const void *data, size_t len)
{
	assert_in_range(n_queued, 0, DATAGRAMS - 1);
	assert_in_range(len, 1, DATAGRAM_MAX);
	queue[n_queued].len = len;
	memcpy(queue[n_queued++].data, data, len);
	signal_fd(listener->fd);
}

static void
answer(const struct nlmsghdr *question, const struct datagram *d)
{
	struct datagram copy = *d;
	struct nlmsghdr *hdr = (struct nlmsghdr *)copy.data;

	hdr->nlmsg_seq = question->nlmsg_seq;
	hdr->nlmsg_pid = SOCKET_PORT;
	enqueue(copy.data, copy.len);
}

/*
 * Check whether a message answers a request for a dump. The type of a request is that of its
 * answers plus two. A request for routes asks for one address family, which is the first octet
 * behind the header in requests and answers.
 */
static bool
is_answer(const struct nlmsghdr *question, const struct datagram *d)
{
	const struct nlmsghdr *hdr = (const struct nlmsghdr *)d->data;
	const uint8_t *family = (const uint8_t *)(question + 1);

	return question->nlmsg_type == hdr->nlmsg_type + 2 &&
	       (question->nlmsg_type != RTM_GETROUTE || d->data[sizeof(*hdr)] == *family);
}

static int
receive_request(void *arg, const void *data, size_t len)
{
	const struct nlmsghdr *question = data;
	struct {
		struct nlmsghdr hdr;
		int error;
	} done = {{.nlmsg_len = sizeof(done), .nlmsg_type = NLMSG_DONE}, 0};
	struct datagram end = {.len = sizeof(done)};

	assert_ptr_equal(arg, listener);
	assert_int_equal(question->nlmsg_len, len);
	kernel.n_dumps++;
	for (unsigned int i = 0; i < n_known; i++) {
		if (is_answer(question, &known[i]))
			answer(question, &known[i]);
	}
	memcpy(end.data, &done, sizeof(done));
	answer(question, &end);
	return 0;
}

static ssize_t
tell(void *arg, void *buf, size_t size)
{
	struct fcn_netlink_socket *s = arg;
	struct datagram d = queue[0];

	assert_ptr_equal(s, listener);
	if (n_queued == 0) {
		quieten_fd(s->fd);
		return -EAGAIN;
	}
	assert_true(d.len <= size);
	memmove(queue, queue + 1, --n_queued * sizeof(queue[0]));
	memcpy(buf, d.data, d.len);
	return (ssize_t)d.len;
}

struct fcn_netlink_io
fcn_netlink_socket_io(struct fcn_netlink_socket *s)
{
	return (struct fcn_netlink_io){receive_request, tell, s, SOCKET_PORT};
}

void
kernel_notify(void)
{
	enqueue(msg, ((struct nlmsghdr *)msg)->nlmsg_len);
}

void
kernel_add_to_dumps(void)
{
	struct datagram *d = &known[n_known];

	assert_in_range(n_known, 0, DATAGRAMS - 1);
	d->len = ((struct nlmsghdr *)msg)->nlmsg_len;
	assert_in_range(d->len, 1, DATAGRAM_MAX);
	memcpy(d->data, msg, d->len);
	n_known++;
}

void
kernel_forget(void)
{
	n_known = 0;
}

static uint8_t
family_of(const struct fcn_addr *a)
{
	return a->version == 6 ? AF_INET6 : AF_INET;
}

static void
put_addr(uint16_t attribute, const struct fcn_addr *a)
{
	put(attribute, a->bytes, a->version == 6 ? 16 : 4);
}

void
kernel_route(uint16_t message, const char *text, const char *via, uint32_t ifindex, uint8_t type,
		uint8_t protocol)
{
	struct rtmsg rtm = {.rtm_type = type, .rtm_protocol = protocol, .rtm_table = RT_TABLE_MAIN};
	struct fcn_prefix prefix;
	struct fcn_addr gateway;

	assert_int_equal(fcn_prefix_parse(text, &prefix), 0);
	rtm.rtm_family = family_of(&prefix.addr);
	rtm.rtm_dst_len = prefix.len;
	begin(message, 0, &rtm, sizeof(rtm));
	put_addr(RTA_DST, &prefix.addr);
	if (via != NULL) {
		assert_int_equal(fcn_addr_parse(via, &gateway), 0);
		put_addr(RTA_GATEWAY, &gateway);
	}
	if (ifindex != 0)
		put(RTA_OIF, &ifindex, sizeof(ifindex));
}

void
kernel_attribute(uint16_t type, const void *data, uint16_t len)
{
	put(type, data, len);
}

void
kernel_neighbour(uint16_t message, const char *addr, const uint8_t mac[6], uint32_t ifindex)
{
	struct ndmsg ndm = {.ndm_ifindex = (int)ifindex, .ndm_state = NUD_PERMANENT};
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(addr, &a), 0);
	ndm.ndm_family = family_of(&a);
	begin(message, 0, &ndm, sizeof(ndm));
	put_addr(NDA_DST, &a);
	put(NDA_LLADDR, mac, 6);
}

void
kernel_vrf(uint16_t message, const char *name, uint32_t ifindex, uint32_t table)
{
	struct ifinfomsg ifi = {.ifi_index = (int)ifindex, .ifi_flags = IFF_UP};
	struct nlattr kind = {sizeof(kind) + 4, IFLA_INFO_KIND},
		      data = {sizeof(data) + 8, IFLA_INFO_DATA},
		      number = {sizeof(number) + 4, IFLA_VRF_TABLE};
	uint8_t info[20] = {0};

	memcpy(info, &kind, sizeof(kind));
	memcpy(info + 4, "vrf", 4);
	memcpy(info + 8, &data, sizeof(data));
	memcpy(info + 12, &number, sizeof(number));
	memcpy(info + 16, &table, sizeof(table));
	begin(message, 0, &ifi, sizeof(ifi));
	put(IFLA_IFNAME, name, strlen(name) + 1);
	put(IFLA_LINKINFO, info, sizeof(info));
}

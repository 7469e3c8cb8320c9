/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Interfaces of the kernel that stand for ports: when they come and go, and what they are told. */

#include <errno.h>
#include <netinet/in.h>

#include "kernel_platform.h"

/* How often interfaces are looked after. */
#define TEND (500 * MS)

/* MAC addresses of ports are 02:66:63:6e:00:<number>: the same as an interface identifier (RFC 4291
 * appendix A). */
#define LINK_LOCAL_0 "fe80::66:63ff:fe6e:0/64"
#define LINK_LOCAL_1 "fe80::66:63ff:fe6e:1/64"

static unsigned int
requests(void)
{
	return kernel.n_links + kernel.n_added + kernel.n_removed;
}

/* The row of an interface; to be freed. */
static json_t *
shown(unsigned int row)
{
	json_t *v = fcn_show_kernel(platform.ctl);
	json_t *o = json_incref(json_array_get(json_object_get(v, "interfaces"), row));

	json_decref(v);
	assert_non_null(o);
	return o;
}

static bool
is_there(unsigned int row)
{
	json_t *o = shown(row);
	bool there = json_is_true(json_object_get(o, "there"));

	json_decref(o);
	return there;
}

static json_int_t
shown_number(unsigned int row, const char *key)
{
	json_t *o = shown(row);
	json_int_t n = platform_number(o, key);

	json_decref(o);
	return n;
}

/* One port, p0, and its interface, sw0. */
static void
commit_one(void)
{
	struct fcn_config *cfg = platform_edit();

	assert_int_equal(kernel_platform_port(cfg, "p0", "sw0"), 0);
	platform_commit(cfg);
}

TEST_FIXTURE(PLATFORM_LARGE_EAL, .setup = kernel_platform_setup,
		.teardown = kernel_platform_teardown);

/* It has the port's MAC address, MTU and addresses; and of what stays as it is nothing is said. */
TEST(told)
{
	static const struct rte_ether_addr mac = {{2, 0x66, 0x63, 0x6e, 0, 0}};
	const struct kernel_interface *i;
	struct fcn_config *cfg = platform_edit();
	struct fcn_prefix p;
	unsigned int before;

	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_port(cfg, "p1", NULL);
	cfg->port[0].mtu = 1400;
	kernel_platform_address(cfg, 0, "192.0.2.254/24");
	kernel_platform_address(cfg, 0, "2001:db8:1::fe/64");
	kernel_platform_address(cfg, 1, "2001:db8:2::fe/64");
	platform_commit(cfg);
	assert_int_equal(kernel.n_interfaces, 1);
	i = kernel_find("sw0");
	assert_non_null(i);
	assert_false(i->in_netns);
	assert_int_equal(i->link.ifindex, KERNEL_FIRST_IFINDEX);
	assert_int_equal(i->link.mtu, 1400);
	assert_true(rte_is_same_ether_addr(&i->link.mac, &mac));
	assert_false(i->link.set_master);
	assert_int_equal(i->n_addresses, 3);
	assert_true(kernel_has_address(i, LINK_LOCAL_0));
	assert_true(kernel_has_address(i, "192.0.2.254/24"));
	assert_true(kernel_has_address(i, "2001:db8:1::fe/64"));

	before = requests();
	platform_commit(platform_edit());
	assert_int_equal(requests(), before);
	/* One address less, and one more. */
	cfg = platform_edit();
	assert_int_equal(fcn_prefix_parse("192.0.2.254/24", &p), 0);
	assert_int_equal(FCN_LIST_REMOVE(cfg, "address", fcn_config_address, 0, p), 0);
	kernel_platform_address(cfg, 0, "192.0.2.253/24");
	platform_commit(cfg);
	assert_int_equal(requests(), before + 2);
	assert_int_equal(kernel.n_removed, 1);
	assert_int_equal(i->n_addresses, 3);
	assert_true(kernel_has_address(i, "192.0.2.253/24"));
	assert_false(kernel_has_address(i, "192.0.2.254/24"));
	/* With a link that changed, addresses may have been lost: they are all told again. */
	before = requests();
	cfg = platform_edit();
	cfg->port[0].mtu = 9000;
	platform_commit(cfg);
	assert_int_equal(i->link.mtu, 9000);
	assert_int_equal(requests(), before + 1 + 3);
	/* It stands for the port no more. */
	cfg = platform_edit();
	cfg->port[0].kernel[0] = '\0';
	platform_commit(cfg);
	assert_null(kernel_find("sw0"));
	assert_int_equal(kernel.n_closed, 1);
	assert_int_equal(kernel.n_sockets, 0);
}

/* An interface that cannot be made: the configuration is refused, and what was made for it goes. */
TEST(refused)
{
	struct fcn_config *cfg;

	commit_one();
	kernel.refused = "sw2";
	cfg = platform_edit();
	kernel_platform_port(cfg, "p1", "sw1");
	kernel_platform_port(cfg, "p2", "sw2");
	platform_refused(cfg, "kernel interface sw2: refused");
	assert_null(kernel_find("sw1"));
	assert_non_null(kernel_find("sw0"));
	assert_int_equal(kernel.n_interfaces, 2);
	assert_int_equal(kernel.n_closed, 1);
	assert_true(is_there(0));
	/* Requests that the kernel refuses are only told of, the same once. */
	kernel.link_error = -EBUSY;
	for (unsigned int mtu = 2000; mtu < 2003; mtu++) {
		cfg = platform_edit();
		cfg->port[0].mtu = mtu;
		platform_commit(cfg);
	}
	assert_int_equal(kernel_log.n, 1);
	assert_string_equal(kernel_platform_last_line(),
			"kernel interface sw0: Device or resource busy");
	kernel.link_error = 0;
	kernel.address_error = -EPERM;
	cfg = platform_edit();
	cfg->port[0].mtu = 2003;
	platform_commit(cfg);
	assert_int_equal(kernel_log.n, 2);
	assert_string_equal(kernel_platform_last_line(),
			"kernel interface sw0: address " LINK_LOCAL_0 ": Operation not permitted");
}

/* Two ports exchange their interfaces: neither goes, and each leads where it belongs now. */
TEST(exchange)
{
	struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;
	struct fcn_config *cfg = platform_edit();

	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_port(cfg, "p1", "sw1");
	platform_commit(cfg);
	kernel_send("sw0", 1);
	kernel_platform_poll(1 * MS);
	assert_int_equal(c[0].injected, 1);
	cfg = platform_edit();
	strcpy(cfg->port[0].kernel, "sw1");
	strcpy(cfg->port[1].kernel, "sw0");
	platform_commit(cfg);
	assert_int_equal(kernel.n_interfaces, 2);
	assert_int_equal(kernel.n_closed, 0);
	assert_int_equal(kernel_find("sw0")->link.mac.addr_bytes[5], 1);
	assert_true(kernel_has_address(kernel_find("sw0"), LINK_LOCAL_1));
	kernel_send("sw0", 2);
	kernel_platform_poll(2 * MS);
	assert_int_equal(c[0].injected, 1);
	assert_int_equal(c[1].injected, 2);
	assert_int_equal(shown_number(1, "from_kernel"), 3);
	/* One of them goes on at a port that had none, the other goes. */
	cfg = platform_edit();
	kernel_platform_port(cfg, "p2", "sw0");
	cfg->port[0].kernel[0] = cfg->port[1].kernel[0] = '\0';
	platform_commit(cfg);
	assert_null(kernel_find("sw1"));
	kernel_send("sw0", 1);
	kernel_platform_poll(3 * MS);
	assert_int_equal(c[2].injected, 1);
}

/* What the kernel sends leaves by the port, as far as the worker has room; the rest is counted. */
TEST(from_kernel)
{
	const struct fcn_port_counters *c = &fcn_control_worker(platform.ctl, 0)->counters[0];
	/* 4096 may wait for the worker, of which 512 places are kept for neighbours. */
	const unsigned int n = 4200, room = 4096 - 512;

	commit_one();
	kernel_send("sw0", n);
	while (kernel_find("sw0")->to_send > 0) {
		fcn_control_host_was_busy(platform.ctl);
		fcn_control_kernel_poll(platform.ctl, 1 * MS);
		assert_true(fcn_control_host_was_busy(platform.ctl));
	}
	for (unsigned int i = 0; i < 200; i++)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), (2 + i) * MS);
	assert_int_equal(shown_number(0, "from_kernel"), n);
	assert_int_equal(shown_number(0, "from_kernel_refused"), n - room);
	assert_int_equal(c->injected, room);
	assert_int_equal(c->tx_packets, room);
	assert_int_equal(c->tx_bytes, room * 60);
	fcn_control_clear_counters(platform.ctl, NULL, 0);
	assert_int_equal(shown_number(0, "from_kernel"), 0);
	assert_int_equal(shown_number(0, "from_kernel_refused"), 0);
}

/* What is addressed to the switch, and not answered by it, the kernel hears. */
TEST(to_kernel)
{
	static const uint8_t ether[14] = {2, 0x66, 0x63, 0x6e, 0, 0, 2, 0, 0, 0, 1, 1, 0x86, 0xDD};
	struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;
	const enum fcn_punt_kind kind = FCN_PUNT_KIND_LOCAL;
	struct fcn_config *cfg = platform_edit();
	struct kernel_interface *i;
	uint64_t punted;

	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_port(cfg, "p1", "sw1");
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	kernel_platform_address(cfg, 1, "2001:db8:1::1/64"); /* where the platform's frames go */
	platform_commit(cfg);
	fcn_control_host_poll(platform.ctl, 1 * MS);
	platform.source = true;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 2 * MS);
	platform.source = false;
	fcn_control_host_poll(platform.ctl, 2 * MS);
	assert_true(c[0].punted[kind] > 0);
	i = kernel_find("sw0");
	assert_int_equal(shown_number(0, "to_kernel"), c[0].punted[kind]);
	assert_int_equal(shown_number(1, "to_kernel"), 0);
	assert_memory_equal(i->received, ether, sizeof(ether));
	assert_int_equal(i->received[20], IPPROTO_UDP);
	/* Nobody is there to hear it. */
	kernel_remove("sw0");
	platform.source = true;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 3 * MS);
	platform.source = false;
	fcn_control_host_poll(platform.ctl, 3 * MS);
	assert_true(shown_number(0, "to_kernel_down") > 0);
	assert_false(is_there(0));
	/* Nor can it be made again: what is for it is counted, also when it is there again. */
	assert_int_equal(shown_number(0, "to_kernel_none"), 0);
	kernel.refused = "sw0";
	kernel_platform_poll(TEND);
	punted = c[0].punted[kind];
	platform.source = true;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), TEND + 1 * MS);
	platform.source = false;
	fcn_control_host_poll(platform.ctl, TEND + 1 * MS);
	assert_true(c[0].punted[kind] > punted);
	assert_int_equal(shown_number(0, "to_kernel_none"), c[0].punted[kind] - punted);
	kernel_platform_poll(2 * TEND);
	assert_int_equal(shown_number(0, "to_kernel_none"), c[0].punted[kind] - punted);
	kernel.refused = NULL;
	kernel_platform_poll(3 * TEND);
	assert_true(is_there(0));
	assert_int_equal(shown_number(0, "to_kernel"), 0);
	assert_int_equal(shown_number(0, "to_kernel_none"), c[0].punted[kind] - punted);
	fcn_control_clear_counters(platform.ctl, NULL, 0);
	assert_int_equal(shown_number(0, "to_kernel_none"), 0);
}

/* The line is there as long as the port's is. */
TEST(carrier)
{
	const struct kernel_interface *i;

	commit_one();
	i = kernel_find("sw0");
	kernel_platform_poll(1 * MS);
	assert_true(fcn_kernel_tap_has_carrier(i->tap));
	platform.port[0].down = true;
	fcn_control_link_poll(platform.ctl);
	assert_int_equal(kernel_platform_poll(2 * MS), 1 * MS + TEND);
	assert_true(fcn_kernel_tap_has_carrier(i->tap));
	kernel_platform_poll(1 * MS + TEND);
	assert_false(fcn_kernel_tap_has_carrier(i->tap));
	platform.port[0].down = false;
	fcn_control_link_poll(platform.ctl);
	kernel_platform_poll(1 * MS + 2 * TEND);
	assert_true(fcn_kernel_tap_has_carrier(i->tap));
}

/* One that somebody removed is made again, unless its name is another's by then. */
TEST(gone)
{
	struct fcn_config *cfg = platform_edit();
	struct kernel_interface *i;
	json_t *o;

	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_address(cfg, 0, "192.0.2.254/24");
	platform_commit(cfg);
	kernel_platform_poll(0);
	kernel_remove("sw0");
	assert_true(is_there(0));
	kernel_platform_poll(1 * MS);
	assert_false(is_there(0));
	kernel_platform_poll(TEND);
	assert_true(is_there(0));
	assert_int_equal(kernel.n_interfaces, 2);
	assert_int_equal(kernel.n_closed, 1);
	i = kernel_find("sw0");
	assert_int_equal(i->link.ifindex, KERNEL_FIRST_IFINDEX + 1);
	assert_int_equal(i->n_addresses, 2);
	assert_true(kernel_has_address(i, "192.0.2.254/24"));
	kernel_send("sw0", 1);
	kernel_platform_poll(TEND + 1 * MS);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->counters[0].injected, 1);
	/* The name is another's. */
	kernel_remove("sw0");
	kernel.other = "sw0";
	kernel.other_ifindex = 77;
	kernel_platform_poll(TEND + 2 * MS);
	kernel_platform_poll(2 * TEND);
	assert_int_equal(kernel.n_interfaces, 2);
	assert_false(is_there(0));
	/* It cannot be made: told of once, and without an interface there are no counters of it. */
	kernel.other = NULL;
	kernel.refused = "sw0";
	for (unsigned int k = 3; k < 6; k++)
		kernel_platform_poll(k * TEND);
	assert_int_equal(kernel_log.n, 1);
	assert_string_equal(kernel_platform_last_line(), "kernel interface sw0: refused");
	o = shown(0);
	platform_shows(o, "{'port': 'p0', 'interface': 'sw0'}");
	assert_true(json_is_false(json_object_get(o, "there")));
	assert_null(json_object_get(o, "to_kernel"));
	json_decref(o);
	kernel.refused = NULL;
	kernel_platform_poll(6 * TEND);
	assert_true(is_there(0));
	assert_int_equal(kernel.n_interfaces, 3);
}

/* Check that just one warning is in force, about the kernel; NULL: none. */
static void
assert_warning(const char *place, const char *reason)
{
	const struct fcn_warnings *set = fcn_control_warnings(platform.ctl);

	assert_int_equal(set->n, place != NULL);
	if (place == NULL)
		return;
	assert_int_equal(set->item[0].kind, FCN_WARNING_KERNEL);
	assert_string_equal(set->item[0].place, place);
	assert_string_equal(set->item[0].reason, reason);
}

/* Make a change that has nothing to do with interfaces, which must be accepted. */
static void
change_something_else(void)
{
	struct fcn_config *cfg = platform_edit();

	cfg->idle_ns += 1;
	platform_commit(cfg);
}

/* One that is missing, and cannot be made, is a warning, and no reason to refuse other changes. */
TEST(missing)
{
	struct fcn_config *cfg;

	commit_one();
	kernel_platform_poll(0);
	kernel_remove("sw0");
	kernel.other = "sw0";
	kernel.other_ifindex = 77;
	kernel.refused = "sw0";
	kernel_platform_poll(1 * MS);
	change_something_else(); /* nobody has tried to make it again yet */
	kernel_platform_poll(TEND);
	assert_warning("port p0", "kernel interface sw0: another interface has this name");
	change_something_else();
	assert_false(is_there(0));
	kernel.other = NULL;
	kernel_platform_poll(2 * TEND);
	assert_warning("port p0", "kernel interface sw0: refused");
	change_something_else();
	/* What is about it may be refused, and that another port gets an interface is not. */
	cfg = platform_edit();
	kernel_platform_port(cfg, "p1", "sw1");
	platform_commit(cfg);
	assert_non_null(kernel_find("sw1"));
	kernel.refused = NULL;
	kernel_platform_poll(3 * TEND);
	assert_true(is_there(0));
	assert_warning(NULL, NULL);
	/* It is over with the interface, too. */
	kernel_remove("sw0");
	kernel.refused = "sw0";
	kernel_platform_poll(3 * TEND + 1 * MS);
	kernel_platform_poll(4 * TEND);
	assert_warning("port p0", "kernel interface sw0: refused");
	platform_commit(fcn_config_create());
	assert_warning(NULL, NULL);
}

/* Interfaces belong to the VRF whose routes are taken, also when it is made anew. */
TEST(vrf)
{
	struct fcn_config *cfg = platform_edit();
	const struct kernel_interface *i;

	kernel.other = "blue";
	kernel.other_ifindex = 50;
	kernel_platform_port(cfg, "p0", "sw0");
	cfg->kernel.mode = FCN_KERNEL_VRF;
	strcpy(cfg->kernel.vrf, "blue");
	platform_commit(cfg);
	i = kernel_find("sw0");
	assert_true(i->link.set_master);
	assert_int_equal(i->link.master, 50);
	kernel_platform_poll(0);
	kernel.other_ifindex = 51;
	kernel_platform_poll(TEND);
	assert_true(i->link.set_master);
	assert_int_equal(i->link.master, 51);
	/* Without a VRF there is nothing it could belong to. */
	kernel.other = NULL;
	kernel_platform_poll(2 * TEND);
	assert_false(i->link.set_master);
	assert_warning("table main", "the kernel has no VRF blue, whose routes it follows");
	change_something_else();
	kernel.other = "blue";
	kernel_platform_poll(3 * TEND);
	assert_int_equal(i->link.master, 51);
	/* A table: it leaves the VRF. */
	cfg = platform_edit();
	cfg->kernel = (struct fcn_config_kernel){.mode = FCN_KERNEL_TABLE, .table = 254};
	platform_commit(cfg);
	assert_true(i->link.set_master);
	assert_int_equal(i->link.master, 0);
	/* From then on, who puts it into another is not in its way. */
	platform_commit(platform_edit());
	assert_false(i->link.set_master);
}

/* Another network namespace: interfaces and sockets are there, the thread comes back. */
TEST(namespace)
{
	struct fcn_config *cfg = platform_edit();

	kernel_platform_port(cfg, "p0", "sw0");
	strcpy(cfg->kernel.netns, "north");
	platform_refused(cfg, "kernel namespace north: No such file or directory");
	kernel.has_netns = true;
	kernel.enter_error = EPERM;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	strcpy(cfg->kernel.netns, "north");
	platform_refused(cfg, "kernel namespace north: Operation not permitted");
	assert_int_equal(kernel.n_sockets, 0);
	kernel.enter_error = 0;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	strcpy(cfg->kernel.netns, "north");
	platform_commit(cfg);
	assert_true(kernel.sockets_in_netns);
	assert_true(kernel_find("sw0")->in_netns);
	assert_false(kernel.away);
	/* The sockets stay where they are. */
	cfg = platform_edit();
	strcpy(cfg->kernel.netns, "south");
	platform_refused(cfg, "kernel: remove kernel interfaces and routes before changing "
			      "the namespace");
	/* The namespace went: what is there stays, what is new cannot come. */
	kernel.has_netns = false;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p1", "sw1");
	platform_refused(cfg, "kernel namespace north: No such file or directory");
	assert_true(is_there(0));
	platform_commit(fcn_config_create());
	assert_int_equal(kernel.n_sockets, 0);
	kernel.has_netns = true;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	strcpy(cfg->kernel.netns, "south");
	platform_commit(cfg);
	assert_true(kernel_find("sw0")->in_netns);
}

/* The namespace goes, and another one gets its name, as when a container is started again. */
TEST(other_namespace)
{
	const struct kernel_interface *before, *after;
	struct fcn_config *cfg = platform_edit();
	unsigned int sockets, dumps;

	kernel.has_netns = true;
	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_address(cfg, 0, "192.0.2.254/24");
	strcpy(cfg->kernel.netns, "north");
	cfg->kernel.mode = FCN_KERNEL_TABLE;
	cfg->kernel.table = 254;
	platform_commit(cfg);
	kernel_platform_poll(0);
	sockets = kernel.n_sockets;
	before = kernel_find("sw0");
	assert_warning(NULL, NULL);
	kernel.has_netns = false;
	kernel_platform_poll(TEND);
	assert_warning("kernel",
			"there is no namespace north; what is left of the one before is used");
	change_something_else();
	assert_true(is_there(0));
	kernel.has_netns = kernel.other_netns = true;
	kernel.sockets_in_netns = false;
	dumps = kernel.n_dumps;
	kernel_platform_poll(2 * TEND);
	assert_warning(NULL, NULL);
	assert_true(kernel.sockets_in_netns);
	assert_int_equal(kernel.n_sockets, sockets);
	assert_true(kernel.n_dumps > dumps);
	assert_int_equal(kernel.n_closed, 1);
	after = kernel_find("sw0");
	assert_ptr_not_equal(after, before);
	assert_true(after->in_netns);
	assert_true(kernel_has_address(after, "192.0.2.254/24"));
	assert_string_equal(kernel_platform_last_line(),
			"kernel namespace north: it is another one now");
	kernel_send("sw0", 1);
	kernel_platform_poll(2 * TEND + 1 * MS);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->counters[0].injected, 1);
	/* In the next one no socket can be opened yet. */
	kernel.other_netns = false;
	kernel.socket_error = EMFILE;
	kernel_platform_poll(3 * TEND);
	assert_int_equal(kernel.n_sockets, sockets);
	assert_true(is_there(0));
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 1);
	kernel.socket_error = 0;
	kernel_platform_poll(4 * TEND);
	assert_warning(NULL, NULL);
	assert_ptr_not_equal(kernel_find("sw0"), after);
}

/* A kernel that cannot be talked to. */
TEST(no_kernel)
{
	struct fcn_config *cfg = platform_edit();

	kernel.without_mnl = true;
	kernel_platform_port(cfg, "p0", "sw0");
	platform_refused(cfg, "fastcn was built without libmnl, and has no kernel routes and "
			      "interfaces");
	kernel.without_mnl = false;
	kernel.socket_error = EPROTONOSUPPORT;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	platform_refused(cfg, "kernel: cannot open a netlink socket: Protocol not supported");
	assert_int_equal(kernel.n_interfaces, 0);
	assert_int_equal(kernel.n_sockets, 0);
}

/* A replay has none: the configuration is taken, and nothing comes of it. */
TEST_WITH(replay, kernel_platform_setup_without, kernel_platform_teardown)
{
	struct fcn_config *cfg;

	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	cfg->kernel = (struct fcn_config_kernel){.mode = FCN_KERNEL_TABLE, .table = 254};
	platform_commit(cfg);
	assert_int_equal(kernel.n_interfaces, 0);
	assert_int_equal(kernel.n_sockets, 0);
	assert_int_equal(fcn_control_kernel_fd(platform.ctl), -1);
	assert_int_equal(kernel_platform_poll(1 * MS), FCN_HOST_NEVER);
	assert_false(fcn_control_snapshot(platform.ctl)->port[0].kernel);
}

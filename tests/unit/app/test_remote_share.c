/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Who has a session when there are many: a share for each user, a place for root, and none for
 * those who ask nothing. Users are those that the kernel is made to say. */

#include <unistd.h>

#include "remote_util.h"

#define ALICE 1001
#define BOB 1002
#define CLIENTS 8

struct many {
	int fd[CLIENTS];
};

static void
connect_many(struct remote_testbed *w, struct many *m, unsigned int n, uid_t user)
{
	remote_user = user;
	for (unsigned int i = 0; i < n; i++)
		m->fd[i] = remote_client(w);
}

static void
close_many(struct many *m, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		close(m->fd[i]);
}

/* Each user has a quarter by default, root all. */
TEST(share)
{
	const struct fcn_remote_conf limits = {.clients = CLIENTS};
	struct many alice, root;
	struct remote_testbed w;
	int more, bob;

	remote_begin(&w, &limits);
	connect_many(&w, &alice, 2, ALICE);
	more = remote_client(&w);
	remote_expect(more, "error 31\ntoo many sessions of this user\n");
	remote_expect_end(more);
	close(more);
	remote_user = BOB;
	bob = remote_client(&w);
	remote_send(bob, "in\n");
	remote_turns(&w);
	remote_expect(bob, "ok 3\nin\n");
	assert_int_equal(w.peer.user, BOB);
	assert_int_equal(w.peer.number, 3);
	connect_many(&w, &root, 5, 0);
	assert_int_equal(fcn_remote_clients(w.remote), 8);
	assert_int_equal(fcn_remote_counters(w.remote)->share, 1);
	assert_int_equal(fcn_remote_counters(w.remote)->accepted, 8);
	/* a place of his that is free again is his */
	close(alice.fd[0]);
	remote_turns(&w);
	remote_user = ALICE;
	alice.fd[0] = remote_client(&w);
	remote_send(alice.fd[0], "again\n");
	remote_turns(&w);
	remote_expect(alice.fd[0], "ok 6\nagain\n");
	close(bob);
	close_many(&alice, 2);
	close_many(&root, 5);
	remote_end(&w);
}

/* Root comes when all sessions are taken: that of another user that was idle for longest ends. */
TEST(root_comes)
{
	const struct fcn_remote_conf limits = {.clients = 4, .user_clients = 4};
	struct remote_testbed w;
	struct many alice;
	int root, more;

	remote_begin(&w, &limits);
	connect_many(&w, &alice, 4, ALICE);
	remote_sleep(20);
	for (unsigned int i = 0; i < 4; i++) {
		if (i == 2) /* who asks nothing */
			continue;
		remote_send(alice.fd[i], "x\n");
		remote_turns(&w);
		remote_expect(alice.fd[i], "ok 2\nx\n");
	}
	remote_user = BOB;
	more = remote_client(&w);
	remote_expect(more, "error 18\ntoo many sessions\n");
	close(more);
	remote_user = 0;
	root = remote_client(&w);
	remote_expect_end(alice.fd[2]);
	remote_send(root, "root\n");
	remote_send(alice.fd[0], "still\n");
	remote_turns(&w);
	remote_expect(root, "ok 5\nroot\n");
	remote_expect(alice.fd[0], "ok 6\nstill\n");
	assert_int_equal(fcn_remote_clients(w.remote), 4);
	assert_int_equal(fcn_remote_counters(w.remote)->made_room, 1);
	assert_int_equal(fcn_remote_counters(w.remote)->full, 1);
	close(root);
	close_many(&alice, 4);
	remote_end(&w);
}

/* Also if they come all at once, before a turn has freed anything. Of its own sessions, root loses
 * none. */
TEST(roots_come)
{
	const struct fcn_remote_conf limits = {.clients = 4, .user_clients = 4};
	struct remote_testbed w;
	struct many alice, root;
	int more;

	remote_begin(&w, &limits);
	connect_many(&w, &alice, 4, ALICE);
	connect_many(&w, &root, 4, 0);
	more = remote_client(&w);
	remote_expect(more, "error 18\ntoo many sessions\n");
	close(more);
	remote_turns(&w);
	assert_int_equal(fcn_remote_clients(w.remote), 4);
	for (unsigned int i = 0; i < 4; i++) {
		remote_expect_end(alice.fd[i]);
		remote_send(root.fd[i], "r\n");
	}
	remote_turns(&w);
	for (unsigned int i = 0; i < 4; i++)
		remote_expect(root.fd[i], "ok 2\nr\n");
	close_many(&alice, 4);
	close_many(&root, 4);
	remote_end(&w);
}

static void
make_learned(void *arg, struct fcn_remote_peer *peer, int fd)
{
	(void)arg;
	(void)fd;
	if (peer->user == BOB)
		peer->role = FCN_ROLE_LEARNED;
}

/* Who asks nothing is told and disconnected; who asks now and then is not, nor is a program that
 * reports what it learns. */
TEST(idle)
{
	const struct fcn_remote_conf limits = {.idle_ms = 1000, .connected = make_learned};
	struct remote_testbed w;
	int idle, watch, learned;

	remote_begin(&w, &limits);
	idle = remote_client(&w);
	watch = remote_client(&w);
	remote_user = BOB;
	learned = remote_client(&w);
	for (unsigned int i = 0; i < 3; i++) {
		remote_sleep(400);
		remote_send(watch, "w\n");
		remote_turns(&w);
		remote_expect(watch, "ok 2\nw\n");
	}
	remote_expect(idle, "error 52\nthe session has ended, as nothing was asked for 1 s\n");
	remote_expect_end(idle);
	assert_int_equal(fcn_remote_clients(w.remote), 2);
	assert_int_equal(fcn_remote_counters(w.remote)->idle, 1);
	remote_send(learned, "l\n");
	remote_turns(&w);
	remote_expect(learned, "ok 2\nl\n");
	assert_int_equal(w.peer.role, FCN_ROLE_LEARNED);
	close(idle);
	close(watch);
	close(learned);
	remote_end(&w);
}

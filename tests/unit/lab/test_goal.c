/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The text of GOAL traces, what their operations wait for, and how messages are matched. Times of
 * whole traces are tested against a model in Python (tests/lab/test_goal.py). */

#include <errno.h>

#include "fcn_test.h"
#include "goal.h"
#include "lab_util.h"

/* Read a trace from memory that ends where the text does, so that a read beyond it is seen. */
static struct lab_goal *
trace(const char *text, char *err, size_t err_size)
{
	size_t size = strlen(text);
	char *copy = malloc(size);
	struct lab_goal *g;

	assert_true(copy != NULL || size == 0);
	memcpy(copy, text, size);
	g = lab_goal_read(copy, size, err, err_size);
	free(copy);
	return g;
}

static struct lab_goal *
good_trace(const char *text)
{
	char err[256] = "";
	struct lab_goal *g = trace(text, err, sizeof(err));

	assert_string_equal(err, "");
	assert_non_null(g);
	return g;
}

TEST(text)
{
	struct lab_goal *g = good_trace(
			"num_ranks 3 // so many\r\n"
			"/* of two\nlines */ rank 1 {\n"
			"\n"
			"calc 100 cpu 2\n"
			"l1: send 1024b to 2 tag 7 cpu 1 nic 3\n"
			"l2:\trecv 1 b from 0\n"
			"}\n"
			"rank 0 { a1_b: send 5b to 1; b: calc 7; b irequires a1_b }\n"
			"rank 2\n{recv 9b from -1 tag -1}");

	lab_goal_free(g);
}

TEST(operations)
{
	struct lab_goal *g = good_trace("num_ranks 3\n"
					"rank 1 {\n"
					"calc 100 cpu 2\n"
					"l1: send 1024b to 2 tag 7 cpu 1 nic 3\n"
					"l2: recv 1b from 0\n"
					"l1 requires l2\n"
					"}\n"
					"rank 0 { l1: send 5b to 1; b: calc 7; b irequires l1 }\n"
					"rank 2 {recv 9b from -1 tag -1}");

	assert_int_equal(g->n_ranks, 3);
	assert_int_equal(g->n_ops, 6);
	assert_int_equal(g->rank_ops[0], 2);
	assert_int_equal(g->rank_ops[1], 3);
	assert_int_equal(g->op[0].kind, LAB_GOAL_CALC);
	assert_int_equal(g->op[0].size, 100);
	assert_int_equal(g->op[0].cpu, 2);
	assert_int_equal(g->op[0].line, 3);
	assert_int_equal(g->op[1].kind, LAB_GOAL_SEND);
	assert_int_equal(g->op[1].size, 1024);
	assert_int_equal(g->op[1].peer, 2);
	assert_int_equal(g->op[1].tag, 7);
	assert_int_equal(g->op[1].cpu, 1);
	assert_int_equal(g->op[1].nic, 3);
	assert_int_equal(g->op[1].n_waits, 1);
	assert_int_equal(g->op[2].kind, LAB_GOAL_RECV);
	assert_int_equal(g->op[2].tag, 0);
	assert_int_equal(g->next[g->op[2].first_next], 1 << 1);
	assert_int_equal(g->op[3].rank, 0);
	assert_int_equal(g->next[g->op[3].first_next], 4 << 1 | 1);
	assert_int_equal(g->op[5].peer, LAB_GOAL_ANY);
	assert_int_equal(g->op[5].tag, LAB_GOAL_ANY);
	assert_true(g->any && g->nics);
	assert_int_equal(g->n_pairs, 2);
	assert_int_equal(g->op[2].pair, 1); /* of rank 0 to rank 1 */
	assert_int_equal(g->cpu_base[3], 1 + 3 + 1);
	lab_goal_free(g);
}

#define TWO "num_ranks 2\nrank 0 {\n"

TEST(mistakes)
{
	static const char *const list[][2] = {
			{"", "1:1: there is no num_ranks"},
			{"\n\n  rank 0 {}", "3:8: num_ranks must come before the first rank"},
			{"num_ranks 0", "1:11: there must be at least one rank"},
			{"num_ranks 4097", "1:11: a number of ranks is at most 4096"},
			{"num_ranks", "1:10: expected a number of ranks, found the end of the "
				      "file"},
			{"num_ranks 2 num_ranks 2", "1:23: num_ranks is given twice"},
			{"num_ranks 2\nrank 2 {}", "2:6: there are 2 ranks, the last one is 1"},
			{"num_ranks 2\nrank 1 {} rank 1 {}", "2:16: rank 1 is described twice"},
			{"num_ranks 2\nranks", "2:1: expected num_ranks or rank, found \"ranks\""},
			{"num_ranks 2\nrank 0 calc", "2:8: expected {, found \"calc\""},
			{TWO, "3:1: expected calc, send, recv, a label or }, found the end of the "
			      "file"},
			{TWO "/* x", "3:4: the comment has no end"},
			{TWO "\001", "3:1: expected calc, send, recv, a label or }, found the byte "
				     "0x01"},
			{TWO "l1 calc 5\n}", "3:4: expected \":\", requires or irequires, found "
					     "\"calc\""},
			{TWO "l1: calk 5\n}", "3:5: expected calc, send or recv, found \"calk\""},
			{TWO "calc x\n}", "3:6: expected a time in ns, found \"x\""},
			{TWO "calc 5 tag 3\n}",
					"3:8: expected cpu or the end of the line, found \"tag\""},
			{TWO "calc 5 cpu 256\n}", "3:12: a CPU is at most 255"},
			{TWO "calc 99999999999999999999\n}",
					"3:6: a time in ns is at most 1000000000000000"},
			{TWO "send 5 to 1\n}",
					"3:8: expected b behind the number of bytes, found \"to\""},
			{TWO "send 5b from 1\n}", "3:9: expected to, found \"from\""},
			{TWO "recv 5b to 1\n}", "3:9: expected from, found \"to\""},
			{TWO "send 5b to -1\n}", "3:12: expected a rank, found \"-\""},
			{TWO "send 5b to 2\n}", "3:12: there are 2 ranks, the last one is 1"},
			{TWO "send 5b to 1 tag -1\n}", "3:18: expected a tag, found \"-\""},
			{TWO "send 5b to 1 tag 4294967295\n}", "3:18: a tag is at most 4294967294"},
			{TWO "send 5b to 1 tag\n}",
					"3:17: expected a tag, found the end of the line"},
			{TWO "send 5b to 1 tag 1 tag 1\n}", "3:20: expected cpu, nic or the end of "
							    "the line, found \"tag\""},
			{TWO "l1: calc 1\nl1: calc 2\n}",
					"4:1: rank 0 has a label l1 already, in line 3"},
			{TWO "l1: calc 1\nl1 requires l2\n}", "4:13: rank 0 has no label l2 above"},
			{TWO "l1: calc 1\n}\nrank 1 {\nl2: calc 1\nl2 requires l1\n}",
					"7:13: rank 1 has no label l1 above"},
			{TWO "l1: calc 1\nl1 requires l1\n}", "4:1: l1 waits for itself"},
			{TWO "l1: calc 1\nl1 requires\n}",
					"4:12: expected a label, found the end of the line"},
	};
	char err[256];

	for (size_t i = 0; i < RTE_DIM(list); i++) {
		assert_null(trace(list[i][0], err, sizeof(err)));
		assert_string_equal(err, list[i][1]);
	}
}

/* Each beginning of a text is an error, or a trace. */
TEST(cut_off)
{
	static const char whole[] =
			"num_ranks 2 /* a */\nrank 0 { l1: send 12b to 1 tag 3 cpu 1 nic "
			"2\nl2: calc 5\nl2 requires l1\nl2 irequires l1 }\n// b\nrank 1 "
			"{ recv 12b from -1 tag -1\n}";
	char text[sizeof(whole)], err[256];

	for (size_t i = 0; i < sizeof(whole); i++) {
		struct lab_goal *g;

		memcpy(text, whole, i);
		text[i] = '\0';
		g = trace(text, err, sizeof(err));
		lab_goal_free(g);
		assert_true(i < sizeof(whole) - 1 || g != NULL);
	}
}

/* 20000 labels of a rank, and the same ones of another. */
TEST(labels)
{
	char *text, line[64];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct lab_goal *g;

	fputs("num_ranks 2\n", out);
	for (unsigned int r = 0; r < 2; r++) {
		fprintf(out, "rank %u {\n", r);
		for (unsigned int i = 0; i < 20000; i++)
			fprintf(out, "l%u: calc %u\n", i, i + 1);
		for (unsigned int i = 1; i < 20000; i++)
			fprintf(out, "l%u requires l%u\n", i, i - 1);
		fputs("}\n", out);
	}
	assert_int_equal(fclose(out), 0);
	g = good_trace(text);
	assert_int_equal(g->n_ops, 40000);
	for (uint32_t i = 0; i < 40000; i++) {
		assert_int_equal(g->op[i].n_waits, i % 20000 != 0);
		if (i % 20000 != 19999)
			assert_int_equal(g->next[g->op[i].first_next], (i + 1) << 1);
	}
	assert_int_equal(lab_goal_check(g, line, sizeof(line)), 0);
	lab_goal_free(g);
	free(text);
}

TEST(checks)
{
	static const char *const list[][2] = {
			{TWO "recv 5b from 1 tag 2\n}",
					"3: rank 0 waits for a message from rank 1 with tag 2 that "
					"does not come"},
			{TWO "\nrecv 5b from 1\n}\nrank 1 {\nsend 5b to 0 tag 1\n}",
					"4: rank 0 waits for a message from rank 1 with tag 0 that "
					"does not come"},
			{TWO "send 5b to 1 tag 3\n}",
					"3: rank 0 sends a message with tag 3 that rank 1 does not "
					"receive"},
			{TWO "l1: calc 1\nl2: calc 1\nl1 requires l2\nl2 requires l1\n}",
					"3: rank 0 never begins this: operations wait for each "
					"other"},
			/* each sends only when it has received */
			{TWO "a: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
			     "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}",
					"3: rank 0 waits for a message from rank 1 with tag 0 that "
					"does not come"},
	};
	char err[256];

	for (size_t i = 0; i < RTE_DIM(list); i++) {
		struct lab_goal *g = good_trace(list[i][0]);

		assert_int_equal(lab_goal_check(g, err, sizeof(err)), -EINVAL);
		assert_string_equal(err, list[i][1]);
		lab_goal_free(g);
	}
}

/* ---- what begins when ---- */

static char done[256];
static struct lab_goal_state *running;

static void
said(const char *what, uint32_t op)
{
	size_t used = strlen(done);

	snprintf(done + used, sizeof(done) - used, "%s%u ", what, op);
}

static void
calc(void *arg, uint32_t op, uint32_t cpu)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(cpu);
	said("c", op);
}

static void
sends(void *arg, uint32_t op)
{
	RTE_SET_USED(arg);
	said("s", op);
}

static void
rank_done(void *arg, uint32_t rank)
{
	RTE_SET_USED(arg);
	said("r", rank);
}

static struct lab_goal *
begin(const char *text)
{
	const struct lab_goal_user user = {.calc = calc, .send = sends, .rank_done = rank_done};
	struct lab_goal *g = good_trace(text);

	done[0] = '\0';
	running = lab_goal_state_create(g, &user);
	assert_non_null(running);
	lab_goal_begin(running);
	return g;
}

static void
now_done(const char *expected)
{
	assert_string_equal(done, expected);
	done[0] = '\0';
}

static void
over(struct lab_goal *g)
{
	assert_int_equal(lab_goal_left(running), 0);
	assert_true(lab_goal_idle(running));
	lab_goal_state_free(running);
	lab_goal_free(g);
}

/* A CPU computes one thing after the other, in the order in which they became ready; another one
 * beside it. What is sent does not begin while its CPU computes. */
TEST(cpus)
{
	struct lab_goal *g = begin(
			"num_ranks 2\nrank 0 {\ncalc 5\ncalc 6\ncalc 7 cpu 1\nsend 1b to "
			"1\nsend 1b to 1 cpu 1\n}\nrank 1 {\nrecv 1b from 0\nrecv 1b from "
			"0\n}");

	now_done("c0 c2 ");
	lab_goal_calculated(running, 2);
	now_done("s4 ");
	lab_goal_calculated(running, 0);
	now_done("c1 ");
	lab_goal_calculated(running, 1);
	now_done("s3 ");
	lab_goal_arrived(running, 4);
	lab_goal_arrived(running, 3);
	now_done("r1 ");
	lab_goal_sent(running, 4);
	assert_false(lab_goal_idle(running));
	lab_goal_sent(running, 3);
	now_done("r0 ");
	over(g);
}

/* requires: the end; irequires: the beginning. A calculation of no time ends at once. */
TEST(waits)
{
	struct lab_goal *g = begin(
			"num_ranks 1\nrank 0 {\na: calc 5\nb: calc 6 cpu 1\nc: calc 7 cpu "
			"2\nd: calc 0 cpu 3\ne: calc 8 cpu 3\nb requires a\nc irequires "
			"a\ne requires d\ne irequires b\n}");

	now_done("c0 c2 ");
	lab_goal_calculated(running, 0);
	now_done("c1 c4 ");
	lab_goal_calculated(running, 4);
	lab_goal_calculated(running, 1);
	lab_goal_calculated(running, 2);
	now_done("r0 ");
	over(g);
}

/* Tags are matched in order, whether the message comes first or the receive is posted first. */
TEST(tags)
{
	struct lab_goal *g = begin(
			"num_ranks 2\nrank 0 {\nsend 1b to 1 tag 1\nsend 1b to 1 tag "
			"2\nsend 1b to 1 tag 2\n}\nrank 1 {\na: recv 1b from 0 tag 2\nb: "
			"recv 1b from 0 tag 1\nc: recv 1b from 0 tag 2\nx: calc 1\ny: calc "
			"2 cpu 1\nc requires x\ny requires a\n}");

	now_done("s0 s1 s2 c6 ");
	lab_goal_arrived(running, 0); /* b */
	now_done("");
	lab_goal_arrived(running, 1); /* a */
	now_done("c7 ");
	lab_goal_arrived(running, 2); /* nobody yet */
	assert_int_equal(lab_goal_left(running), 6);
	lab_goal_calculated(running, 6);
	assert_int_equal(lab_goal_left(running), 4); /* x and c have ended */
	lab_goal_calculated(running, 7);
	now_done("r1 ");
	for (uint32_t i = 0; i < 3; i++)
		lab_goal_sent(running, i);
	now_done("r0 ");
	over(g);
}

/* A receive from any rank gets what came first; of two receives the one that was posted first. */
TEST(any)
{
	struct lab_goal *g = begin(
			"num_ranks 3\nrank 0 { send 1b to 2 tag 5 }\nrank 1 { send 1b to 2 "
			"tag 6\nsend 1b to 2 tag 7 }\nrank 2 {\nx: calc 1 cpu 3\na: recv 1b from "
			"-1 tag -1\nb: recv 1b from 0 tag -1\nc: recv 1b from 1 tag 7\na "
			"requires x\np: calc 2 cpu 1\np requires a\nq: calc 2 cpu 2\nq "
			"requires b\n}");

	now_done("s0 s1 s2 c3 ");
	lab_goal_arrived(running, 1); /* tag 6: for a, later */
	lab_goal_arrived(running, 0); /* tag 5: b has been posted */
	now_done("c8 ");
	lab_goal_calculated(running, 3);
	now_done("c7 ");
	lab_goal_arrived(running, 2);
	lab_goal_calculated(running, 7);
	lab_goal_calculated(running, 8);
	now_done("r2 ");
	for (uint32_t i = 0; i < 3; i++)
		lab_goal_sent(running, i);
	now_done("r0 r1 ");
	/* once more: a is posted before b and c, which come first now */
	lab_goal_begin(running);
	now_done("s0 s1 s2 c3 ");
	lab_goal_calculated(running, 3);
	lab_goal_arrived(running, 0); /* b was posted before a */
	now_done("c8 ");
	lab_goal_arrived(running, 1);
	now_done("c7 ");
	lab_goal_arrived(running, 2);
	lab_goal_calculated(running, 7);
	lab_goal_calculated(running, 8);
	for (uint32_t i = 0; i < 3; i++)
		lab_goal_sent(running, i);
	over(g);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Parameters of some values, and lines that are run with some of them only. */

#include "lab_util.h"

#define STAR               \
	"host add a,b\n"   \
	"switch add s\n"   \
	"link add a,b s\n" \
	"choice mode soft of soft,hard[1-2]\n"

TEST(lines_of_a_value)
{
	struct lab_scenario *sc = good(STAR "if $mode is soft then host a reaction dcqcn\n"
					    "if $mode is hard1,hard2 then host b reaction hpcc\n"
					    "if $mode is not soft then host add c\n"
					    "if $mode is not hard1 then seed 7\n"
					    "if $mode is soft then if 1 is 1 then buffers 2000\n");

	assert_int_equal(sc->host[0].conf.reaction.kind, FCN_REACTION_DCQCN);
	assert_int_equal(sc->host[1].conf.reaction.kind, FCN_REACTION_NONE);
	assert_int_equal(sc->n_hosts, 2);
	assert_int_equal(sc->seed, 7);
	assert_int_equal(sc->buffers, 2000);
	lab_scenario_free(sc);
}

TEST(another_value)
{
	static const struct lab_setting hard = {"mode", "hard2"}, soggy = {"mode", "soggy"};
	struct lab_scenario *sc;
	char *said;

	sc = load(STAR "if $mode is hard[1-9] then host add c\n"
		       "if $mode is hard2 then link add c s rate 10G\n"
		       "if $mode is hard2 then let x = 3\n"
		       "if $mode is hard2 then expect x = 3\n",
			&hard, 1, &said);
	assert_non_null(sc);
	assert_string_equal(said, "");
	assert_int_equal(sc->n_hosts, 3);
	assert_int_equal(sc->link[2].rate_bps, 10000000000);
	assert_string_equal(sc->expect[0].text, "(3) = 3");
	lab_scenario_free(sc);
	free(said);
	sc = load(STAR, &soggy, 1, &said);
	assert_null(sc);
	assert_string_equal(said, "x.lab:4:8: soggy is not one of soft,hard[1-2]\n");
	free(said);
}

TEST(mistakes)
{
	bad(STAR "choice x y of z\n", "x.lab:5:10: y is not one of z");
	bad(STAR "choice mode soft of soft\n", "x.lab:5:8: there is a parameter mode already");
	bad(STAR "choice x y of a[\n", "x.lab:5:15: [ without ]");
	bad(STAR "if $mode is a] then seed 1\n", "x.lab:5:13: ] without [");
	bad(STAR "if $mode is soft then seed x\n",
			"x.lab:5:28: x is not a number (examples: 10, 0x1f)");
	bad(STAR "if $mode is soft then host z reaction dcqcn\n", "x.lab:5:28: there is no host z");
}

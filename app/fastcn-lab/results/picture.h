/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A picture, drawn by gnuplot: DIR/NAME.gp holds the data and how they are drawn, so that it can be
 * changed and drawn again (gnuplot NAME.gp); NAME.svg and NAME.png come from it.
 */

#ifndef LAB_PICTURE_H
#define LAB_PICTURE_H

#include <stdint.h>
#include <stdio.h>

/* Scripts, from the files of that name. */
extern const char lab_gp_style[];
extern const char lab_gp_over_time[];
extern const char lab_gp_slowdown[];
extern const char lab_gp_bars[];
extern const char lab_gp_sweep[];

struct lab_picture {
	FILE *out; /**< definitions and data go here */
	FILE *err;
	const char *dir;
	char name[64];
};

/** @return 0, -1 with a line on err */
int lab_picture_begin(struct lab_picture *p, const char *dir, const char *name, FILE *err);

/** Definitions of variables. */
void lab_picture_text(struct lab_picture *p, const char *name, const char *text);
void lab_picture_count(struct lab_picture *p, const char *name, unsigned int value);
void lab_picture_number(struct lab_picture *p, const char *name, double value);

/** A block of data, $name, ends with lab_picture_data_end(). */
void lab_picture_data(struct lab_picture *p, const char *name);
void lab_picture_data_end(struct lab_picture *p);
/** A column of data that is text. */
void lab_picture_cell(struct lab_picture *p, const char *text);

#define LAB_NO_GNUPLOT 1 /**< only NAME.gp was written */
#define LAB_NO_GNUPLOT_TEXT "no pictures: gnuplot is not installed (Debian: gnuplot-nox)\n"
#define LAB_NOT_DRAWN 2 /**< gnuplot could not, which is said on err */

/**
 * Draw it by a script.
 *
 * @return 0, LAB_NO_GNUPLOT, LAB_NOT_DRAWN, -1 when something could not be written, with a line on
 * err
 */
int lab_picture_end(struct lab_picture *p, const char *script);

/** A divisor for numbers up to largest and what they are called then: "KB", 1000. */
struct lab_unit {
	const char *name;
	double divisor;
};
struct lab_unit lab_unit_bytes(double largest);
struct lab_unit lab_unit_time(double largest_ns);
struct lab_unit lab_unit_rate(double largest_bps);

#endif /* LAB_PICTURE_H */

# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Statistics of the same number in the runs of several seeds."""

import math
import statistics

NORMAL = 1.959963985  # the 0.975 quantile of the normal distribution
# The 0.975 quantiles of Student's t distribution for 1 to 10 degrees of freedom.
STUDENT = (12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814)


def quantile(freedom):
    """The 0.975 quantile of Student's t distribution. Beyond the table it is Fisher's expansion by the quantile of the normal
    distribution (Abramowitz and Stegun, 26.7.5), whose error is less than 0.0001 there."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    z, z2, v = NORMAL, NORMAL ** 2, freedom
    return (z + z * (z2 + 1) / (4 * v) + z * ((5 * z2 + 16) * z2 + 3) / (96 * v ** 2) +
            z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v ** 3))


class Spread:
    """The mean of n > 0 values, their least and greatest, and half the length of the mean's 95 % confidence interval.

    The interval is that of Student's t distribution: values are assumed to be independent and normally distributed. Of a single
    value it is None.
    """

    def __init__(self, values):
        self.n, self.mean, self.least, self.greatest = len(values), statistics.fmean(values), min(values), max(values)
        self.ci95 = None
        if self.n > 1:
            self.ci95 = quantile(self.n - 1) * statistics.stdev(values) / math.sqrt(self.n) if self.least < self.greatest else 0

    @staticmethod
    def of(values):
        """The spread of those values that are numbers; None if there is none."""
        known = [value for value in values if value is not None]
        return Spread(known) if known else None

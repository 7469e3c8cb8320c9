// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

"use strict";

// A click on the head of a column sorts the table by it: numbers with the greatest first, a second click the other way round.
for (const button of document.querySelectorAll(".table th button"))
	button.addEventListener("click", () => {
		const head = button.parentElement, table = head.closest("table"), n = head.cellIndex, body = table.tBodies[0];
		const numbers = head.classList.contains("n"), up = head.getAttribute("aria-sort") === (numbers ? "descending" : null);
		const value = row => numbers ? Number(row.cells[n].dataset.v ?? -Infinity) : row.cells[n].textContent;
		const rows = [...body.rows].sort((a, b) => (numbers ? value(a) - value(b) : value(a).localeCompare(value(b))) * (up ? 1 : -1));
		for (const other of head.parentElement.cells)
			other.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", up ? "ascending" : "descending");
		body.append(...rows);
	});

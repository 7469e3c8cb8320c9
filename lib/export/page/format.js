// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

// Numbers as people read them, and elements of the page.

// Make an element. What is not a node becomes text: nothing that the switch sends is read as HTML.
export function element(name, attributes = {}, ...content)
{
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	e.append(...content);
	return e;
}

// Set an element's text, unless it is what it has: a reader's place in it stays.
export function setText(e, text)
{
	if (e.textContent !== text)
		e.textContent = text;
}

export function setClass(e, name)
{
	if (e.className !== name)
		e.className = name;
}

// A number with so many significant digits, three at most, and a letter of the thousands, as the console has them.
export function short(value, digits = 3, space = "")
{
	const letters = ["", "K", "M", "G", "T", "P"];
	let at = 0;
	while (value >= 999.5 && at < letters.length - 1) {
		value /= 1000;
		at++;
	}
	const fraction = at === 0 && Number.isInteger(value) ? 0 : value < 9.995 ? digits - 1 : value < 99.95 ? digits - 2 : 0;
	return Number(value.toFixed(fraction)) + space + letters[at];
}

const THIN = "\u202f";

export function bytes(value)
{
	return short(value, 3, THIN) + "B";
}

export function bits(value)
{
	return short(value, 3, THIN) + "b/s";
}

// A number as it is, with its thousands apart.
export function whole(value)
{
	return String(value).replace(/\B(?=(\d{3})+$)/g, THIN);
}

function duration(ns)
{
	const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];
	const [name, size] = units.find((unit) => ns >= unit[1]) || units[3];
	return Number((ns / size).toPrecision(3)) + THIN + name;
}

function two(n)
{
	return String(n).padStart(2, "0");
}

export function clock(ms, withMs)
{
	const d = new Date(ms);
	const today = new Date(Date.now()).toDateString() === d.toDateString();
	return (today ? "" : `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} `) +
		`${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}` +
		(withMs ? "." + String(d.getMilliseconds()).padStart(3, "0") : "");
}

// Names of members that are moments of the workers' clock, and not lengths of time.
const MOMENTS = ["time_ns", "start_ns", "end_ns", "first_ns", "last_ns", "peak_ns", "since_ns"];

// The text of a value of a show, by the name of its member.
export function valueText(name, value, epoch)
{
	if (value === null || value === undefined || value === "")
		return "-";
	if (value === true || value === false)
		return value ? "yes" : "no";
	if (Array.isArray(value))
		return value.join(", ") || "-";
	if (typeof value === "object")
		return JSON.stringify(value);
	if (typeof value === "string")
		return value;
	if (MOMENTS.includes(name))
		return epoch ? clock(epoch + value / 1e6, true) : duration(value);
	if (name.endsWith("_ns"))
		return duration(value);
	if (name.endsWith("_bps"))
		return bits(value);
	if (name === "bytes" || name.endsWith("_bytes") || name.startsWith("bytes_"))
		return bytes(value);
	return whole(value);
}

// What the head of a column says.
export function label(name)
{
	if (name.endsWith("_text"))
		return "meaning";
	return name.replace(/_(ns|bps)$/, "").replace(/_per_s$/, "/s").replace(/_/g, " ");
}

// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers as people like to read them.

/** At most `digits` significant digits, without a tail of zeros. */
export function formatNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e6 || magnitude < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(digits)));
}

/** A length of the document in the unit that suits it. */
export function formatLength(value: number, unit: string): string {
  if (unit !== 'm') return `${formatNumber(value)} ${unit}`;
  const magnitude = Math.abs(value);
  if (magnitude >= 1) return `${formatNumber(value)} m`;
  if (magnitude >= 1e-4 || magnitude === 0) return `${formatNumber(1e3 * value)} mm`;
  return `${formatNumber(1e6 * value)} µm`;
}

/** 12,345 */
export function groupDigits(count: number): string {
  return count.toLocaleString('en');
}

/** About `wanted` round numbers from low to high. */
export function roundTicks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= 0.7 * rough) ?? 10 * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; ++i) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

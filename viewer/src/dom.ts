// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements in one line each. Text goes in as text, never as HTML: names come from files.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes, children);
  return element;
}

export function makeSvg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(element, attributes, children);
  return element;
}

function apply(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as unknown as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
}

/** A small picture out of lines in a box of 24 by 24. */
export function icon(...paths: string[]): SVGElement {
  return makeSvg(
    'svg',
    { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' },
    ...paths.map((d) => makeSvg('path', { d })),
  );
}

export const icons = {
  fit: ['M4 9V4h5', 'M20 9V4h-5', 'M4 15v5h5', 'M20 15v5h-5'],
  section: ['M4 4l16 16', 'M5 12V5h7', 'M19 12v7h-7'],
  explode: ['M12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0', 'M12 2v4', 'M12 18v4', 'M2 12h4', 'M18 12h4'],
  measure: ['M3 17L17 3l4 4L7 21z', 'M7 13l2 2', 'M10 10l3 3', 'M13 7l2 2'],
  camera: ['M4 8h3l2-3h6l2 3h3v11H4z', 'M12 13m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0'],
  theme: ['M12 3a9 9 0 1 0 9 9a7 7 0 0 1 -9 -9z'],
  help: ['M9 9a3 3 0 1 1 4 2.8c-.7.4-1 .9-1 2.2', 'M12 18v.5', 'M12 12m-9.5 0a9.5 9.5 0 1 0 19 0a9.5 9.5 0 1 0 -19 0'],
  close: ['M6 6l12 12', 'M18 6l-12 12'],
  play: ['M7 4l13 8l-13 8z'],
  pause: ['M8 4v16', 'M16 4v16'],
} as const;

// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands beside the view: facts, the list of items, the matrix, tables, the legend.
import { icon, icons, make } from './dom';
import type { Legend, Matrix, Table, ViewDocument } from './document';
import { formatNumber, groupDigits } from './format';
import type { ItemView } from './items';

/** Lists longer than this get a box to search them. */
const manyItems = 12;

export function section(title: string, ...children: (Node | null)[]): HTMLElement {
  return make('section', { class: 'block' }, make('h2', {}, title), ...children);
}

export function messagesBlock(document: ViewDocument): HTMLElement | null {
  if (document.messages.length === 0) return null;
  return make(
    'div',
    { class: 'messages', role: 'status' },
    ...document.messages.map((message) => make('p', { class: `message ${message.state}` }, message.text)),
  );
}

export function factsBlock(document: ViewDocument): HTMLElement | null {
  if (document.facts.length === 0) return null;
  const list = make('dl', { class: 'facts' });
  for (const [name, value] of document.facts) list.append(make('dt', {}, name), make('dd', { title: value }, value));
  return section('Result', list);
}

export interface ItemActions {
  show(index: number, wanted: boolean): void;
  choose(index: number): void;
  fly(index: number): void;
}

/** The items by group, each with a switch, its colour and its name. */
export class ItemList {
  readonly element: HTMLElement;
  private readonly rows = new Map<number, { row: HTMLElement; box: HTMLInputElement }>();

  constructor(
    private readonly views: readonly ItemView[],
    private readonly actions: ItemActions,
  ) {
    const groups = new Map<string, ItemView[]>();
    for (const view of views) {
      if (view.item.level !== undefined) continue;
      const group = groups.get(view.item.group) ?? [];
      group.push(view);
      groups.set(view.item.group, group);
    }
    const lists = [...groups].map(([name, members]) => this.group(name, members));
    const listed = [...groups.values()].reduce((sum, members) => sum + members.length, 0);
    const search =
      listed > manyItems &&
      make('input', {
        type: 'search',
        class: 'search',
        placeholder: 'Find by name',
        'aria-label': 'Find items by name',
        input: (event: InputEvent) => this.find((event.target as HTMLInputElement).value),
      });
    this.element = make('section', { class: 'block items' }, make('h2', {}, 'Shown'), search || null, ...lists);
  }

  /** Draws the switches as the items are. */
  sync(): void {
    for (const view of this.views) {
      const entry = this.rows.get(view.index);
      if (entry) entry.box.checked = view.wanted;
    }
  }

  select(index: number | null): void {
    for (const [i, { row }] of this.rows) {
      row.classList.toggle('selected', i === index);
      if (i === index) row.scrollIntoView({ block: 'nearest' });
    }
  }

  private find(text: string): void {
    const wanted = text.trim().toLowerCase();
    for (const view of this.views) {
      const entry = this.rows.get(view.index);
      if (entry) entry.row.hidden = wanted !== '' && !view.item.name.toLowerCase().includes(wanted);
    }
  }

  private group(name: string, members: ItemView[]): HTMLElement {
    const all = make('input', {
      type: 'checkbox',
      title: `Show or hide all: ${name}`,
      'aria-label': `Show or hide all: ${name}`,
      change: (event: Event) => {
        for (const view of members) this.actions.show(view.index, (event.target as HTMLInputElement).checked);
        this.sync();
      },
    });
    all.checked = members.some((view) => view.wanted);
    const list = make('ul', {}, ...members.map((view) => this.row(view)));
    const open = name === 'Parts' || (name !== 'Swept' && members.length <= 40 && (members.length < 6 || members.some((view) => view.wanted)));
    return make(
      'details',
      { class: 'group', open },
      make('summary', {}, all, make('span', {}, name || 'Items'), make('span', { class: 'count' }, groupDigits(members.length))),
      list,
    );
  }

  private row(view: ItemView): HTMLElement {
    const { item } = view;
    const box = make('input', {
      type: 'checkbox',
      'aria-label': `Show ${item.name}`,
      change: () => this.actions.show(view.index, box.checked),
    });
    box.checked = view.wanted;
    const swatch = make('span', { class: `swatch ${item.legend !== undefined || item.colours ? 'rainbow' : ''}` });
    swatch.style.setProperty('--swatch', item.colour);
    const size = view.triangles > 0 ? groupDigits(view.triangles) : '';
    const row = make(
      'li',
      {},
      box,
      swatch,
      make(
        'button',
        {
          class: 'name',
          title: `${item.name}${size ? `, ${size} triangles` : ''}: click to select, twice to fly there`,
          click: () => this.actions.choose(view.index),
          dblclick: () => this.actions.fly(view.index),
        },
        item.name,
      ),
      make('span', { class: 'count' }, size),
    );
    this.rows.set(view.index, { row, box });
    return row;
  }
}

/** All pairs: rows are named, columns have the numbers of the rows. */
export class MatrixPanel {
  readonly element: HTMLElement;
  private readonly buttons = new Map<number, HTMLElement>();

  constructor(matrix: Matrix, choose: (focus: number) => void) {
    const n = matrix.labels.length;
    const compact = n > 10;
    const cells = new Map(matrix.cells.map((cell) => [Math.max(cell.row, cell.column) * n + Math.min(cell.row, cell.column), cell]));
    const head = make('tr', {}, make('th', { class: 'corner' }));
    for (let j = 0; j + 1 < n; ++j) head.append(make('th', { title: matrix.labels[j] ?? '' }, String(j + 1)));
    const table = make('table', { class: `matrix${compact ? ' compact' : ''}` }, make('thead', {}, head));
    const body = make('tbody');
    for (let i = 0; i < n; ++i) {
      const label = matrix.labels[i] ?? '';
      const row = make('tr', {}, make('th', { title: label }, make('span', { class: 'number' }, String(i + 1)), make('span', { class: 'label' }, label)));
      for (let j = 0; j < i; ++j) {
        const cell = cells.get(i * n + j);
        if (!cell) {
          row.append(make('td'));
          continue;
        }
        const button = make(
          'button',
          {
            class: `cell ${cell.state}`,
            title: cell.words,
            'aria-label': cell.words,
            'data-row': i,
            'data-column': j,
            click: () => cell.focus !== undefined && choose(cell.focus),
          },
          compact ? '' : cell.text,
        );
        if (cell.focus !== undefined) this.buttons.set(cell.focus, button);
        row.append(make('td', {}, button));
      }
      body.append(row);
    }
    table.append(body);
    this.element = section(
      matrix.title,
      make('div', { class: 'scroll' }, table),
      make(
        'p',
        { class: 'key' },
        ...(['bad', 'warning', 'allowed', 'good'] as const).map((state) =>
          make('span', {}, make('i', { class: `dot ${state}` }), { bad: 'clash', warning: 'too near', allowed: 'allowed', good: 'clear' }[state]),
        ),
      ),
    );
  }

  select(focus: number | null): void {
    for (const [i, button] of this.buttons) button.classList.toggle('selected', i === focus);
  }
}

export class TablePanel {
  readonly element: HTMLElement;
  private readonly rows = new Map<number, HTMLElement>();

  constructor(table: Table, choose: (focus: number) => void) {
    const isNumber = (text: string): boolean => /^[-–<>≥≤]?[\d.,]+( ?(mm|m|µm|s|ms|µs|%|°|Å))?$/.test(text);
    // A column of numbers is aligned right; the first one has the marks and stays left.
    const right = table.columns.map((_, i) => i > 0 && table.rows.some((row) => isNumber(row.cells[i] ?? '')) && table.rows.every((row) => (row.cells[i] ?? '') === '' || isNumber(row.cells[i] ?? '')));
    const head = make('tr', {}, ...table.columns.map((column, i) => make('th', { class: right[i] ? 'number' : '' }, column)));
    const body = make('tbody');
    for (const row of table.rows) {
      const line = make('tr', { class: row.state });
      row.cells.forEach((text, i) => {
        line.append(make('td', { class: right[i] ? 'number' : '', title: text }, i === 0 && row.state !== 'neutral' ? make('i', { class: `dot ${row.state}` }) : null, text));
      });
      const { focus } = row;
      if (focus !== undefined) {
        line.classList.add('link');
        line.tabIndex = 0;
        line.addEventListener('click', () => choose(focus));
        line.addEventListener('keydown', (event) => {
          if (event.key === 'Enter') choose(focus);
        });
        this.rows.set(focus, line);
      }
      body.append(line);
    }
    this.element = section(table.title, make('div', { class: 'scroll' }, make('table', { class: 'rows' }, make('thead', {}, head), body)));
  }

  /** The focuses of the rows, in order. */
  focuses(): number[] {
    return [...this.rows.keys()];
  }

  select(focus: number | null): void {
    for (const [i, row] of this.rows) {
      row.classList.toggle('selected', i === focus);
      if (i === focus) row.scrollIntoView({ block: 'nearest' });
    }
  }
}

export function legendBox(legend: Legend): HTMLElement {
  const bar = make('div', { class: 'bar' });
  bar.style.background = `linear-gradient(to top, ${legend.stops.join(', ')})`;
  const ticks = make('div', { class: 'ticks' });
  const low = legend.low * legend.unitsPerOne;
  const high = legend.high * legend.unitsPerOne;
  for (const tick of legend.ticks) {
    const label = make('span', {}, formatNumber(tick, 3));
    label.style.bottom = `${(100 * (tick - low)) / (high - low || 1)}%`;
    ticks.append(label);
  }
  return make('div', { class: 'legend' }, make('h3', {}, legend.title), make('div', { class: 'scale' }, bar, ticks));
}

/** A button with a picture. */
export function iconButton(name: keyof typeof icons, title: string, click: () => void): HTMLButtonElement {
  return make('button', { class: 'tool', title, 'aria-label': title, click }, icon(...icons[name]));
}

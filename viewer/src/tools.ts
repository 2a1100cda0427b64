// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bar over the view: fit, section plane, explode, measure, the level of a tree, the filter.
import { make } from './dom';
import type { ViewDocument } from './document';
import { formatNumber, groupDigits } from './format';
import { iconButton } from './panels';
import type { Stage } from './stage';

const axisNames = ['x', 'y', 'z'];

export class Tools {
  readonly element: HTMLElement;
  private readonly sectionBox: HTMLElement;
  private readonly explodeBox: HTMLElement;
  private readonly sectionButton: HTMLButtonElement;
  private readonly explodeButton: HTMLButtonElement;
  private readonly measureButton: HTMLButtonElement;
  private readonly place: HTMLInputElement;
  private readonly explosion: HTMLInputElement;
  private level: HTMLInputElement | null = null;
  private axis = 0;
  private flipped = false;

  constructor(
    document: ViewDocument,
    private readonly stage: Stage,
    actions: { measure(): void; fit(): void },
  ) {
    const slider = (label: string, value: number, input: () => void): HTMLInputElement =>
      make('input', { type: 'range', min: 0, max: 1000, value, 'aria-label': label, input });
    this.place = slider('Place of the section plane', 500, () => this.applySection());
    this.explosion = slider('How far the parts are apart', 0, () => this.applyExplosion());
    const axes = axisNames.map((name, k) =>
      make('button', { class: `chip${k === 0 ? ' selected' : ''}`, title: `Across ${name}`, click: () => {
        this.axis = k;
        axes.forEach((button, i) => button.classList.toggle('selected', i === k));
        this.applySection();
      } }, name),
    );
    this.sectionBox = make('div', { class: 'option', hidden: true }, 'Section', ...axes, this.place,
      make('button', { class: 'chip', title: 'The other side', click: () => {
        this.flipped = !this.flipped;
        this.applySection();
      } }, 'flip'));
    this.explodeBox = make('div', { class: 'option', hidden: true }, 'Explode', this.explosion);
    this.sectionButton = iconButton('section', 'Section plane (S)', () => this.toggleSection());
    this.explodeButton = iconButton('explode', 'Move the parts apart (E)', () => this.toggleExplode());
    this.measureButton = iconButton('measure', 'Measure between two points (M)', actions.measure);
    const movable = document.items.filter((item) => item.explodes && !item.motion && item.shape === 'mesh').length;
    this.element = make(
      'div',
      { class: 'tools' },
      make('div', { class: 'buttons' }, iconButton('fit', 'All of it, as at first (0)', actions.fit), this.sectionButton,
        movable > 1 && this.explodeButton, this.measureButton),
      this.sectionBox,
      this.explodeBox,
      this.levelBox(document),
      this.filterBox(document),
    );
  }

  dispose(): void {
    this.stage.setSection(null);
  }

  toggleSection(): void {
    this.sectionBox.hidden = !this.sectionBox.hidden;
    this.sectionButton.classList.toggle('selected', !this.sectionBox.hidden);
    this.applySection();
  }

  toggleExplode(): void {
    this.explodeBox.hidden = !this.explodeBox.hidden;
    this.explodeButton.classList.toggle('selected', !this.explodeBox.hidden);
    this.explosion.value = this.explodeBox.hidden ? '0' : '500';
    this.applyExplosion();
    this.stage.fit();
  }

  stepLevel(by: number): void {
    if (!this.level) return;
    this.level.value = String(Number(this.level.value) + by);
    this.level.dispatchEvent(new Event('input'));
  }

  showMeasuring(on: boolean): void {
    this.measureButton.classList.toggle('selected', on);
  }

  private applySection(): void {
    const place = Number(this.place.value) / 1000;
    this.stage.setSection(this.sectionBox.hidden ? null : { axis: this.axis, place, flipped: this.flipped });
  }

  private applyExplosion(): void {
    this.stage.setExplosion((1.5 * Number(this.explosion.value)) / 1000);
    if (!this.sectionBox.hidden) this.applySection();
  }

  private levelBox(document: ViewDocument): HTMLElement | null {
    if (document.levels.length < 2) return null;
    const words = make('output', {}, document.levels[document.firstLevel] ?? '');
    const level = make('input', {
      type: 'range',
      min: 0,
      max: document.levels.length - 1,
      value: document.firstLevel,
      'aria-label': 'Level of the tree',
      class: 'level',
      input: () => {
        words.textContent = document.levels[Number(level.value)] ?? '';
        this.stage.setLevel(Number(level.value));
      },
    });
    this.level = level;
    return make('div', { class: 'option' }, 'Level', level, words);
  }

  private filterBox(document: ViewDocument): HTMLElement | null {
    const { filter } = document;
    if (!filter) return null;
    const words = make('output');
    const apply = (): void => {
      const least = filter.low + (Number(slider.value) / 1000) * (filter.high - filter.low);
      const kept = filter.items.reduce((sum, index) => sum + (this.stage.items[index]?.filter(least) ?? 0), 0);
      words.textContent = `≥ ${formatNumber(least, 2)}: ${groupDigits(Math.round(kept / 2))}`;
      this.stage.invalidate();
    };
    const slider = make('input', { type: 'range', min: 0, max: 1000, value: 0, 'aria-label': filter.label, class: 'filter', input: apply });
    queueMicrotask(apply);
    return make('div', { class: 'option' }, filter.label, slider, words);
  }
}

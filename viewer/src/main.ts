// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The page: finds its documents, and shows one at a time.
import './style.css';
import { findSource, type Source } from './document';
import { icon, icons, make } from './dom';
import { View } from './view';

declare global {
  interface Window {
    /** For tests: what is shown, and how many pictures were drawn. */
    clearanceView?: View | undefined;
  }
}

const themeKey = 'clearance-theme';

/** Light or dark as chosen last, else as the system has it. */
function firstTheme(): boolean {
  try {
    const chosen = localStorage.getItem(themeKey);
    if (chosen !== null) return chosen === 'dark';
  } catch {
    // A page from a file may have no storage.
  }
  return window.matchMedia('(prefers-color-scheme: dark)').matches;
}

class Page {
  private readonly tabs = make('nav', { class: 'tabs', 'aria-label': 'Results' });
  private readonly badge = make('span', { class: 'badge' });
  private readonly kind = make('span', { class: 'kind' });
  private readonly actions = make('div', { class: 'actions' });
  private readonly body = make('main', { class: 'body' });
  private view: View | null = null;
  private dark = firstTheme();
  private shown = -1;

  constructor(private readonly source: Source) {
    document.body.append(
      make('header', { class: 'top' }, make('span', { class: 'brand' }, make('i', { class: 'logo' }), 'Clearance'), this.tabs, this.kind, this.badge, this.actions),
      this.body,
    );
    this.applyTheme();
    source.list.forEach(({ title, kind }, i) => {
      this.tabs.append(make('button', { class: 'tab', title: `${kind}: ${title}`, 'data-index': i, click: () => void this.show(i) }, title));
    });
    window.addEventListener('keydown', (event) => this.onKey(event));
  }

  async show(index: number): Promise<void> {
    if (index === this.shown) return;
    this.shown = index;
    this.view?.dispose();
    this.view = null;
    document.body.dataset.state = 'loading';
    for (const tab of this.tabs.children) tab.classList.toggle('selected', (tab as HTMLElement).dataset.index === String(index));
    this.body.replaceChildren(make('p', { class: 'loading' }, 'Loading …'));
    try {
      const loaded = await this.source.load(index);
      performance.mark('loaded');
      const { document: data } = loaded;
      document.title = `${data.title} – Clearance`;
      this.kind.textContent = data.kind;
      this.badge.textContent = data.summary;
      this.badge.className = `badge ${data.state}`;
      this.body.replaceChildren();
      this.view = new View(loaded, this.body, this.dark, (text, state) => {
        this.badge.textContent = text;
        this.badge.className = `badge ${state}`;
      });
      performance.mark('built');
      window.clearanceView = this.view;
      this.actions.replaceChildren(...this.buttons(this.view));
      document.body.dataset.kind = data.kind;
      // Two frames later the first picture is on the screen.
      requestAnimationFrame(() => requestAnimationFrame(() => {
        performance.mark('first-picture');
        document.body.dataset.state = 'ready';
      }));
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  private fail(text: string): void {
    this.badge.textContent = 'cannot be shown';
    this.badge.className = 'badge bad';
    this.body.replaceChildren(make('div', { class: 'failure', role: 'alert' }, make('h1', {}, 'This cannot be shown'), make('p', {}, text)));
    document.body.dataset.state = 'failed';
  }

  private buttons(view: View): HTMLElement[] {
    const button = (name: keyof typeof icons, title: string, click: () => void): HTMLElement =>
      make('button', { class: 'tool', title, 'aria-label': title, click }, icon(...icons[name]));
    return [
      button('camera', 'Save a picture (P)', () => void view.savePicture()),
      button('theme', 'Dark or light (L)', () => this.toggleTheme()),
      button('help', 'Keys (?)', () => view.toggleHelp()),
    ];
  }

  private toggleTheme(): void {
    this.dark = !this.dark;
    try {
      localStorage.setItem(themeKey, this.dark ? 'dark' : 'light');
    } catch {
      // Without storage it holds until the page is closed.
    }
    this.applyTheme();
  }

  private applyTheme(): void {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
    this.view?.setTheme(this.dark);
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLInputElement && target.type !== 'range' && target.type !== 'checkbox') return;
    if (target instanceof HTMLSelectElement) return;
    if (event.key === 'l') this.toggleTheme();
    else if (!this.view?.onKey(event)) return;
    event.preventDefault();
  }
}

async function start(): Promise<void> {
  try {
    const page = new Page(await findSource());
    await page.show(0);
  } catch (error) {
    document.body.append(make('div', { class: 'failure', role: 'alert' }, make('h1', {}, 'This cannot be shown'), make('p', {}, error instanceof Error ? error.message : String(error))));
    document.body.dataset.state = 'failed';
  }
}

void start();

import type { Page } from 'playwright-core';
import type { Trial } from '../part.ts';

/** Looks at what is shown now, and says in which fields of the cluster the attacks are that can be read below a selector. */
export type Look = (where: string, selector?: string) => Promise<readonly string[]>;

const BUTTONS = 'main :is(button, summary, [role="button"]):not(:disabled, [aria-disabled="true"])';
const DIALOG = 'dialog[open]';
const MENU = '[role="menu"]';
const SUBMIT = `${DIALOG} button[type="submit"]:not(:disabled, [aria-disabled="true"])`;
const SETTLE_MS = 250;
const CLICK = { timeout: 1_500 };
/** The page has more of them; if fewer open, the buttons are not found any more. */
const FEWEST_DIALOGS = 30;

/** What is closed on the pages: every button is pressed once, and the dialogs that open are sent, which the cluster refuses. */
export class Openings {
  readonly #page: Page;
  readonly #look: Look;
  readonly #pressed = new Set<string>();
  readonly #dialogs = new Set<string>();
  readonly #menus = new Set<string>();

  constructor(page: Page, look: Look) {
    this.#page = page;
    this.#look = look;
    // Consoles have windows of their own.
    page.context().on('page', closeWindow);
  }

  /** Presses what was not pressed yet on pages of this kind; `back` shows the page anew. */
  async press(path: string, back: () => Promise<void>): Promise<void> {
    for (let next = await this.#next(path); next; next = await this.#next(path)) {
      const { index, label } = next;
      const where = `${path}, ${label}`;
      const isPressed = await this.#page
        .locator(BUTTONS)
        .nth(index)
        .click(CLICK)
        .then(...outcome);
      if (!isPressed) continue;
      await this.#lookAt(where);
      if (await this.#submit()) await this.#lookAt(`${where}, sent`);
      await this.#close();
      await back();
    }
  }

  async #next(path: string): Promise<{ readonly index: number; readonly label: string } | undefined> {
    const labels = (await this.#page.evaluate(LABELS)) as string[];
    const keys = labels.map((label) => `${kindOf(path)} ${label}`);
    const index = keys.findIndex((key) => !this.#pressed.has(key));
    if (index < 0) return undefined;
    this.#pressed.add(keys[index] ?? '');
    return { index, label: labels[index] ?? '' };
  }

  async #lookAt(where: string): Promise<void> {
    await this.#page.waitForTimeout(SETTLE_MS);
    await this.#look(where);
    if ((await this.#page.locator(DIALOG).count()) > 0) this.#dialogs.add(where);
    if ((await this.#page.locator(MENU).count()) > 0) this.#menus.add(where);
  }

  async #submit(): Promise<boolean> {
    const button = this.#page.locator(SUBMIT).first();
    return (await button.count()) > 0 && button.click(CLICK).then(...outcome);
  }

  async #close(): Promise<void> {
    for (let attempt = 0; attempt < 3; attempt++) {
      if ((await this.#page.locator(`${DIALOG}, ${MENU}`).count()) === 0) return;
      await this.#page.keyboard.press('Escape');
    }
  }

  /** What every page has: the palette with names of objects, and the tasks with what the cluster has refused. */
  async ofBar(trial: Trial): Promise<void> {
    const { keyboard } = this.#page;
    await keyboard.press('Control+k');
    await this.#page.locator(`${DIALOG}.palette`).waitFor();
    for (const text of ['', 'stop', 'delete', 'console', '<', 'all']) {
      await this.#page.locator(`${DIALOG}.palette input`).fill(text);
      await this.#page.waitForTimeout(SETTLE_MS);
      const fields = await this.#look(`the palette with “${text}”`, `${DIALOG}.palette`);
      if (text === '<') trial.check(fields.some(isName) ? undefined : 'the palette shows no attack');
    }
    await keyboard.press('Escape');
    await this.#page.getByRole('button', { name: /^Tasks/ }).click();
    await this.#page.waitForTimeout(SETTLE_MS);
    const told = await this.#look('Tasks', '.tasks-drawer');
    trial.check(told.includes('refusal') ? undefined : `Tasks shows no attack, but ${told.join(', ') || 'nothing'}`);
    await keyboard.press('Escape');
  }

  /** Says what was opened, and whether that is as much as there is. */
  end(trial: Trial): void {
    this.#page.context().off('page', closeWindow);
    const [dialogs, menus] = [this.#dialogs.size, this.#menus.size];
    trial.progress(`${this.#pressed.size} buttons were pressed, which opened ${dialogs} dialogs and ${menus} menus`);
    trial.check(dialogs >= FEWEST_DIALOGS ? undefined : `only ${dialogs} dialogs were opened`);
    trial.check(menus > 0 ? undefined : 'no menu was opened');
  }
}

const outcome = [() => true, () => false] as const;
const isName = (field: string): boolean => field.endsWith('metadata.name');
const closeWindow = (opened: Page): void => void opened.close();

const LABELS = `[...document.querySelectorAll(${JSON.stringify(BUTTONS)})].map((each) =>
  (each.getAttribute('aria-label') ?? each.textContent ?? '').trim().split(/\\s+/).slice(0, 2).join(' ').slice(0, 24))`;

/** Pages of one kind have the same buttons, such as those of all machines at the tab of disks. */
export function kindOf(path: string): string {
  const [, , place = '', first = '', , last = ''] = path.split(/[/?]/);
  return [place, place === 'machines' ? last : first].join(' ');
}

import type { Page } from 'playwright-core';

/** Where the keyboard is. */
export interface Focus {
  /** As a screen reader calls it: role and name. */
  readonly name: string;
  /** Whether it can be seen where the keyboard is. */
  readonly isMarked: boolean;
  /** Whether it is in the window, and not behind something else. */
  readonly isInSight: boolean;
  /** The part of the page that it is in. */
  readonly place: 'bar' | 'side' | 'main' | 'dialog' | 'elsewhere';
}

/** Runs in the page: what has the focus; null for the document itself. */
const FOCUS = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  // An editor and a node of the graph are marked around their text.
  const marked = (each) => {
    const style = each && getComputedStyle(each);
    return style && ((style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none');
  };
  const stroke = (each) => (each ? parseFloat(getComputedStyle(each).strokeWidth) : 0);
  const box = element.getBoundingClientRect();
  const text = (id) => document.getElementById(id)?.textContent ?? '';
  const labels = [...(element.labels ?? [])].map((label) => label.textContent).join(' ');
  const labelled = (element.getAttribute('aria-labelledby') ?? '').split(' ').map(text).join(' ');
  const name = [element.getAttribute('aria-label'), labelled, labels, element.textContent, element.title, element.placeholder]
    .map((each) => (each ?? '').trim()).find((each) => each !== '') ?? '';
  const inside = (selector) => element.closest(selector) !== null;
  // At its beginning: the end of a long name is cut off.
  const hit = document.elementFromPoint(
    Math.min(innerWidth - 1, Math.max(0, box.left + Math.min(box.width / 2, 16))), Math.min(innerHeight - 1, Math.max(0, box.top + box.height / 2)));
  return {
    name: (element.getAttribute('role') ?? element.tagName.toLowerCase()) + ' ' + name.slice(0, 60),
    isMarked: marked(element) || marked(element.closest('.cm-editor')) || stroke(element.querySelector('.node-box')) >= 4,
    isInSight: box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight
      && (hit === null || element.contains(hit) || hit.contains(element) || [...(element.labels ?? [])].some((label) => label.contains(hit))),
    place: inside('dialog') ? 'dialog' : inside('header') ? 'bar' : inside('nav.side') ? 'side' : inside('main') ? 'main' : 'elsewhere',
  };
})()`;

export const focusOf = (page: Page): Promise<Focus | null> => page.evaluate<Focus | null>(FOCUS);

/** Editors mark themselves a moment after they have got the focus. */
async function markedFocusOf(page: Page): Promise<Focus | null> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const focus = await focusOf(page);
    if (!focus || focus.isMarked) return focus;
    await page.waitForTimeout(25);
  }
  return focusOf(page);
}

/** Goes through a page with the Tab key, from its beginning until it has left it; at most `most` steps. */
export async function tabThrough(page: Page, most = 150): Promise<Focus[]> {
  // The document itself, so that the next is the first, wherever the page has put the focus.
  await page.evaluate('document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex")');
  const visited: Focus[] = [];
  for (let step = 0; step < most; step++) {
    await page.keyboard.press('Tab');
    const focus = await markedFocusOf(page);
    if (!focus) return visited;
    visited.push(focus);
  }
  throw new Error(`Tab never leaves the page; the last was ${visited.at(-1)?.name}`);
}

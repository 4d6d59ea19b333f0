import type { Page } from 'playwright-core';
import type { Trial } from '../part.ts';
import type { Watched } from './eyes.ts';
import { type Look, Openings } from './opened.ts';

const MOST_PAGES = 80;
const SETTLE_MS = 700;

/** Elements that only an attack would have made. */
const FOREIGN = `document.querySelectorAll('img[src="x"], [onerror], [onload], a[href^="javascript:"], iframe, script:not([src])').length`;
/** The fields whose attacks can be read, as text, below a selector. */
const fieldsShown = (selector: string): string =>
  `[...(document.querySelector(${JSON.stringify(selector)})?.innerText ?? '').matchAll(/__ran\\('([\\w.]+)'\\)/g)].map(([, field]) => field)`;
/** An attack in a field that no page shows has shown nothing. */
const MUST_SHOW = [
  /guestOSInfo/,
  /metadata\.name/,
  /labels/,
  /conditions\.message/,
  /^items\.message|^message/,
  /^name$/,
  /^console$/,
  /^reason$/,
  /^refusal$/,
  /^watch\.message/,
  /^watch\.metadata\.name$/,
];
const IS_BLANK = `(document.querySelector('main')?.textContent ?? '').trim() === ''`;
const IS_TOO_WIDE = `document.documentElement.scrollWidth > window.innerWidth + 1`;

/** Opens every page that a link leads to and whatever is closed on it, and looks at what became of the texts in it. */
export async function crawl(
  { page, problems }: Watched,
  trial: Trial,
  isKept: (href: string) => boolean,
): Promise<void> {
  const known = new Set<string>([addressOf(page)]);
  const queue = [...known];
  const shown = new Set<string>();
  const look: Look = async (where, selector = 'body') => {
    for (const problem of await problems()) trial.check(`${where}: ${problem}`);
    trial.check(await stateProblem(page, where));
    const fields = (await page.evaluate(fieldsShown(selector))) as string[];
    for (const field of fields) shown.add(field);
    return fields;
  };
  const openings = new Openings(page, look);
  let seen = 0;
  for (let path = queue.shift(); path !== undefined && seen < MOST_PAGES; path = queue.shift()) {
    const address = path;
    const show = async (): Promise<void> => {
      await visit(page, address);
      await page.waitForTimeout(/console|\/screen$/.test(address) ? 4 * SETTLE_MS : SETTLE_MS);
    };
    await show();
    await look(path);
    seen += 1;
    for (const href of await linksOn(page))
      if (!known.has(href) && isKept(href)) {
        known.add(href);
        queue.push(href);
      }
    await openings.press(path, async () => {
      if (addressOf(page) !== address) await show();
    });
  }
  await openings.ofBar(trial);
  openings.end(trial);
  trial.check(seen > 8 ? undefined : `only ${seen} pages were found`);
  trial.check([...known].some((path) => path.endsWith('?kind=pool')) ? undefined : 'no page of a pool was found');
  trial.progress(`${seen} pages show attacks in ${shown.size} fields: ${[...shown].sort().join(' ')}`);
  for (const part of MUST_SHOW)
    trial.check(
      [...shown].some((field) => part.test(field))
        ? undefined
        : `the texts prove nothing: no page shows ${part.source}`,
    );
  trial.check(await blindness(page, problems));
}

/** An attack that works must be seen, or the others may have worked as well. */
async function blindness(page: Page, problems: Watched['problems']): Promise<string | undefined> {
  await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="alert(1)">')`);
  await page.waitForTimeout(SETTLE_MS);
  return (await problems()).length > 0 ? undefined : 'the texts prove nothing: an attack that works is not seen';
}

const addressOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

/** By the page's own navigation, so that the session and what it knows stay. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate', { state: null }));`,
  );
}

async function stateProblem(page: Page, path: string): Promise<string | undefined> {
  const foreign = Number(await page.evaluate(FOREIGN));
  if (foreign > 0) return `${path} has ${foreign} elements that came from a text`;
  if (await page.evaluate(IS_BLANK)) return `${path} is blank`;
  if (await page.evaluate(IS_TOO_WIDE)) return `${path} is wider than the window, because of a long text`;
  const title = await page.title();
  if (/owned|<|W{20}/.test(title)) return `${path}: a text of the cluster became the title: ${title.slice(0, 80)}`;
  return undefined;
}

const linksOn = async (page: Page): Promise<string[]> =>
  (await page.evaluate(
    `[...document.querySelectorAll('a[href^="/dashboard"]')].map((a) => new URL(a.href))
      .map(({ pathname, searchParams }) => pathname + (searchParams.get('kind') === 'pool' ? '?kind=pool' : ''))`,
  )) as string[];

import { expect, it } from 'vitest';
import { PARTS } from './parts.ts';
import { runParts } from './runParts.ts';

/** Those that take no longer than a moment; the others have `npm run security` to themselves. */
const isRoot = process.getuid?.() === 0;
const SHORT = ['permissions', 'tls', 'files', 'routes', 'schemas', ...(isRoot ? ['breakout'] : [])];

it('a short round finds nothing', async () => {
  const parts = PARTS.filter(({ name }) => SHORT.includes(name));
  const deadlineMs = Number.POSITIVE_INFINITY;
  const reports = await runParts(parts, { seed: 1, deadlineMs, isShort: true, say: () => {} });
  expect(reports.map(({ name }) => name)).toEqual(SHORT);
  expect(reports.flatMap(({ name, findings }) => findings.map((text) => `${name}: ${text}`))).toEqual([]);
  for (const { name, checks } of reports) expect(checks, name).toBeGreaterThan(10);
}, 180_000);

import { expect, it, vi } from 'vitest';
import { CONSOLES, GRAPHS, SNAPSHOTS } from '../decisions/features.ts';
import type { Api } from './api.ts';
import { Features } from './features.ts';
import { Refused } from './refused.ts';

function start(answer: (path: string) => Promise<unknown>) {
  const asked: string[] = [];
  const request = (_method: string, path: string) => {
    asked.push(path);
    return answer(path);
  };
  const features = new Features({ request } as unknown as Api);
  const answered = (): Promise<void> => new Promise((resolve) => features.subscribe(resolve));
  return { features, asked, answered };
}

it('a group is asked for once, for everything in it', async () => {
  const { features, asked, answered } = start(async () => ({ resources: [{ name: CONSOLES.resource }] }));
  expect([features.has(CONSOLES), features.has(GRAPHS)]).toEqual([undefined, undefined]);
  await answered();
  expect([features.has(CONSOLES), features.has(GRAPHS)]).toEqual([true, false]);
  expect(asked).toEqual(['/apis/subresources.kubevirt.io/v1']);
});

it('a group that the server does not have has nothing', async () => {
  const { features, answered } = start(() => Promise.reject(new Refused(404, 'not found')));
  features.has(SNAPSHOTS);
  await answered();
  expect(features.has(SNAPSHOTS)).toBe(false);
});

it('a server that cannot be reached says nothing, and is asked again', async () => {
  vi.useFakeTimers();
  try {
    const { features, asked, answered } = start(() => Promise.reject(new Error('network error')));
    features.has(SNAPSHOTS);
    await answered();
    expect(features.has(SNAPSHOTS)).toBeUndefined();
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(5_000);
    features.has(SNAPSHOTS);
    expect(asked).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

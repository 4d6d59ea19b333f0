import { expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Rights } from './rights.ts';

const stop = { verb: 'update', group: 'subresources.kubevirt.io', resource: 'virtualmachines', subresource: 'stop' };

function start(allowed: (namespace: string) => boolean) {
  const asked: string[] = [];
  const request = async (_method: string, _path: string, body: unknown) => {
    const { namespace = '' } = (body as { spec: { resourceAttributes: { namespace?: string } } }).spec
      .resourceAttributes;
    asked.push(namespace);
    return { status: { allowed: allowed(namespace) } };
  };
  const rights = new Rights({ request } as unknown as Api);
  const answered = (): Promise<void> => new Promise((resolve) => rights.subscribe(resolve));
  return { rights, asked, answered };
}

it('who may something everywhere is asked about once', async () => {
  const { rights, asked, answered } = start(() => true);
  expect(rights.may(stop, 'shop')).toBeUndefined();
  await answered();
  expect(rights.may(stop, 'shop')).toBe(true);
  expect(rights.may(stop, 'other')).toBe(true);
  expect(asked).toEqual(['']);
});

it('others are asked about namespace by namespace', async () => {
  const { rights, asked, answered } = start((namespace) => namespace === 'shop');
  rights.may(stop, 'shop');
  await answered();
  expect(rights.may(stop, 'shop')).toBeUndefined();
  await answered();
  expect(rights.may(stop, 'shop')).toBe(true);
  rights.may(stop, 'other');
  await answered();
  expect(rights.may(stop, 'other')).toBe(false);
  expect(asked).toEqual(['', 'shop', 'other']);
});

it('a question that did not reach the server is asked again', async () => {
  let attempts = 0;
  const { rights, answered } = start(() => {
    attempts += 1;
    if (attempts === 1) throw new Error('network changed');
    return false;
  });
  rights.may(stop, '');
  await answered();
  expect(rights.may(stop, '')).toBeUndefined();
  await expect.poll(() => rights.may(stop, '')).toBe(false);
  expect(attempts).toBe(2);
});

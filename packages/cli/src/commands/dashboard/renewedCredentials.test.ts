import { type CredentialSource, type KubeconfigTarget, staticCredentials } from '@vireo/kube';
import { expect, it } from 'vitest';
import { areRenewed, renewedCredentials } from './renewedCredentials.ts';

const target = (token: string, server = 'https://one'): KubeconfigTarget => ({
  server,
  namespace: 'default',
  credentials: staticCredentials({ token }),
});

/** The credentials of a kubeconfig that says these, one after another; an error is one that cannot be read. */
function reading(...later: (KubeconfigTarget | Error)[]): { source: CredentialSource; reads: () => number } {
  let reads = 0;
  const source = renewedCredentials(target('first'), async () => {
    const next = later[reads++];
    if (next instanceof Error || !next) throw next ?? new Error('nothing more');
    return next;
  });
  if (!source) throw new Error('there are credentials');
  return { source, reads: () => reads };
}

it('credentials are read again after they were refused, and only then', async () => {
  const { source, reads } = reading(target('second'));
  expect([await source.get(), await source.get()]).toEqual([{ token: 'first' }, { token: 'first' }]);
  expect(reads()).toBe(0);
  expect(await areRenewed(source, { token: 'first' })).toBe(true);
  expect([await source.get(), await source.get()]).toEqual([{ token: 'second' }, { token: 'second' }]);
  expect(reads()).toBe(1);
});

it('credentials that are the same as before are not worth another try', async () => {
  expect(await areRenewed(reading(target('first')).source, { token: 'first' })).toBe(false);
});

it.each<[string, KubeconfigTarget | Error]>([
  ['leads to another server', target('of another', 'https://two')],
  ['cannot be read', new Error('no such file')],
])('a kubeconfig that %s changes nothing', async (_, now) => {
  const { source } = reading(now, target('third'));
  expect(await areRenewed(source, { token: 'first' })).toBe(false);
  expect(await source.get()).toEqual({ token: 'first' });
  expect(await areRenewed(source, { token: 'first' })).toBe(true);
  expect(await source.get()).toEqual({ token: 'third' });
});

import { LibvirtError } from '@vireo/libvirt';
import { expect, it } from 'vitest';
import { type Finishing, finishReception } from './reception.ts';

const refusal = (message: string) =>
  new LibvirtError({ code: 55, domain: 10, level: 2, message, procedure: 'domainMigrateFinish3Params' });
const fails = (message: string) => async (): Promise<never> => {
  throw new Error(message);
};

/** A reception that ends, with parts that fail; what was done afterwards, and what is told. */
function ending(parts: Partial<Finishing> = {}, { libvirt = async () => {}, close = async () => {} } = {}) {
  const done: string[] = [];
  const told: string[] = [];
  const connection = {
    calls: {
      migrateFinish: async (_names: unknown, _cookie: unknown, _flags: unknown, isCancelled: boolean) => {
        done.push(isCancelled ? 'cancel' : 'go on');
        await libvirt();
        return { domain: undefined, cookie: Buffer.from('last') };
      },
    },
    close: async () => {
      done.push('close');
      await close();
    },
  };
  const finishing: Finishing = {
    mayStart: () => true,
    arrive: async () => {},
    outcome: async (reason) => ({ outcome: 'gone', reason }),
    refresh: async () => {},
    forget: () => void done.push('forget'),
    onError: (what) => void told.push(what),
    ...parts,
  };
  const reception = { connection, domain: { name: 'shop_web', uuid: 'u', id: 1 }, log: undefined };
  const finish = (isCancelled = false) =>
    finishReception(
      reception as unknown as Parameters<typeof finishReception>[0],
      { cookie: '', flags: 0, isCancelled },
      finishing,
    );
  return { finish, done, told };
}

const running = { outcome: 'running', cookie: Buffer.from('last').toString('base64') };

it.each<[string, ReturnType<typeof ending>, object, told: number]>([
  ['is here', ending(), running, 0],
  ['is here, though its domain cannot be looked at', ending({ refresh: fails('busy') }), running, 1],
  ['is here, though no packets come yet', ending({ arrive: fails('no network') }), running, 1],
  ['is here, though a connection cannot be closed', ending({}, { close: fails('closed') }), running, 1],
  [
    'is where libvirt says when it has refused',
    ending({ refresh: fails('busy') }, { libvirt: () => Promise.reject(refusal('no memory')) }),
    { outcome: 'gone', reason: 'no memory' },
    1,
  ],
])('a guest %s, and all is cleaned up', async (_, { finish, done, told }, answer, failures) => {
  expect(await finish()).toEqual(answer);
  expect(done).toEqual(['go on', 'forget', 'close']);
  expect(told).toHaveLength(failures);
});

it('a guest that is not to come does not', async () => {
  const { finish, done } = ending({ refresh: fails('busy') });
  expect(await finish(true)).toEqual({ outcome: 'gone', reason: undefined });
  expect(done).toEqual(['cancel', 'forget', 'close']);
});

it('a guest does not come to a node that was silent for so long that others may have given it up', async () => {
  const { finish, done } = ending({ mayStart: () => false });
  expect(await finish()).toEqual({ outcome: 'gone', reason: expect.stringContaining('fencing policy') });
  expect(done).toEqual(['cancel', 'forget', 'close']);
});

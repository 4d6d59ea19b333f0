import { EventEmitter } from 'node:events';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import type { DomainRef, DomainState, ReconnectingLibvirt } from '@vireo/libvirt';
import { beforeEach, expect, it, vi } from 'vitest';
import { UID } from '../testing/objects.ts';
import { DomainInformer } from './domainInformer.ts';

/** A daemon that changes its mind without an event, as a real one does only at the moment at which it is started. */
class SilentLibvirt extends EventEmitter {
  state: DomainState = { state: 'running', reason: 'booted' };
  looks = 0;
  readonly calls = {
    listDomains: async (): Promise<DomainRef[]> => [{ name: 'shop_web', uuid: UID, id: 1 }],
    domainXml: async () => '<domain><name>shop_web</name></domain>',
    domainState: async () => {
      this.looks += 1;
      return this.state;
    },
  };
  subscribe = async (): Promise<void> => {};
}

let libvirt: SilentLibvirt;
let domains: DomainInformer;
let clock: FakeClock;
let stop: AbortController;
let changed: string[];

beforeEach(() => {
  libvirt = new SilentLibvirt();
  clock = new FakeClock();
  stop = new AbortController();
  changed = [];
  const onChange = (key: string): void => void changed.push(key);
  domains = new DomainInformer(libvirt as unknown as ReconnectingLibvirt, onChange, memoryLog());
});

const known = () => domains.get(UID)?.state;
const until = (state: DomainState): Promise<void> => vi.waitFor(() => expect(known()).toEqual(state));
const OFF: DomainState = { state: 'shutoff', reason: 'daemon' };

it('a domain that is starting up is refreshed until it is not', async () => {
  libvirt.state = { state: 'paused', reason: 'starting-up' };
  await domains.start(clock, stop.signal);
  expect(known()).toEqual(libvirt.state);
  clock.advance(500);
  await vi.waitFor(() => expect(libvirt.looks).toBe(2));
  libvirt.state = OFF;
  changed = [];
  clock.advance(499);
  expect(libvirt.looks).toBe(2);
  clock.advance(1);
  await until(OFF);
  expect(changed).toContain('shop/web');
});

it.each([1_000, 4_000, 12_000, 40_000])('a domain that a new daemon gives up within %i ms is noticed', async (ms) => {
  await domains.start(clock, stop.signal);
  clock.advance(100_000);
  const before = libvirt.looks;
  libvirt.emit('connected');
  await vi.waitFor(() => expect(libvirt.looks).toBeGreaterThan(before));
  clock.advance(ms - 1);
  libvirt.state = OFF;
  expect(known()?.state).toBe('running');
  clock.advance(1);
  await until(OFF);
});

it('a node that has stopped refreshes no domain', async () => {
  libvirt.state = { state: 'paused', reason: 'starting-up' };
  await domains.start(clock, stop.signal);
  expect(clock.pending).toBeGreaterThan(0);
  stop.abort();
  expect(clock.pending).toBe(0);
});

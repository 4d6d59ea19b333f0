import { expect, it, vi } from 'vitest';
import type { NodeContext } from '../context.ts';
import { UID, vmiIn } from '../testing/objects.ts';
import { ACTIONS, type ActionInput, type Active } from './actions.ts';

it.each(['pause', 'unpause'])('%s is refused while the guest moves, and done when that has ended', async (name) => {
  const calls = { suspendDomain: vi.fn(async () => {}), resumeDomain: vi.fn(async () => {}) };
  const context = { libvirt: { calls }, domains: { refresh: async () => {} } } as unknown as NodeContext;
  const during = (migrationState: object) => {
    const vmi = { ...vmiIn('Running'), status: { phase: 'Running', migrationState } };
    const local = { vmi, domain: { ref: { uuid: UID } } } as unknown as Active;
    return ACTIONS[name]?.run(local, context, {} as ActionInput);
  };
  const done = () => calls.suspendDomain.mock.calls.length + calls.resumeDomain.mock.calls.length;
  await expect(during({ migrationUid: 'm' })).rejects.toMatchObject({
    status: { code: 409, message: expect.stringContaining('while VMI migration is in progress') },
  });
  expect(done()).toBe(0);
  await during({ migrationUid: 'm', completed: true });
  expect(done()).toBe(1);
});

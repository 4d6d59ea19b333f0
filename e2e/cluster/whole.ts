import { Lease } from '@vireo/api';
import { EXTENSION_SELECTOR, extensionObjectName, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Client } from '@vireo/kube';
import { expect, vi } from 'vitest';
import type { Kill } from './kills.ts';
import type { Role } from './role.ts';

/** A role that is started again where it was. */
export interface Instance {
  role: Role;
  start(): Promise<Role>;
}

/** For a new leader, on a busy host. */
const PATIENT = { timeout: 120_000, interval: 200 };
const inNamespace = { namespace: KUBEVIRT_NAMESPACE };

/**
 * Waits until one of the controllers leads, and the Leases are exactly those of the extensions that run: the leader has
 * removed those of dead ones. Gives how to kill the leader and one extension.
 */
export async function whenWhole(
  client: Client,
  controllers: readonly Instance[],
  extensions: Instance[],
): Promise<Kill> {
  const leader = await vi.waitFor(async () => {
    const { spec } = await client.of(Lease).get('virt-controller', inNamespace);
    const found = controllers.find(({ role }) => role.name === spec?.holderIdentity);
    if (!found) throw new Error(`${spec?.holderIdentity}, which leads, was killed`);
    const { items } = await client.of(Lease).list({ ...inNamespace, labelSelector: EXTENSION_SELECTOR });
    const running = extensions.map(({ role }) => extensionObjectName(role.name));
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(running.sort());
    return found;
  }, PATIENT);
  return async () => {
    // In turn, so that each of them carries something.
    const extension = extensions.shift();
    if (!extension) throw new Error('no extension runs');
    extensions.push(extension);
    await Promise.all(
      [leader, extension].map(async (instance) => {
        await instance.role.end('SIGKILL');
        instance.role = await instance.start();
      }),
    );
  };
}

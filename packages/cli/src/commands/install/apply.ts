import { APIService, isReason, type KubeObject } from '@vireo/api';
import { applyObjects, applySettings, FIELD_MANAGER, waitUntilEstablished } from '@vireo/controllers';
import type { Client } from '@vireo/kube';
import { Failure } from '../../failure.ts';
import { START } from './available.ts';
import type { Installation } from './objects.ts';
import { type Existing, sharedByOthers } from './owners.ts';
import { objectsFor } from './server.ts';

/** What this server takes, without the CRDs that others have installed for everybody. */
export function fitting(wanted: Installation, minor: number, existing: Existing): Installation {
  const shared = new Set(sharedByOthers(existing));
  const definitions = wanted.definitions.filter(({ metadata }) => !shared.has(metadata.name ?? ''));
  return {
    ...wanted,
    definitions: objectsFor(minor, definitions),
    basics: objectsFor(minor, wanted.basics),
    asking: objectsFor(minor, wanted.asking),
  };
}

/** In this order nobody waits for anybody: the webhooks come last, when nothing of ours is left to be written. */
export async function applyInstallation(
  client: Client,
  wanted: Installation,
  { useEmulation, minor, timeoutMs }: { useEmulation?: boolean | undefined; minor: number; timeoutMs: number },
): Promise<void> {
  await applyObjects(client, [wanted.namespace]);
  await applyObjects(client, [...wanted.definitions, ...wanted.basics]);
  await waitUntilEstablished(
    client,
    wanted.definitions.map(({ metadata }) => metadata.name ?? ''),
    AbortSignal.timeout(timeoutMs),
  );
  await applySettings(client, useEmulation).catch((error: unknown) => {
    if (!isReason(error, 'InternalError')) throw error;
    const hint = `Start it, and run the command again: ${START.extension}`;
    throw new Failure('the KubeVirt object was not changed, because the extension does not answer', hint, {
      cause: error,
    });
  });
  await applyObjects(client, wanted.instancetypes).catch((error: unknown) => {
    // On an upgrade the webhooks are there, and the extension may not be.
    if (!isReason(error, 'InternalError')) throw error;
    console.error('warning: the instance types were not applied, because the extension does not answer');
  });
  await applyAsking(client, wanted.asking, minor);
}

/** Servers before this release crash when an APIService is applied: there it is created, or merged into what is there. */
const APPLIES_API_SERVICES = 22;

async function applyAsking(client: Client, asking: readonly KubeObject[], minor: number): Promise<void> {
  if (minor >= APPLIES_API_SERVICES) return applyObjects(client, asking);
  const isApiService = ({ kind }: KubeObject): boolean => kind === APIService.kind;
  const resource = client.of(APIService);
  for (const object of asking.filter(isApiService)) {
    const { name = '' } = object.metadata;
    const isThere = await resource.find(name);
    if (isThere) await resource.patch(name, object, { type: 'merge', fieldManager: FIELD_MANAGER });
    else await resource.create(object as APIService, { fieldManager: FIELD_MANAGER });
  }
  await applyObjects(
    client,
    asking.filter((object) => !isApiService(object)),
  );
}

import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, isReason, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Failure } from '../../failure.ts';
import { actionPath, type Connection, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { dryRunBody } from './dryRun.ts';
import { orFail } from './refusal.ts';

interface VolumeOptions extends ConnectionOptions {
  readonly volumeName: string;
  readonly dryRun?: boolean;
  readonly persist?: boolean;
}

interface AddVolumeOptions extends VolumeOptions {
  readonly serial?: string;
  readonly cache?: string;
  readonly diskType: string;
  readonly bus: string;
}

/** Plugs a DataVolume's or a claim's disk in. */
export async function addVolume(name: string, options: AddVolumeOptions): Promise<void> {
  const disk = diskOf(options);
  await connected(options, async (connection) => {
    const { volumeName } = options;
    const volumeSource = await sourceOf(connection, volumeName);
    const body = { name: volumeName, disk, volumeSource, ...dryRunBody(options) };
    await request(connection, name, 'addvolume', body, 'error adding volume');
    console.log(`Successfully submitted add volume request to VM ${name} for volume ${volumeName}`);
  });
}

/** Takes a disk out again. */
export function removeVolume(name: string, options: VolumeOptions): Promise<void> {
  return connected(options, async (connection) => {
    const { volumeName } = options;
    const body = { name: volumeName, ...dryRunBody(options) };
    await request(connection, name, 'removevolume', body, 'error removing volume');
    console.log(`Successfully submitted remove volume request to VM ${name} for volume ${volumeName}`);
  });
}

/** The disk as the guest will see it. */
export function diskOf({ volumeName, serial = volumeName, cache, diskType, bus }: AddVolumeOptions): object {
  if (diskType !== 'disk' && diskType !== 'lun')
    throw new Failure(`Invalid disk type '${diskType}'. Only LUN and Disk are supported.`);
  if (cache !== undefined && !['none', 'writethrough', 'writeback'].includes(cache))
    throw new Failure(`error adding volume, invalid cache value ${cache}`, 'Use none, writethrough or writeback.');
  return { [diskType]: { bus }, serial, ...(cache && { cache }) };
}

/** What a volume is fed from: the DataVolume of that name, else the claim. `doing` is what fails where there is neither. */
export async function sourceOf(connection: Connection, name: string, doing = 'error adding volume'): Promise<object> {
  const { client, namespace } = connection;
  const exists = (get: () => Promise<unknown>): Promise<boolean> =>
    get().then(
      () => true,
      (error) => {
        if (error instanceof ApiError && error.code === 404) return false;
        throw error;
      },
    );
  const source = await orFail(
    connection,
    (why) => `${doing}, ${why}`,
    async () => {
      if (await exists(() => client.of(DataVolume).get(name, { namespace }))) {
        return { dataVolume: { name, hotpluggable: true } };
      }
      if (await exists(() => client.of(PersistentVolumeClaim).get(name, { namespace }))) {
        return { persistentVolumeClaim: { claimName: name, hotpluggable: true } };
      }
      return undefined;
    },
  );
  if (source) return source;
  throw new Failure(
    `${doing}, Volume ${name} is not a DataVolume or PersistentVolumeClaim`,
    `To list volumes: kubectl get dv,pvc -n ${namespace}`,
  );
}

const MAX_ATTEMPTS = 15;
/** What the server says of a write that conflicts with another. */
const CONFLICT_TEXT = 'the server rejected our request due to an error in our request';

/** To the VM, else to an instance that has none; again when another request came between. */
export async function request(
  connection: Connection,
  name: string,
  action: 'addvolume' | 'removevolume',
  body: object,
  failure: string,
): Promise<void> {
  const put = (resource: 'virtualmachines' | 'virtualmachineinstances') =>
    connection.client.call({ method: 'PUT', path: actionPath(connection, resource, name, action), body });
  await orFail(
    connection,
    (why) => `${failure}, ${why}`,
    async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await put('virtualmachines').catch((error) => {
            if (isReason(error, 'NotFound')) return put('virtualmachineinstances');
            throw error;
          });
        } catch (error) {
          const isConflict = error instanceof ApiError && error.message.includes(CONFLICT_TEXT);
          if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
          await pause(Math.random() * 100);
        }
      }
    },
  );
}

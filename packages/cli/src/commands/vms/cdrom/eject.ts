import { PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { ignoreNotFound } from '@vireo/kube';
import { Failure } from '../../../failure.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { dryRunBody } from '../dryRun.ts';
import { orFail } from '../refusal.ts';
import { request } from '../volumes.ts';
import { chooseDrive, findOwner } from './drives.ts';
import { untilHolds } from './waiting.ts';

export interface EjectOptions extends ConnectionOptions {
  readonly volumeName?: string;
  readonly claimName?: string;
  readonly force?: boolean;
  readonly deleteClaim?: boolean;
  readonly wait?: boolean;
  readonly timeout: number;
  readonly dryRun?: boolean;
}

/** Takes the disc out of a CD-ROM drive, which stays. */
export function eject(name: string, options: EjectOptions): Promise<void> {
  return connected(options, async (connection) => {
    const owner = await findOwner(connection, name);
    const drive = chooseDrive(owner, options.volumeName);
    const claim = drive.claim ?? drive.inside;
    if (options.claimName !== undefined && options.claimName !== claim)
      throw new Failure(
        `error ejecting CD-ROM, claim ${options.claimName} is not in CD-ROM drive ${drive.name} of VM ${name}`,
        claim === undefined ? 'The drive is empty.' : `Claim ${claim} is in it.`,
      );
    const body = { name: drive.name, diskRetentionPolicy: 'keep', ...(options.force && { force: true }) };
    await request(connection, name, 'removevolume', { ...body, ...dryRunBody(options) }, 'error ejecting CD-ROM');
    console.log(`Successfully submitted eject request to VM ${name} for CD-ROM drive ${drive.name}`);
    if (options.dryRun) return;
    if (owner.vmi && (options.wait || options.deleteClaim)) {
      await untilHolds(connection, name, drive.name, undefined, options.timeout);
      console.log(`CD-ROM drive ${drive.name} is empty`);
    }
    if (options.deleteClaim && claim !== undefined) await deleteClaim(connection, claim);
  });
}

/** Deletes the DataVolume of that name with its claim, else the claim. */
async function deleteClaim(connection: Connection, name: string): Promise<void> {
  const { client, namespace } = connection;
  const words = (why: string): string => `the disc was ejected, but claim ${name} cannot be deleted: ${why}`;
  const dataVolume = await orFail(connection, words, () =>
    client.of(DataVolume).delete(name, { namespace }).catch(ignoreNotFound),
  );
  if (!dataVolume) await orFail(connection, words, () => client.of(PersistentVolumeClaim).delete(name, { namespace }));
  console.log(`${dataVolume ? 'DataVolume' : 'PersistentVolumeClaim'} ${namespace}/${name} deleted`);
}

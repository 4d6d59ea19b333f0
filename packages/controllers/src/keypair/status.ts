import { createHash } from 'node:crypto';
import type { KeyPair, KeyPairStatus } from '@vireo/api/kinds/harvester/keyPair.ts';
import { parsePublicKey } from '@vireo/api/kinds/harvester/sshKey.ts';
import { harvesterConditions } from '../harvester/conditions.ts';

/** The status that a KeyPair should have. */
export function keyPairStatus({ spec, status }: KeyPair, now: Date): KeyPairStatus {
  const key = parsePublicKey(spec.publicKey);
  const validated = key
    ? { type: 'validated', status: 'True' }
    : {
        type: 'validated',
        status: 'False',
        reason: 'InvalidKey',
        message: 'spec.publicKey is not a public key in the format of OpenSSH',
      };
  return {
    ...(key && { fingerPrint: fingerprint(key.blob) }),
    conditions: harvesterConditions(status?.conditions, [validated], now),
  };
}

/** As `ssh-keygen -E md5 -l` shows it, without the prefix: `16:27:ac:…`. */
const fingerprint = (blob: Buffer): string => createHash('md5').update(blob).digest('hex').match(/../g)!.join(':');

import { fieldError } from '@vireo/api';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { parsePublicKey } from '@vireo/api/kinds/harvester/sshKey.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';

const TEXT =
  'spec.publicKey must be one public key in the format of OpenSSH, such as the contents of ~/.ssh/id_ed25519.pub';

export const keyPairValidation: ValidatingRule<KeyPair> = {
  type: 'validating',
  webhook: 'keypairs-validator.harvesterhci.io',
  path: '/keypairs-validate',
  kinds: [KeyPair],
  operations: ['CREATE', 'UPDATE'],
  validate: async ({ object }) =>
    parsePublicKey(object.spec.publicKey) ? ALLOWED : { errors: [fieldError('spec.publicKey', TEXT)] },
};

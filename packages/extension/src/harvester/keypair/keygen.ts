import { generateKeyPair } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { field, type Infer } from '@vireo/api';
import { optional } from '@vireo/api/kinds/customResource.ts';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { formatPublicKey } from '@vireo/api/kinds/harvester/sshKey.ts';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { string, struct } from '@vireo/api/schema.ts';
import { downloadResponse } from '@vireo/kube';
import { BINARY } from '../../actions/responses.ts';
import { harvesterAction } from '../action.ts';
import { invalidInput } from '../input.ts';

const KeyGenInput = struct('io.harvesterhci.v1beta1.KeyGenInput', 'The KeyPair to create.', {
  name: optional(string, 'Name of the KeyPair. The path of a subresource has it already.'),
  namespace: optional(string, 'Namespace of the KeyPair. The path of a subresource has it already.'),
});
interface KeyGenInput extends Infer<typeof KeyGenInput> {}

const generate = promisify(generateKeyPair);

/** As Harvester makes them. */
const BITS = 2048;

export const keygen = harvesterAction('keypairs')<KeyGenInput>({
  name: 'keygen',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Creates a KeyPair and returns its private key, which is not stored.',
  body: KeyGenInput,
  response: { status: 200, schema: BINARY, contentType: 'application/octet-stream' },
  isTargetless: true,
  isOfCollection: true,
  needs: [{ apiGroups: [KeyPair.group], resources: [KeyPair.plural], verbs: ['create'] }],
  isListed: () => true,
  async act({ object }, _input, { client, dryRun }) {
    const { name, namespace } = object.metadata;
    const errors = dnsSubdomain(name).map((text) => field.invalid('name', name, text));
    if (errors.length > 0) throw invalidInput(KeyGenInput, errors);
    const { publicKey, privateKey } = await generate('rsa', { modulusLength: BITS });
    const { e = '', n = '' } = publicKey.export({ format: 'jwk' });
    const parts = [e, n].map((part) => asPositive(Buffer.from(part, 'base64url')));
    await client
      .of(KeyPair)
      .create(
        { metadata: { name, namespace }, spec: { publicKey: formatPublicKey('ssh-rsa', parts, name) } },
        { dryRun },
      );
    if (dryRun) return undefined;
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' });
    return downloadResponse(Readable.from([Buffer.from(pem)]), { filename: `${name}.pem` });
  },
});

/** A number of SSH has a sign, in its highest bit. */
const asPositive = (bytes: Buffer): Buffer =>
  (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;

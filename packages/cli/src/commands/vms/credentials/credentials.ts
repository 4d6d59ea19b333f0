import { readFileSync } from 'node:fs';
import { Secret } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Failure } from '../../../failure.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { randomSuffix } from '../create/manifest.ts';
import { orFail } from '../refusal.ts';
import { base64, chooseSecret, hasKey, passwordSecretsOf, requireOwned, sshSecretsOf, withoutKey } from './secrets.ts';

interface CredentialOptions extends ConnectionOptions {
  readonly user: string;
  readonly secret?: string;
  readonly force?: boolean;
}

interface KeyOptions extends CredentialOptions {
  readonly file?: string;
  readonly value?: string;
}

/** Gives a key to a user of a guest, in the secret that the VM has for it or in a new one. */
export async function addSshKey(
  name: string,
  options: KeyOptions & { readonly createSecret?: boolean; readonly updateSecret?: boolean },
): Promise<void> {
  const key = readKey(options);
  await connected(options, async (connection) => {
    const vm = await vmOf(connection, name);
    const secrets = sshSecretsOf(vm, options.user);
    const isNew = options.createSecret ?? (options.updateSecret ? false : secrets.length === 0);
    if (isNew) return newSecret(connection, vm, key, options);
    if (secrets.length === 0) throw new Failure(`no secrets specified for user: ${options.user}`);
    const secretName = chooseSecret(secrets, options.secret);
    const secret = await secretOf(connection, secretName);
    if (hasKey(secret, key)) return console.log(`Secret "${secretName}" already contains this SSH key.`);
    requireOwned(secret, vm, options.force ?? false);
    await change(connection, secretName, { [`ssh-key-${randomSuffix()}`]: base64(key) });
    console.log(`Successfully added the key to secret "${secretName}"`);
  });
}

/** Takes a key away from a user of a guest. */
export async function removeSshKey(name: string, options: KeyOptions): Promise<void> {
  const key = readKey(options);
  const { user, secret: wanted, force = false } = options;
  await connected(options, async (connection) => {
    const vm = await vmOf(connection, name);
    const secrets = sshSecretsOf(vm, user);
    if (secrets.length === 0) return console.log(`No secrets associated with user ${user}`);
    if (wanted !== undefined && !secrets.includes(wanted))
      throw new Failure(`secret ${wanted} is not associated with user ${user}`, `Associated: ${secrets.join(', ')}`);
    for (const secretName of wanted === undefined ? secrets : [wanted]) {
      const secret = await secretOf(connection, secretName);
      requireOwned(secret, vm, force);
      const changes = withoutKey(secret, key);
      if (Object.keys(changes).length > 0) await change(connection, secretName, changes);
    }
  });
}

/** Sets the password of a user of a guest. */
export function setPassword(name: string, options: CredentialOptions & { readonly password: string }): Promise<void> {
  return connected(options, async (connection) => {
    const vm = await vmOf(connection, name);
    const secrets = passwordSecretsOf(vm);
    if (secrets.length === 0)
      throw new Failure(
        'no secrets assigned to UserPassword AccessCredentials',
        'To create a VM with one: create vm --access-cred=type:password,src:SECRET',
      );
    const secretName = chooseSecret(secrets, options.secret);
    requireOwned(await secretOf(connection, secretName), vm, options.force ?? false);
    await change(connection, secretName, { [options.user]: base64(options.password) });
    console.log(`Successfully set password in secret "${secretName}"`);
  });
}

function readKey({ file, value }: KeyOptions): string {
  if (value) return value;
  if (!file) throw new Failure('error getting ssh key: one of --file, or --value must be specified');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Failure(`error getting ssh key: ${error instanceof Error ? error.message : error}`);
  }
}

const vmOf = (connection: Connection, name: string): Promise<Vm> =>
  orFail(
    connection,
    (why) => `error getting virtual machine: ${why}`,
    () => connection.client.of(VirtualMachine).get(name, { namespace: connection.namespace }),
  );

const secretOf = (connection: Connection, name: string): Promise<Secret> =>
  orFail(
    connection,
    (why) => `error getting secret "${name}": ${why}`,
    () => connection.client.of(Secret).get(name, { namespace: connection.namespace }),
  );

async function change(connection: Connection, name: string, data: Record<string, string | null>): Promise<void> {
  await orFail(
    connection,
    (why) => `error patching secret "${name}": ${why}`,
    () => connection.client.of(Secret).patch(name, { data }, { namespace: connection.namespace, type: 'merge' }),
  );
}

/** A secret of the VM's own; a guest that runs knows nothing of it until it is restarted. */
async function newSecret(
  connection: Connection,
  vm: Vm,
  key: string,
  { user, force = false }: KeyOptions,
): Promise<void> {
  const { client, namespace } = connection;
  const { name, uid } = vm.metadata;
  if (!force && (await runs(connection, name)))
    throw new Failure(
      `virtual machine ${name} is running. Use --force flag to update a running VM, it will take effect after restart`,
    );
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid, controller: true };
  const secret = await orFail(
    connection,
    (why) => `error creating secret: ${why}`,
    () =>
      client.of(Secret).create({
        metadata: { generateName: `${name}-ssh-key-`, namespace, ownerReferences: [owner] },
        data: { [`ssh-key-${randomSuffix()}`]: base64(key) },
      }),
  );
  const credential = {
    sshPublicKey: {
      source: { secret: { secretName: secret.metadata.name } },
      propagationMethod: { qemuGuestAgent: { users: [user] } },
    },
  };
  const path = '/spec/template/spec/accessCredentials';
  const before = vm.spec.template?.spec?.accessCredentials;
  const patch = before
    ? [
        { op: 'test', path, value: before },
        { op: 'add', path: `${path}/-`, value: credential },
      ]
    : [{ op: 'add', path, value: [credential] }];
  await orFail(
    connection,
    (why) => `error patching virtual machine: ${why}`,
    () => client.of(VirtualMachine).patch(name, patch, { namespace, type: 'json' }),
  );
}

const runs = (connection: Connection, name: string): Promise<boolean> =>
  orFail(
    connection,
    (why) => `error when getting virtual machine instance: ${why}`,
    () => connection.client.of(VirtualMachineInstance).find(name, { namespace: connection.namespace }).then(Boolean),
  );

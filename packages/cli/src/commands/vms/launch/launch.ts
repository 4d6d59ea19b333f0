import { join } from 'node:path';
import { type Persisted, PersistentVolumeClaim, Secret } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { findLocalImage } from '@vireo/node/images/localImages.ts';
import { GUEST, type KnownImage } from '../../../catalogue.ts';
import { Failure } from '../../../failure.ts';
import { serverHome } from '../../../options.ts';
import { inThisName, programName } from '../../../programName.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { randomSuffix } from '../create/manifest.ts';
import { orFail } from '../refusal.ts';
import { waitFor } from '../waitFor.ts';
import { followStart } from './follow.ts';
import { guestAddress } from './guestAddress.ts';
import { parseLaunch } from './image.ts';
import { loginText } from './loginText.ts';
import { expectNetworks } from './networks.ts';
import { defaultKeys, readKeys } from './sshKeys.ts';
import { statusLine } from './statusLine.ts';
import { readUserData, userDataFor, userDataWith } from './userData.ts';
import { expectSize, launchedVm, rootClaim, type VmOptions } from './vm.ts';

export interface LaunchOptions extends ConnectionOptions {
  readonly name?: string;
  readonly memory?: string;
  readonly cpus: number;
  readonly disk?: string;
  readonly ephemeral?: boolean;
  readonly network?: readonly string[];
  readonly user?: string;
  readonly sshKey?: readonly string[];
  readonly password?: string;
  readonly cloudInit?: string;
  readonly wait: boolean;
  readonly console?: boolean;
  readonly timeout: number;
}

/** Makes a VM, waits until it runs and says how to reach it. */
export async function launch(first: string | undefined, second: string | undefined, options: LaunchOptions) {
  const words = { image: first, name: second, nameOption: options.name };
  const isHere = first !== undefined && (await findLocalImage(join(serverHome(), 'images'), first)) !== undefined;
  const { image, name = `${image.name ?? 'vm'}-${randomSuffix()}` } = parseLaunch(words, isHere);
  const plan = planOf(image, name, options);
  const isLeft = await connected(options, (connection) => launchOn(connection, plan, options));
  if (options.console && !isLeft) await (await import('../console.ts')).serialConsole(name, { ...options, timeout: 5 });
}

/** What is to be made, checked as far as that can be done without asking anybody. */
interface Plan {
  readonly image: KnownImage;
  readonly name: string;
  /** Of the user whom launch adds. */
  readonly password: string | undefined;
  readonly vm: Omit<VmOptions, 'namespace'>;
}

function planOf(image: KnownImage, name: string, options: LaunchOptions): Plan {
  const { memory = image.memory, cpus, user = image.user, network: networks = [] } = options;
  const disk = options.ephemeral ? undefined : (options.disk ?? image.disk);
  expectSize('--memory', memory, '1Mi');
  if (disk !== undefined) expectSize('--disk', disk, '1Mi');
  const sshKeys = options.sshKey?.flatMap(readKeys) ?? defaultKeys();
  // Our own image knows no other way in; of others the owner may have said how.
  const password = options.password ?? (sshKeys.length === 0 || image.reference === GUEST ? 'vireo' : undefined);
  const guest = { user, sshKeys, password };
  const { cloudInit } = options;
  const userData =
    cloudInit !== undefined
      ? userDataWith(readUserData(cloudInit), guest, cloudInit)
      : image.hasCloudInit
        ? userDataFor(guest)
        : undefined;
  return {
    image,
    name,
    password,
    vm: {
      image: image.reference,
      name,
      memory,
      cpus,
      disk,
      growsToImage: options.disk === undefined,
      userData,
      networks: [...new Set(networks)],
    },
  };
}

/** Whether the user went away before the VM was up. */
async function launchOn(connection: Connection, plan: Plan, options: LaunchOptions): Promise<boolean> {
  const { namespace } = connection;
  const { image, name, vm } = plan;
  await expectNetworks(connection, vm.networks);
  await expectFreeName(connection, plan);
  await createVm(connection, plan);
  const from = image.name === undefined ? image.reference : `${image.name} (${image.reference})`;
  console.log(`Created VM ${namespace}/${name} from ${from}.`);
  console.log(
    vm.disk === undefined
      ? 'Its disk is recreated from the image at every start: its data is lost when the VM stops.'
      : `Its disk is claim ${rootClaim(name)} (${vm.disk}), which keeps its data across restarts.`,
  );
  if (image.name !== undefined && compareQuantities(vm.memory, image.memory) < 0)
    console.log(`Warning: with less than ${image.memory} of memory, it may not boot.`);
  if (options.wait || options.console) {
    const followed = { name, isEphemeral: vm.disk === undefined, hasAgent: image.hasAgent && !options.console };
    const isLeft = await whileHere(
      (signal) => followStart(connection, { ...followed, timeoutMs: options.timeout * 1_000 }, statusLine(), signal),
      `${name} continues to start. To delete it: ${programName} delete ${name} -n ${namespace}`,
    );
    if (isLeft) return true;
    const address = await guestAddress(connection, name);
    if (address && !options.console) console.log(`Its address is ${address}.`);
  }
  if (!options.console) console.log(loginCommands(plan, options));
  return false;
}

/** Runs until it ends or the user presses Ctrl-C, who is told what becomes of it. */
async function whileHere(run: (signal: AbortSignal) => Promise<void>, farewell: string): Promise<boolean> {
  const left = new AbortController();
  const leave = (): void => {
    console.log(`\n${farewell}`);
    process.exitCode = 130;
    left.abort();
  };
  process.once('SIGINT', leave);
  try {
    await run(left.signal);
  } catch (error) {
    if (!left.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', leave);
  }
  return left.signal.aborted;
}

/** Neither a VM nor a disk of that name may be there: a new VM must not come up with an old disk. */
async function expectFreeName(connection: Connection, { name, vm }: Plan): Promise<void> {
  const { client, namespace } = connection;
  const at = { namespace };
  const ask = <T>(request: () => Promise<T>): Promise<T> =>
    orFail(connection, (why) => `cannot launch ${name}: ${why}`, request);
  if (await ask(() => client.of(VirtualMachine).find(name, at)))
    throw new Failure(
      `cannot launch ${name}: namespace ${namespace} already has a VM of that name`,
      inThisName(`To start it: vireo start ${name} -n ${namespace}. Or choose another name.`),
    );
  const expectFree = async (find: () => Promise<Found | undefined>, failure: () => Failure): Promise<void> => {
    const look = async (): Promise<boolean | undefined> => {
      const found = await ask(find);
      // What belonged to a VM goes a moment after it.
      return found ? (found.metadata.ownerReferences?.length ? undefined : false) : true;
    };
    if (!(await waitFor(look, { timeoutMs: REMOVAL_MS, intervalMs: 250 }))) throw failure();
  };
  const secret = userDataSecret(name);
  if (isLong(vm.userData))
    await expectFree(
      () => client.of(Secret).find(secret, at),
      () =>
        new Failure(
          `cannot launch ${name}: namespace ${namespace} already has a Secret ${secret}`,
          `Choose another name, or delete the Secret: kubectl delete secret ${secret} -n ${namespace}`,
        ),
    );
  if (vm.disk === undefined) return;
  const claim = rootClaim(name);
  await expectFree(
    async () =>
      (await client.of(DataVolume).find(claim, at)) ?? (await client.of(PersistentVolumeClaim).find(claim, at)),
    () =>
      new Failure(
        `cannot launch ${name}: namespace ${namespace} already has a claim ${claim}`,
        `Choose another name, or remove the claim and its data: kubectl delete dv,pvc ${claim} -n ${namespace}`,
      ),
  );
}

type Found = Pick<Persisted<Secret>, 'metadata'>;

const REMOVAL_MS = 20_000;
/** What a VM may hold of user data; more is kept in a Secret. */
const MOST_USER_DATA_BYTES = 2_048;

const isLong = (userData: string | undefined): userData is string =>
  userData !== undefined && Buffer.byteLength(userData) > MOST_USER_DATA_BYTES;

const userDataSecret = (name: string): string => `${name}-cloud-init`;

async function createVm(connection: Connection, { name, vm }: Plan): Promise<void> {
  const { client, namespace } = connection;
  const create = <T>(request: () => Promise<T>): Promise<T> =>
    orFail(connection, (why) => `cannot launch ${name}: ${why}`, request);
  const { userData } = vm;
  if (!isLong(userData)) {
    await create(() => client.of(VirtualMachine).create(launchedVm({ ...vm, namespace })));
    return;
  }
  const secret = userDataSecret(name);
  const draft = launchedVm({ ...vm, namespace, userData: undefined, userDataSecret: secret });
  const created = await create(() => client.of(VirtualMachine).create(draft));
  const { uid } = created.metadata;
  // The VM waits for it, and it goes with the VM.
  const ownerReferences = [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid }];
  const metadata = { name: secret, namespace, ownerReferences };
  try {
    await create(() => client.of(Secret).create({ metadata, stringData: { userdata: userData } }));
  } catch (error) {
    // Without it the VM would wait forever, or read what another Secret of that name says.
    await client
      .of(VirtualMachine)
      .delete(name, { namespace, preconditions: { uid } })
      .catch(() => {});
    throw error;
  }
}

function loginCommands({ name, password, vm }: Plan, { namespace }: LaunchOptions): string {
  const inNamespace = namespace ? ` -n ${namespace}` : '';
  const ways = [
    ...(vm.userData === undefined ? [] : [[`${programName} shell ${name}${inNamespace}`, 'log in'] as const]),
    [`${programName} console ${name}${inNamespace}`, 'open the serial console; press Ctrl-] to exit'],
    [`${programName} stop ${name}${inNamespace}`, 'shut it down'],
    [`${programName} delete ${name}${inNamespace}`, vm.disk === undefined ? 'delete it' : 'delete it and its disk'],
  ] as const;
  const width = Math.max(...ways.map(([command]) => command.length));
  const login =
    vm.userData === undefined
      ? 'The image does not use cloud-init: log in on the console with the image’s own user:'
      : loginText(vm.userData, password);
  return [
    ...(login ? [login] : []),
    ...ways.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`),
  ].join('\n');
}

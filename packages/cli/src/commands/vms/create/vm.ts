import { RUN_STRATEGIES } from '@vireo/api/kinds/kubevirt/names.ts';
import { type AccessOptions, readAccessCredentials } from './accessCredentials.ts';
import { addCloudInit, type CloudInitOptions } from './cloudInit.ts';
import { inferred } from './inference.ts';
import { randomSuffix } from './manifest.ts';
import { flagError, quantity, splitPrefixed } from './params.ts';
import type { VmDraft } from './vmDraft.ts';
import { addVolumes, type VolumeOptions } from './volumes.ts';

export interface CreateVmOptions extends VolumeOptions, CloudInitOptions, AccessOptions {
  readonly namespace?: string;
  readonly name?: string;
  readonly runStrategy?: string;
  readonly terminationGracePeriod?: number;
  readonly memory?: string;
  readonly instancetype?: string;
  readonly inferInstancetype?: boolean;
  readonly inferInstancetypeFrom?: string;
  readonly preference?: string;
  readonly inferPreference?: boolean;
  readonly inferPreferenceFrom?: string;
}

/** The VirtualMachine that the options describe. */
export function vmManifest(options: CreateVmOptions): Readonly<Record<string, unknown>> {
  const { namespace, runStrategy = 'Always', terminationGracePeriod = 180, memory = '512Mi' } = options;
  const name = options.name || `vm-${randomSuffix()}`;
  quantity(memory, (why) => flagError('memory', why));
  if (!RUN_STRATEGIES.includes(runStrategy))
    throw flagError(
      'run-strategy',
      `invalid RunStrategy "${runStrategy}", supported values are: ${RUN_STRATEGIES.join(', ')}`,
    );
  const instancetype = options.instancetype === undefined ? undefined : matcher('instancetype', options.instancetype);
  const preference = options.preference === undefined ? undefined : matcher('preference', options.preference);

  const draft: VmDraft = { name, volumes: [], dataVolumeTemplates: [], bootOrders: new Map() };
  addVolumes(draft, options);
  const access = readAccessCredentials(options);
  addCloudInit(draft, cloudInitOf(options, access));

  const inferredType =
    instancetype || options.memory !== undefined
      ? undefined
      : inferred(draft, { infer: options.inferInstancetype, from: options.inferInstancetypeFrom });
  const inferredPreference = preference
    ? undefined
    : inferred(draft, { infer: options.inferPreference, from: options.inferPreferenceFrom });
  // What an instancetype says about memory counts, unless it may fail to be found.
  const hasOwnMemory = !instancetype && (!inferredType || inferredType.inferFromVolumeFailurePolicy !== undefined);
  const disks = [...draft.bootOrders].map(([bootOrder, disk]) => ({ name: disk, bootOrder }));
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy,
      instancetype: instancetype ?? inferredType,
      preference: preference ?? inferredPreference,
      dataVolumeTemplates: draft.dataVolumeTemplates.length > 0 ? draft.dataVolumeTemplates : undefined,
      template: {
        metadata: {},
        spec: {
          accessCredentials: access.credentials.length > 0 ? access.credentials : undefined,
          domain: {
            devices: disks.length > 0 ? { disks } : {},
            memory: hasOwnMemory ? { guest: memory } : undefined,
            resources: {},
          },
          terminationGracePeriodSeconds: terminationGracePeriod,
          volumes: draft.volumes.length > 0 ? draft.volumes : undefined,
        },
      },
    },
  };
}

/** The options of cloud-init, with what the access credentials need of it. */
function cloudInitOf(options: CreateVmOptions, access: ReturnType<typeof readAccessCredentials>): CloudInitOptions {
  const { user, passwordFile, sshKey, cloudInitUserData, cloudInitNetworkData } = options;
  const gaManageSsh = options.gaManageSsh ?? (access.gaManageSsh || undefined);
  const cloudInit = options.cloudInit ?? access.cloudInit;
  return { user, passwordFile, sshKey, gaManageSsh, cloudInit, cloudInitUserData, cloudInitNetworkData };
}

function matcher(what: 'instancetype' | 'preference', text: string): { name: string; kind?: string } {
  const { prefix, name } = splitPrefixed(text, (why) => flagError(what, why));
  const kinds = [`virtualmachine${what}`, `virtualmachinecluster${what}`];
  if (prefix && !kinds.includes(prefix))
    throw flagError(what, `invalid ${what} kind "${prefix}", supported values are: ${kinds.join(', ')}`);
  // Without a kind the server takes the cluster-wide one.
  return { name, ...(prefix && { kind: prefix }) };
}

import { randomUUID } from 'node:crypto';
import { timestamp } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import {
  applyInstancetypeToVm,
  applyVmiDefaults,
  type ClusterConfig,
  findInstancetypeAndPreference,
  MatcherError,
  missingHypervisorText,
  PluginHookError,
  summary,
  validateVmiSpec,
} from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';
import { serverLookup } from '../../instancetypes/lookup.ts';
import { vmConflict } from '../refusals.ts';

/** What a start is checked against. */
export interface StartContext {
  readonly client: Client;
  readonly config: () => Promise<ClusterConfig>;
}

/** Refuses where no VMI of the VM would be admitted as the installation is now: before anything is stopped for it. */
export async function requireStartable(vm: Vm, context: StartContext): Promise<void> {
  const why = await obstacle(vm, context);
  if (why !== undefined) throw vmConflict(vm, `it cannot start: ${why}`);
}

async function obstacle(vm: Vm, { client, config: read }: StartContext): Promise<string | undefined> {
  const config = await read();
  const noHypervisor = missingHypervisorText(config);
  if (noHypervisor !== undefined) return noHypervisor;
  try {
    const { types } = await findInstancetypeAndPreference(vm, serverLookup(client));
    const { vm: whole, conflicts } = applyInstancetypeToVm(vm, types, config);
    const { spec } = whole.spec.template;
    if (conflicts.length > 0 || !spec) return summary(conflicts) || undefined;
    const { name, namespace, uid } = vm.metadata;
    const { metadata } = whole.spec.template;
    const draft = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { ...metadata, name, namespace, uid },
      spec,
    };
    const vmi = applyVmiDefaults(draft, config, { randomUuid: randomUUID, now: timestamp() });
    const errors = validateVmiSpec(vmi.spec, 'spec.template.spec', config);
    return errors.length > 0 ? summary(errors) : undefined;
  } catch (error) {
    if (!(error instanceof MatcherError) && !(error instanceof PluginHookError)) throw error;
    return error.message;
  }
}

import type { Vm, Vmi } from '../../data/kinds.ts';
import type { Permission } from '../actions.ts';
import type { Machine } from '../machine.ts';
import type { ConsoleKind } from './streamEnd.ts';

/** Which console of which machine. */
export interface ConsoleRef {
  readonly kind: ConsoleKind;
  readonly namespace: string;
  readonly name: string;
}

export const KIND_WORDS: Readonly<Record<ConsoleKind, string>> = { serial: 'Serial', screen: 'Screen' };

const SUBRESOURCES: Readonly<Record<ConsoleKind, string>> = { serial: 'console', screen: 'vnc' };

export const streamPath = ({ kind, namespace, name }: ConsoleRef): string =>
  `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/virtualmachineinstances/${encodeURIComponent(name)}/${SUBRESOURCES[kind]}`;

export const streamPermission = (kind: ConsoleKind): Permission => ({
  verb: 'get',
  group: 'subresources.kubevirt.io',
  resource: 'virtualmachineinstances',
  subresource: SUBRESOURCES[kind],
});

/** Whether connecting can work: while a guest is being prepared, there is nobody to talk to. */
export function isReachable({ hasInstance, state }: Machine): boolean {
  if (hasInstance === false || state.group === 'off') return false;
  return state.group !== 'starting' || state.word === 'Migrating';
}

interface Devices {
  readonly autoattachGraphicsDevice?: boolean;
  readonly autoattachSerialConsole?: boolean;
}

/** Whether the machine has such a console at all: the instance says it, or what the next one is made of. */
export function hasConsole(kind: ConsoleKind, vm: Vm | undefined, vmi: Vmi | undefined): boolean {
  const domain = (vmi?.spec ?? vm?.spec.template?.spec)?.domain as { readonly devices?: Devices } | undefined;
  const { autoattachGraphicsDevice, autoattachSerialConsole } = domain?.devices ?? {};
  return (kind === 'screen' ? autoattachGraphicsDevice : autoattachSerialConsole) !== false;
}

import { NetworkPolicy, Service } from '@vireo/api';
import type { Client, Draft } from '@vireo/kube';
import type { Attempt } from '../actions.ts';
import { at, SET } from '../objects.ts';

/** Far from what programs of the host have. */
const FIRST_PORT = 27_000;
const SERVICES = 12;
const POLICIES = 6;

const ofVm = (vm: string) => ({ 'vm.kubevirt.io/name': vm });
const ofSet = { set: SET };

export const serviceName = (vm: string): string => `${vm}-web`;
export const policyName = (vm: string): string => `${vm}-policy`;

/** A Service of a VM, of one kind or another. */
export function serviceOf(vm: string, dice: number): Draft<Service> {
  const metadata = { name: serviceName(vm), ...at };
  const selector = ofVm(vm);
  const ports = [
    { name: 'http', port: FIRST_PORT + Math.floor(dice * 1000), targetPort: 8080 },
    { name: 'names', protocol: 'UDP', port: 53 },
  ];
  if (dice < 0.25) return { metadata, spec: { selector, ports } };
  if (dice < 0.5) return { metadata, spec: { selector, ports, type: 'NodePort', ipFamilyPolicy: 'PreferDualStack' } };
  if (dice < 0.75) return { metadata, spec: { selector, ports, sessionAffinity: 'ClientIP' } };
  const ipFamilyPolicy = 'PreferDualStack';
  return { metadata, spec: { selector, ports: ports.slice(0, 1), type: 'LoadBalancer', ipFamilyPolicy } };
}

/** A policy for a VM, of one kind or another. */
export function policyOf(vm: string, dice: number): Draft<NetworkPolicy> {
  const metadata = { name: policyName(vm), ...at };
  const podSelector = { matchLabels: ofVm(vm) };
  if (dice < 0.34) return { metadata, spec: { podSelector, policyTypes: ['Ingress'] } };
  const from = [{ podSelector: { matchLabels: ofSet } }];
  const ingress = [{ from, ports: [{ port: 8080 }, { protocol: 'UDP', port: 53 }] }];
  if (dice < 0.67) return { metadata, spec: { podSelector, policyTypes: ['Ingress'], ingress } };
  const ipBlock = { cidr: '10.0.0.0/8', except: ['10.200.0.0/16', '10.3.0.0/24'] };
  const egress = [{ to: [{ ipBlock }] }, { to: [{ podSelector: {} }], ports: [{ port: 53 }] }];
  return { metadata, spec: { podSelector, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress } };
}

/** Many requests at once: Services and policies come that are not there, and go that are. */
export function burst(exists: (name: string) => boolean): Attempt[] {
  const all = (count: number, word: string): string[] => Array.from({ length: count }, (_, n) => `burst-${word}-${n}`);
  return [
    ...all(SERVICES, 'service').map((name) => {
      const spec = { selector: ofSet, ports: [{ port: 80 }], ipFamilyPolicy: 'PreferDualStack' };
      return change(name, exists(name), {
        create: (client, signal) => client.of(Service).create({ metadata: { name, ...at }, spec }, { signal }),
        remove: (client, signal) => client.of(Service).delete(name, { ...at, signal }),
      });
    }),
    ...all(POLICIES, 'policy').map((name) => {
      const spec = { podSelector: { matchLabels: ofSet }, policyTypes: ['Ingress'], ingress: [{}] };
      return change(name, exists(name), {
        create: (client, signal) => client.of(NetworkPolicy).create({ metadata: { name, ...at }, spec }, { signal }),
        remove: (client, signal) => client.of(NetworkPolicy).delete(name, { ...at, signal }),
      });
    }),
  ];
}

type Send = (client: Client, signal: AbortSignal) => Promise<unknown>;

const change = (name: string, isThere: boolean, { create, remove }: { create: Send; remove: Send }): Attempt => ({
  action: isThere ? 'delete' : 'create',
  about: name,
  change: { exists: !isThere },
  send: isThere ? remove : create,
});

export { NetworkPolicy, Service };

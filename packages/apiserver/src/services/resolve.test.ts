import { describe, expect, it } from 'vitest';
import type { Lookup } from '../strategies/strategy.ts';
import { serviceResolver } from './resolve.ts';

const service = (name: string, spec: Record<string, unknown>) => ({ metadata: { name, namespace: 'system' }, spec });
const slice = (of: string, port: Record<string, unknown>, endpoints: unknown[], addressType = 'IPv4') => ({
  metadata: { name: `${of}-${addressType}`, namespace: 'system', labels: { 'kubernetes.io/service-name': of } },
  addressType,
  ports: [port],
  endpoints,
});
const SERVICES = [
  service('machines', { type: 'ClusterIP', ipFamilies: ['IPv4'], ports: [{ name: 'https', port: 443 }] }),
  service('unnamed', { ports: [{ port: 8443 }] }),
  service('six', { ipFamilies: ['IPv6'], ports: [{ port: 443 }] }),
  service('elsewhere', { type: 'ExternalName', externalName: 'api.example.org' }),
  service('odd', { type: 'Odd', ports: [{ port: 443 }] }),
  service('down', { ports: [{ port: 443 }] }),
];
const SLICES = [
  slice('machines', { name: 'https', port: 6443 }, [
    { addresses: ['10.0.0.1'] },
    { addresses: ['10.0.0.2'], conditions: { ready: false } },
    { addresses: ['10.0.0.3'], conditions: { ready: true } },
  ]),
  slice('machines', { name: 'https', port: 6443 }, [{ addresses: ['fd00::1'] }], 'IPv6'),
  slice('unnamed', { name: '', port: 9443 }, [{ addresses: ['10.0.0.4'] }]),
  slice('six', { port: 6443 }, [{ addresses: ['10.0.0.5'] }]),
  slice('six', { port: 6443 }, [{ addresses: ['fd00::2'] }], 'IPv6'),
  slice('down', { name: 'other', port: 1 }, [{ addresses: ['10.0.0.6'] }]),
];
const lookup = {
  get: (_group: string, _resource: string, namespace: string, name: string) =>
    SERVICES.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
  list: () => SLICES,
} as unknown as Lookup;

const at = (name: string, port = 443, random = 0, namespace = 'system') =>
  serviceResolver(
    lookup,
    () => ({ host: '127.0.0.1', port: 6443 }),
    () => random,
  )({ namespace, name, port });

describe('a Service is resolved to', () => {
  it.each<[string, ReturnType<typeof at>, ReturnType<typeof at>]>([
    ['its first ready endpoint and the target port', at('machines'), { host: '10.0.0.1', port: 6443 }],
    ['any ready endpoint of its first IP family', at('machines', 443, 0.99), { host: '10.0.0.3', port: 6443 }],
    ['the endpoints of a port without a name', at('unnamed', 8443), { host: '10.0.0.4', port: 9443 }],
    ['an IPv6 endpoint if that is its first family', at('six'), { host: 'fd00::2', port: 6443 }],
    ['the external name and the port as asked for', at('elsewhere', 8443), { host: 'api.example.org', port: 8443 }],
    ['this server if it is default/kubernetes', at('kubernetes', 443, 0, 'default'), { host: '127.0.0.1', port: 6443 }],
  ])('%s', (_, found, wanted) => expect(found).toEqual(wanted));
});

describe('a Service that leads nowhere is refused:', () => {
  it.each<[string, () => unknown, string]>([
    ['it does not exist', () => at('absent'), 'service "absent" not found'],
    ['it is in another namespace', () => at('machines', 443, 0, 'default'), 'service "machines" not found'],
    ['it has no such port', () => at('machines', 8443), 'no service port 8443 found for service "machines"'],
    ['its type is unknown', () => at('odd'), 'unsupported service type "Odd"'],
    ['no slice has the port', () => at('down'), 'no endpoints available for service "down"'],
  ])('%s', (_, resolve, message) => expect(resolve).toThrow(message));
});

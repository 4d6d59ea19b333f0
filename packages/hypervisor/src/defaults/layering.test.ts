import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { knownHypervisors, registerHypervisor, registries } from '../registries.ts';
import { valuesOf } from '../testing/arbitrary.ts';
import { deepFreeze } from '../testing/deepFreeze.ts';
import { vmiWith } from '../testing/fixtures.ts';
import { lost } from '../testing/lost.ts';
import { applyVmiDefaults, applyVmiSpecDefaults } from './index.ts';

type Spec = VirtualMachineInstance['spec'];

const plain = clusterConfig(undefined);
const onSample = { ...plain, hypervisor: 'sample' };
const sources = { randomUuid: () => '6a1a24a1-4061-4607-8bf4-a3963d0c5895', now: '2026-01-02T03:04:05Z' };
/** From the most general to the most specific, by the seams of one hypervisor on an architecture of its own. */
const LAYERS = ['sample', 'riscv', 'sample/riscv'] as const;
type Layer = (typeof LAYERS)[number];

/** Fields that no other layer speaks of. */
const FIELDS = ['hostname', 'subdomain', 'schedulerName', 'priorityClassName'] as const;
type Field = (typeof FIELDS)[number];
type Proposals = Partial<Record<Layer, Partial<Record<Field, string>>>>;

const texts = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const fields = fc.record(
  { hostname: texts, subdomain: texts, schedulerName: texts, priorityClassName: texts },
  { requiredKeys: [] },
);
const proposals: fc.Arbitrary<Proposals> = fc.record(
  { sample: fields, riscv: fields, 'sample/riscv': fields },
  { requiredKeys: [] },
);

const undo: (() => void)[] = [];
const clear = (): void => {
  for (const step of undo.splice(0)) step();
};
afterEach(clear);

/** Registers the layers in the order given. */
function register(by: Proposals, order: readonly Layer[]): void {
  clear();
  undo.push(registerHypervisor({ name: 'sample' }));
  for (const layer of order) {
    const proposed = by[layer];
    if (!proposed) continue;
    registries.defaults.register(layer, { applyVmiSpecDefaults: () => proposed });
    undo.push(() => registries.defaults.unregister(layer));
  }
}

const orders = fc.shuffledSubarray([...LAYERS], { minLength: LAYERS.length });

describe('layers of defaults, whatever they propose', () => {
  it('the most specific proposal wins, and the user before all', () => {
    fc.assert(
      fc.property(proposals, fields, (by, user) => {
        register(by, LAYERS);
        const spec = applyVmiSpecDefaults(deepFreeze({ ...vmiWith().spec, architecture: 'riscv', ...user }), onSample);
        for (const field of FIELDS) {
          const wanted =
            user[field] ??
            [...LAYERS]
              .reverse()
              .map((layer) => by[layer]?.[field])
              .find(Boolean);
          expect(spec[field]).toBe(wanted);
        }
      }),
    );
  });

  it.each<[what: string, user: Partial<Spec>, proposed: Partial<Spec>]>([
    ['no grace', { terminationGracePeriodSeconds: 0 }, { terminationGracePeriodSeconds: 60 }],
    [
      'a feature that is off',
      { domain: { devices: {}, features: { acpi: { enabled: false } } } },
      { domain: { devices: {}, features: { acpi: { enabled: true } } } },
    ],
    [
      'no retries of a spinlock',
      { domain: { devices: {}, features: { hyperv: { spinlocks: { enabled: true, spinlocks: 0 } } } } },
      {},
    ],
    [
      'a request of no processor',
      { domain: { devices: {}, resources: { requests: { cpu: 0 } } } },
      { domain: { devices: {}, resources: { requests: { cpu: '2' } } } },
    ],
  ])('a user who asks for nothing gets nothing: %s', (_what, user, proposed) => {
    register({}, []);
    registries.defaults.register('sample/amd64', { applyVmiSpecDefaults: () => proposed });
    undo.push(() => registries.defaults.unregister('sample/amd64'));
    expect(
      applyVmiSpecDefaults(deepFreeze({ ...vmiWith().spec, architecture: 'amd64', ...user }), onSample),
    ).toMatchObject(user);
  });

  it.each([
    ['sockets', { cpu: { sockets: 0 } }, { cpu: { sockets: 1 } }],
    ['a machine type', { machine: { type: '' } }, { machine: { type: 'q35' } }],
  ])('what Go’s clients leave out when it is empty is unset: %s', (_what, domain, expected) => {
    expect(applyVmiSpecDefaults({ ...vmiWith(domain).spec, architecture: 'amd64' }, plain).domain).toMatchObject(
      expected,
    );
  });

  it('the order of registration does not matter', () => {
    fc.assert(
      fc.property(proposals, orders, orders, (by, first, second) => {
        const under = (order: readonly Layer[]): Spec => {
          register(by, order);
          return applyVmiSpecDefaults({ ...vmiWith().spec, architecture: 'riscv' }, onSample);
        };
        expect(under(first)).toEqual(under(second));
      }),
    );
  });

  it('each layer finalizes once, after all proposed, from the general to the specific', () => {
    fc.assert(
      fc.property(proposals, orders, (by, order) => {
        const ran: string[] = [];
        register({}, []);
        for (const layer of order) {
          registries.defaults.register(layer, {
            applyVmiSpecDefaults: () => ({ ...by[layer], nodeSelector: { [layer.replace('/', '.')]: 'proposed' } }),
            finalizeVmi(vmi) {
              ran.push(layer);
              expect(Object.keys(vmi.spec.nodeSelector ?? {})).toHaveLength(LAYERS.length);
              return vmi;
            },
          });
          undo.push(() => registries.defaults.unregister(layer));
        }
        applyVmiDefaults(vmiWith({}, { architecture: 'riscv' }), onSample, sources);
        expect(ran).toEqual(LAYERS);
      }),
    );
  });

  it('no layer sees another’s proposal', () => {
    const seen: unknown[] = [];
    register({}, []);
    for (const layer of LAYERS) {
      registries.defaults.register(layer, {
        applyVmiSpecDefaults(spec) {
          seen.push(spec.hostname);
          return { hostname: layer.replace('/', '-') };
        },
      });
      undo.push(() => registries.defaults.unregister(layer));
    }
    applyVmiSpecDefaults({ ...vmiWith().spec, architecture: 'riscv' }, onSample);
    expect(seen).toEqual([undefined, undefined, undefined]);
  });
});

const specs = valuesOf(VirtualMachineInstanceSpec) as fc.Arbitrary<Spec>;

describe.each(knownHypervisors().map(({ name }) => name))('by %s, any VMI', (hypervisor) => {
  const config = { ...plain, hypervisor };

  it('keeps what its user said, and is defaulted once and for all', () => {
    fc.assert(
      fc.property(specs, fc.constantFrom('amd64', 'arm64', 's390x'), (spec, architecture) => {
        const vmi = deepFreeze({ ...vmiWith(), spec: { ...spec, architecture } });
        const once = applyVmiDefaults(vmi, config, sources);
        expect(lost(vmi.spec, once.spec, 'spec')).toEqual([]);
        expect(applyVmiDefaults(once, config, sources)).toEqual(once);
      }),
      { numRuns: 60 },
    );
  });
});

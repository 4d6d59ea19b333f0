import { vcpusOf } from '../domainSpec.ts';
import { formatCpuList } from '../hostTopology.ts';
import { el, type XmlElement } from '../xml.ts';
import { type Conversion, oneOf, type Topic } from './conversion.ts';
import { ConversionError } from './error.ts';
import { numaCells } from './memory.ts';
import { pinning } from './pinning.ts';
import { maxTopology, startTopology } from './topology.ts';

const POLICIES = ['force', 'require', 'optional', 'disable', 'forbid'] as const;

export const vcpus: Topic = (conversion) => {
  const [now, most] = [vcpusOf(startTopology(conversion)), vcpusOf(maxTopology(conversion))];
  const pins = pinning(conversion);
  // What is pinned to nothing else runs on these: helpers of QEMU, and threads that come later.
  const placed = { placement: 'static', cpuset: pins && formatCpuList(pins.all) };
  if (now === most) return [el('vcpu', placed, String(now))];
  const each = Array.from({ length: most }, (_, id) =>
    // A processor that can be taken out is plugged in one by one at the start, which costs time.
    el('vcpu', { id, enabled: id < now ? 'yes' : 'no', hotpluggable: id < now ? 'no' : 'yes' }),
  );
  return [el('vcpu', { ...placed, current: now }, String(most)), el('vcpus', {}, ...each)];
};

export const cpu: Topic = (conversion) => {
  const { domain } = conversion;
  const { sockets, cores, threads } = maxTopology(conversion);
  const { attributes, model } = modelOf(conversion);
  const features = (domain.cpu?.features ?? []).map(({ name, policy }, index) =>
    el('feature', {
      policy: oneOf(policy || 'require', POLICIES, `spec.domain.cpu.features[${index}].policy`),
      name: featureName(name, `spec.domain.cpu.features[${index}].name`),
    }),
  );
  return [
    el('cpu', attributes, model, el('topology', { sockets, cores, threads }), ...features, numaCells(conversion)),
  ];
};

/** Features go to QEMU as an option; signs of its syntax have no place in them. */
function featureName(name: string, field: string): string {
  if (!/^[\w.-]+$/.test(name)) throw new ConversionError(field, `${JSON.stringify(name)} is not a CPU feature`);
  return name;
}

interface Model {
  readonly attributes: Record<string, string>;
  readonly model?: XmlElement;
}

/**
 * host-model and host-passthrough need the host's processor. An emulator has none to show: there, both become the best
 * that it can do, and a named model is taken as it is, with what the emulator lacks left out.
 */
function modelOf({ domain, hypervisor }: Conversion): Model {
  const name = domain.cpu?.model || 'host-model';
  const isHost = name === 'host-model' || name === 'host-passthrough';
  if (isHost && hypervisor.isAccelerated) return { attributes: { mode: name } };
  if (isHost) return { attributes: { mode: 'maximum' } };
  if (!/^[\w.+-]+$/.test(name)) {
    throw new ConversionError('spec.domain.cpu.model', `${JSON.stringify(name)} is not a CPU model`);
  }
  const check = hypervisor.isAccelerated ? undefined : { check: 'none' };
  return {
    attributes: { mode: 'custom', match: 'exact', ...check },
    model: el('model', { fallback: 'forbid' }, name),
  };
}

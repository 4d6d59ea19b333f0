import { missingHypervNeeds } from '../defaults/features.ts';
import { type Rule, when } from './rule.ts';

/** Enlightenments come one by one or all together, and with what they need. */
export const hyperv: Rule = ({ spec, path }) => {
  const { features, cpu } = spec.domain;
  const given = features?.hyperv;
  const field = `${path}.domain.features.hyperv`;
  const passthrough = features?.hypervPassthrough;
  if (given && passthrough && passthrough.enabled !== false) {
    return when(true, field, 'hyperv and hypervPassthrough cannot be used at the same time');
  }
  if (!given) return [];
  const vmx = cpu?.features?.find(({ name }) => name === 'vmx');
  return [
    ...missingHypervNeeds(given).flatMap(([feature, needs]) =>
      when(
        true,
        `${field}.${feature}`,
        `hyperv feature '${feature}' requires '${needs}', which was disabled.`,
        'FieldValueRequired',
      ),
    ),
    ...when(
      given.evmcs?.enabled && vmx?.policy && vmx.policy !== 'require',
      `${path}.domain.cpu.features`,
      'evmcs requires the CPU feature vmx with the policy require',
    ),
  ];
};

import { type Rule, when } from './rule.ts';

export const probes: Rule = ({ spec, path }) => {
  const hasPodNetwork = (spec.networks ?? []).some(({ pod }) => pod);
  return (['readinessProbe', 'livenessProbe'] as const).flatMap((name) => {
    const probe = spec[name];
    if (!probe) return [];
    const field = `${path}.${name}`;
    const handlers = [probe.httpGet, probe.tcpSocket, probe.exec, probe.guestAgentPing].filter(Boolean).length;
    const needsNetwork = (handler: 'httpGet' | 'tcpSocket') =>
      when(
        probe[handler] && !hasPodNetwork,
        `${field}.${handler}`,
        `${field}.${handler} is only allowed if the Pod Network is attached`,
      );
    return [
      ...when(handlers > 1, field, `${field} must have exactly one probe type set`),
      ...when(
        handlers === 0,
        field,
        `either ${field}.tcpSocket, ${field}.exec or ${field}.httpGet must be set if a ${field} is specified`,
        'FieldValueRequired',
      ),
      ...needsNetwork('httpGet'),
      ...needsNetwork('tcpSocket'),
    ];
  });
};

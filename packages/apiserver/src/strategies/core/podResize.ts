import { type Container, type FieldError, field, type Pod } from '@vireo/api';
import { sameValue } from '../immutable.ts';
import { qosClassOf } from '../qos.ts';

type Amounts = Readonly<Record<string, string | number>>;

const MUTABLE = new Set(['cpu', 'memory']);

/** The containers of a pod as `/resize` may leave them: with other resources, and nothing else. */
export const resizedContainers = (
  before: readonly Container[] | undefined,
  sent: readonly Container[] | undefined,
): Container[] | undefined =>
  before?.map((container) => {
    const wanted = sent?.find(({ name }) => name === container.name);
    return wanted ? { ...container, resources: wanted.resources } : container;
  });

/** What `/resize` may not do. */
export function validateResize(pod: Pod, old: Pod): FieldError[] {
  const { phase } = old.status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed')
    return [field.forbidden('spec', 'pod resize is not allowed for a pod that has ended')];
  const errors = (pod.spec?.containers ?? []).flatMap(({ resources, name }, index) => {
    const before = old.spec?.containers.find((container) => container.name === name)?.resources;
    const path = `spec.containers[${index}].resources`;
    return (['limits', 'requests'] as const).flatMap((kind) =>
      amountErrors(resources?.[kind], before?.[kind], path, kind),
    );
  });
  if (errors.length > 0) return errors;
  const [now, was] = [qosClassOf(pod.spec), qosClassOf(old.spec)];
  return now === was ? [] : [field.invalid('spec', now, 'Pod QOS Class may not change as a result of resizing')];
}

function amountErrors(now: Amounts = {}, before: Amounts = {}, path: string, kind: string): FieldError[] {
  const fixed = (amounts: Amounts): Amounts =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => !MUTABLE.has(name)));
  const removed = Object.keys(before).filter((name) => MUTABLE.has(name) && now[name] === undefined);
  return [
    ...(sameValue(fixed(now), fixed(before))
      ? []
      : [field.forbidden(`${path}.${kind}`, 'only cpu and memory resources are mutable')]),
    ...removed.map(() => field.forbidden(`${path}.${kind}`, `resource ${kind} cannot be removed`)),
  ];
}

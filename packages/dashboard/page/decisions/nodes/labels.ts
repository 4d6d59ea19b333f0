/** Labels of a node that belong together, folded under a title. */
export interface LabelGroup {
  readonly title: string;
  readonly labels: readonly string[];
}

const FOLDED: readonly (readonly [string, string])[] = [
  ['cpu-model.node.kubevirt.io/', 'CPU models'],
  ['cpu-model-migration.node.kubevirt.io/', 'CPU models for migration'],
  ['cpu-feature.node.kubevirt.io/', 'CPU features'],
  ['host-model-cpu.node.kubevirt.io/', 'Host CPU model'],
  ['host-model-required-features.node.kubevirt.io/', 'Features that the host model requires'],
  ['machine-type.node.kubevirt.io/', 'Machine types'],
  ['hyperv.node.kubevirt.io/', 'Hyper-V features'],
];

/** The labels that people set, and those of KubeVirt's node labeller, which are hundreds, by what they are about. */
export function groupLabels(labels: Readonly<Record<string, string>> = {}): {
  readonly own: readonly string[];
  readonly folded: readonly LabelGroup[];
} {
  const names = Object.keys(labels).sort();
  const folded = FOLDED.map(([prefix, title]) => ({
    title,
    labels: names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
  })).filter((group) => group.labels.length > 0);
  const own = names.filter((name) => !FOLDED.some(([prefix]) => name.startsWith(prefix)));
  return { own: own.map((name) => (labels[name] === '' ? name : `${name}=${labels[name]}`)), folded };
}

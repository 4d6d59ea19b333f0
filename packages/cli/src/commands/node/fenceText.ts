const MAX_NAMES = 20;

/** Names, one on each line. */
export const listed = (names: readonly string[]): string => {
  const more = names.length > MAX_NAMES ? [`  and ${names.length - MAX_NAMES} more`] : [];
  return [...names.slice(0, MAX_NAMES).map((name) => `  ${name}`), ...more].join('\n');
};

/** What `vireo node fence` asks. */
export const questionText = (node: string, vmis: readonly string[], arriving: readonly string[] = []): string =>
  [
    vmis.length > 0
      ? `These VMs are on node ${node}, and start on other nodes:\n${listed(vmis)}`
      : `No VM is on node ${node}.`,
    ...(arriving.length > 0
      ? [`These VMs are moving to node ${node}, and go on where they come from:\n${listed(arriving)}`]
      : []),
    'If its host is not off, they run twice, which destroys their disks.',
    'Is the host off? Type yes: ',
  ].join('\n');

/** What `vireo node fence` has done. */
export function givenUpText(
  node: string,
  vmis: readonly string[],
  { arriving = [], isRemoved }: { readonly arriving?: readonly string[]; readonly isRemoved: boolean },
): string {
  const what =
    vmis.length > 0
      ? `Given up, to start on other nodes according to their run strategies:\n${listed(vmis)}`
      : 'No VM was on it.';
  const stay = arriving.length > 0 ? `\nThey go on where they come from:\n${listed(arriving)}` : '';
  const next = isRemoved
    ? 'Its Node had been removed. If its host comes back, it first ends what was given up.'
    : `When its host is repaired: vireo node unfence ${node}`;
  return `The node ${node} is fenced. ${what}${stay}\n${next}`;
}

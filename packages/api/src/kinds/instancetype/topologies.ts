/** What a preference can make of the virtual CPUs of an instance type. */
export const TOPOLOGIES = ['sockets', 'cores', 'threads', 'spread', 'any'] as const;
export type PreferredTopology = (typeof TOPOLOGIES)[number];

/** The names of before KubeVirt 1.4, which it still takes, and the present ones. */
export const DEPRECATED_TOPOLOGIES: Readonly<Record<string, PreferredTopology>> = {
  preferSockets: 'sockets',
  preferCores: 'cores',
  preferThreads: 'threads',
  preferSpread: 'spread',
  preferAny: 'any',
};

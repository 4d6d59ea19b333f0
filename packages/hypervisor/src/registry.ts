/**
 * Implementations of one contract under keys such as `kvm/amd64`, `kvm`, `amd64` and `` (everyone's).
 *
 * @example
 * const converters = createRegistry<HypervisorConverter>('converter');
 * converters.register('kvm', kvmConverter);
 * converters.resolve('kvm', 'arm64'); // kvmConverter
 */
export interface Registry<T> {
  /** Adds an implementation. A key can be taken once, so that two plug-ins never fight over it silently. */
  register(key: string, implementation: T): void;
  unregister(key: string): void;
  /** The most specific one: hypervisor and architecture, hypervisor, architecture, everyone's. */
  resolve(hypervisor: string, architecture?: string): T | undefined;
  /** All that apply, from the most general to the most specific. */
  layers(hypervisor: string, architecture: string): T[];
  keys(): string[];
}

export function createRegistry<T>(contract: string): Registry<T> {
  const byKey = new Map<string, T>();
  const generalToSpecific = (hypervisor: string, architecture: string): string[] => [
    '',
    hypervisor,
    architecture,
    `${hypervisor}/${architecture}`,
  ];
  return {
    register(key, implementation) {
      if (byKey.has(key)) throw new Error(`hypervisor "${key}" already has a ${contract}`);
      byKey.set(key, implementation);
    },
    unregister: (key) => void byKey.delete(key),
    resolve: (hypervisor, architecture = '') =>
      [`${hypervisor}/${architecture}`, hypervisor, architecture, '']
        .map((key) => byKey.get(key))
        .find((found) => found !== undefined),
    layers: (hypervisor, architecture) =>
      [...new Set(generalToSpecific(hypervisor, architecture))].flatMap((key) => byKey.get(key) ?? []),
    keys: () => [...byKey.keys()],
  };
}

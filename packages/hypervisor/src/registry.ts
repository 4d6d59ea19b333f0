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
  /** Another name for a hypervisor, in every lookup. It can be taken once, as a key can. */
  alias(alias: string, hypervisor: string): void;
  unalias(alias: string): void;
  /** The most specific one: hypervisor and architecture, hypervisor, architecture, everyone's. */
  resolve(hypervisor: string, architecture?: string): T | undefined;
  /** All that apply, from the most general to the most specific. */
  layers(hypervisor: string, architecture: string): T[];
  keys(): string[];
}

export function createRegistry<T>(contract: string): Registry<T> {
  const byKey = new Map<string, T>();
  const aliases = new Map<string, string>();
  const nameOf = (hypervisor: string): string => aliases.get(hypervisor) ?? hypervisor;
  const generalToSpecific = (hypervisor: string, architecture: string): string[] => [
    '',
    hypervisor,
    architecture,
    `${hypervisor}/${architecture}`,
  ];
  return {
    register(key, implementation) {
      if (byKey.has(key)) throw new Error(`hypervisor "${key}" already has a ${contract}`);
      const [hypervisor = ''] = key.split('/');
      if (aliases.has(hypervisor)) throw new Error(`"${hypervisor}" is another name of "${aliases.get(hypervisor)}"`);
      byKey.set(key, implementation);
    },
    unregister: (key) => void byKey.delete(key),
    alias(alias, hypervisor) {
      const isTaken = aliases.has(alias) || [...byKey.keys()].some((key) => key.split('/')[0] === alias);
      if (isTaken) throw new Error(`"${alias}" already names a ${contract}; "${hypervisor}" cannot use it as an alias`);
      aliases.set(alias, hypervisor);
    },
    unalias: (alias) => void aliases.delete(alias),
    resolve(hypervisor, architecture = '') {
      const name = nameOf(hypervisor);
      return [`${name}/${architecture}`, name, architecture, '']
        .map((key) => byKey.get(key))
        .find((found) => found !== undefined);
    },
    layers: (hypervisor, architecture) =>
      [...new Set(generalToSpecific(nameOf(hypervisor), architecture))].flatMap((key) => byKey.get(key) ?? []),
    keys: () => [...byKey.keys()],
  };
}

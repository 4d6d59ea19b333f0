import type { Scene } from '../scene.ts';
import { guestsOf, wrongCards } from './cards.ts';
import { wrongPolicies } from './policies.ts';
import { wrongServices } from './services.ts';

/** Where the network in the kernel is not what the objects say. Empty where there is none. */
export function wrongNetwork(scene: Scene): string[] {
  const { network } = scene;
  if (!network) return [];
  const lost = (['inet', 'arp'] as const).filter((family) => !network.tables[family]);
  return [
    ...lost.map((family) => `table ${family} ${network.name} is missing`),
    ...wrongCards(scene, network),
    ...wrongServices(scene, network),
    ...wrongPolicies(scene, network),
  ];
}

/** What must stay as it is in all rounds: the address of a VMI, the network, and the rules that belong to no object. */
export class NetworkMemory {
  readonly #addresses = new Map<string, string>();
  #name: string | undefined;
  #rules: string | undefined;

  /** What is not as it was. To be called with scenes at rest. */
  changes(scene: Scene): string[] {
    const { network } = scene;
    const problems: string[] = [];
    for (const { name, uid, ...guest } of network ? guestsOf(scene) : []) {
      const address = [guest.address, guest.address6].filter(Boolean).join(' ');
      const before = this.#addresses.get(uid) ?? address;
      if (before !== address) problems.push(`${name} had the address ${before}, and has ${address}`);
      this.#addresses.set(uid, before);
    }
    this.#name ??= network?.name;
    if (this.#name !== network?.name) problems.push(`the network was ${this.#name}, and is ${network?.name}`);
    const rules = network && rulesOfNobody(network.tables);
    this.#rules ??= rules;
    if (this.#rules !== rules) problems.push(`the rules that never change were ${this.#rules}, and are ${rules}`);
    return problems;
  }
}

const rulesOfNobody = ({ inet, arp }: NonNullable<Scene['network']>['tables']): string =>
  JSON.stringify(
    [inet, arp].map((table) => [...(table?.chains ?? [])].filter(([name]) => !name.includes('/'))),
    (key, value: unknown) => (key === 'handle' ? undefined : value),
  );

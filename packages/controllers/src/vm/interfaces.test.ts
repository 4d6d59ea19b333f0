import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { type Cards, cardRestarts, remainingCards, updatedCards } from './interfaces.ts';

type Spec = Vmi['spec'];
type Card = [Interface, Network];

const pod = (more: Partial<Interface> = {}): Card => [
  { name: 'default', masquerade: {}, ...more },
  { name: 'default', pod: {} },
];
const lab = (more: Partial<Interface> = {}, networkName = 'lab'): Card => [
  { name: 'lab', bridge: {}, ...more },
  { name: 'lab', multus: { networkName } },
];
const spec = (...cards: Card[]): Spec => ({
  domain: { devices: { interfaces: cards.map(([card]) => card) } },
  networks: cards.map(([, network]) => network),
});
const running = (plugged: string[], ...cards: Card[]): Vmi =>
  vmiWith({ interfaces: plugged.map((name) => ({ name })) }, {}, spec(...cards));
const cards = (...all: Card[]): Cards => ({
  interfaces: all.map(([card]) => card),
  networks: all.map(([, network]) => network),
});
const live = { isStaged: false };

describe('a VMI follows its VM', () => {
  it.each<[string, Vmi, Spec, Cards | undefined]>([
    ['nothing to do', running(['default', 'lab'], pod(), lab()), spec(pod(), lab()), undefined],
    ['a card comes', running(['default'], pod()), spec(pod(), lab()), cards(pod(), lab())],
    [
      'a card comes with its link down',
      running([], pod()),
      spec(pod(), lab({ state: 'down' })),
      cards(pod(), lab({ state: 'down' })),
    ],
    [
      'a card is to go',
      running(['default', 'lab'], pod(), lab()),
      spec(pod(), lab({ state: 'absent' })),
      cards(pod(), lab({ state: 'absent' })),
    ],
    [
      'the guest has not let go of it',
      running(['lab'], pod(), lab({ state: 'absent' })),
      spec(pod(), lab({ state: 'absent' })),
      undefined,
    ],
    [
      'it is gone',
      running(['default'], pod(), lab({ state: 'absent' })),
      spec(pod(), lab({ state: 'absent' })),
      cards(pod()),
    ],
    [
      'one that goes is wanted again: first it goes',
      running(['lab'], pod(), lab({ state: 'absent' })),
      spec(pod(), lab()),
      undefined,
    ],
    [
      'it was never plugged in',
      running(['default'], pod(), lab()),
      spec(pod(), lab({ state: 'absent' })),
      cards(pod()),
    ],
    [
      'a cable is pulled out',
      running([], pod({ model: 'e1000' })),
      spec(pod({ state: 'down' })),
      cards(pod({ model: 'e1000', state: 'down' })),
    ],
    [
      'a cable is plugged in',
      running([], pod({ state: 'down' })),
      spec(pod({ state: 'up' })),
      cards(pod({ state: 'up' })),
    ],
    ['nothing is said of it any more', running([], pod({ state: 'down' })), spec(pod()), cards(pod())],
    ['another network', running(['lab'], lab()), spec(lab({}, 'other')), cards(lab({}, 'other'))],
    ['a model that PCIe has not', running([], pod()), spec(pod(), lab({ model: 'e1000' })), undefined],
    ['a pod network', running([], lab()), spec(lab(), pod()), undefined],
    ['a card that was taken out of the template', running(['lab'], pod(), lab()), spec(pod()), undefined],
  ])('%s', (_, vmi, wanted, expected) => {
    expect(updatedCards(vmi, wanted, live)).toEqual(expected);
  });

  it('only by a restart where changes are staged; links are no such change', () => {
    const vmi = running(['lab'], lab());
    for (const wanted of [spec(lab(), pod()), spec(lab({ state: 'absent' })), spec(lab({}, 'other'))])
      expect(updatedCards(vmi, wanted, { isStaged: true })).toBeUndefined();
    expect(updatedCards(vmi, spec(lab({ state: 'down' })), { isStaged: true })).toEqual(cards(lab({ state: 'down' })));
  });
});

describe('what a VM says of a card that is unplugged', () => {
  const template = spec(pod(), lab({ state: 'absent' }));
  it.each<[string, Vmi | undefined, Cards | undefined]>([
    ['is kept while it is in the spec of the VMI', running([], pod(), lab({ state: 'absent' })), undefined],
    ['is kept while the guest has it', running(['lab'], pod()), undefined],
    ['goes with it', running(['default'], pod()), cards(pod())],
    ['goes where nothing runs', undefined, cards(pod())],
  ])('%s', (_, vmi, expected) => {
    expect(remainingCards(template, vmi)).toEqual(expected);
  });
});

describe('a restart', () => {
  const started = spec(pod(), lab());
  it.each<[string, Spec, Spec, string[]]>([
    ['nothing changed', spec(pod(), lab()), started, []],
    ['links and networks', spec(pod({ state: 'down' }), lab({}, 'other')), started, []],
    [
      'a card to plug in',
      spec(pod(), lab(), [
        { name: 'b', bridge: {} },
        { name: 'b', multus: { networkName: 'b' } },
      ]),
      started,
      [],
    ],
    ['a card to unplug', spec(pod(), lab({ state: 'absent' })), started, []],
    ['one that is on its way out', spec(pod()), spec(pod(), lab({ state: 'absent' })), []],
    ['defaults of the VMI', started, spec(pod({ model: 'virtio' }), lab()), []],
    [
      'another address',
      spec(pod(), lab({ macAddress: '02:00:00:00:00:01' })),
      started,
      ['network interface lab will be changed by a restart'],
    ],
    ['a card is just gone', spec(pod()), started, ['network interface lab will be removed by a restart']],
    [
      'a model that PCIe has not',
      spec(pod(), lab({ model: 'e1000' })),
      spec(pod()),
      ['network interface lab will be added by a restart'],
    ],
    [
      'another binding',
      spec(pod(), lab({ bridge: undefined, sriov: {} })),
      spec(pod()),
      ['network interface lab will be added by a restart'],
    ],
  ])('%s', (_, current, here, expected) => {
    expect(cardRestarts(started, current, here, live)).toEqual(expected);
  });

  it('is needed for a plugged card that is taken out of the template, and not for the network that a VM has by default', () => {
    const says = ['network interface lab will be removed by a restart'];
    expect(cardRestarts(spec(), spec(), spec(pod(), lab()), live)).toEqual(says);
    expect(cardRestarts(spec(), spec(), spec(pod()), live)).toEqual([]);
    expect(cardRestarts(spec(), spec(lab()), spec(pod()), live)).toEqual([
      'network interface default will be removed by a restart',
    ]);
    expect(cardRestarts(spec(), spec(pod(), lab()), spec(pod()), live)).toEqual([]);
  });

  it('is needed for all of it where changes are staged', () => {
    const current = spec(pod(), lab({ state: 'absent' }));
    expect(cardRestarts(started, current, started, { isStaged: true })).toHaveLength(1);
    expect(cardRestarts(started, spec(pod(), lab({}, 'other')), started, { isStaged: true })).toHaveLength(1);
    expect(cardRestarts(spec(pod()), started, spec(pod()), { isStaged: true })).toHaveLength(1);
  });

  it('is needed where the guest was started without free ports', () => {
    const { domain, networks } = spec(pod());
    const closed = { networks, domain: { devices: { ...domain.devices, disableHotplug: true } } };
    expect(cardRestarts(closed, started, closed, live)).toEqual(['network interface lab will be added by a restart']);
  });
});

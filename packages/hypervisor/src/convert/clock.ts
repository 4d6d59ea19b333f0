import type { Timer } from '@vireo/api/kinds/kubevirt/clock.ts';
import { el, type XmlElement } from '../xml.ts';
import { oneOf, type Topic } from './conversion.ts';
import { ConversionError } from './error.ts';

const PATH = 'spec.domain.clock';
const TICKS = ['delay', 'catchup', 'merge', 'discard'] as const;

export const clock: Topic = ({ domain, hypervisor }) => {
  const { clock } = domain;
  if (!clock) return [];
  const elements = timers(clock.timer ?? {}, hypervisor.isAccelerated);
  if (clock.timezone) {
    if (!/^[\w+/-]+$/.test(clock.timezone)) {
      throw new ConversionError(`${PATH}.timezone`, `${JSON.stringify(clock.timezone)} is not a time zone`);
    }
    return [el('clock', { offset: 'timezone', timezone: clock.timezone }, ...elements)];
  }
  const seconds = clock.utc?.offsetSeconds;
  if (seconds === undefined) return [el('clock', { offset: 'utc' }, ...elements)];
  return [el('clock', { offset: 'variable', adjustment: seconds, basis: 'utc' }, ...elements)];
};

/** The clocks of KVM and Hyper-V are there only where KVM is. */
function timers({ rtc, pit, kvm, hpet, hyperv }: Timer, isAccelerated: boolean): XmlElement[] {
  const present = (timer: { present?: boolean }): string => (timer.present === false ? 'no' : 'yes');
  const ticks = (timer: { tickPolicy?: string }, name: string): string | undefined =>
    timer.tickPolicy ? oneOf(timer.tickPolicy, TICKS, `${PATH}.timer.${name}.tickPolicy`) : undefined;
  return [
    rtc &&
      el('timer', {
        name: 'rtc',
        present: present(rtc),
        tickpolicy: ticks(rtc, 'rtc'),
        track: rtc.track ? oneOf(rtc.track, ['guest', 'wall'], `${PATH}.timer.rtc.track`) : undefined,
      }),
    pit && el('timer', { name: 'pit', present: present(pit), tickpolicy: ticks(pit, 'pit') }),
    kvm && isAccelerated && el('timer', { name: 'kvmclock', present: present(kvm) }),
    hpet && el('timer', { name: 'hpet', present: present(hpet), tickpolicy: ticks(hpet, 'hpet') }),
    hyperv && isAccelerated && el('timer', { name: 'hypervclock', present: present(hyperv) }),
  ].filter((element) => element !== undefined && element !== false);
}

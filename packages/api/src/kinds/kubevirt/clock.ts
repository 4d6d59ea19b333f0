import { boolean, type Infer, int32, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const HPETTimer = struct('io.kubevirt.v1.HPETTimer', 'High Precision Event Timer (HPET) of the guest.', {
  present: optional(boolean, 'Whether the guest has the timer. Defaults to true.'),
  tickPolicy: optional(string, 'What happens to missed ticks: delay, catchup, merge or discard.'),
});
export interface HPETTimer extends Infer<typeof HPETTimer> {}

export const HypervTimer = struct('io.kubevirt.v1.HypervTimer', 'Hyper-V reference clock, which Windows guests use.', {
  present: optional(boolean, 'Whether the guest has the clock. Defaults to true.'),
});
export interface HypervTimer extends Infer<typeof HypervTimer> {}

export const KVMTimer = struct('io.kubevirt.v1.KVMTimer', 'Paravirtualized KVM clock, which Linux guests use.', {
  present: optional(boolean, 'Whether the guest has the clock. Defaults to true.'),
});
export interface KVMTimer extends Infer<typeof KVMTimer> {}

export const PITTimer = struct('io.kubevirt.v1.PITTimer', 'Programmable Interval Timer (PIT) of the guest.', {
  present: optional(boolean, 'Whether the guest has the timer. Defaults to true.'),
  tickPolicy: optional(string, 'What happens to missed ticks: delay, catchup or discard.'),
});
export interface PITTimer extends Infer<typeof PITTimer> {}

export const RTCTimer = struct('io.kubevirt.v1.RTCTimer', 'Emulated real-time clock (RTC) of the guest.', {
  present: optional(boolean, 'Whether the guest has the clock. Defaults to true.'),
  tickPolicy: optional(string, 'What happens to missed ticks: delay or catchup.'),
  track: optional(string, 'Time that the clock follows: guest or wall.'),
});
export interface RTCTimer extends Infer<typeof RTCTimer> {}

export const Timer = struct('io.kubevirt.v1.Timer', 'Timers that are available to the guest.', {
  hpet: optional(HPETTimer, 'High Precision Event Timer (HPET) and its settings.'),
  hyperv: optional(HypervTimer, 'Hyper-V reference clock, for Windows guests.'),
  kvm: optional(KVMTimer, 'Paravirtualized KVM clock, for Linux guests.'),
  pit: optional(PITTimer, 'Programmable Interval Timer (PIT) and its settings.'),
  rtc: optional(RTCTimer, 'Emulated real-time clock (RTC) and its settings.'),
});
export interface Timer extends Infer<typeof Timer> {}

export const ClockOffsetUTC = struct('io.kubevirt.v1.ClockOffsetUTC', "Sets the guest's clock to UTC at boot.", {
  offsetSeconds: optional(int32, "Seconds to add to UTC. If set, the guest's changes to the clock survive a reboot."),
});
export interface ClockOffsetUTC extends Infer<typeof ClockOffsetUTC> {}

export const ClockOffset = struct(
  'io.kubevirt.v1.ClockOffset',
  "What the guest's clock is set to at boot. Set utc or timezone.",
  {
    timezone: optional(string, 'The time of a zone, such as Europe/Berlin.'),
    utc: optional(ClockOffsetUTC, 'Set the clock to UTC, shifted by offsetSeconds if given.'),
  },
);
export interface ClockOffset extends Infer<typeof ClockOffset> {}

export const Clock = struct(
  'io.kubevirt.v1.Clock',
  'Clock offset and timers of the guest.',
  {
    timer: optional(Timer, 'Timers that are available to the guest.'),
    timezone: optional(string, 'The clock shows the time of this zone, such as Europe/Berlin.'),
    utc: optional(ClockOffsetUTC, 'Set the clock to UTC, shifted by offsetSeconds if given.'),
  },
  { preserveUnknownFields: true },
);
export interface Clock extends Infer<typeof Clock> {}

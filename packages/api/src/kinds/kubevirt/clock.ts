import { boolean, type Infer, int32, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const HPETTimer = struct('io.kubevirt.v1.HPETTimer', 'The high precision event timer.', {
  present: optional(boolean, 'Whether the guest has it; true when missing.'),
  tickPolicy: optional(string, 'What becomes of missed ticks: delay, catchup, merge or discard.'),
});
export interface HPETTimer extends Infer<typeof HPETTimer> {}

export const HypervTimer = struct('io.kubevirt.v1.HypervTimer', 'The clock of Hyper-V, for Windows.', {
  present: optional(boolean, 'Whether the guest has it; true when missing.'),
});
export interface HypervTimer extends Infer<typeof HypervTimer> {}

export const KVMTimer = struct('io.kubevirt.v1.KVMTimer', 'The clock of KVM, for Linux.', {
  present: optional(boolean, 'Whether the guest has it; true when missing.'),
});
export interface KVMTimer extends Infer<typeof KVMTimer> {}

export const PITTimer = struct('io.kubevirt.v1.PITTimer', 'The programmable interval timer.', {
  present: optional(boolean, 'Whether the guest has it; true when missing.'),
  tickPolicy: optional(string, 'What becomes of missed ticks: delay, catchup or discard.'),
});
export interface PITTimer extends Infer<typeof PITTimer> {}

export const RTCTimer = struct('io.kubevirt.v1.RTCTimer', 'The real-time clock.', {
  present: optional(boolean, 'Whether the guest has it; true when missing.'),
  tickPolicy: optional(string, 'What becomes of missed ticks: delay or catchup.'),
  track: optional(string, 'Which time it follows: guest or wall.'),
});
export interface RTCTimer extends Infer<typeof RTCTimer> {}

export const Timer = struct('io.kubevirt.v1.Timer', 'The timers that the guest finds.', {
  hpet: optional(HPETTimer, 'The high precision event timer.'),
  hyperv: optional(HypervTimer, 'The clock of Hyper-V, for Windows.'),
  kvm: optional(KVMTimer, 'The clock of KVM, for Linux.'),
  pit: optional(PITTimer, 'The programmable interval timer.'),
  rtc: optional(RTCTimer, 'The real-time clock.'),
});
export interface Timer extends Infer<typeof Timer> {}

export const ClockOffsetUTC = struct('io.kubevirt.v1.ClockOffsetUTC', 'A clock that shows UTC.', {
  offsetSeconds: optional(int32, 'Seconds to add. With it, what the guest sets survives a reboot.'),
});
export interface ClockOffsetUTC extends Infer<typeof ClockOffsetUTC> {}

export const ClockOffset = struct(
  'io.kubevirt.v1.ClockOffset',
  "What the guest's clock shows at boot. One of the two.",
  {
    timezone: optional(string, 'The time of a zone, such as Europe/Berlin.'),
    utc: optional(ClockOffsetUTC, 'UTC.'),
  },
);
export interface ClockOffset extends Infer<typeof ClockOffset> {}

export const Clock = struct(
  'io.kubevirt.v1.Clock',
  "The guest's clock and timers.",
  {
    timer: optional(Timer, 'The timers that the guest finds.'),
    timezone: optional(string, 'The clock shows the time of this zone, such as Europe/Berlin.'),
    utc: optional(ClockOffsetUTC, 'The clock shows UTC.'),
  },
  { preserveUnknownFields: true },
);
export interface Clock extends Infer<typeof Clock> {}

import { el, type XmlElement } from '../xml.ts';
import { type Conversion, oneOf, type Topic, userAlias } from './conversion.ts';

const VIDEOS = ['vga', 'cirrus', 'virtio', 'ramfb', 'bochs'] as const;

const hasScreen = ({ devices }: Conversion): boolean => devices.autoattachGraphicsDevice !== false;

/** VNC on a socket. */
export const graphics: Topic = (conversion) =>
  hasScreen(conversion)
    ? [el('graphics', { type: 'vnc' }, el('listen', { type: 'socket', socket: conversion.context.paths.vncSocket }))]
    : [];

export const video: Topic = (conversion) => {
  if (!hasScreen(conversion)) return [el('video', {}, el('model', { type: 'none' }))];
  const model = oneOf(
    conversion.devices.video?.type || usualVideo(conversion),
    VIDEOS,
    'spec.domain.devices.video.type',
  );
  const sizes = model === 'ramfb' ? {} : model === 'vga' ? { heads: 1, vram: 16384 } : { heads: 1 };
  return [el('video', {}, el('model', { type: model, ...sizes }))];
};

/** What the firmware can draw on. */
function usualVideo({ architecture, domain }: Conversion): (typeof VIDEOS)[number] {
  if (architecture !== 'amd64') return 'virtio';
  return domain.firmware?.bootloader?.efi ? 'bochs' : 'vga';
}

/** Tablets of the spec. ARM VMIs have no PS/2, so a screen brings a tablet and a keyboard there. */
export const inputs: Topic = (conversion) => {
  const { devices, architecture } = conversion;
  const given = (devices.inputs ?? []).map((input, index) => {
    const field = `spec.domain.devices.inputs[${index}]`;
    oneOf(input.type, ['tablet'], `${field}.type`);
    const bus = oneOf(input.bus || 'usb', ['usb', 'virtio'], `${field}.bus`);
    return tablet(bus, bus === 'virtio' ? 'virtio' : undefined, userAlias(input.name, `${field}.name`));
  });
  if (architecture !== 'arm64' || !hasScreen(conversion)) return given;
  return [...given, ...(given.length === 0 ? [tablet('usb')] : []), el('input', { type: 'keyboard', bus: 'usb' })];
};

const tablet = (bus: string, model?: string, alias?: XmlElement): XmlElement =>
  el('input', { type: 'tablet', bus, model }, alias);

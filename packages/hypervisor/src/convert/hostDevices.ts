import { el, type XmlElement } from '../xml.ts';
import type { HostDeviceSource } from './context.ts';
import { pciNumbers, type Topic, userAlias } from './conversion.ts';
import { ConversionError } from './error.ts';

const PATH = 'spec.domain.devices';

/** Devices of the host that the guest gets: graphics cards and others. */
export const hostDevices: Topic = ({ devices, context }) => {
  const wanted = [
    ...(devices.gpus ?? []).map(({ name }, index) => ({ name, field: `${PATH}.gpus[${index}]` })),
    ...(devices.hostDevices ?? []).map(({ name }, index) => ({ name, field: `${PATH}.hostDevices[${index}]` })),
  ];
  const sources = context.hostDevices ?? {};
  return wanted.map(({ name, field }) => {
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (!source)
      throw new ConversionError(`${field}.name`, `this node has not assigned a device to ${JSON.stringify(name)}`);
    return hostDevice(source, name, field);
  });
};

function hostDevice(source: HostDeviceSource, name: string, field: string): XmlElement {
  const alias = userAlias(name, `${field}.name`);
  const subsystem = { mode: 'subsystem', type: source.kind };
  switch (source.kind) {
    case 'pci':
      return el(
        'hostdev',
        { ...subsystem, managed: 'no' },
        el('source', {}, el('address', pciNumbers(source.address, field))),
        alias,
      );
    case 'mdev':
      return el(
        'hostdev',
        { ...subsystem, model: 'vfio-pci' },
        el('source', {}, el('address', { uuid: source.uuid })),
        alias,
      );
    case 'usb':
      return el(
        'hostdev',
        { ...subsystem, managed: 'no' },
        el('source', {}, el('address', { bus: source.bus, device: source.device })),
        alias,
      );
  }
}

/** Sockets by which a user lends the guest USB devices. */
export const usbRedirection: Topic = ({ devices, context }) => {
  if (!devices.clientPassthrough) return [];
  const sockets = context.paths.usbRedirectionSockets ?? [];
  if (sockets.length === 0)
    throw new ConversionError(`${PATH}.clientPassthrough`, 'this node does not redirect USB devices');
  return sockets.map((path) => el('redirdev', { bus: 'usb', type: 'unix' }, el('source', { mode: 'bind', path })));
};

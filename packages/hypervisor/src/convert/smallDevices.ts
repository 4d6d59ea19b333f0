import { el } from '../xml.ts';
import { oneOf, type Topic, userAlias, virtioModel } from './conversion.ts';
import { ConversionError } from './error.ts';

const PATH = 'spec.domain.devices';

export const watchdog: Topic = ({ devices, architecture }) => {
  const { watchdog: dog } = devices;
  if (!dog) return [];
  const field = `${PATH}.watchdog`;
  const model = dog.i6300esb ? 'i6300esb' : dog.diag288 ? 'diag288' : undefined;
  if (!model) throw new ConversionError(field, 'a watchdog requires i6300esb or diag288');
  if ((model === 'diag288') !== (architecture === 's390x') || architecture === 'arm64') {
    throw new ConversionError(`${field}.${model}`, `${architecture} does not support this watchdog`);
  }
  const action = oneOf(dog[model]?.action || 'reset', ['poweroff', 'reset', 'shutdown'], `${field}.${model}.action`);
  return [el('watchdog', { model, action }, userAlias(dog.name, `${field}.name`))];
};

export const rng: Topic = (conversion) =>
  conversion.devices.rng
    ? [el('rng', { model: virtioModel(conversion) }, el('backend', { model: 'random' }, '/dev/urandom'))]
    : [];

export const tpm: Topic = ({ devices, architecture, context }) => {
  const { tpm: module } = devices;
  if (!module || module.enabled === false) return [];
  const model = architecture === 'arm64' ? 'tpm-tis-device' : module.persistent ? 'tpm-crb' : 'tpm-tis';
  const { tpmSocket: path } = context.paths;
  if (path !== undefined) {
    const source = el('source', { type: 'unix', mode: 'connect', path });
    return [el('tpm', { model }, el('backend', { type: 'external' }, source))];
  }
  return [
    el(
      'tpm',
      { model },
      el('backend', { type: 'emulator', version: '2.0', persistent_state: module.persistent ? 'yes' : undefined }),
    ),
  ];
};

/** The VMI's own number where it has one; else one that is free. */
export const vsock: Topic = (conversion) => {
  if (!conversion.devices.autoattachVSOCK) return [];
  const cid = conversion.vmi.status?.VSOCKCID;
  const place = cid === undefined ? { auto: 'yes' } : { auto: 'no', address: cid };
  return [el('vsock', { model: virtioModel(conversion) }, el('cid', place))];
};

export const panic: Topic = ({ devices }) =>
  (devices.panicDevices ?? []).map((device, index) => {
    const field = `${PATH}.panicDevices[${index}].model`;
    const model = oneOf(device.model || 'isa', ['hyperv', 'isa', 'pvpanic'], field);
    if (model === 'pvpanic') throw new ConversionError(field, 'this version of libvirt supports isa and hyperv only');
    return el('panic', { model });
  });

export const sound: Topic = ({ devices }) => {
  if (!devices.sound) return [];
  const field = `${PATH}.sound`;
  const model = oneOf(devices.sound.model || 'ich9', ['ich9', 'ac97'], `${field}.model`);
  return [el('sound', { model }, userAlias(devices.sound.name, `${field}.name`))];
};

export const launchSecurity: Topic = ({ domain }) => {
  const protection = Object.keys(domain.launchSecurity ?? {})[0];
  if (!protection) return [];
  throw new ConversionError(`spec.domain.launchSecurity.${protection}`, 'this node does not support launch security');
};

import { el, parseXml, select, type XmlElement } from '../xml.ts';
import type { Conversion, Topic } from './conversion.ts';
import { ConversionError } from './error.ts';

/** XML namespace of what we write into a domain's `<metadata>`. */
export const METADATA_NAMESPACE = 'urn:vireo:vmi:1';

export const QEMU_NAMESPACE = 'http://libvirt.org/schemas/domain/qemu/1.0';

const UUID = /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i;

/** The VMI that a domain belongs to, as its metadata tells. */
export interface DomainOwner {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** How long its guest may take to shut down; missing where the VMI does not say. */
  readonly graceSeconds?: number;
}

/** Name of the domain in libvirt; namespaces have no underscores, so it is unique. */
export const domainName = (namespace: string, name: string): string => `${namespace}_${name}`;

export const identity: Topic = ({ vmi, context }) => {
  const { namespace = 'default', name } = vmi.metadata ?? {};
  if (!name) throw new ConversionError('metadata.name', 'a VMI without a name cannot run');
  if (/[/\n]/.test(name))
    throw new ConversionError('metadata.name', 'libvirt does not allow slashes and line breaks in names');
  if (!UUID.test(context.domainUuid)) {
    throw new ConversionError('metadata.uid', `${JSON.stringify(context.domainUuid)} is not a UUID`);
  }
  return [
    el('name', {}, domainName(namespace, name)),
    el('uuid', {}, context.domainUuid),
    el(
      'metadata',
      {},
      el('vireo:vmi', {
        'xmlns:vireo': METADATA_NAMESPACE,
        uid: context.domainUuid,
        namespace,
        name,
        graceSeconds: vmi.spec.terminationGracePeriodSeconds,
      }),
    ),
  ];
};

/** Reads the owner from a domain's XML; undefined where the domain is not ours. */
export function domainOwner(xml: string): DomainOwner | undefined {
  const ours = select(parseXml(xml), 'metadata/vireo:vmi').find(
    ({ attributes }) => attributes['xmlns:vireo'] === METADATA_NAMESPACE,
  );
  if (!ours) return undefined;
  const { uid = '', namespace = '', name = '', graceSeconds } = ours.attributes;
  return { uid, namespace, name, ...(graceSeconds !== undefined && { graceSeconds: Number(graceSeconds) }) };
}

/**
 * The UUID that the guest reads. It is not the domain's: libvirt runs one domain a UUID, and VMIs made from one
 * template may carry the same firmware UUID.
 */
export const guestUuid: Topic = ({ domain }) => {
  const uuid = domain.firmware?.uuid;
  if (!uuid) return [];
  if (!UUID.test(uuid)) throw new ConversionError('spec.domain.firmware.uuid', `${JSON.stringify(uuid)} is not a UUID`);
  return [qemuArguments('-uuid', uuid)];
};

/** Whom QEMU runs as. The numbers are in no list of users; the files that it uses are given to it before. */
export const securityLabel: Topic = ({ context: { user } }) =>
  user
    ? [el('seclabel', { type: 'static', model: 'dac', relabel: 'no' }, el('label', {}, `+${user.uid}:+${user.gid}`))]
    : [];

const qemuArguments = (...values: string[]): XmlElement =>
  el('qemu:commandline', {}, ...values.map((value) => el('qemu:arg', { value })));

const MAKER = { manufacturer: 'KubeVirt', product: 'None', family: 'KubeVirt' };

/** What the guest reads about its maker, itself and its case. */
export const sysinfo: Topic = ({ context, domain, architecture }: Conversion) => {
  if (architecture === 's390x') return [];
  const { manufacturer, product, version, sku, family } = { ...MAKER, ...context.smbios };
  const { chassis = {} } = domain;
  const system = entries({ manufacturer, product, version, serial: domain.firmware?.serial, sku, family });
  const box = entries({
    manufacturer: chassis.manufacturer,
    version: chassis.version,
    serial: chassis.serial,
    asset: chassis.asset,
    sku: chassis.sku,
  });
  return [el('sysinfo', { type: 'smbios' }, el('system', {}, ...system), box.length > 0 && el('chassis', {}, ...box))];
};

const entries = (texts: Record<string, string | undefined>): XmlElement[] =>
  Object.entries(texts).flatMap(([name, text]) => (text ? [el('entry', { name }, text)] : []));

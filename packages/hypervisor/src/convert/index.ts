export { GUEST_AGENT_CHANNEL } from './consoles.ts';
export * from './context.ts';
export type { Conversion, HypervisorConverter } from './conversion.ts';
export { convertDisk, convertDomain, convertInterface } from './convertDomain.ts';
export { diskLetters } from './disks.ts';
export { ConversionError } from './error.ts';
export { convertFilesystem } from './filesystems.ts';
export { type DomainOwner, domainName, domainOwner, METADATA_NAMESPACE } from './identity.ts';
export { interfaceQueues } from './interfaces.ts';

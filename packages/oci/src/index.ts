export { type DiskFormat, diskFormat } from './diskFormat.ts';
export { isOciError, OciError, type OciErrorCode } from './errors.ts';
export { type ResolvedImage, resolveImage } from './image.ts';
export { openLocalImage } from './layout/open.ts';
export { type Boundary, OffLimits, ownBoundary } from './offLimits.ts';
export {
  type ExtractOptions,
  extractDisk,
  extractFile,
  type Progress,
  type PulledDisk,
  type PulledFile,
  type PullOptions,
  pullDisk,
} from './pullDisk.ts';
export { formatReference, type ImageReference, parseReference } from './reference.ts';
export { type Credentials, credentialsFor } from './registry/credentials.ts';
export type { RegistrySettings } from './registry/endpoints.ts';
export { RegistryImage, type RegistryOptions } from './registry/registry.ts';
export type { ImageSource } from './source.ts';

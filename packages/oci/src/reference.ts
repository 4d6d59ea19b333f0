import { parseDigest } from './digest.ts';
import { OciError } from './errors.ts';

/** Which image is meant. */
export interface ImageReference {
  /** `docker.io`, `registry.example:5000`. */
  readonly registry: string;
  /** `library/alpine`. */
  readonly repository: string;
  /** Present unless there is a digest alone. */
  readonly tag?: string;
  /** Present when it was given; it then decides, whatever the tag. */
  readonly digest?: string;
}

const DEFAULT_REGISTRY = 'docker.io';
const MAX_NAME_LENGTH = 255;

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const HOST = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::([0-9]{1,5}))?$`);
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/**
 * Reads `[registry/]repository[:tag][@digest]` by Docker's rules: without a registry it is Docker Hub's, and there a
 * repository without an owner is `library/…`; without tag and digest it is `latest`.
 */
export function parseReference(text: string): ImageReference {
  const refuse = (why: string): never => {
    throw new OciError('InvalidReference', `${JSON.stringify(text)} is not a valid image reference: ${why}`);
  };
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !parseDigest(digest))
    refuse(`${JSON.stringify(digest)} is not a sha256 or sha512 digest`);
  const named = at < 0 ? text : text.slice(0, at);
  const { name, tag } = splitTag(named);
  if (tag !== undefined && !TAG.test(tag)) refuse(`${JSON.stringify(tag)} is not a valid tag`);
  if (!name) refuse('the name is empty');
  const { registry, path } = splitRegistry(name);
  const port = HOST.exec(registry)?.[1];
  if (!HOST.test(registry) || Number(port ?? 1) > 65_535 || port === '0')
    refuse(`${JSON.stringify(registry)} is not a valid registry`);
  const wrong = path.split('/').find((component) => !COMPONENT.test(component));
  if (wrong !== undefined)
    refuse(`${JSON.stringify(wrong)} is not valid in a repository name; use lowercase letters and digits`);
  const repository = registry === DEFAULT_REGISTRY && !path.includes('/') ? `library/${path}` : path;
  if (registry.length + repository.length + 1 > MAX_NAME_LENGTH)
    refuse(`it is longer than ${MAX_NAME_LENGTH} characters`);
  return {
    registry,
    repository,
    ...(tag !== undefined ? { tag } : digest === undefined ? { tag: 'latest' } : {}),
    ...(digest !== undefined && { digest }),
  };
}

/** The reference with everything that may be left out. */
export const formatReference = ({ registry, repository, tag, digest }: ImageReference): string =>
  `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;

/** What is asked for: the digest where there is one. */
export const wantedVersion = ({ digest, tag }: ImageReference): string => digest ?? tag ?? 'latest';

/** A colon after the last slash begins a tag; one before it, a port. */
function splitTag(text: string): { name: string; tag: string | undefined } {
  const colon = text.indexOf(':', text.lastIndexOf('/') + 1);
  return colon < 0 ? { name: text, tag: undefined } : { name: text.slice(0, colon), tag: text.slice(colon + 1) };
}

/** The first part is a registry if it looks like a host: a dot, a port, capitals, or localhost. */
function splitRegistry(name: string): { registry: string; path: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  if (slash < 0 || !(/[.:A-Z[]/.test(first) || first === 'localhost'))
    return { registry: DEFAULT_REGISTRY, path: name };
  const registry = first === 'index.docker.io' ? DEFAULT_REGISTRY : first;
  return { registry, path: name.slice(slash + 1) };
}

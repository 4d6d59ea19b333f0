import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../catalogue.ts';
import { parseLaunch } from './image.ts';

const launchOf = (
  words: readonly string[],
  { isHere = false, nameOption }: { isHere?: boolean; nameOption?: string },
) => {
  const [image, name] = words;
  return parseLaunch({ image, name, nameOption }, isHere);
};

describe('the words of launch', () => {
  it.each<{ words: string[]; more?: Parameters<typeof launchOf>[1]; image: string; name?: string; user?: string }>([
    { words: [], image: 'vireo/guest', user: 'vireo' },
    { words: [], more: { nameOption: 'web' }, image: 'vireo/guest', name: 'web' },
    { words: ['debian'], image: 'quay.io/containerdisks/debian:13', user: 'debian' },
    { words: ['debian:12', 'web'], image: 'quay.io/containerdisks/debian:12', name: 'web', user: 'debian' },
    {
      words: ['ubuntu', 'web'],
      more: { nameOption: 'web' },
      image: 'quay.io/containerdisks/ubuntu:24.04',
      name: 'web',
    },
    { words: ['centos'], image: 'quay.io/containerdisks/centos-stream:10', user: 'cloud-user' },
    { words: ['quay.io/a/b'], image: 'quay.io/a/b', user: 'vireo' },
    { words: ['team/fedora', 'web'], image: 'team/fedora', name: 'web' },
    { words: ['golden'], more: { isHere: true }, image: 'golden' },
    { words: ['oci-archive:golden'], image: 'oci-archive:golden' },
    { words: [`quay.io/a/b@sha256:${'a'.repeat(64)}`], image: `quay.io/a/b@sha256:${'a'.repeat(64)}` },
  ])('$words $more mean $image named $name', ({ words, more = {}, image, name, user }) => {
    const launch = launchOf(words, more);
    expect(launch).toMatchObject({ image: { reference: image, ...(user && { user }) } });
    expect(launch.name).toBe(name);
  });

  it.each<{ words: string[]; nameOption?: string; message: RegExp; hint?: RegExp }>([
    {
      words: ['web'],
      message: /^"web" is not an image in the catalog \(alpine, centos, debian, .*\), a local image, or a ref/,
      hint: /^Did you mean: vireo launch --name web\? To list images: vireo image list$/,
    },
    {
      words: ['ubunut', 'web'],
      message: /^"ubunut" is not an image/,
      hint: /^Did you mean: vireo launch ubuntu web\?/,
    },
    { words: ['web', 'debian'], message: /^"web" is not an image/, hint: /^Did you mean: vireo launch debian web\?/ },
    { words: ['Fedora'], message: /^"Fedora" is not an image/, hint: /^Did you mean: vireo launch fedora\?/ },
    {
      words: ['quay.io/Not/A'],
      message: /^"quay.io\/Not\/A" is not a valid image reference: "Not" is not valid/,
      hint: /REGISTRY\//,
    },
    { words: ['debian', 'web'], nameOption: 'db', message: /^the VM has two names: web and, with --name, db$/ },
    {
      words: ['debian', 'My VM'],
      message: /^"My VM" is not a valid name for a VM: a lowercase RFC 1123 subdomain must /,
      hint: undefined,
    },
  ])('$words are asked back: $message', ({ words, nameOption, message, hint }) => {
    const asked = () => launchOf(words, nameOption === undefined ? {} : { nameOption });
    expect(asked).toThrow(message);
    if (hint) expect(asked).toThrow(expect.objectContaining({ hint: expect.stringMatching(hint) }));
  });
});

it('the catalogue has each name once, in order, with tags and no digests', () => {
  const names = catalogue.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].sort());
  for (const { repository, tag } of catalogue) expect(`${repository}:${tag}`).toMatch(/^quay\.io\/[a-z/-]+:[\w.]+$/);
});

it('docs/images.md has every image of the catalogue, as it is', () => {
  const page = readFileSync(new URL('../../../../../../docs/images.md', import.meta.url), 'utf8');
  for (const { name, title, repository, tag, user, memory } of catalogue)
    expect(page).toMatch(
      new RegExp(`^\\| \`${name}\` \\| ${title}: \`${repository}:${tag}\`.* \\| \`${user}\` \\| ${memory} \\|$`, 'm'),
    );
});

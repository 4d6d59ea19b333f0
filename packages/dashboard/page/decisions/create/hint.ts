import type { Mapping } from '../yaml/values.ts';
import { readCards, readDisks, readDrives } from './extras.ts';
import { knownImage } from './images.ts';
import { readUserData } from './login.ts';
import { type Objects, textAt, vmName, vmNamespace } from './objects.ts';
import { readSize } from './size.ts';
import { readSource } from './source.ts';

/** The command that makes about the same machine: `vireo launch` where it can, else kubectl with the YAML. */
export function hintFor(objects: Objects): string {
  return launchLine(objects) ?? `kubectl apply -f ${vmName(objects) || 'vm'}.yaml`;
}

function launchLine(objects: Objects): string | undefined {
  const { vm } = objects;
  const source = readSource(vm);
  const size = readSize(vm);
  const [first, ...cards] = readCards(vm);
  if (source.kind !== 'image' || size.kind !== 'own' || !startsAlways(vm)) return undefined;
  if (readDisks(vm).length > 0 || readDrives(vm).length > 0) return undefined;
  if (first?.network !== '' || first.binding !== 'masquerade' || cards.some(({ network }) => network === ''))
    return undefined;
  // A password on a command line stays in the shell's history.
  if (objects.secret || readUserData(objects) !== undefined) return undefined;
  const known = knownImage(source.image);
  const words = [
    'vireo launch',
    known?.launchName ?? source.image,
    vmName(objects) || 'NAME',
    '-n',
    vmNamespace(objects),
  ];
  if (size.memory !== (known?.memory ?? '1Gi')) words.push('--memory', size.memory);
  if (size.cores !== '1' && size.cores !== '') words.push('--cpus', size.cores);
  if (!source.isKept) words.push('--ephemeral');
  else if (source.size !== (known?.disk ?? '10Gi')) words.push('--disk', source.size);
  for (const { network } of cards) words.push('--network', network);
  return words.every((word) => /^[\w./:@ -]*$/.test(word)) ? words.join(' ') : undefined;
}

const startsAlways = (vm: Mapping): boolean => textAt(vm, ['spec', 'runStrategy']) === 'Always';

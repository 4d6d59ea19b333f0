import { valueAt } from '../yaml/values.ts';
import { claimTemplates, withClaimTemplates } from './harvester.ts';
import { listAt, type Objects, TEMPLATES, textAt, VOLUMES, vmName, withAt, withList } from './objects.ts';

/** A name that begins with that of the VM, such as `web-root`, with the VM's new one. */
const renamed = (name: unknown, from: string, to: string): unknown =>
  typeof name === 'string' && name.startsWith(`${from}-`) ? `${to}${name.slice(from.length)}` : name;

/** Another name of the VM: its own volumes and its Secret are called after it, `-root` before it has one. */
export function renameVm(objects: Objects, name: string): Objects {
  const before = vmName(objects);
  const templates = listAt(objects.vm, TEMPLATES);
  const own = new Set(templates.map((each) => valueAt(each, ['metadata', 'name'])));
  const rename = (value: unknown): unknown => renamed(value, before, name);
  let vm = withAt(objects.vm, ['metadata', 'name'], name);
  vm = withList(
    vm,
    TEMPLATES,
    templates.map((each) => withAt(each, ['metadata', 'name'], rename(valueAt(each, ['metadata', 'name'])))),
  );
  const claims = new Set(claimTemplates(vm).map((each) => textAt(each, ['metadata', 'name'])));
  vm = withClaimTemplates(
    vm,
    claimTemplates(vm).map((each) => withAt(each, ['metadata', 'name'], rename(textAt(each, ['metadata', 'name'])))),
  );
  const secretName = objects.secret && textAt(objects.secret, ['metadata', 'name']);
  vm = withList(
    vm,
    VOLUMES,
    listAt(vm, VOLUMES).map((volume) => {
      const claim = valueAt(volume, ['dataVolume', 'name']);
      if (own.has(claim)) return withAt(volume, ['dataVolume', 'name'], rename(claim));
      const made = textAt(volume, ['persistentVolumeClaim', 'claimName']);
      if (claims.has(made)) return withAt(volume, ['persistentVolumeClaim', 'claimName'], rename(made));
      const reference = valueAt(volume, ['cloudInitNoCloud', 'secretRef', 'name']);
      return secretName !== undefined && reference === secretName
        ? withAt(volume, ['cloudInitNoCloud', 'secretRef', 'name'], rename(reference))
        : volume;
    }),
  );
  return {
    vm,
    ...(objects.secret && { secret: withAt(objects.secret, ['metadata', 'name'], rename(secretName)) }),
  };
}

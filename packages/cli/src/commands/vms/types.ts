import { InvalidArgumentError } from 'commander';

/** What a type that the user names means; long names, plurals and any case are taken, as virtctl does. */
export function parseType(text: string): 'vm' | 'vmi' {
  const type = text.toLowerCase();
  if (['vm', 'vms', 'virtualmachine', 'virtualmachines'].includes(type)) return 'vm';
  if (['vmi', 'vmis', 'virtualmachineinstance', 'virtualmachineinstances'].includes(type)) return 'vmi';
  throw new InvalidArgumentError('Allowed choices are vm, vmi.');
}

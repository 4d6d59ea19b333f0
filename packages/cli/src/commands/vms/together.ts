import type { Command } from 'commander';
import { Failure } from '../../failure.ts';

/** Refuses flags that contradict each other, in cobra's words. */
export function refuseTogether(command: Command, ...groups: (readonly string[])[]): void {
  for (const group of groups) {
    const isSet = (flag: string): boolean =>
      command.options
        .filter(({ long }) => long === `--${flag}` || long === `--no-${flag}`)
        .some((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
    const set = group.filter(isSet);
    if (set.length > 1) {
      throw new Failure(
        `if any flags in the group [${group.join(' ')}] are set none of the others can be; ` +
          `[${set.toSorted().join(' ')}] were all set`,
      );
    }
  }
}

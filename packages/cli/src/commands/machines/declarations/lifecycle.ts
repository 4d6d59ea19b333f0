import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { dryRunOption, machineCommand, parsePairs, parseSeconds, typeArgument } from '../declare.ts';

/** What changes whether and where a machine runs. */
export function lifecycleCommands(program: Command): void {
  machineCommand(program, 'start', 'start a virtual machine')
    .description('Starts a virtual machine that is stopped.')
    .argument('<vm>', 'name of the machine')
    .option('--paused', 'start it paused; `unpause` lets it go on')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo start web', 'start it'], ['vireo start web --paused', 'hold it at boot']))
    .action(async (vm: string, _, command) => (await import('../lifecycle.ts')).start(vm, given(command)));

  const stop = machineCommand(program, 'stop', 'stop a virtual machine')
    .description('Stops a virtual machine: its guest is asked to shut down, and ended after its grace period.')
    .addHelpText(
      'after',
      examples(['vireo stop web', 'shut it down'], ['vireo stop web --force --grace-period 0', 'end it at once']),
    )
    .action(async (vm: string, _, command) => (await import('../lifecycle.ts')).stop(vm, given(command)));
  const restart = machineCommand(program, 'restart', 'restart a virtual machine')
    .description('Stops a virtual machine and starts it again, with what was changed in its template.')
    .addHelpText(
      'after',
      examples(['vireo restart web', 'shut down and start'], ['vireo restart web --force --grace-period 0', 'at once']),
    )
    .action(async (vm: string, _, command) => (await import('../lifecycle.ts')).restart(vm, given(command)));
  for (const command of [stop, restart]) {
    command
      .argument('<vm>', 'name of the machine')
      .option('--force', 'do not wait for the guest; needs --grace-period')
      .addOption(
        new Option('--grace-period <seconds>', 'how long the guest may take, with --force').argParser(parseSeconds),
      )
      .addOption(dryRunOption());
  }
  instanceCommands(program);
  migrationCommands(program);
}

function instanceCommands(program: Command): void {
  for (const [name, summary, description] of [
    ['pause', 'pause a virtual machine', 'Freezes a virtual machine; its state stays in memory.'],
    ['unpause', 'let a paused virtual machine go on', 'Lets a paused virtual machine go on.'],
  ] as const) {
    machineCommand(program, name, summary)
      .description(description)
      .addArgument(typeArgument())
      .argument('<name>', 'its name')
      .addOption(dryRunOption())
      .addHelpText('after', examples([`vireo ${name} vm web`, 'the machine web']))
      .action(async (type: 'vm' | 'vmi', vmi: string, _, command) =>
        (await import('../pause.ts')).pauseOrUnpause(name, type, vmi, given(command)),
      );
  }
  for (const [name, summary, description] of [
    ['soft-reboot', 'ask a guest to reboot', 'Asks the guest to reboot, through its agent or by ACPI.'],
    ['reset', 'reset a virtual machine', 'Resets a virtual machine at once, as the button on a case does.'],
  ] as const) {
    machineCommand(program, name, summary)
      .description(description)
      .argument('<vmi>', 'name of the instance')
      .addHelpText('after', examples([`vireo ${name} web`, 'the machine web']))
      .action(async (vmi: string, _, command) => (await import('../instance.ts')).reboot(name, vmi, given(command)));
  }
}

function migrationCommands(program: Command): void {
  machineCommand(program, 'migrate', 'move a running virtual machine to another node')
    .description('Moves a running virtual machine to another node without stopping its guest.')
    .argument('<vm>', 'name of the machine')
    .addOption(
      new Option('--addedNodeSelector <labels>', 'labels that the node must have too: KEY=VALUE,…').argParser(
        parsePairs,
      ),
    )
    .addOption(dryRunOption())
    .addHelpText(
      'after',
      examples(
        ['vireo migrate web', 'to wherever it fits'],
        ['vireo migrate web --addedNodeSelector zone=b', 'in zone b'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../migrate.ts')).migrate(vm, given(command)));

  machineCommand(program, 'migrate-cancel', 'call the migration of a virtual machine off')
    .description('Calls the migration of a virtual machine off; the guest stays where it is.')
    .argument('<vm>', 'name of the machine')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo migrate-cancel web', 'leave it where it is']))
    .action(async (vm: string, _, command) => (await import('../migrate.ts')).cancelMigration(vm, given(command)));

  machineCommand(program, 'evacuate-cancel', 'call the evacuation of a virtual machine off')
    .description('Calls the evacuation of a virtual machine from its node off.')
    .addArgument(typeArgument())
    .argument('<name>', 'its name')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo evacuate-cancel vm web', 'leave it on its node']))
    .action(async (type: 'vm' | 'vmi', name: string, _, command) =>
      (await import('../migrate.ts')).cancelEvacuation(type, name, given(command)),
    );
}

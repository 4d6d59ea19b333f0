import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, dryRunOption, parseGraceSeconds, parsePairs, typeArgument } from '../declare.ts';

/** What changes whether and where a VM runs. */
export function lifecycleCommands(program: Command): void {
  clusterCommand(program, 'start', 'start a VM')
    .description('Starts a stopped VM.')
    .argument('<vm>', 'name of the VM')
    .option('--paused', 'start it paused; `unpause` resumes it')
    .addOption(dryRunOption())
    .addHelpText(
      'after',
      examples(['vireo start web', 'start it'], ['vireo start web --paused', 'pause it before it boots']),
    )
    .action(async (vm: string, _, command) => (await import('../lifecycle.ts')).start(vm, given(command)));

  const stop = clusterCommand(program, 'stop', 'stop a VM')
    .description('Stops a VM: asks the guest to shut down, and powers it off after its grace period.')
    .addHelpText(
      'after',
      examples(
        ['vireo stop web', 'shut it down'],
        ['vireo stop web --force --grace-period 0', 'power it off immediately'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../lifecycle.ts')).stop(vm, given(command)));
  const restart = clusterCommand(program, 'restart', 'restart a VM')
    .description('Stops a VM and starts it again. Changes to its template take effect.')
    .addHelpText(
      'after',
      examples(
        ['vireo restart web', 'shut it down and start it'],
        ['vireo restart web --force --grace-period 0', 'power it off and start it'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../lifecycle.ts')).restart(vm, given(command)));
  for (const command of [stop, restart]) {
    command
      .argument('<vm>', 'name of the VM')
      .option('--force', 'do not wait for the guest; needs --grace-period')
      .addOption(
        new Option('--grace-period <seconds>', 'seconds to wait for the guest, with --force').argParser(
          parseGraceSeconds,
        ),
      )
      .addOption(dryRunOption());
  }
  instanceCommands(program);
  migrationCommands(program);
}

function instanceCommands(program: Command): void {
  for (const [name, summary, description] of [
    ['pause', 'pause a VM', 'Pauses a VM. Its state stays in memory.'],
    ['unpause', 'resume a paused VM', 'Resumes a paused VM.'],
  ] as const) {
    clusterCommand(program, name, summary)
      .description(description)
      .addArgument(typeArgument())
      .argument('<name>', 'name of the VM or VMI')
      .addOption(dryRunOption())
      .addHelpText('after', examples([`vireo ${name} vm web`, 'the VM web']))
      .action(async (type: 'vm' | 'vmi', vmi: string, _, command) =>
        (await import('../pause.ts')).pauseOrUnpause(name, type, vmi, given(command)),
      );
  }
  for (const [name, summary, description] of [
    ['soft-reboot', 'ask a guest to reboot', 'Asks the guest to reboot, through the guest agent or ACPI.'],
    ['reset', 'reset a VM', 'Resets a VM immediately, like the reset button on a physical computer.'],
  ] as const) {
    clusterCommand(program, name, summary)
      .description(description)
      .argument('<vmi>', 'name of the VMI')
      .addHelpText('after', examples([`vireo ${name} web`, 'the VM web']))
      .action(async (vmi: string, _, command) => (await import('../instance.ts')).reboot(name, vmi, given(command)));
  }
}

function migrationCommands(program: Command): void {
  clusterCommand(program, 'migrate', 'migrate a running VM to another node')
    .description('Migrates a running VM to another node without stopping its guest.')
    .argument('<vm>', 'name of the VM')
    .addOption(
      new Option('--addedNodeSelector <labels>', 'additional labels that the node must have: KEY=VALUE,…').argParser(
        parsePairs,
      ),
    )
    .option('--wait', 'wait until the VM has moved, and show how far it is')
    .addOption(dryRunOption())
    .addHelpText(
      'after',
      examples(
        ['vireo migrate web', 'to any suitable node'],
        ['vireo migrate web --wait', 'and wait until it has moved'],
        ['vireo migrate web --addedNodeSelector zone=b', 'to a node in zone b'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../migrate.ts')).migrate(vm, given(command)));

  clusterCommand(program, 'migrate-cancel', 'cancel the migration of a VM')
    .description('Cancels the migration of a VM. The guest stays on its node.')
    .argument('<vm>', 'name of the VM')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo migrate-cancel web', 'keep it on its node']))
    .action(async (vm: string, _, command) => (await import('../migrate.ts')).cancelMigration(vm, given(command)));

  clusterCommand(program, 'evacuate-cancel', 'cancel the evacuation of a VM')
    .description('Cancels the evacuation of a VM from its node.')
    .addArgument(typeArgument())
    .argument('<name>', 'name of the VM or VMI')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo evacuate-cancel vm web', 'keep it on its node']))
    .action(async (type: 'vm' | 'vmi', name: string, _, command) =>
      (await import('../migrate.ts')).cancelEvacuation(type, name, given(command)),
    );
}

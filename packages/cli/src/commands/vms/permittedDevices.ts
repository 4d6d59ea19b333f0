import { connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { toYaml } from './create/manifest.ts';
import { installationOf } from './logVerbosity.ts';

/** Prints which devices of nodes VMs may use. */
export function permittedDevices(options: ConnectionOptions): Promise<void> {
  return connected(options, async (connection) => {
    const { spec } = await installationOf(connection);
    const devices = spec?.configuration?.permittedHostDevices ?? {};
    const named = [...(devices.pciHostDevices ?? []), ...(devices.mediatedDevices ?? []), ...(devices.usb ?? [])].map(
      ({ resourceName }) => resourceName,
    );
    if (named.length === 0) console.log('No permitted devices.');
    else process.stdout.write(toYaml(devices));
  });
}

// Imported first by every launcher, in syntax that very old versions of Node still read.
const major = Number(process.versions.node.split('.')[0]);

if (major < 20) {
  console.error(
    'Vireo needs Node 20 or newer to start (it then uses its own Node 24); this is Node ' +
      process.versions.node +
      ' at ' +
      process.execPath +
      '.\nInstall a newer one, for example from https://nodejs.org/en/download, and run the command again.',
  );
  process.exit(1);
}

/** What `/version` answers. The Kubernetes version is the one whose API is served. */
export const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+vireo',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.version}`,
  compiler: 'node',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};

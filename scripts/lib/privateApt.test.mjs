import { expect, it } from 'vitest';
import { plannedPackages } from './privateApt.mjs';

it('the packages of a plan have their names, files and sizes', () => {
  const plan = `Reading package lists...
'http://mirror.example/pool/main/g/golang-x/golang-x-dev_1%3a0.2-1_all.deb' golang-x-dev_1%3a0.2-1_all.deb 17348 MD5Sum:b6
'http://mirror.example/pool/main/e/etcd/etcd-server_3.5_amd64.deb' etcd-server_3.5_amd64.deb 44 SHA256:18
`;
  expect(plannedPackages(plan)).toEqual([
    { name: 'golang-x-dev', file: 'golang-x-dev_1%3a0.2-1_all.deb', bytes: 17348 },
    { name: 'etcd-server', file: 'etcd-server_3.5_amd64.deb', bytes: 44 },
  ]);
});

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readyText, shellWord } from './readyText.ts';

it('shows lines to paste', () => {
  const text = readyText({ port: 6443, kubeconfig: '/h/kubeconfig', home: '/h', duration: '1.2 s' });
  expect(text.split('\n')).toContain('  export KUBECONFIG=/h/kubeconfig');
  expect(text).toContain('https://127.0.0.1:6443');
  expect(text).toContain('vireo down --home /h');
});

it.each(['/plain/path', '/with space', "/it's", '/$HOME/`id`', '/semi;colon', '~'])('%s survives the shell', (path) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(path)}`], { encoding: 'utf8' })).toBe(path);
});

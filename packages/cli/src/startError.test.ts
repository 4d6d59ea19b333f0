import { describe, expect, it } from 'vitest';
import { Failure } from './failure.ts';
import { explainStartError } from './startError.ts';

const place = { home: '/srv/vireo', port: 443 };
const systemError = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });

describe('explainStartError', () => {
  it.each([
    { code: 'EADDRINUSE', syscall: 'listen', says: 'port 443 is in use', hint: '--port 444' },
    { code: 'EACCES', syscall: 'listen', says: 'this user cannot listen on port 443', hint: '--port 6443' },
    { code: 'EACCES', syscall: 'open', says: 'cannot access the home /srv/vireo', hint: '--home' },
    { code: 'EROFS', syscall: 'mkdir', says: '/srv/vireo is on a read-only file system', hint: '--home' },
    { code: 'ENOTDIR', syscall: 'mkdir', says: '/srv/vireo is not a directory', hint: '--home' },
    { code: 'ENOSPC', syscall: 'write', says: 'no space left', hint: 'df -h /srv/vireo' },
  ])('$code of $syscall names the thing and what to do', ({ code, syscall, says, hint }) => {
    const explained = explainStartError(systemError(code, syscall), place);
    expect(explained).toBeInstanceOf(Failure);
    expect((explained as Failure).message).toContain(says);
    expect((explained as Failure).hint).toContain(hint);
  });

  it('names the home that another server has open', () => {
    const locked = Object.assign(new Error('store.db is in use by process 7'), { name: 'StoreLocked' });
    expect((explainStartError(locked, place) as Failure).message).toBe(
      'the home /srv/vireo is in use: store.db is in use by process 7',
    );
  });

  it('says how to go on without libvirtd', () => {
    const unavailable = Object.assign(new Error('libvirtd does not answer'), { name: 'LibvirtdUnavailable' });
    expect(explainStartError(unavailable, place)).toMatchObject({
      message: 'libvirtd does not answer',
      hint: expect.stringContaining('--api-only'),
    });
  });

  it('leaves what it does not know as it is', () => {
    const error = new TypeError('x is not a function');
    expect(explainStartError(error, place)).toBe(error);
  });
});

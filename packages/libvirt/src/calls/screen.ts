import type { Caller, CallOptions } from '../caller.ts';
import { array, nothing, optional, string, struct, uint } from '../codec.ts';
import { procedure } from '../protocol.ts';
import type { LibvirtStream } from '../streams.ts';
import { type DomainRef, domain } from '../types.ts';

const openConsole = procedure('domainOpenConsole', struct({ domain, device: optional(string), flags: uint }), nothing);
const openChannel = procedure('domainOpenChannel', struct({ domain, name: optional(string), flags: uint }), nothing);
const screenshot = procedure(
  'domainScreenshot',
  struct({ domain, screen: uint, flags: uint }),
  struct({ mimeType: optional(string) }),
);
const sendKey = procedure(
  'domainSendKey',
  struct({ domain, codeSet: uint, holdMs: uint, keys: array(uint, 16), flags: uint }),
  nothing,
);

/** What the numbers of keys mean. */
const keyCodeSets = ['linux', 'xt', 'atset1', 'atset2', 'atset3', 'os_x', 'xt_kbd', 'usb', 'win32', 'qnum'] as const;

/** Larger than any screen: 16384 x 16384 points without compression. */
const maxScreenshotBytes = 1024 * 1024 * 1024;

/** Calls that see and touch what a person in front of the guest's screen would. */
export const screenCalls = (caller: Caller) => ({
  /**
   * A serial console (`<serial type='pty'>`), the first unless its alias is given. When the guest ends, or someone else
   * takes the console over, libvirt either ends the stream or fails it with the code `RPC`, as it happens.
   */
  openConsole: async (
    domain: DomainRef,
    { device, flags = 0 }: { device?: string; flags?: number } = {},
    options?: CallOptions,
  ): Promise<LibvirtStream> => (await caller.openStream(openConsole, { domain, device, flags }, options)).stream,

  /** A channel, by its target name. */
  openChannel: async (
    domain: DomainRef,
    { name, flags = 0 }: { name?: string; flags?: number } = {},
    options?: CallOptions,
  ): Promise<LibvirtStream> => (await caller.openStream(openChannel, { domain, name, flags }, options)).stream,

  /** A picture of a screen, as it comes. */
  openScreenshot: async (
    domain: DomainRef,
    screen = 0,
    options?: CallOptions,
  ): Promise<{ mimeType: string; stream: LibvirtStream }> => {
    const { result, stream } = await caller.openStream(screenshot, { domain, screen, flags: 0 }, options);
    return { mimeType: result.mimeType ?? 'application/octet-stream', stream };
  },

  /** A picture of a screen. */
  screenshot: async (
    domain: DomainRef,
    screen = 0,
    options?: CallOptions,
  ): Promise<{ mimeType: string; image: Buffer }> => {
    const { result, stream } = await caller.openStream(screenshot, { domain, screen, flags: 0 }, options);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxScreenshotBytes) throw new RangeError(`the screenshot of ${domain.name} is too large`);
      chunks.push(chunk);
    }
    return { mimeType: result.mimeType ?? 'application/octet-stream', image: Buffer.concat(chunks) };
  },

  /** Presses keys together for a while; at most 16. */
  sendKey: (
    domain: DomainRef,
    keys: number[],
    { codeSet = 'linux', holdMs = 50 }: { codeSet?: (typeof keyCodeSets)[number]; holdMs?: number } = {},
    options?: CallOptions,
  ): Promise<void> =>
    caller.call(sendKey, { domain, codeSet: keyCodeSets.indexOf(codeSet), holdMs, keys, flags: 0 }, options),
});

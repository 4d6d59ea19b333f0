import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** A VM that QEMU emulates for a test, with its serial line, its monitor and its guest agent. */
export class QemuGuest {
  /** All that came over the serial line so far. */
  output = '';
  /** How long it took until the guest first asked for a login. */
  secondsToLogin: number | undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), 'vireo-qemu-'));
  readonly #process: ChildProcess;
  readonly #startedAt = performance.now();
  #errors = '';
  #seen = 0;
  #heard = Promise.withResolvers<void>();

  /** Starts a q35 VM with 128 MiB, a guest agent's channel and whatever `args` add. */
  constructor(args: readonly string[]) {
    const channel = (name: string) => `socket,id=${name},path=${this.#socket(name)},server=on,wait=off`;
    this.#process = spawn('qemu-system-x86_64', [
      ...['-machine', 'q35', '-accel', 'tcg', '-m', '128', '-display', 'none', '-nodefaults', '-vga', 'std'],
      ...['-serial', 'stdio', '-chardev', channel('qmp'), '-mon', 'chardev=qmp,mode=control'],
      ...['-device', 'virtio-serial-pci', '-chardev', channel('agent')],
      ...['-device', 'virtserialport,chardev=agent,name=org.qemu.guest_agent.0'],
      ...args,
    ]);
    this.#process.stdout?.setEncoding('latin1').on('data', (text: string) => {
      this.output += text;
      if (this.output.includes('login:')) this.secondsToLogin ??= (performance.now() - this.#startedAt) / 1000;
      this.#heard.resolve();
      this.#heard = Promise.withResolvers();
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.#process.once('close', () => this.#heard.resolve());
  }

  /** Waits until the guest has printed `text` after what the last call waited for; returns what came before it. */
  async expect(text: string, withinMs = 45_000): Promise<string> {
    const late = AbortSignal.timeout(withinMs);
    for (;;) {
      const at = this.output.indexOf(text, this.#seen);
      if (at >= 0) {
        const before = this.output.slice(this.#seen, at);
        this.#seen = at + text.length;
        return before;
      }
      if (this.#process.exitCode !== null) throw new Error(`QEMU has ended: ${this.#errors}\n${this.output}`);
      const tooLate = once(late, 'abort').then(() => {
        throw new Error(`the guest did not print ${JSON.stringify(text)} but:\n${this.output.slice(this.#seen)}`);
      });
      await Promise.race([this.#heard.promise, tooLate]);
    }
  }

  /** Waits until the guest has printed all of `texts`, in whatever order. */
  async expectAll(...texts: string[]): Promise<void> {
    const from = this.#seen;
    let end = from;
    for (const text of texts) {
      this.#seen = from;
      await this.expect(text);
      end = Math.max(end, this.#seen);
    }
    this.#seen = end;
  }

  type(text: string): void {
    this.#process.stdin?.write(text);
  }

  /** Logs in at the prompt that has just been shown. */
  async logIn(user: string, password: string, prompt = '$ '): Promise<void> {
    this.type(`${user}\n`);
    await this.expect('Password:');
    this.type(`${password}\n`);
    await this.expect(prompt);
  }

  /** Runs a command in the shell that is logged in and returns what it printed. */
  async run(command: string): Promise<string> {
    // The quotes keep the echo of the command from being taken for its end.
    this.type(`${command}; echo "en""ded:$?"\n`);
    await this.expect('\n');
    const printed = await this.expect('ended:');
    const code = (await this.expect('$ ')).split('\r')[0];
    if (code !== '0') throw new Error(`${command}: ended with ${code}: ${printed}`);
    return printed.replaceAll('\r', '').trim();
  }

  async pressPowerButton(): Promise<void> {
    const monitor = await this.#channel('qmp');
    monitor.write('{"execute":"qmp_capabilities"}\n{"execute":"system_powerdown"}\n');
    await once(monitor, 'data');
  }

  /** Asks the guest agent, which answers when it has come up. */
  async askAgent(command: string): Promise<unknown> {
    const channel = await this.#channel('agent');
    const answers = createInterface({ input: channel });
    channel.write(`${JSON.stringify({ execute: command })}\n`);
    const [line] = (await once(answers, 'line', { signal: AbortSignal.timeout(30_000) })) as [string];
    channel.destroy();
    const answer = JSON.parse(line) as { return?: unknown; error?: unknown };
    if (!('return' in answer)) throw new Error(`${command}: ${line}`);
    return answer.return;
  }

  /** Resolves when QEMU has ended by itself, which it does when the guest switches its VM off. */
  async ended(withinMs = 30_000): Promise<void> {
    if (this.#process.exitCode === null) await once(this.#process, 'close', { signal: AbortSignal.timeout(withinMs) });
    if (this.#process.exitCode !== 0) throw new Error(`QEMU ended with ${this.#process.exitCode}: ${this.#errors}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill('SIGKILL');
      await once(this.#process, 'close');
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #socket(name: string): string {
    return join(this.#directory, name);
  }

  async #channel(name: string): Promise<Socket> {
    for (;;) {
      const socket = connect(this.#socket(name));
      try {
        await once(socket, 'connect');
        return socket;
      } catch {
        if (this.#process.exitCode !== null) throw new Error(`QEMU has ended: ${this.#errors}`);
        await delay(20);
      }
    }
  }
}

import { connect, type Libvirt } from '@vireo/libvirt';
import type { NodeLayout } from '@vireo/node';

/** Hears the trays of a daemon's guests, as anybody who listens to libvirt does. */
export class Trays implements AsyncDisposable {
  readonly #libvirt: Libvirt;
  #onClosed: () => void = () => {};

  static async of({ libvirtSocket, uri }: NodeLayout): Promise<Trays> {
    const trays = new Trays(await connect({ socket: libvirtSocket, uri }));
    await trays.#libvirt.subscribe('trayChange', ({ tray }) => {
      if (tray === 'closed') trays.#onClosed();
    });
    return trays;
  }

  private constructor(libvirt: Libvirt) {
    this.#libvirt = libvirt;
  }

  /** Milliseconds from the call until a tray has closed: what was to come or go has done so. */
  async time(change: () => Promise<unknown>): Promise<number> {
    const closed = new Promise<number>((resolve) => {
      this.#onClosed = () => resolve(performance.now());
    });
    const startedAt = performance.now();
    const [closedAt] = await Promise.all([closed, change()]);
    return closedAt - startedAt;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#libvirt.close();
  }
}

import type { Client } from 'pg';
import { destroy, type Hosts } from './hosts.ts';

export const CHANNEL = 'gatehouse_registry';
const RECONNECT_MS = 1000;

/**
 * A connection of its own for notifications about changes to the registry (LISTEN). They only save time: every process also reads
 * the version of the registry twice a second, and so notices changes while this connection is lost.
 */
export class Listener {
  readonly #hosts: Hosts;
  readonly #calls: (() => void)[] = [];
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  onChange(call: () => void): void {
    this.#calls.push(call);
    if (this.#calls.length === 1) void this.#listen();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#client) destroy(this.#client);
  }

  async #listen(): Promise<void> {
    if (this.#closed) return;
    try {
      const client = await this.#hosts.connect();
      this.#client = client;
      client.on('notification', () => this.#tell());
      client.once('end', () => this.#again());
      await client.query(`LISTEN ${CHANNEL}`);
      if (this.#closed) destroy(client);
      // There may have been changes before LISTEN took effect.
      this.#tell();
    } catch {
      this.#again();
    }
  }

  #again(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => void this.#listen(), RECONNECT_MS).unref();
  }

  #tell(): void {
    for (const call of this.#calls) call();
  }
}

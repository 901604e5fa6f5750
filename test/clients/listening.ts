import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const CHECK_EVERY_MS = 50;
const MAX_CHECKS = 2400;

/** Settles when something listens on the port; fails when the process that should ends before, or takes two minutes. */
export async function listening(port: number, child: ChildProcess, output: () => string = () => ''): Promise<void> {
  for (let checks = 0; checks < MAX_CHECKS; checks++) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}\n${output()}`);
    const socket = connect(port, '127.0.0.1');
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
    await setTimeout(CHECK_EVERY_MS);
  }
  throw new Error(`${child.spawnfile} does not listen on ${port}\n${output()}`);
}

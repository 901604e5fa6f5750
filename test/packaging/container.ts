import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Env, type Ran, run, type StartedProcess, start } from '../assembly/run.ts';
import { lastOf } from './dockerfile.ts';
import type { Image } from './image.ts';

/** That of the base image. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * As close to `docker run --read-only --volume DATA:/data IMAGE …` as mount(8) and chroot(8) come: nothing of this machine is
 * visible but the libraries of the base image, the root cannot be written, and the user is that of the image. Needs root.
 */
const ENTER = `
mount --bind "$ROOT" "$ROOT" && mount --rbind /proc "$ROOT/proc" && mount --bind "$DATA" "$ROOT/data" &&
mount -o remount,bind,ro "$ROOT" && exec chroot --userspec="$OWNER" --groups= "$ROOT" env -i "$@"`;

export interface Container {
  /** The entry point with these arguments instead of those of CMD. */
  start(env: Env, args?: readonly string[]): StartedProcess;
  command(env: Env, args: readonly string[]): Promise<Ran>;
  /** Another program in the same place, as `docker exec` starts it. */
  exec(env: Env, command: readonly string[]): Promise<Ran>;
}

export function containerOf({ root, stage }: Image, data: string): Container {
  if (process.getuid?.() !== 0) throw new Error('The test of the image mounts and changes its root: run it as root.');
  const { uid, gid } = lastOf(stage, 'user');
  const given = { PATH, ...lastOf(stage, 'env').values };
  const places = { ROOT: root, DATA: data, OWNER: `${uid}:${gid}` };
  /** The program sees the variables of the image and `env`, and none of the tests. */
  const enter = (env: Env, command: readonly string[]) => {
    const settings = Object.entries({ ...given, ...env }).map(([name, value]) => `${name}=${value}`);
    return ['--mount', 'sh', '-c', ENTER, 'sh', ...settings, ...command];
  };
  const entry = (env: Env, args: readonly string[]) => enter(env, [...lastOf(stage, 'entrypoint').command, ...args]);
  mkdirSync(join(root, 'proc'));
  return {
    start: (env, args = lastOf(stage, 'cmd').command) => start('unshare', entry(env, args), places, root),
    command: (env, args) => run('unshare', entry(env, args), places, root),
    exec: (env, command) => run('unshare', enter(env, command), places, root),
  };
}

/** What gcr.io/distroless/cc has of that which Node.js is linked with, and env(1) for the entry above. It has no libatomic. */
export function addBaseImage({ root }: Image): void {
  const programs = [join(root, 'usr/local/bin/node'), '/usr/bin/env'];
  for (const program of programs) {
    const lines = execFileSync('ldd', [program], { encoding: 'utf8' });
    const libraries = [...lines.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
    for (const path of libraries.filter(path => !path.includes('libatomic'))) add(root, path);
  }
  add(root, '/usr/bin/env');
}

function add(root: string, path: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  cpSync(realpathSync(path), join(root, path));
}

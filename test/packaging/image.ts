import { cpSync, existsSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { run } from '../assembly/run.ts';
import { type CopyStep, type Owner, parseDockerfile, type Stage } from './dockerfile.ts';
import { OUTSIDE, ROOT } from './outside.ts';

/** What building the Dockerfile leaves, without its base images: each stage is a folder. */
export interface Image {
  readonly stage: Stage;
  /** The root of the last stage, with nothing in it but what the Dockerfile put there. */
  readonly root: string;
}

/**
 * Walks through the stages in `folder` as a builder does, on the programs of this machine instead of those of the base image: so
 * a RUN line may only name paths relative to its WORKDIR.
 */
export async function buildImage(folder: string): Promise<Image> {
  const stages = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const roots = new Map<string, string>();
  let image: Image | undefined;
  for (const [index, stage] of stages.entries()) {
    const root = join(folder, stage.name ?? `stage-${index}`);
    mkdirSync(root);
    await buildStage(stage, root, roots);
    roots.set(stage.name ?? '', root);
    image = { stage, root };
  }
  if (!image) throw new Error('the Dockerfile has no stage');
  return image;
}

async function buildStage(stage: Stage, root: string, roots: ReadonlyMap<string, string>): Promise<void> {
  let workdir = '/';
  for (const step of stage.steps) {
    if (step.kind === 'workdir') {
      workdir = step.path;
      mkdirSync(join(root, workdir), { recursive: true });
    } else if (step.kind === 'run') {
      await runLine(step.command, join(root, workdir));
    } else if (step.kind === 'copy') {
      copyAll(step, join(root, resolve(workdir, step.to), step.to.endsWith('/') ? '/' : ''), roots);
    }
  }
}

/** production-install.test.ts runs it, on the same three files: here the packages are those that it has installed for this clone. */
const INSTALL = 'npm ci --ignore-scripts';
/** As links where that is possible: they are 600 MB, and no line writes to them. Without what this clone has compiled. */
const LINK = `mkdir node_modules && cd "${ROOT}/node_modules" &&
  packages=$(find . -mindepth 1 -maxdepth 1 ! -name .cache) && target="$OLDPWD/node_modules" &&
  { cp -al $packages "$target" 2>/dev/null || { rm -rf "$target"/* && cp -a $packages "$target"; }; }`;

async function runLine(line: string, cwd: string): Promise<void> {
  const command = line === INSTALL ? LINK : line;
  if (/(^|\s)\/\w/.test(line)) throw new Error(`a RUN line names a path of this machine: ${line}`);
  const ran = await run('sh', ['-c', command], { ...OUTSIDE, npm_config_prefer_offline: 'true' }, cwd);
  if (ran.code !== 0) throw new Error(`RUN ${line}: ${ran.code}\n${ran.out}${ran.err}`);
}

function place(source: string, from: string | undefined, roots: ReadonlyMap<string, string>): string {
  if (from === undefined && !isInContext(source)) throw new Error(`.dockerignore leaves out ${source}`);
  const root = from === undefined ? ROOT : roots.get(from);
  if (root === undefined) throw new Error(`there is no stage ${from}`);
  return join(root, source);
}

/** A .dockerignore that leaves out everything but what it names with "!". */
function isInContext(source: string): boolean {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  return lines.includes('*') && lines.includes(`!${source.replace(/\/$/, '')}`);
}

function copyAll({ sources, from, owner }: CopyStep, target: string, roots: ReadonlyMap<string, string>): void {
  for (const source of sources) {
    const path = place(source, from, roots);
    if (statSync(path).isFile()) {
      const isFolder = target.endsWith('/') || (existsSync(target) && statSync(target).isDirectory());
      copy(path, isFolder ? join(target, basename(source)) : target, owner);
    } else {
      // Of a folder its contents; a folder that is there already keeps its mode and owner.
      for (const name of readdirSync(path)) copy(join(path, name), join(target, name), owner);
    }
  }
}

function copy(path: string, to: string, owner: Owner | undefined): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(path, to, { recursive: true, verbatimSymlinks: true });
  if (!owner) return;
  for (const name of ['.', ...readdirSync(to, { recursive: true, encoding: 'utf8' })]) {
    lchownSync(join(to, name), owner.uid, owner.gid);
  }
}

/** The sum of the sizes of the files, in bytes. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

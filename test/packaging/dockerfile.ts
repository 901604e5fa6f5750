/** The instructions of a Dockerfile that Gatehouse's uses; any other is an error here, so that no line is passed over. */
export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly kind: 'workdir'; readonly path: string }
  | { readonly kind: 'run'; readonly command: string }
  | CopyStep
  | { readonly kind: 'env'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'label'; readonly values: Readonly<Record<string, string>> }
  | ({ readonly kind: 'user' } & Owner)
  | { readonly kind: 'expose'; readonly port: number }
  | { readonly kind: 'healthcheck'; readonly options: readonly string[]; readonly command: readonly string[] }
  | { readonly kind: 'entrypoint'; readonly command: readonly string[] }
  | { readonly kind: 'cmd'; readonly command: readonly string[] };

export interface CopyStep {
  readonly kind: 'copy';
  readonly from: string | undefined;
  readonly owner: Owner | undefined;
  readonly sources: readonly string[];
  readonly to: string;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export function parseDockerfile(text: string): Stage[] {
  const stages: { base: string; name: string | undefined; steps: Step[] }[] = [];
  for (const line of logicalLines(text)) {
    const [, keyword = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === 'FROM') {
      const [base = '', , name] = rest.split(/\s+/);
      stages.push({ base, name, steps: [] });
    } else stages.at(-1)?.steps.push(readStep(keyword, rest));
  }
  return stages;
}

/** Without comments, and with continued lines joined. */
function logicalLines(text: string): string[] {
  const lines = text.split('\n').filter(line => !line.startsWith('#'));
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line.trim() !== '');
}

function readStep(keyword: string, rest: string): Step {
  switch (keyword) {
    case 'WORKDIR':
      return { kind: 'workdir', path: rest };
    case 'RUN':
      return { kind: 'run', command: rest };
    case 'COPY':
      return readCopy(rest);
    case 'ENV':
      return { kind: 'env', values: Object.fromEntries(rest.split(/\s+/).map(pair => pair.split('=', 2))) };
    case 'LABEL':
      return { kind: 'label', values: readPairs(rest) };
    case 'USER':
      return { kind: 'user', ...readOwner(rest) };
    case 'EXPOSE':
      return { kind: 'expose', port: Number(rest) };
    case 'HEALTHCHECK': {
      const [options = '', command = ''] = rest.split(/\s*CMD\s+/);
      return { kind: 'healthcheck', options: options.split(/\s+/), command: JSON.parse(command) };
    }
    case 'ENTRYPOINT':
      return { kind: 'entrypoint', command: JSON.parse(rest) };
    case 'CMD':
      return { kind: 'cmd', command: JSON.parse(rest) };
    default:
      throw new Error(`the walk through the Dockerfile does not know ${keyword}`);
  }
}

/** `name=value name="some words"`. */
function readPairs(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\S+?)=(?:"([^"]*)"|(\S+))/g)];
  return Object.fromEntries(pairs.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']));
}

function readCopy(rest: string): Step {
  const words = rest.split(/\s+/);
  const paths = words.filter(word => !word.startsWith('--'));
  const option = (name: string) => words.find(word => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const chown = option('chown');
  const owner = chown === undefined ? undefined : readOwner(chown);
  return { kind: 'copy', from: option('from'), owner, sources: paths.slice(0, -1), to: paths.at(-1) ?? '' };
}

/** Numbers only: the base image may not know a name, and Kubernetes cannot tell of a name that it is not root. */
function readOwner(text: string): Owner {
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(text) ?? [];
  if (uid === undefined) throw new Error(`${text} is not uid:gid`);
  return { uid: Number(uid), gid: Number(gid) };
}

/** The last step of this kind, which is the one that counts. */
export function lastOf<K extends Step['kind']>({ steps }: Stage, kind: K): Extract<Step, { kind: K }> {
  const step = steps.findLast(step => step.kind === kind);
  if (!step) throw new Error(`the image has no ${kind}`);
  return step as Extract<Step, { kind: K }>;
}

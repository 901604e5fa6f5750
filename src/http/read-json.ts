import { header, type Refusal, type Request } from '../message.ts';
import { failure } from '../protocol/errors.ts';
import { isText } from '../protocol/text.ts';
import type { BodyKind } from './route.ts';

const MAX_JSON_DEPTH = 32;

/** A merge patch (RFC 7396) may come as plain JSON too. */
const CONTENT_TYPES: Readonly<Partial<Record<BodyKind, readonly string[]>>> = {
  json: ['application/json'],
  'merge-patch': ['application/merge-patch+json', 'application/json'],
};

type JsonBody = { readonly value: unknown } | Refusal;

const NO_JSON: JsonBody = { value: undefined };

/** The value of an empty body is undefined: whether one is needed is for the handler's schema to say. */
export function readJson(request: Pick<Request, 'headers' | 'body'>, kind: BodyKind): JsonBody {
  const types = CONTENT_TYPES[kind];
  if (!types || request.body === '') return NO_JSON;
  const type = header(request, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  return type !== undefined && types.includes(type) ? parseJson(request.body) : unsupported(kind, types);
}

/** RFC 9110 section 15.5.16; RFC 5789 section 2.2 for PATCH. */
function unsupported(kind: BodyKind, types: readonly string[]): Refusal {
  const accept = types.join(', ');
  const headers = kind === 'merge-patch' ? { accept, 'accept-patch': accept } : { accept };
  return { failure: failure('mediaTypeUnsupported', types.join(' or ')), headers };
}

/**
 * I-JSON (RFC 7493): what two parsers could read differently is refused. JSON.parse keeps the last of two members with one name, another
 * parser, in front of this server, may keep the first. A member `__proto__` is refused as well, because copying it into
 * an object would replace the prototype of that object.
 */
function parseJson(text: string): JsonBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid('', 'This is no JSON text.');
  }
  return faultIn(text) ?? { value };
}

function invalid(pointer: string, detail: string): Refusal {
  return { failure: failure('jsonInvalid'), errors: [{ pointer, detail }] };
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An object or array that is open where the scan has come to. */
interface Open {
  /** Of an object: the names so far. */
  readonly names: Set<string> | undefined;
  /** The name or index of the value that is being read. */
  at: string | number;
  isNameNext: boolean;
}

/** Of JSON that is known to be well-formed. */
function faultIn(text: string): Refusal | undefined {
  const open: Open[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const inside = open.at(-1);
    if (token === '{' || token === '[') {
      if (open.length === MAX_JSON_DEPTH)
        return invalid(pointerTo(open), `Nested deeper than ${MAX_JSON_DEPTH} levels.`);
      open.push({
        names: token === '{' ? new Set() : undefined,
        at: token === '{' ? '' : 0,
        isNameNext: token === '{',
      });
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',') continueWithNext(inside);
    else if (token !== ':') {
      const fault = stringFault(token, inside);
      if (fault !== undefined) return invalid(pointerTo(open), fault);
    }
  }
  return undefined;
}

function continueWithNext(inside: Open | undefined): void {
  if (inside?.names) inside.isNameNext = true;
  else if (inside) inside.at = Number(inside.at) + 1;
}

/** A name, or a string value. */
function stringFault(token: string, inside: Open | undefined): string | undefined {
  const text: string = JSON.parse(token);
  const isName = inside?.isNameNext === true;
  if (inside && isName) {
    inside.isNameNext = false;
    inside.at = text.toWellFormed();
  }
  if (!isText(text)) return 'This text has a character that cannot be stored.';
  if (!isName) return undefined;
  if (text === '__proto__') return 'No member may have this name.';
  if (inside.names?.has(text)) return 'The object has this member twice.';
  inside.names?.add(text);
  return undefined;
}

/** RFC 6901. */
function pointerTo(open: readonly Open[]): string {
  return open.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

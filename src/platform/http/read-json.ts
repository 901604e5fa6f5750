import { failure } from '../../failures.ts';
import { isText } from '../text/text.rules.ts';
import { header, type Refusal, type Request } from './message.ts';
import type { BodyKind } from './route.ts';

const MAX_JSON_DEPTH = 32;
/** In all objects of a body. */
const MAX_JSON_MEMBERS = 2000;
/** Of a file, whose caller is known: some 80 for each client with every field. */
const MAX_FILE_MEMBERS = 200_000;
const NO_JSON_TEXT = 'This is no JSON text.';

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

/** The value of a body that is a file, for a handler that knows its caller. */
export function readJsonFile(request: Pick<Request, 'headers' | 'body'>): JsonBody {
  if (request.body === '') return NO_JSON;
  const type = header(request, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  const types = ['application/json'];
  return type === types[0] ? parseJson(request.body, MAX_FILE_MEMBERS) : unsupported('file', types);
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
function parseJson(text: string, maxMembers = MAX_JSON_MEMBERS): JsonBody {
  const scan = scanJson(text, maxMembers);
  if (scan.isTooMuch) return scan.fault;
  try {
    const value: unknown = JSON.parse(text);
    return scan.fault ?? { value };
  } catch {
    return invalid('', NO_JSON_TEXT);
  }
}

function invalid(pointer: string, detail: string): Refusal {
  return { failure: failure('jsonInvalid'), errors: [{ pointer, detail }] };
}

/** An object or array that is open where the scan has come to. */
interface Open {
  /** Of an object: the names so far. */
  readonly names: Set<string> | undefined;
  /** The name or index of the value that is being read. */
  at: string | number;
  isNameNext: boolean;
}

type Scan =
  /** More than JSON.parse should be given: its time grows with the depth and with the members. */
  { readonly isTooMuch: true; readonly fault: Refusal } | { readonly isTooMuch?: never; readonly fault?: Refusal };

/**
 * Reads text that may be no JSON at all, each character once: a regular expression for tokens takes three times as long. What it finds in
 * text that is no JSON means nothing, but for its size.
 */
function scanJson(text: string, maxMembers: number): Scan {
  const open: Open[] = [];
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        const fault = stringFault(text.slice(at, end + 1), open.at(-1));
        if (fault !== undefined) return { fault: invalid(pointerTo(open), fault) };
        at = end;
        break;
      }
      case '{':
      case '[':
        if (open.length === MAX_JSON_DEPTH) return tooMuch(open, `Nested deeper than ${MAX_JSON_DEPTH} levels.`);
        open.push(text[at] === '{' ? { names: new Set(), at: '', isNameNext: true } : newArray());
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ':':
        if (++members > maxMembers) return tooMuch([], `More than ${maxMembers} members in all.`);
        break;
      case ',':
        continueWithNext(open.at(-1));
        break;
    }
  }
  return {};
}

function tooMuch(open: readonly Open[], detail: string): Scan {
  return { isTooMuch: true, fault: invalid(pointerTo(open), detail) };
}

function newArray(): Open {
  return { names: undefined, at: 0, isNameNext: false };
}

/** Where the quotation mark is that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function continueWithNext(inside: Open | undefined): void {
  if (inside?.names) inside.isNameNext = true;
  else if (inside) inside.at = Number(inside.at) + 1;
}

/** A name, or a string value. */
function stringFault(token: string, inside: Open | undefined): string | undefined {
  const isName = inside?.isNameNext === true;
  const isEscaped = token.includes('\\');
  // Of what is written as it is, the body had no NUL, being JSON, and no surrogate, being UTF-8.
  if (!isName && !isEscaped) return undefined;
  const text = isEscaped ? unescaped(token) : token.slice(1, -1);
  if (text === undefined) return NO_JSON_TEXT;
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

function unescaped(token: string): string | undefined {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}

/** RFC 6901. */
function pointerTo(open: readonly Open[]): string {
  return open.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** W3C Trace Context, level 1: what callers send of their trace, and what this server sends to others. */
export interface TraceContext {
  readonly traceId: string;
  /** The span of the caller. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** What other tracing systems on the way keep of their own; undefined: nothing, or nothing that is well formed. */
  readonly traceState: string | undefined;
}

/** Section 3.2.2: `00` has exactly these four fields. A later version begins with them, and may have more. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const MAX_TRACEPARENT_LENGTH = 512;
const SAMPLED = 1;

/** Undefined: there is none, or it is not well formed. A new trace begins then, and `tracestate` is not looked at (section 4.3). */
export function readTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | undefined {
  if (traceparent === undefined || traceparent.length > MAX_TRACEPARENT_LENGTH) return undefined;
  const [, version, traceId, spanId, flags = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (!traceId || traceId === NO_TRACE || !spanId || spanId === NO_SPAN) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId, spanId, isSampled, traceState: readTraceState(tracestate) };
}

/** Section 3.3.1.3: a key begins with a letter or digit; a value is printable ASCII without comma and equals sign. */
const MEMBER =
  /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MAX_MEMBERS = 32;
/** Section 3.3.1.5: at least so much is passed on. More is left out as a whole. */
const MAX_TRACESTATE_LENGTH = 512;

function readTraceState(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_TRACESTATE_LENGTH) return undefined;
  const members = text
    .split(',')
    .map(member => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter(member => member !== '');
  const names = new Set(members.map(member => member.slice(0, member.indexOf('='))));
  const isValid =
    members.length <= MAX_MEMBERS && names.size === members.length && members.every(one => MEMBER.test(one));
  return isValid && members.length > 0 ? members.join(',') : undefined;
}

export function traceContextHeaders({ traceId, spanId, isSampled, traceState }: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return traceState === undefined ? { traceparent } : { traceparent, tracestate: traceState };
}

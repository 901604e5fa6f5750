import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isTraceSampled } from '../../../src/platform/telemetry/sampler.ts';
import { readTraceContext, traceContextHeaders } from '../../../src/platform/telemetry/trace-context.rules.ts';
import { fc } from '../../build/random.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}-01`;

describe('the trace of a caller (W3C Trace Context)', () => {
  it('is read from traceparent and tracestate', () => {
    assert.deepEqual(readTraceContext(PARENT, 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7'), {
      traceId: TRACE,
      spanId: SPAN,
      isSampled: true,
      traceState: 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7',
    });
    assert.equal(readTraceContext(`00-${TRACE}-${SPAN}-00`, undefined)?.isSampled, false);
    assert.equal(readTraceContext(`00-${TRACE}-${SPAN}-02`, undefined)?.isSampled, false, 'a flag of a later level');
  });

  it('may be of a later version, which may have more fields', () => {
    assert.equal(readTraceContext(`01-${TRACE}-${SPAN}-01`, undefined)?.traceId, TRACE);
    assert.equal(readTraceContext(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, undefined)?.isSampled, true);
  });

  for (const [what, traceparent] of [
    ['nothing', undefined],
    ['no text', ''],
    ['the version that is none', `ff-${TRACE}-${SPAN}-01`],
    ['more fields than version 00 has', `${PARENT}-00`],
    ['text after it', `${PARENT} `],
    ['two of them', `${PARENT}, ${PARENT}`],
    ['upper case', PARENT.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['flags of one digit', `00-${TRACE}-${SPAN}-1`],
    ['what is no hexadecimal number', `00-${TRACE.replace('4', 'g')}-${SPAN}-01`],
    ['a megabyte', `01-${TRACE}-${SPAN}-01-${'a'.repeat(1_000_000)}`],
  ] as const) {
    it(`is none if traceparent is ${what}`, () => {
      assert.equal(readTraceContext(traceparent, 'a=b'), undefined);
    });
  }

  it('goes on without a tracestate that is not well formed', () => {
    const members = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=v`).join(',');
    for (const state of [
      '',
      ',',
      'a',
      'A=b',
      'a=b,a=c',
      'a=b=c',
      'a=',
      'a=\u00e4',
      'a=b\u0000',
      members(33),
      `a=${'b'.repeat(512)}`,
    ]) {
      assert.deepEqual(readTraceContext(PARENT, state)?.traceState, undefined, state.slice(0, 40));
    }
    for (const state of ['a=b', 'fw529a3039@dt=FfYD_-', '0a@b=c', members(32)]) {
      assert.equal(readTraceContext(PARENT, state)?.traceState, state);
    }
    assert.equal(readTraceContext(PARENT, ' a=b ,\tc=d,, ')?.traceState, 'a=b,c=d');
  });

  it('is never more than what was well formed, whatever comes (property)', () => {
    const near = fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{30,34}-[0-9a-f]{15,17}-[0-9a-f]{1,3}-?$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), near), fc.string(), (traceparent, tracestate) => {
        const read = readTraceContext(traceparent, tracestate);
        if (!read) return;
        const headers = traceContextHeaders(read);
        assert.match(headers.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
        assert.match(headers.tracestate ?? 'a=b', /^[\x20-\x7e]{3,512}$/);
      }),
    );
  });
});

describe('what of the traces is recorded', () => {
  const caller = (isSampled: boolean) => ({ traceId: TRACE, spanId: SPAN, isSampled, traceState: undefined });

  it('follows the caller only where the sampler does', () => {
    for (const isSampled of [true, false]) {
      assert.equal(isTraceSampled({ ratio: 0.5, followsCaller: true }, TRACE, caller(isSampled)), isSampled);
      assert.equal(isTraceSampled({ ratio: 1, followsCaller: false }, TRACE, caller(isSampled)), true);
      assert.equal(isTraceSampled({ ratio: 0, followsCaller: false }, TRACE, caller(isSampled)), false);
    }
  });

  it('is a share by the trace id, the same on every node', () => {
    const half = { ratio: 0.5, followsCaller: true };
    assert.equal(isTraceSampled(half, `${'f'.repeat(18)}7fffffff000000`, undefined), true);
    assert.equal(isTraceSampled(half, `${'0'.repeat(18)}80000000000000`, undefined), false);
  });
});

import type { Single } from './statement.ts';

/**
 * An array as PostgreSQL reads it from text (manual, section 8.15.2). The driver's own way quotes and escapes numbers too and takes
 * three times as long; a batch has a dozen arrays.
 */
export function arrayLiteral(values: readonly Single[]): string {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ',';
    text += element(values[index] ?? null);
  }
  return `${text}}`;
}

function element(value: Single): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `"${NEEDS_ESCAPE.test(value) ? value.replace(ESCAPED, '\\$&') : value}"`;
  if (typeof value === 'object') return `"\\\\x${hex(value)}"`;
  return String(value);
}

const NEEDS_ESCAPE = /["\\]/;
const ESCAPED = /["\\]/g;

function hex(bytes: Uint8Array): string {
  return Buffer.isBuffer(bytes) ? bytes.toString('hex') : Buffer.from(bytes).toString('hex');
}
